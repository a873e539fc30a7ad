"""Data-set metrics of labels, of errors of numbers, and of repeated samples."""
