"""Projects: their file, their lock, and the store of fetched packs; all offline and fast."""
