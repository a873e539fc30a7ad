"""One line beside every number that says everything that can change it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from scoring.compiler.program import Program
from scoring.version import VERSION

# Libraries whose version can change a score.
LIBRARIES = (
    "rapidfuzz",
    "numpy",
    "scipy",
    "regex",
    "text_unidecode",
    "sympy",
    "latex2sympy2_extended",
    "sacrebleu",
    "nltk",
    "jieba",
    "pronouncing",
    "geopy",
    "transformers",
    "httpx",
    "PIL",
    "shapely",
)
# Functions that hand their work to a process of ours, and the library that it is done with there.
BEHIND = {"formula_text": "sympy", "formulas_equal": "sympy"}


def signature(
    name: str, version: str, digest: str, packs: Mapping[str, tuple[str, str]], programs: Iterable[Program]
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
    reached = _reached_by(programs)
    behind = {library for name, library in BEHIND.items() if name in reached}
    return sorted((reached & set(LIBRARIES)) | behind)


def asks_judge(programs: Iterable[Program]) -> bool:
    """Whether any primitive of some programs asks a judge, whose model then belongs to the signature."""
    return "current_judge" in _reached_by(programs)


def leaves_notes(programs: Iterable[Program]) -> bool:
    """Whether any primitive of some programs notes how its score came about."""
    return "leave_note" in _reached_by(programs)


def runs_programs(programs: Iterable[Program]) -> bool:
    """Whether any primitive of some programs runs untrusted programs, whose sandbox then belongs to the signature."""
    return "current_sandbox" in _reached_by(programs)


def sandbox_part() -> str:
    """What stands in a signature for the sandbox that is used now."""
    from scoring.sandbox.choose import current_sandbox
    from scoring.sandbox.protocol import SandboxUnavailable

    try:
        return f"sandbox:{current_sandbox().name}"
    except SandboxUnavailable:
        return "sandbox:none"


def judge_part() -> str:
    """What stands in a signature for the judge that is configured now."""
    from scoring.judge.asking.opening import signature_part
    from scoring.judge.protocol import JudgeError, current_judge

    try:
        return signature_part(current_judge())
    except JudgeError:
        return "judge:none"


def _reached_by(programs: Iterable[Program]) -> set[str]:
    names: set[str] = set()
    for program in programs:
        for node in program.all_nodes():
            names |= _reached(node.primitive.function)
    return names


@cache
def _reached(function: Any) -> frozenset[str]:
    """Every name that a function reaches through our own code: what it imports and calls, and what those do."""
    found: set[str] = set()
    seen: set[Any] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        current = inspect.unwrap(current) if callable(current) else current
        if not isinstance(current, FunctionType) or current in seen:
            continue
        seen.add(current)
        for code in _codes(current.__code__):
            # Optional libraries are imported by name.
            found.update(constant.partition(".")[0] for constant in code.co_consts if isinstance(constant, str))
            for name in code.co_names:
                found.update((name, name.partition(".")[0]))
                reached = current.__globals__.get(name, _imported(name, code.co_names))
                found.add(_root(reached))
                if _root(reached) == "scoring":
                    waiting.append(reached)
    return frozenset(found)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _imported(name: str, names: tuple[str, ...]) -> Any:
    """What a function-level import of our own code names."""
    for module in names:
        if module.startswith("scoring.") and module in sys.modules:
            found = getattr(sys.modules[module], name, None)
            if found is not None:
                return found
    return None


def _root(value: Any) -> str:
    """The package that a value comes from."""
    owner = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
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
