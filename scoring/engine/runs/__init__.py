"""Run folders: writing them."""
