"""The command line: each command is declared with its arguments, beside others of its kind."""
