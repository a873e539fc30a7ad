"""Tests of the extension net."""
