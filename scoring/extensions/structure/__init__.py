"""Structured answers: values held to a JSON Schema, tables, function calls."""
