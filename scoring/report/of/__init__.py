"""One function for each kind of result: plain data in, a `Document` out."""
