"""Tests of the extension constraints."""
