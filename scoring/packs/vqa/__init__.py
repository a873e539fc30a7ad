"""VQA: the normalisation of short answers by the released evaluation."""
