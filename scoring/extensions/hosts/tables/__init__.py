"""Scores as columns of the tables that people work with: pandas, polars, Arrow, DuckDB, and Hugging Face datasets."""
