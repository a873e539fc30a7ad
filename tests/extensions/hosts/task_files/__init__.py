"""Files of tasks of other programs, and the specs that are made of them."""
