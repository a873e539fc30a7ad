"""Tests of the extension geography."""
