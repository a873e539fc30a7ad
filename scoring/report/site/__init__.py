"""A static site of packs, tasks and primitives: pages, a search, and a box to try a definition."""
