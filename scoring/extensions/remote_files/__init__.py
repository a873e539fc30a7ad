"""Files and run folders at addresses (`s3://…`, `memory://…`), through fsspec (the extra `remote`)."""
