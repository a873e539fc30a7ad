"""MEGA-Bench: its file format, its released scorers and parsers, its leaderboard."""
