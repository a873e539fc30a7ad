"""VQA: how the released evaluation brings short answers to one form."""
