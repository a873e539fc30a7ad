"""Documents of comparisons and leaderboards."""
