"""Judge programs: prompts, replies and their schemas, formulas."""
