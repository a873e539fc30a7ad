"""Wide runs: parts of the input scored anywhere, and joined to one run."""
