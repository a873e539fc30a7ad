"""The name and the version of the distribution; apart from ``pyproject.toml``, they are defined only here."""

DISTRIBUTION = "scoring-dsl"
VERSION = "0.1.0"
