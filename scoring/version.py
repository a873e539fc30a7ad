"""The name and version of the package, written here and in ``pyproject.toml`` only."""

DISTRIBUTION = "scoring-dsl"
VERSION = "0.1.0"
