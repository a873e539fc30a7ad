"""Programs as data: typed steps, outcomes of failures, stages; the names in scope, and the words of findings."""
