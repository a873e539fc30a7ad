"""Places: geocoding without a network by default, and distances on the globe."""
