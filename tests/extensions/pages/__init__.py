"""Tests of the extension pages."""
