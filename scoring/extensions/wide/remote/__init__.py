"""Runs over many machines, on engines that others have built: Ray and Spark."""
