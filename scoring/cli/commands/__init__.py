"""One module for each command, with `configure(parser)` and `run(options, console)`."""
