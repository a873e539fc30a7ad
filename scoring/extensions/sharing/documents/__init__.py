"""Documents of comparisons and of shared packs."""
