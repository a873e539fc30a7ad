"""Audits of metrics: attempts to make a scorer give a score that it should not."""
