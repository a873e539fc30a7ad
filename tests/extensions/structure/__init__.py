"""Tests of the extension structure."""
