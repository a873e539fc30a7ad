"""The changes between two specs, each with whether it moves the meaning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.compiler.meaning import plain
from scoring.diagnostics.visible import visible
from scoring.extensions.sharing.changes.meanings import Meanings, meanings
from scoring.extensions.sharing.changes.merge import ABSENT, FORMULAS, EditKind, TreeEdit
from scoring.extensions.sharing.changes.names import SpecFiles
from scoring.extensions.sharing.changes.partial_edits import AnyBetween, BetweenSpecs, TakesPipeline
from scoring.extensions.sharing.changes.trees import data_of
from scoring.format.definitions import NO_DEFAULT
from scoring.format.keys import keys_of
from scoring.format.load import Loaded, Loader
from scoring.format.measures import NamedMetric
from scoring.format.model import TaskSpec
from scoring.format.sections import RecordParts
from scoring.lang.printer import print_formula, value_text
from scoring.lang.tree import Call, ListValue, MapValue, Path, Pipeline
from scoring.lang.tree import Literal as LiteralValue

# A line names so much of a value.
_SHOWN = 60
MOST_EDITS = 150
"""With more edits than this, edits are grouped by the part of the file that contains them."""
MOST_TRIES = 200
"""The most pairs of edits that are tried together."""


@dataclass(frozen=True, slots=True)
class SpecChange:
    """One change between two versions of a spec.

    Args:
        place: The way to it, such as `close_text.threshold`: a definition or a key, then steps and settings.
        kind: What happened.
        old: What it was, as it is written; None where it is new.
        new: What it is; None where it is gone.
        file: The name of the imported pack that it stands in; "" in the spec itself.
        moves: Whether what the spec means moves by it. What is new and unused, or written otherwise, moves nothing.
        breaks: Whether who imports the pack may have to change something: a name is gone, or is given otherwise.
        parts: The parts of the spec (its definitions, its fields, metrics …) that mean something else by it.
        group: Changes of one number can only be made together: one would not read without the other.
        edit: Its number among the edits between the two versions; -1 for another name alone.
    """

    place: str
    kind: EditKind
    old: str | None
    new: str | None
    file: str = ""
    moves: bool = False
    breaks: bool = False
    parts: tuple[str, ...] = ()
    group: int = 0
    edit: int = -1

    @property
    def name(self) -> str:
        """The location, with the pack that contains it."""
        return f"{self.file}.{self.place}" if self.file else self.place

    def __str__(self) -> str:
        name, old, new = f"`{_short(self.name)}`", _short(self.old), _short(self.new)
        if self.kind == "added":
            return f"{name} is new" if new in ("", self.place) else f"{name} is new: {new}"
        if self.kind == "removed":
            return f"{name} is gone" if old in ("", self.place) else f"{name} is gone: {old}"
        if self.kind == "moved":
            return f"{name} stands elsewhere"
        if self.kind == "renamed":
            return f"{name} is called `{new}`"
        return f"{name} {old} → {new}"


def changes(old: SpecFiles, new: SpecFiles) -> list[SpecChange]:
    """Return what changed from one spec to another of the same kind, what moves its meaning first.

    Raises:
        SpecError: when one of them is broken.

    Examples:
        >>> loader = Loader()
        >>> data = {"kind": "pack", "name": "close", "version": "1.0.0"}
        >>> scorer = {"score": "levenshtein | cutoff(threshold)", "params": {"threshold": 0.8}}
        >>> one = loader.data({**data, "scorers": {"close_text": scorer}})
        >>> other = loader.data({**data, "scorers": {"close_text": {**scorer, "params": {"threshold": 0.5}}}})
        >>> [str(change) for change in changes(SpecFiles.of(one, loader), SpecFiles.of(other, loader))]
        ['`close_text.threshold` 0.8 → 0.5']
    """
    between = BetweenSpecs.of(old, new)
    return list(described(between, judged(between)))


def changed(old: Loaded, old_loader: Loader, new: Loaded, new_loader: Loader) -> list[SpecChange]:
    """`changes` of two loaded specs."""
    return changes(SpecFiles.of(old, old_loader), SpecFiles.of(new, new_loader))


def described(between: AnyBetween, verdict: MovesJudged) -> Iterator[SpecChange]:
    """Yield the changes between two specs, those that move the meaning first."""
    found = [_change(edit, number, verdict, between.is_pack) for number, edit in enumerate(between.edits)]
    found += dict.fromkeys(one for part in between.parts for one in _renames(part))
    if verdict.moved and not any(one.moves for one in found):
        # A new name alone may be what others mean another thing by: that of a primitive, say.
        found = [replace(one, moves=True, parts=verdict.moved) for one in found]
    yield from sorted(found, key=lambda one: (not one.moves, not one.breaks, one.file != ""))


@dataclass(frozen=True, slots=True)
class MovesJudged:
    """What the edits between two specs change in the meaning.

    Args:
        moves: The edits, those together that can only be made together, each with the parts of the spec that mean
            something else by it.
        is_exact: Whether versions between the two could be made, so that this is known of each group by itself.
        moved: All parts that mean something else.
    """

    moves: tuple[tuple[frozenset[int], tuple[str, ...]], ...]
    is_exact: bool = True
    moved: tuple[str, ...] = ()

    def of(self, number: int) -> tuple[int, tuple[str, ...]]:
        """Return the number of an edit's group, and the parts that it moves."""
        groups = enumerate(self.moves)
        return next((place, parts) for place, (group, parts) in groups if number in group)


