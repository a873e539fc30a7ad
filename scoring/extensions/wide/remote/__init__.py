"""Runs over many machines, on third-party engines: Ray and Spark."""
