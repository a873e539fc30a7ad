"""What editors and agents ask of a text that is being written: what flows at a place, and what may come next."""
