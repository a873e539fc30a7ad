"""The pipeline from records to figures: batches, processes, counts, summary."""
