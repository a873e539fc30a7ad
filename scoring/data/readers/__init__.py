"""Readers of rows: one module per format, each with its `FORMATS`; all modules of this package are registered."""
