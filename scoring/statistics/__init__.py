"""What data-set metrics are made of: sums, mergeable statistics, intervals, clusters, comparison, agreement."""
