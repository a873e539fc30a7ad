"""Words of other tools: their commands, options and keys, with what to write here in their place."""
