"""Plug-ins: additions to the language by entry points of packages, for our own and for others by one mechanism.

A distribution declares its plug-ins in its ``pyproject.toml``, in groups such as ``scoring.primitives``,
``scoring.packs``, ``scoring.front_ends`` and ``scoring.formats``. Our own are declared in the same way; but since
reading the metadata of all installed distributions takes longer than most commands, a generated index contains the
locations of ours, and others are searched only for names that are not among ours.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from scoring.diagnostics.diagnostic import SpecError

if TYPE_CHECKING:
    from importlib.metadata import Distribution

DISTRIBUTION = "scoring-dsl"
_OWN_INFO = "scoring_dsl-"
SECTIONS = "scoring.sections"
"""The group of the keys of spec files that extensions bring."""
KINDS = "scoring.kinds"
"""The group of the kinds of spec files beside tasks and packs, ``kind: NAME`` (`SpecKind`)."""
TABLES = "scoring.tables"
"""The group of the kinds of data sets that are scored as a whole, ``records: NAME`` (`TableKind`)."""


# ---- the index of our own primitives and plug-ins, `index.json`, which `scoring generate` writes

FILE = Path(__file__).with_name("index.json")
_PACKAGE = FILE.parents[1]
_HERE = frozenset(
    f"scoring.{folder}.{entry.name}"
    for folder in ("extensions", "packs")
    if (_PACKAGE / folder).is_dir()
    for entry in os.scandir(_PACKAGE / folder)
)
_index: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text("utf-8"))


def _is_here(place: str) -> bool:
    """Return whether the module in `place` (`module:name`) exists: a copy of the package may lack extensions."""
    words = place.partition(":")[0].split(".")
    return words[1] not in ("extensions", "packs") or ".".join(words[:3]) in _HERE


def _by_name(title: str) -> dict[str, str]:
    return {name: place for place, names in _index[title].items() if _is_here(place) for name in names}


STEPS = _by_name("steps")
"""The module of each step by its name."""

METRICS = _by_name("metrics")
"""The module of each data-set metric by its name."""

AKA: Mapping[str, dict[str, str]] = {
    of: {other: name for name, others in _index[f"aka of {of}"].items() if name in known for other in others}
    for of, known in (("steps", STEPS), ("metrics", METRICS))
}
"""The names of steps and of metrics by their other names in the field."""

SINCE: Mapping[str, Mapping[str, int]] = _index["since"]
"""The edition with which the name came, of steps and of metrics, for names that came after the oldest edition."""

PLUG_INS: dict[str, dict[str, str]] = {}
"""The value of each of our own entry points by its name, for each group."""

for _entry, _value in _by_name("plug-ins").items():
    _group, _, _name = _entry.partition(":")
    PLUG_INS.setdefault(_group, {})[_name] = _value

FORMATS: Mapping[str, Mapping[str, Sequence[str]]] = _index["formats"]
"""The suffixes and the first bytes, as Latin-1, of the files of each of our formats of rows, by its name; with those of
extensions that are not here, so that their files are known."""

LOGS: Mapping[str, Sequence[Sequence[str]]] = _index["logs"]
"""The marks of each of our own kinds of logs of evaluation hosts, by its name: alternatives, each the texts that the
first bytes of a file hold."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    name: (place.partition(":")[0], summary)
    for place, summaries in _index["commands"].items()
    if _is_here(place)
    for name, summary in summaries.items()
}
"""The module and the summary of each command by its name, in the order of help."""


# ---- entry points


class PlugIn(Struct, frozen=True):
    """One entry point of an installed package; its ``value`` is ``package.module`` or ``package.module:attribute``.

    ``distribution`` is "" if the metadata does not state it; ``version`` is not read for our own distribution.
    """

    name: str
    value: str
    distribution: str = DISTRIBUTION
    version: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether the plug-in belongs to our own distribution, not to another package."""
        return self.distribution == DISTRIBUTION

    def load(self) -> Any:
        """Import and return the object of the entry point.

        Raises:
            SpecError: when another package's object can't be imported; the message names the package.
        """
        module, _, attribute = self.value.partition(":")
        try:
            found: Any = importlib.import_module(module)
            for part in filter(None, attribute.split(".")):
                found = getattr(found, part)
        except Exception as error:
            if self.is_ours:
                raise
            raise SpecError.of(
                "broken-plug-in",
                f"the plug-in `{self.name}` of {self.distribution or 'an unnamed package'} can't be loaded: "
                f"{type(error).__name__}: {error}",
                help=f"fix or remove the package; its entry point is `{self.value}`",
            ) from error
        return found


def folder_of(plugin: PlugIn) -> Path | None:
    """Return the folder of an installed plug-in's module, found without importing it; None if it is not found."""
    from importlib.metadata import PackageNotFoundError, distribution

    place = plugin.value.partition(":")[0].replace(".", "/")
    try:
        bases = import_folders(distribution(plugin.distribution))
        return next((base / place for base in bases if (base / place).is_dir()), None)
    except (PackageNotFoundError, ValueError, OSError):
        return None


def import_folders(installed: Distribution) -> Iterator[Path]:
    """Yield the folders that may contain the packages of a distribution: its installation, or an editable checkout."""
    from urllib.parse import unquote, urlsplit

    yield Path(str(installed.locate_file("")))
    try:
        origin = json.loads(installed.read_text("direct_url.json") or "{}").get("url", "")
    except (ValueError, AttributeError):
        origin = ""
    if isinstance(origin, str) and origin.startswith("file://"):
        checkout = Path(unquote(urlsplit(origin).path))
        yield from (checkout, checkout / "src")
    yield from map(Path, filter(None, sys.path))


