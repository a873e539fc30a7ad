"""Tests of projects and what they lock."""
