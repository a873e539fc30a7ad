"""What work costs as its input grows: `python -m benchmarks.growth`."""
