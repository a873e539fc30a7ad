"""Steps on texts beside the core: parts by position, characters by category, numbers as texts, further similarities."""
