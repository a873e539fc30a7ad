"""One story, from team A's first release to a third machine that verifies team B's numbers."""