def judged(between: BetweenSpecs) -> MovesJudged:
    """Return which edits can be made alone, and what each of them moves: made first, or made last.

    Raises:
        SpecError: when one of the specs is broken.
    """
    names = between.matching.renaming.definitions.get(0, {}) if between.is_pack else {}
    held = meanings(between.old.files[0], between.old.loader)
    old = {names.get(name, name): digest for name, digest in held.items()}
    new = meanings(between.new.files[0], between.new.loader)
    # What a pack has alone is nobody's yet, or nobody's any more.
    wanted = [name for name in dict.fromkeys((*new, *old)) if not between.is_pack or (name in old and name in new)]
    moved = tuple(name for name in wanted if old.get(name) != new.get(name))
    if not moved or not between.edits:
        return MovesJudged(((between.every, ()),), moved=moved)
    if not (_agree(between.meanings(()), old, wanted) and _agree(between.meanings(between.every), new, wanted)):
        return MovesJudged(((between.every, moved),), is_exact=False, moved=moved)
    groups = _groups(between)
    found = dict.fromkeys(groups, moved)
    for group in groups if len(groups) > 1 else ():
        sides = ((old, between.meanings(group)), (between.meanings(between.every - group), new))
        found[group] = tuple(
            name for name in moved if any((one or {}).get(name) != (other or {}).get(name) for one, other in sides)
        )
    if not any(found.values()):  # each undoes what the others do
        found = dict.fromkeys(groups, moved)
    parts = tuple(dict.fromkeys(part for held in found.values() for part in held))
    idle = ((frozenset({number}), ()) for number in sorted(between.idle))
    return MovesJudged((*found.items(), *idle), moved=parts)


def _agree(held: Meanings | None, wanted: Meanings, names: Iterable[str]) -> bool:
    return held is not None and all(held.get(name) == wanted.get(name) for name in names)


def _groups(between: BetweenSpecs) -> list[frozenset[int]]:
    """Return the edits, each alone where that can be read, else with another one, or all near it: of its part, of
    its file."""
    groups = [frozenset({number}) for number in sorted(between.every - between.idle)]
    if len(groups) > MOST_EDITS:
        groups = joined_groups(between, groups, groups, NEAR[0])
    groups = _in_pairs(between, groups)
    for way in (*NEAR, lambda one: ""):
        odd = [group for group in groups if not _stands(between, group)]
        if not odd:
            break
        groups = joined_groups(between, groups, odd, way)
    return groups


