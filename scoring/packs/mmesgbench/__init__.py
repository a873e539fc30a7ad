"""MMESGBench: the metrics, readings and comparisons of its released code."""
