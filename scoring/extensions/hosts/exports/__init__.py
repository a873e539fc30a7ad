"""Runs and specs in the forms of other tools, by `scoring export`; a file a tool."""
