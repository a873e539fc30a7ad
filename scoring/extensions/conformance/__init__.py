"""Cases of the specification: specs and records as plain data, with the outcomes that any implementation must give."""
