"""Tests of the extension trees."""
