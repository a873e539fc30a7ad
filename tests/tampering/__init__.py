"""Run folders that were changed after they were written, in every way that we could think of, and whether it is seen."""