def own(group: str) -> tuple[PlugIn, ...]:
    """Return our own plug-ins of a group of entry points, without searching or importing anything.

    Examples:
        >>> [plugin.value for plugin in own("scoring.primitives") if plugin.name == "metrics"]
        ['scoring.metrics']
    """
    return tuple(PlugIn(name, value) for name, value in PLUG_INS.get(group, {}).items())


def own_names(group: str) -> tuple[str, ...]:
    """Return the names of our own plug-ins of a group, including those that a copy of the package lacks.

    Examples:
        >>> own_names("scoring.kinds")
        ('suite',)
    """
    entries = (entry.partition(":") for listed in _index["plug-ins"].values() for entry in listed)
    return tuple(name for of, _, name in entries if of == group)


def lacking_sections() -> tuple[str, ...]:
    """Return the keys of spec files that can change a score, but whose extension is not in this copy of the package.

    Keys that change no score are left out, since a file means the same without their extension.

    Examples:
        >>> lacking_sections()
        ()
    """
    moving = (name for name, moves in _index["sections"].items() if moves != "nothing")
    return tuple(name for name in moving if name not in PLUG_INS.get(SECTIONS, {}))


def others(group: str) -> tuple[PlugIn, ...]:
    """Return the plug-ins of a group in other distributions, sorted by name; the search is made only once."""
    return _scanned(tuple(sys.path)).get(group, ())


def is_mentioned(group: str) -> bool:
    """Return whether a package on the path may have plug-ins of a group, judging only by the text of its entry points.

    This takes a tenth of the time of `others`, which reads the metadata of all installed distributions; the texts are
    read only once.
    """
    wanted = f"[{group}]".encode()
    return any(wanted in text for text in _entry_points(tuple(sys.path)))


@cache
def _entry_points(path: tuple[str, ...]) -> tuple[bytes, ...]:
    """Return the text of the entry points of each other distribution in the folders of a module search path."""
    files = (file for folder in path for file in Path(folder or ".").glob("*-info/entry_points.txt"))
    return tuple(file.read_bytes() for file in files if not file.parent.name.startswith(_OWN_INFO))


def every(group: str) -> tuple[PlugIn, ...]:
    """Return all plug-ins of a group of entry points, our own first."""
    return (*own(group), *others(group))


def noticed(group: str) -> tuple[PlugIn, ...]:
    """Return our own plug-ins of a group, and those of other packages if they have already been searched.

    Plug-ins that accompany a primitive of another package, such as its effect, need no separate search, since finding
    the primitive required one.
    """
    return (*own(group), *(others(group) if _scanned.cache_info().currsize else ()))


def find_plugin(group: str, name: str) -> PlugIn | None:
    """Return a group's plug-in called `name`, None without one; other packages are searched only if ours lack it."""
    value = PLUG_INS.get(group, {}).get(name)
    if value is not None:
        return PlugIn(name, value)
    return next((plugin for plugin in others(group) if plugin.name == name), None)


@cache
def _scanned(path: tuple[str, ...]) -> Mapping[str, tuple[PlugIn, ...]]:
    """Return the plug-ins of other distributions by group, found in the folders of a module search path."""
    from importlib.metadata import distributions

    found: dict[str, set[PlugIn]] = {}
    seen = {DISTRIBUTION}
    for distribution in distributions(path=list(path)):
        name = (distribution.metadata["Name"] or "").lower()
        if name not in seen:  # the first on the path hides others with its name
            seen.add(name)
            for entry in distribution.entry_points:
                if entry.group.startswith("scoring."):
                    found.setdefault(entry.group, set()).add(
                        PlugIn(entry.name, entry.value, name, distribution.version)
                    )
    return {
        group: tuple(sorted(entries, key=lambda one: (one.name, one.distribution))) for group, entries in found.items()
    }


# ---- the names of kinds of spec files and of data sets

OWN_KINDS: tuple[str, ...] = own_names(KINDS)
"""The kinds of spec files of our own extensions, including those that a copy of the package lacks."""

KIND_WORDS = ("task", "pack", *OWN_KINDS)
"""The words after `kind:` of our own files."""

NO_TABLES = frozenset({"rows", "table", "suite", "pack"})
"""Kinds of files that are not kinds of data sets."""


def has_spec_kind(kind: str) -> bool:
    """Return whether extensions provide a kind of file, here or in the complete package, without importing them.

    Examples:
        >>> has_spec_kind("suite"), has_spec_kind("league")
        (True, False)
    """
    return kind in OWN_KINDS or any(plugin.name == kind for plugin in others(KINDS))


def has_table_kind(records: str) -> bool:
    """Return whether an extension provides the kind of data set of this name, without importing the extension.

    Examples:
        >>> has_table_kind("spreadsheet")
        False
    """
    return records in table_kinds(own) or records in table_kinds(others)


def table_kinds(found: Callable[[str], tuple[PlugIn, ...]]) -> Iterator[str]:
    """Return the names of the kinds of data sets among the plug-ins that `found` returns for the group.

    Examples:
        >>> list(table_kinds(lambda group: (PlugIn("spans", "house.spans"), PlugIn("rows", "house"))))
        ['spans']
    """
    return (plugin.name for plugin in found(TABLES) if plugin.name not in NO_TABLES)
