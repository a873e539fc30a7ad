"""Wide runs: parts of the input scored on any machine, and merged into one run."""
