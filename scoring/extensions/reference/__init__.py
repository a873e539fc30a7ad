"""List, search and explain what there is, and generate the files that tell it: reference pages, schemas, recipes."""
