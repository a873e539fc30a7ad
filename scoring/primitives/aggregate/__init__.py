"""Aggregators: primitives that combine the scores of a record's fields into the record's score."""
