"""A page on which a spec is written with help, and what it does to the records of a file is seen while typing."""
