"""Tests of the extension answers."""
