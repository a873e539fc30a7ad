"""Run folders: writing, reading, verifying and comparing them."""
