"""Answer editors and agents about a text that is being written: what flows at a place, and what may come next."""
