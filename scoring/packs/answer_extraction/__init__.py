"""Extracting answers from responses like released code does, where that takes more than a pattern."""
