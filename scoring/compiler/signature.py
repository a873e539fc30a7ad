"""One line beside every number that says everything that can change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from scoring.compiler.program import Program
from scoring.version import VERSION

# Libraries whose version can change a score.
LIBRARIES = (
    "rapidfuzz", "numpy", "scipy", "regex", "text_unidecode", "sympy", "latex2sympy2_extended", "sacrebleu", "nltk",
    "jieba", "pronouncing", "geopy", "transformers", "httpx", "PIL", "shapely",
)


def signature(
    name: str,
    version: str,
    digest: str,
    packs: Mapping[str, tuple[str, str]],
    programs: Iterable[Program],
) -> str:
    """The signature of a task, for example ``invoices@1.2.0|spec:9f2c1a7e|megabench:1.0.0|scoring:0.1.0``.

    The task adds its seed."""
    parts = [f"{name}@{version or '0'}", f"spec:{digest[:8]}"]
    parts += [f"{pack}:{pack_version}+{pack_digest[:8]}" for pack, (pack_version, pack_digest) in sorted(packs.items())]
    parts.append(f"scoring:{VERSION}")
    parts += [f"{library}:{_short(library)}" for library in libraries(programs)]
    return "|".join(parts)


def libraries(programs: Iterable[Program]) -> list[str]:
    """The libraries that the primitives of some programs use."""
    used: set[str] = set()
    for program in programs:
        for node in program.all_nodes():
            used |= _libraries_of(node.primitive.function)
    return sorted(used)


@cache
def _libraries_of(function: Any) -> frozenset[str]:
    """The known libraries that a function's module, or the function itself, imports."""
    module = {_root(value) for value in function.__globals__.values()}
    names = set(function.__code__.co_names) | {name.partition(".")[0] for name in function.__code__.co_names}
    return frozenset(library for library in LIBRARIES if library in module or library in names)


def _root(value: Any) -> str:
    owner = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    return owner.partition(".")[0] if isinstance(owner, str) else ""


def _short(library: str) -> str:
    """A library's version to the second number; later ones carry no change of results."""
    return ".".join(library_version(library).split(".")[:2])


@cache
def library_version(library: str) -> str:
    """The installed version of a library, "none" where it is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version({"text_unidecode": "text-unidecode", "PIL": "pillow"}.get(library, library))
    except PackageNotFoundError:
        return "none"
