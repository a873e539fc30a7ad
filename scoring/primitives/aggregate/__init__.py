"""Aggregators: from the scores of a record's fields to the record's score."""
