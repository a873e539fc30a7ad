"""Running of the examples in specs, and comparison of the results with the expected ones."""
