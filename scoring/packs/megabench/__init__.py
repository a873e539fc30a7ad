"""MEGA-Bench: its file format, its leaderboard, and what nothing but its odd tasks need."""
