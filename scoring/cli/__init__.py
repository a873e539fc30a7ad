"""The command line: each command is declared with its arguments."""
