"""MEGA-Bench: scorers, parsers and the task score of its released code, including its quirks."""
