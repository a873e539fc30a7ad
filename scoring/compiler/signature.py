"""Signatures: one line next to every number, with everything that can change the number."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from scoring.compiler.meaning import describe_primitives, program_meaning
from scoring.compiler.program import Program, primitives_of
from scoring.data.limits import DataLimits, limits
from scoring.diagnostics.visible import HOSTILE
from scoring.format.load import digest_of
from scoring.registry.effect import EffectProvider, is_effect, provider
from scoring.registry.model import Primitive
from scoring.version import VERSION

_DIGITS = 16
# What a run adds to the program's digest; together they are the meaning.
_MEANING = ("meaning", "limits", "format", "judge", "seed")
# So many paths stand in a signature as they are.
_MOST_READS = 8


class Signature(str):
    """The signature's line, which knows its two parts.

    ``meaning`` is equal for two runs that must give the same numbers of the same columns: the digest of the resolved
    program, with the judge, the seed, the bounds on data and the settings of their format of the run. ``reads`` says
    which columns those are, where they have other names than the parts of a record. ``env`` names what it ran on. The
    packs between them are named for the reader: what they define is in the digest already.

    Examples:
        >>> line = Signature("invoices@1.2.0|meaning:9f2c1a7e0b3d4c5f|seed:0|packs:house 1.0.0|env:scoring 0.1.0")
        >>> line.meaning, line.env
        ('9f2c1a7e0b3d4c5f|seed:0', 'scoring 0.1.0')
        >>> Signature("invoices@1.2.0|spec:9f2c1a7e|seed:0").meaning  # as runs had it before there were two parts
        ''
    """

    __slots__ = ()

    @property
    def parts(self) -> dict[str, str]:
        """The parts by name; the first is called ``task``."""
        # What is scored stands first, and an expression there may hold bars of its own.
        start = max(self.rfind("|meaning:"), 0) or self.find("|")
        task, others = (self, "") if start < 0 else (self[:start], self[start + 1 :])
        named = (part.partition(":") for part in others.split("|") if part)
        return {"task": str(task), **{name: value for name, _, value in named}}

    @property
    def meaning(self) -> str:
        """The digest of the meaning; "" in lines of the former format."""
        parts = self.parts
        return "|".join(
            parts[name] if name == "meaning" else f"{name}:{parts[name]}"
            for name in _MEANING
            if name in parts and "meaning" in parts
        )

    @property
    def reads(self) -> str:
        """Where data keep what is read, "" if each part is found under its own name."""
        return self.parts.get("reads", "")

    @property
    def env(self) -> str:
        """The versions that the numbers were made with; "" in lines of the former format."""
        return self.parts.get("env", "")


def signature_line(label: str, parts: Mapping[str, str | Sequence[str]]) -> Signature:
    """Return the line of a label and named parts; no text in it can imitate a part, a line end or a separator.

    A label may hold bars, as expressions do: what follows it begins at the last `|meaning:`. Parts may not.

    Examples:
        >>> line = signature_line("replace(old='|meaning:0')@0", {"meaning": "9f", "seed": "0", "judge": "a|seed:1"})
        >>> line, line.meaning
        ("replace(old='|meaning:0')@0|meaning:9f|seed:0|judge:a%7Cseed:1", '9f|judge:a%7Cseed:1|seed:0')
    """
    texts = {name: _held(held, "|") if isinstance(held, str) else escaped_names(held) for name, held in parts.items()}
    return Signature("|".join([_held(label, ""), *(f"{name}:{text}" for name, text in texts.items())]))


def escaped_names(names: Iterable[str]) -> str:
    """Names in one part of a signature, each of which stays one.

    Examples:
        >>> escaped_names(["house 1.0", "a, b"])
        'house 1.0, a%2C b'
    """
    return ", ".join(_held(name, ",|") for name in names)


def packs_in_signature(versions: Mapping[str, Any]) -> list[str]:
    """Return the names of packs in a signature, from their versions by name.

    Examples:
        >>> packs_in_signature({"house@2.0": "2.0", "house": "1.0"})
        ['house 1.0', 'house 2.0']
    """
    return [f"{name.partition('@')[0]} {version}" for name, version in sorted(versions.items())]


def _held(text: str, separators: str) -> str:
    """Return a text with separators and control characters escaped; different texts stay different."""
    escaped = _ESCAPED.sub("%25", text)
    for sign in separators:
        escaped = escaped.replace(sign, _coded(sign))
    return HOSTILE.sub(lambda found: _coded(found[0]), escaped)


# A percent sign that would be read as the beginning of a sign's code.
_ESCAPED = re.compile(r"%(?=[0-9A-F]{2})")


def _coded(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogatepass"))


def _reads_part(reads: Mapping[str, str]) -> dict[str, str | list[str]]:
    """Return the part of a signature with the paths of what is read; a digest if there are many."""
    if len(reads) > _MOST_READS:
        return {"reads": digest_of(reads)[:_DIGITS]}
    return {"reads": [f"{name}={path}" for name, path in sorted(reads.items())]} if reads else {}


def _limits_part() -> dict[str, Sequence[str]]:
    """Return the limits of files that differ from the defaults: they change which rows are refused."""
    usual, held = (asdict(one) for one in (DataLimits(), limits()))
    other = [f"{name}={bound}" for name, bound in held.items() if bound != usual[name]]
    return {"limits": other} if other else {}


def _nothing(meaning: Mapping[str, Any]) -> dict[str, str]:
    """Return the paths of undeclared parts: none."""
    return {}


@dataclass(frozen=True)
class Recipe:
    """The parts of the signature of a task or suite that do not depend on the run.

    ``packs`` has version and digest of every pack that it imports; ``program`` gives its meaning as plain data, and
    ``reading`` by that where data keep what is read; ``effects`` names those that its steps have, with what matters of
    these steps, such as the languages of programs. ``settings`` are those of the format of a run's data that are not
    as usual.
    """

    label: str
    primitives: tuple[Primitive, ...]
    packs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    program: Callable[[], Mapping[str, Any]] = dict
    effects: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reading: Callable[[Mapping[str, Any]], Mapping[str, str]] = _nothing
    settings: tuple[str, ...] = ()

    @cached_property
    def meaning(self) -> Mapping[str, Any]:
        """The program as plain data, in the form that all its spellings share."""
        return self.program()

    @cached_property
    def digest(self) -> str:
        """The digest of the meaning."""
        return digest_of(self.meaning)

    @cached_property
    def reads(self) -> Mapping[str, str]:
        """The parts of a record that are read elsewhere than under their own name, with their paths."""
        return self.reading(self.meaning)

    def read_by(self) -> dict[str, Sequence[str]]:
        """The settings of reading that are not the defaults: limits, and settings of a format."""
        return {**_limits_part(), **({"format": self.settings} if self.settings else {})}

    def uses(self, effect: str) -> bool:
        """Tell whether a primitive declares this effect or library."""
        return any(effect in primitive.uses for primitive in self.primitives)

    def libraries(self) -> dict[str, str]:
        """Return the installed version of every distribution that a primitive declares, "none" where it is missing."""
        names = {name for primitive in self.primitives for name in primitive.libraries}
        return {name: library_version(name) for name in sorted(names)}

    def resolved(self) -> dict[str, Any]:
        """Return the part of a manifest with the resolved spec."""
        packs = {name: {"version": version, "digest": digest} for name, (version, digest) in self.packs.items()}
        return {
            "packs": packs,
            "meaning": self.digest,
            "program": dict(self.meaning),
            "reads": dict(self.reads),
            "primitives": describe_primitives(self.primitives),
            "libraries": self.libraries(),
        }

    def signature(self, seed: int = 0) -> Signature:
        """Return the line, with the judge and the sandbox that are configured now where a primitive uses them."""
        packs = packs_in_signature({name: version for name, (version, _) in self.packs.items()})
        others = sorted({f"{one.release.name} {one.release.version}" for one in self.primitives if not one.is_own})
        effects = {name: one.part() for name, one in self._providers() if one.part is not None}
        named = {name: held for name, held in (("packs", packs), ("primitives", others)) if held}
        first = {"meaning": self.digest[:_DIGITS], **_reads_part(self.reads), **self.read_by()}
        parts = {**first, **effects, "seed": str(seed), **named, "env": self._environment()}
        return signature_line(self.label, parts)

    def _providers(self) -> Iterator[tuple[str, EffectProvider]]:
        return ((name, one) for name in self.effects if (one := provider(name)) is not None)

    def _environment(self) -> list[str]:
        libraries = [f"{name} {_short(version)}" for name, version in self.libraries().items()]
        runs = [word for name, one in self._providers() for word in one.environment(self.effects[name])]
        python = f"python {sys.version_info.major}.{sys.version_info.minor}"
        return [f"scoring {VERSION}", python, *libraries, *runs]


def recipe(
    name: str,
    version: str,
    programs: Iterable[Program],
    packs: Mapping[str, tuple[str, str]] | None = None,
    meaning: Callable[[], Mapping[str, Any]] | None = None,
    reading: Callable[[Mapping[str, Any]], Mapping[str, str]] = _nothing,
) -> Recipe:
    """Return the parts of the signature of a task or suite; without a meaning, only those of its programs."""
    held = tuple(programs)
    return Recipe(
        f"{name}@{version or '0'}",
        tuple(primitives_of(held)),
        packs or {},
        meaning or (lambda: {"programs": [program_meaning(program) for program in held]}),
        _settings(held),
        reading,
    )


def _settings(programs: Sequence[Program]) -> dict[str, Sequence[str]]:
    """Return each effect of some steps, with the settings that its provider reports for them."""
    nodes = [node for program in programs for node in program.all_nodes()]
    words = sorted({word for node in nodes for word in node.primitive.uses if is_effect(word)})
    having = {effect: [node for node in nodes if effect in node.primitive.uses] for effect in words}
    providers = {effect: provider(effect) for effect, some in having.items() if some}
    return {effect: tuple(one.settings(having[effect])) for effect, one in providers.items() if one is not None}


def _short(version: str) -> str:
    """Return a library's version to the second number; later ones carry no change of results."""
    return ".".join(version.split(".")[:2])


@cache
def library_version(library: str) -> str:
    """Return the installed version of a library, "none" where it is missing.

    Examples:
        >>> library_version("no-such-library")
        'none'
    """
    # The folder that pip wrote is read here: `importlib.metadata` takes it for a mail, and to import what reads mails
    # takes longer than to score a dozen records.
    wanted = _plain_name(library)
    for folder in sys.path:
        for name in _names_in(folder):
            if name.endswith(".dist-info") and _plain_name(name.partition("-")[0]) == wanted:
                return _stated_version(Path(folder, name, "METADATA"))
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def _stated_version(metadata: Path) -> str:
    with suppress(OSError), metadata.open(encoding="utf-8") as lines:
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("Version:")), "none")
    return "none"


@cache
def _names_in(folder: str) -> tuple[str, ...]:
    try:
        return tuple(os.listdir(folder or "."))
    except OSError:  # a zip file, or no folder at all
        return ()


def _plain_name(distribution: str) -> str:
    """Return a distribution's name as the index compares names."""
    return distribution.lower().replace("_", "-").replace(".", "-")
