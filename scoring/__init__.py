"""The scoring language for AI benchmarks."""
