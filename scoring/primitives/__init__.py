"""The built-in primitives of the language: each is one function; small files, grouped into families."""
