"""Spider: queries in SQL, read into clauses as the released evaluation reads them."""
