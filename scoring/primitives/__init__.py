"""The alphabet of the language: one function, one primitive, small files by family."""
