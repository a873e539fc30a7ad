"""Evaluation platforms: for each a function that turns a task into what the platform takes as a scorer."""
