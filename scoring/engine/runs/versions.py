"""The versions of everything that can change a number."""

from __future__ import annotations

import platform

from scoring.version import VERSION

# Distributions whose version can change a score; those that are not installed are left out.
LIBRARIES = (
    "rapidfuzz",
    "numpy",
    "scipy",
    "regex",
    "text-unidecode",
    "jmespath",
    "lark",
    "PyYAML",
    "jsonschema",
    "sympy",
    "antlr4-python3-runtime",
    "nltk",
    "jieba",
    "geopy",
    "pyarrow",
)


def versions() -> dict[str, str]:
    """The versions of scoring, Python and the installed libraries."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"scoring": scoring_version(), "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def scoring_version() -> str:
    """The version of this package."""
    return VERSION
