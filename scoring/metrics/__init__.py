"""Data-set metrics: figures over all records of a data set, computed from mergeable sufficient statistics."""
