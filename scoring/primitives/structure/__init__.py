"""Structured values: validated by a schema, compared path by path; and tables as trees."""
