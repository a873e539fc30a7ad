"""Signatures: one line printed with every result, with everything that can change its numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from scoring.compiler.identity.meaning import describe_primitives, program_meaning
from scoring.compiler.programs.program import Program, primitives_of
from scoring.data.limits import DataLimits, limits
from scoring.diagnostics.visible import HOSTILE
from scoring.format.load import digest_of
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.effect import EffectProvider, is_effect, provider
from scoring.registry.model import Primitive
from scoring.version import VERSION

_DIGITS = 16
# What a run adds to the program's digest; together they are the meaning.
_MEANING = ("meaning", "limits", "format", "judge", "seed")
# So many paths stand in a signature as they are.
_MOST_READS = 8


class Signature(str):
    """The line of a signature, a string that names everything that can change a number, and whose parts can be read.

    ``meaning`` is equal for two runs that must give the same numbers for the same columns: the digest of the resolved
    program, with the run's judge, seed, limits on data and format settings. ``reads`` has the paths of inputs that are
    not at their default place in a record. ``env`` has the versions of Python and of the libraries. The packs are
    listed only for the reader, since their content is in the digest.

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
        """The parts of the line by name; the first one is called ``task``."""
        # What is scored stands first, and an expression there may hold bars of its own.
        start = max(self.rfind("|meaning:"), 0) or self.find("|")
        task, others = (self, "") if start < 0 else (self[:start], self[start + 1 :])
        pairs = (part.partition(":") for part in others.split("|") if part)
        return {"task": str(task), **{name: value for name, _, value in pairs}}

    @property
    def meaning(self) -> str:
        """The digest of the meaning, with the run's seed, judge and settings; "" for a line in the former format."""
        parts = self.parts
        return "|".join(
            parts[name] if name == "meaning" else f"{name}:{parts[name]}"
            for name in _MEANING
            if name in parts and "meaning" in parts
        )

    @property
    def reads(self) -> str:
        """The paths of inputs that are not at their default place in a record; "" if there are none."""
        return self.parts.get("reads", "")

    @property
    def env(self) -> str:
        """The versions with which the numbers were computed; "" for a line in the former format."""
        return self.parts.get("env", "")


def signature_line(label: str, parts: Mapping[str, str | Sequence[str]]) -> Signature:
    """Return the signature of a label and named parts, in which separators and line ends inside texts are escaped.

    A label may contain bars, as expressions do, so the parts begin at the last `|meaning:`.

    Examples:
        >>> line = signature_line("replace(old='|meaning:0')@0", {"meaning": "9f", "seed": "0", "judge": "a|seed:1"})
        >>> line, line.meaning
        ("replace(old='|meaning:0')@0|meaning:9f|seed:0|judge:a%7Cseed:1", '9f|judge:a%7Cseed:1|seed:0')
    """
    texts = {name: _safe(part, "|") if isinstance(part, str) else escaped_names(part) for name, part in parts.items()}
    return Signature("|".join([_safe(label, ""), *(f"{name}:{text}" for name, text in texts.items())]))


def escaped_names(names: Iterable[str]) -> str:
    """Return names as the comma-separated text of a signature's part, with commas and bars inside names escaped.

    Examples:
        >>> escaped_names(["house 1.0", "a, b"])
        'house 1.0, a%2C b'
    """
    return ", ".join(_safe(name, ",|") for name in names)


def packs_in_signature(versions: Mapping[str, Any]) -> list[str]:
    """Return packs as they are listed in a signature, each with its version, from versions by name.

    Examples:
        >>> packs_in_signature({"house@2.0": "2.0", "house": "1.0"})
        ['house 1.0', 'house 2.0']
    """
    return [f"{name.partition('@')[0]} {version}" for name, version in sorted(versions.items())]


def _safe(text: str, separators: str) -> str:
    """Return a text with separators and control characters escaped, so that different texts stay different."""
    escaped = _ESCAPED.sub("%25", text)
    for character in separators:
        escaped = escaped.replace(character, _coded(character))
    return HOSTILE.sub(lambda found: _coded(found[0]), escaped)


# A percent sign that would be read as the beginning of a sign's code.
_ESCAPED = lazy_pattern(r"%(?=[0-9A-F]{2})")


def _coded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def _reads_part(reads: Mapping[str, str]) -> dict[str, str | list[str]]:
    """Return the part `reads` of a signature: the paths of inputs, by name, or their digest if they are many; {}
    without paths."""
    if len(reads) > _MOST_READS:
        return {"reads": digest_of(reads)[:_DIGITS]}
    return {"reads": [f"{name}={path}" for name, path in sorted(reads.items())]} if reads else {}


