"""Answers found in free text: letters of options, numbers, lists, short answers."""
