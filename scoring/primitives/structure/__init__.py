"""Values with a structure: held to a schema, told apart path by path, and tables as trees."""
