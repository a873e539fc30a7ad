"""Answers of mathematics problems as released code reads and writes them before it compares."""
