"""The versions of everything that can change a number."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from scoring.version import VERSION

# What every run reads and counts with; what its primitives declare is added.
LIBRARIES = ("numpy", "scipy", "jmespath", "PyYAML", "jsonschema", "pyarrow")


def versions(libraries: Iterable[str] = ()) -> dict[str, str]:
    """The versions of scoring, Python and the installed libraries.

    Args:
        libraries: Further distributions; those that are not installed are left out.
    """
    from scoring.compiler.signature import library_version

    found = {name: library_version(name) for name in dict.fromkeys((*LIBRARIES, *libraries))}
    installed = {name: version for name, version in found.items() if version != "none"}
    return {"scoring": scoring_version(), "python": platform.python_version(), **installed}


def scoring_version() -> str:
    """The version of this package."""
    return VERSION
