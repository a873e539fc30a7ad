"""Steps on addresses of the web: the parts of a URL, and percent-encoding."""
