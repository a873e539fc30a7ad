"""The name and the version of the package; the one place where they are written, beside ``pyproject.toml``."""

DISTRIBUTION = "scoring-dsl"
VERSION = "0.1.0"
