"""Traces of records: the value after every stage of a scoring, as data and as a tree; the verb that explains."""
