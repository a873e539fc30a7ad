"""Tests of the extension maths."""