def _in_pairs(between: BetweenSpecs, groups: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Return the groups; each that can't be applied alone is merged with the first other that makes it possible."""
    found = list(groups)
    tries = MOST_TRIES
    for group in groups:
        if group not in found or _stands(between, group):
            continue
        others = sorted(
            (other for other in found if other != group), key=lambda other: -_nearness(between, group, other)
        )
        for other in others:
            tries -= 1
            if tries < 0:
                return found
            if _stands(between, group | other):
                found = [one for one in found if one not in (group, other)] + [group | other]
                break
    return found


def _stands(between: BetweenSpecs, group: frozenset[int]) -> bool:
    """Tell whether edits can be made without the others, and the others without them."""
    return between.meanings(group) is not None and between.meanings(between.every - group) is not None


def _nearness(between: BetweenSpecs, one: frozenset[int], other: frozenset[int]) -> int:
    """Return how many of the ways in which edits are near each other hold for two groups."""
    edits = [[between.edits[number] for number in group] for group in (one, other)]
    return sum(any(way(left) == way(right) for left in edits[0] for right in edits[1]) for way in NEAR)


NEAR: Sequence[Callable[[TreeEdit], Any]] = (
    lambda edit: (edit.file, edit.place[:2]),
    lambda edit: (edit.file, edit.place[:1]),
    lambda edit: edit.file,
)
"""Keys by which nearby edits are grouped, the nearest first: a part of a definition, a definition, a file."""


def joined_groups(
    between: AnyBetween, groups: Sequence[frozenset[int]], odd: Sequence[frozenset[int]], way: Callable[[TreeEdit], Any]
) -> list[frozenset[int]]:
    """Return the groups, where those that are near an odd one have become one with it."""
    keys = [{way(between.edits[number]) for number in group} for group in groups]
    wanted = {way(between.edits[number]) for group in odd for number in group}
    found: list[tuple[set[Any], set[int]]] = []
    for group, own in zip(groups, keys, strict=True):
        near = [other for other in found if own & wanted & other[0]]
        joined = (own.union(*(other[0] for other in near)), set(group).union(*(other[1] for other in near)))
        found = [other for other in found if other not in near] + [joined]
    return [frozenset(numbers) for _, numbers in found]


def _change(edit: TreeEdit, number: int, verdict: MovesJudged, is_pack: bool) -> SpecChange:
    group, parts = verdict.of(number)
    place = ".".join(edit.place)
    unsaid = _unsaid(edit)
    old, new = (unsaid if side is ABSENT else text_of(side) for side in (edit.old, edit.new))
    # A name is gone, or what a call of it gives has another meaning.
    is_definition = len(edit.place) == 1 and isinstance(edit.old if edit.new is ABSENT else edit.new, dict)
    is_broken = (edit.kind == "removed" and is_definition) or edit.new is NO_DEFAULT
    breaks = is_pack and not edit.file and is_broken
    kind: EditKind = edit.kind if unsaid is None else "changed"
    return SpecChange(place, kind, old, new, edit.file, bool(parts), breaks, parts, group, number)


def _unsaid(edit: TreeEdit) -> str | None:
    """Return the default that applies if a key is left out."""
    owner, name = (RecordParts, edit.place[-1]) if edit.place[0] == "record" else (TaskSpec, edit.place[0])
    if edit.file or len(edit.place) != (2 if owner is RecordParts else 1) or ABSENT not in (edit.old, edit.new):
        return None
    default = next((key.default for key in keys_of(owner) if key.name == name), None)
    return None if default is None else text_of(default)


def _renames(between: BetweenSpecs) -> Iterator[SpecChange]:
    """Definitions and parameters that have another name; whoever names them has to change, and nothing else does."""
    renaming = between.matching.renaming
    found = [(number, "", names) for number, names in renaming.definitions.items()]
    for (number, definition), names in renaming.params.items():
        called = renaming.definitions.get(number, {}).get(definition, definition)
        found.append((number, f"{called}.", names))
    own = between.matching.files[0][0]
    for number, above, names in found:
        file = "" if number == own else between.old.files[number].spec.name
        for old, new in names.items():
            yield SpecChange(f"{above}{old}", "renamed", old, new, file, breaks=between.is_pack and not file)


def text_of(value: Any) -> str | None:
    """Return one side of a change as it is written.

    Examples:
        >>> text_of(0.5), text_of(ABSENT), text_of("zero"), text_of([1, "a"])
        ('0.5', None, 'zero', '[1, "a"]')
    """
    if value is ABSENT:
        return None
    if value is NO_DEFAULT:
        return "no default"
    if isinstance(value, (Call, Pipeline, Path, LiteralValue, ListValue, MapValue)):
        return value_text(value)
    if isinstance(value, FORMULAS):
        return print_formula(value)
    if isinstance(value, NamedMetric):
        return f"{value.name}: {value.text}"
    if isinstance(value, tuple) and value and isinstance(value[0], (Call, Pipeline, NamedMetric)):
        between = " | " if isinstance(value[0], Call) else ", "
        return between.join(text_of(item) or "" for item in value)
    if isinstance(value, Mapping) and "expression" in value:
        return text_of(value["expression"])
    if isinstance(value, str):
        return value
    if isinstance(value, TakesPipeline):
        return "a pipeline" if value.default is None else text_of(value.default)
    held = data_of(value)
    return json.dumps(plain(held) if isinstance(held, float) else held, ensure_ascii=False, default=str)


def _short(text: str | None) -> str:
    """Return a text on one line, shortened if it is long."""
    line = visible(text or "")
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
