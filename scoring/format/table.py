"""The whole table of keys: all keys with their paths, and the refusal of keys of other kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.format.keys import ANY_KIND, DATA_SETS, KINDS, FileKind, Key, keys_of
from scoring.format.model import class_of
from scoring.format.nodes import SpecNode
from scoring.registry.plugins import OWN_KINDS


class KeyPlace(Struct, frozen=True):
    """A key with its path in a spec file, such as `intervals.method` or `fields.*.score`; `*` is any name."""

    path: tuple[str, ...]
    owner: type[Any]
    key: Key
    kinds: tuple[FileKind, ...]

    @property
    def text(self) -> str:
        """The path as written in the documentation."""
        return ".".join("<name>" if step == "*" else step for step in self.path)


def walk_keys(
    owner: type[Any],
    kinds: Collection[FileKind],
    before: tuple[str, ...] = (),
    words: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[KeyPlace]:
    """Yield the keys of a class and of the classes inside it, each with the kinds of files that may have it there.

    Args:
        owner: The class.
        kinds: The kinds of files to consider.
        before: The path in a file to the mapping with these keys.
        words: Names that some of its keys have there, in place of their own.
    """
    for one in keys_of(owner):
        own = tuple(kind for kind in kinds if one.is_for(kind))
        if own:
            path = (*before, words.get(one.name, one.name))
            yield KeyPlace(path, owner, one, own)
            for way, inner in one.form.inside:
                yield from walk_keys(inner, own, (*path, *filter(None, way.split("."))), one.form.words)


@cache
def every_place(*more: FileKind) -> tuple[KeyPlace, ...]:
    """Return all keys of all kinds of spec files, with each path at which they may occur.

    Args:
        more: Kinds of data sets of other packages, whose keys are returned, too.
    """
    owners: dict[type, list[FileKind]] = {}
    for kind in (*KINDS, *more):
        owners.setdefault(class_of(kind), []).append(kind)
    return tuple(place for owner, kinds in owners.items() for place in walk_keys(owner, kinds))


def places_for(kind: FileKind) -> tuple[KeyPlace, ...]:
    """Return all keys of our own kinds of spec files and of `kind`, with each path at which they may occur."""
    return every_place(*(() if kind in KINDS else (kind,)))


def misplaced_key(kind: FileKind, path: Iterable[str | int], name: str, node: SpecNode) -> Diagnostic | None:
    """Return the finding for the key `name` of the mapping at `path` if only other kinds of files have it, or None."""
    steps = (*(step for step in path if isinstance(step, str)), name)
    # `*` stands for any name.
    ways = (place for place in places_for(kind) if len(place.path) == len(steps))
    fitting = (way for way in ways if all(one in ("*", step) for one, step in zip(way.path, steps, strict=True)))
    kinds = {one for way in fitting for one in way.kinds}
    if not kinds or kind in kinds:
        return None
    return diagnostic(
        "error",
        "wrong-kind-key",
        f"`{'.'.join(steps)}` is not for {_word(kind)}",
        node.key_span or node.span,
        f"it is for {_kinds(kinds)}",
        help=_way_on(kind, kinds),
    )


def _kinds(kinds: set[FileKind]) -> str:
    every = set(DATA_SETS) if kinds >= set(DATA_SETS) else set[FileKind]()
    words = [_word(kind) for kind in KINDS if kind in kinds - every]
    words += ["a task over a data set (`records: …`)"] if every else []
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _word(kind: FileKind) -> str:
    if kind == "rows":
        return "a task over rows"
    return f"a {kind}" if kind == "pack" or kind in OWN_KINDS else f"a task with `records: {kind}`"


def _way_on(kind: FileKind, kinds: set[FileKind]) -> str:
    if kind == "rows" and kinds & set(DATA_SETS):
        word = next(one for one in DATA_SETS if one in kinds)
        return f"remove it, or say what the whole data set holds, such as `records: {word}`"
    if kind not in ANY_KIND and "rows" in kinds:
        return "remove it, or remove `records` if each row of a file is scored by itself"
    return "remove it"
