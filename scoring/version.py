"""The version of the package; the one place where it is written, beside ``pyproject.toml``."""

VERSION = "0.1.0"
