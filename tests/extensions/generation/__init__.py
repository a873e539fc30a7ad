"""Tests of the extension generation."""
