"""Comparison of numbers beside the core: relative errors, and relations such as `at least`."""
