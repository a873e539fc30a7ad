"""Rows of files and tables in memory, and records from one table or from two joined by id."""
