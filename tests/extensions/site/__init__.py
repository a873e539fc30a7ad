"""The site of packs, tasks and primitives: its pages, its server, and both in a real browser."""
