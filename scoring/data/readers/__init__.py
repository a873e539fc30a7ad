"""Readers of rows: one module a format, each with its `FORMATS`; whatever lies here is registered."""
