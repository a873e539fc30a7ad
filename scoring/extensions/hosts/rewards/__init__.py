"""Scores as rewards: the key `reward` of specs, and for each trainer the function that it calls."""
