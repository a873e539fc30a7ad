"""Files and tables of typed columns: Parquet and Arrow files, data frames of pandas and polars, scores as Parquet."""
