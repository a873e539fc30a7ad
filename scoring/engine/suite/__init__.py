"""Suites: many tasks scored in one run, joined into means, groups and breakdowns."""
