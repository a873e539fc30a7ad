"""Rows out of files: JSON Lines, JSON, CSV and Parquet, one file or two joined by id."""
