"""MMESGBench: the metrics and text conversions of its released code."""
