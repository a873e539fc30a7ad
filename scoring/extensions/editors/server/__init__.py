"""A language server for specs: a light process speaks the protocol, and child processes, which can be ended, think."""
