"""Geocoding of places, by default without a network, and distances on the globe."""
