"""Examples that specs state: run, and held against what they expect."""
