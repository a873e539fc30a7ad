"""Checks of specs: names are resolved, arguments bound, types checked, and idle parts found."""
