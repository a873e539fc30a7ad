"""Run folders: writing and reading them."""
