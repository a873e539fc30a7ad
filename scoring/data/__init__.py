"""Read and write data sets: files and in-memory tables of rows."""
