"""Data-set metrics: joins of records through mergeable sufficient statistics."""
