"""Suites: many tasks scored in one run, and summarized by means, groups and breakdowns."""
