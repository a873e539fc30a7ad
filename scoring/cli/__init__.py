"""The command line: the declarations of commands with their arguments, and the code that runs them."""
