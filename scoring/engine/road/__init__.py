"""The road from records to figures: batches, processes, counts, summary."""
