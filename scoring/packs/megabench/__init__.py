"""MEGA-Bench: its file format, its released scorers and parsers, and its leaderboard."""
