"""Functions that make a `Document` from the plain data of each kind of result."""
