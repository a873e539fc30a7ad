"""Tests of the extension preference."""
