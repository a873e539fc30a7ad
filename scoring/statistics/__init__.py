"""The building blocks of data-set metrics: sums, mergeable statistics, intervals, clusters, comparison, agreement."""
