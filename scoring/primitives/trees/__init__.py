"""Trees of values: lists, dictionaries and leaves, compared by any leaf scorer."""
