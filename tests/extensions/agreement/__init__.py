"""Tests of the extension agreement."""
