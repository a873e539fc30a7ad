"""Programs that run official code, by its source."""
