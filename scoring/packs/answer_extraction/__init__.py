"""Answers read out of responses as released code reads them, where that is more than a pattern."""
