"""Run folders that were changed after they were written, in every way that we thought of: what is seen of it."""
