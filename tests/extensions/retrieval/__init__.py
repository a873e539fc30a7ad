"""Tests of the extension retrieval."""
