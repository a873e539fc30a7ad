"""Documents of differences and of packs that travel."""
