"""Tests of the extension planning."""