def _limits_part() -> dict[str, Sequence[str]]:
    """Return the part `limits` of a signature: those limits on files that are not the defaults, since they decide which
    rows are refused; {} without any."""
    usual, current = (asdict(one) for one in (DataLimits(), limits()))
    other = [f"{name}={bound}" for name, bound in current.items() if bound != usual[name]]
    return {"limits": other} if other else {}


def _nothing(meaning: Mapping[str, Any]) -> dict[str, str]:
    """Return {}, for no paths; the default of `Recipe.reading`."""
    return {}


class Recipe(Struct, frozen=True, dict=True):
    """All parts of the signature of a task or suite that do not depend on the run.

    ``packs`` has the version and digest of every imported pack; ``program`` returns the meaning as plain data, and
    ``reading`` returns, for a meaning, the paths of inputs that are not at their default place. ``effects`` has the
    effects that the steps use, such as "judge" for calls of a judge model, each with settings of these steps.
    ``settings`` has the settings of the format of a run's data that are not the defaults.
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
        """The meaning of the program as plain data, which is the same for all its spellings."""
        return self.program()

    @cached_property
    def digest(self) -> str:
        """The digest of the meaning, which signatures and locks contain."""
        return digest_of(self.meaning)

    @cached_property
    def reads(self) -> Mapping[str, str]:
        """The parts of a record that are not read at their default place, with their paths."""
        return self.reading(self.meaning)

    def read_by(self) -> dict[str, Sequence[str]]:
        """Return the settings for reading data that are not the defaults: limits, and settings of the format."""
        return {**_limits_part(), **({"format": self.settings} if self.settings else {})}

    def uses(self, effect: str) -> bool:
        """Tell whether any primitive declares that it uses ``effect``: an effect, such as "judge", or a library."""
        return any(effect in primitive.uses for primitive in self.primitives)

    def libraries(self) -> dict[str, str]:
        """Return the installed version of every distribution that the primitives declare, "none" for a missing one."""
        names = {name for primitive in self.primitives for name in primitive.libraries}
        return {name: library_version(name) for name in sorted(names)}

    def resolved(self) -> dict[str, Any]:
        """Return the entry of a manifest for the resolved spec: packs, meaning, program, paths, primitives and
        libraries.
        """
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
        """Return the signature for a seed, with the current settings of the judge and the sandbox if primitives use
        them."""
        packs = packs_in_signature({name: version for name, (version, _) in self.packs.items()})
        others = sorted({f"{one.release.name} {one.release.version}" for one in self.primitives if not one.is_own})
        effects = {name: one.part() for name, one in self._providers() if one.part is not None}
        listed = {name: names for name, names in (("packs", packs), ("primitives", others)) if names}
        first = {"meaning": self.digest[:_DIGITS], **_reads_part(self.reads), **self.read_by()}
        parts = {**first, **effects, "seed": str(seed), **listed, "env": self._environment()}
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
    """Return the recipe of a task or suite, from which its signatures are made, given its compiled programs.

    ``packs`` has the version and digest of each imported pack. ``meaning`` returns the meaning as plain data, by
    default that of the programs, and ``reading``, for a meaning, the paths of inputs that are not at their default
    place.
    """
    every = tuple(programs)
    return Recipe(
        f"{name}@{version or '0'}",
        tuple(primitives_of(every)),
        packs or {},
        meaning or (lambda: {"programs": [program_meaning(program) for program in every]}),
        _settings(every),
        reading,
    )


def _settings(programs: Sequence[Program]) -> dict[str, Sequence[str]]:
    """Return the effects that some programs use, such as "judge", each with its settings for the steps that use it."""
    nodes = [node for program in programs for node in program.all_nodes()]
    words = sorted({word for node in nodes for word in node.primitive.uses if is_effect(word)})
    having = {effect: [node for node in nodes if effect in node.primitive.uses] for effect in words}
    providers = {effect: provider(effect) for effect, some in having.items() if some}
    return {effect: tuple(one.settings(having[effect])) for effect, one in providers.items() if one is not None}


def _short(version: str) -> str:
    """Return the first two numbers of a library's version, since changes of the others do not change results."""
    return ".".join(version.split(".")[:2])


@cache
def library_version(library: str) -> str:
    """Return the installed version of a library, or "none" if it is missing.

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
    """Return the name of a distribution in the normalised form by which package indexes compare names."""
    return distribution.lower().replace("_", "-").replace(".", "-")
