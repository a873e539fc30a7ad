"""The list of changes between two specs, each with whether it changes the spec's meaning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.identity.meaning import canonical_form
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
from scoring.lang.formula_printer import print_formula
from scoring.lang.printer import value_text
from scoring.lang.tree import Call, ListValue, MapValue, Path, Pipeline
from scoring.lang.tree import Literal as LiteralValue

# The number of characters of a value that one line shows.
_SHOWN = 60
MOST_EDITS = 150
"""With more edits than this, edits are grouped by the part of the file that contains them."""
MOST_TRIES = 200
"""The most pairs of edits that are tried together."""


class SpecChange(Struct, frozen=True):
    """One change between two versions of a spec.

    Args:
        place: The path of the changed node, such as `close_text.threshold`: a definition or key, then steps and
            settings.
        kind: The kind of change.
        old: The old value, as it is written; None if it was added.
        new: The new value; None if it was removed.
        file: The name of the imported pack that contains it; "" in the spec itself.
        moves: Whether it changes the meaning of the spec. An unused addition or a different spelling does not.
        breaks: Whether specs that import the pack may have to change: a name is gone, or a parameter became required.
        parts: The parts of the spec (definitions, fields, metrics …) whose meaning it changes.
        group: A number shared by changes that can only be made together, because one would not compile without the
            others.
        edit: Its number among the edits between the two versions; -1 for a mere renaming.
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
        """The path of the changed node, prefixed by the name of the pack that contains it, if that is not the spec
        itself."""
        return f"{self.file}.{self.place}" if self.file else self.place

    def __str__(self) -> str:
        name, old, new = f"`{_short(self.name)}`", _short(self.old), _short(self.new)
        if self.kind == "added":
            return f"{name} is new" if new in ("", self.place) else f"{name} is new: {new}"
        if self.kind == "removed":
            return f"{name} is gone" if old in ("", self.place) else f"{name} is gone: {old}"
        if self.kind == "moved":
            return f"{name} has moved"
        if self.kind == "renamed":
            return f"{name} is renamed to `{new}`"
        return f"{name} {old} → {new}"


def changes(old: SpecFiles, new: SpecFiles) -> list[SpecChange]:
    """Return the changes from an old to a new spec of the same kind, first those that affect its meaning (what of it
    can change a score).

    Raises:
        SpecError: when one of the specs does not compile.

    Examples:
        >>> loader = Loader()
        >>> data = {"kind": "pack", "name": "close", "version": "1.0.0"}
        >>> scorer = {"score": "levenshtein | zero_below(threshold)", "params": {"threshold": 0.8}}
        >>> one = loader.data({**data, "scorers": {"close_text": scorer}})
        >>> other = loader.data({**data, "scorers": {"close_text": {**scorer, "params": {"threshold": 0.5}}}})
        >>> [str(change) for change in changes(SpecFiles.of(one, loader), SpecFiles.of(other, loader))]
        ['`close_text.threshold` 0.8 → 0.5']
    """
    between = BetweenSpecs.of(old, new)
    return list(describe_changes(between, judge_moves(between)))


def compare_loaded_specs(old: Loaded, old_loader: Loader, new: Loaded, new_loader: Loader) -> list[SpecChange]:
    """Return the changes from an old to a new spec, each given as loaded and with its loader, first those that affect
    its meaning; see `changes`."""
    return changes(SpecFiles.of(old, old_loader), SpecFiles.of(new, new_loader))


def describe_changes(between: AnyBetween, verdict: MovesJudged) -> Iterator[SpecChange]:
    """Yield the edits between two specs as changes for people to read, first those that affect the meaning (the content
    that decides scores).

    Args:
        between: The edits between the two specs.
        verdict: The parts of the spec whose meaning each edit changes.
    """
    found = [_change(edit, number, verdict, between.is_pack) for number, edit in enumerate(between.edits)]
    found += dict.fromkeys(one for part in between.parts for one in _renames(part))
    if verdict.moved and not any(one.moves for one in found):
        # A mere renaming can change the meaning of other expressions, for example if the new name is a primitive's.
        found = [replace(one, moves=True, parts=verdict.moved) for one in found]
    yield from sorted(found, key=lambda one: (not one.moves, not one.breaks, one.file != ""))


class MovesJudged(Struct, frozen=True):
    """The parts of a spec (definitions, fields, metrics …) whose meaning each edit between its two versions changes.

    Args:
        moves: Groups of edits that can only be made together, each with the parts of the spec whose meaning it
            changes.
        is_exact: Whether versions between the two could be compiled, so that the parts are known of each group
            separately.
        moved: All parts whose meaning changed.
    """

    moves: tuple[tuple[frozenset[int], tuple[str, ...]], ...]
    is_exact: bool = True
    moved: tuple[str, ...] = ()

    def of(self, number: int) -> tuple[int, tuple[str, ...]]:
        """Return the index in `moves` of the group that contains an edit, and the parts whose meaning that group
        changes.

        Args:
            number: The number of the edit.
        """
        groups = enumerate(self.moves)
        return next((place, parts) for place, (group, parts) in groups if number in group)


def judge_moves(between: BetweenSpecs) -> MovesJudged:
    """Return the edits in the smallest groups that compile without the others, each with the parts whose meaning it
    changes.

    Raises:
        SpecError: when one of the specs does not compile.
    """
    names = between.matching.renaming.definitions.get(0, {}) if between.is_pack else {}
    old_meanings = meanings(between.old.files[0], between.old.loader)
    old = {names.get(name, name): digest for name, digest in old_meanings.items()}
    new = meanings(between.new.files[0], between.new.loader)
    # A definition that only one version of a pack has can't have moved scores.
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
    if not any(found.values()):  # the groups cancel one another out
        found = dict.fromkeys(groups, moved)
    parts = tuple(dict.fromkeys(part for moved_parts in found.values() for part in moved_parts))
    idle = ((frozenset({number}), ()) for number in sorted(between.idle))
    return MovesJudged((*found.items(), *idle), moved=parts)


def _agree(actual: Meanings | None, wanted: Meanings, names: Iterable[str]) -> bool:
    return actual is not None and all(actual.get(name) == wanted.get(name) for name in names)


def _groups(between: BetweenSpecs) -> list[frozenset[int]]:
    """Return the edits in groups that compile without the other edits: single ones where possible, else joined with
    another group, or with all edits of their part or their file."""
    groups = [frozenset({number}) for number in sorted(between.every - between.idle)]
    if len(groups) > MOST_EDITS:
        groups = joined_groups(between, groups, groups, NEAR[0])
    groups = _in_pairs(between, groups)
    for way in (*NEAR, lambda one: ""):
        odd = [group for group in groups if not _compiles_apart(between, group)]
        if not odd:
            break
        groups = joined_groups(between, groups, odd, way)
    return groups


def _in_pairs(between: BetweenSpecs, groups: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Return the groups of edits, where each that does not compile without the others is joined with another one that
    makes it compile, if there is one; the nearest groups are tried first."""
    found = list(groups)
    tries = MOST_TRIES
    for group in groups:
        if group not in found or _compiles_apart(between, group):
            continue
        others = sorted(
            (other for other in found if other != group), key=lambda other: -_nearness(between, group, other)
        )
        for other in others:
            tries -= 1
            if tries < 0:
                return found
            if _compiles_apart(between, group | other):
                found = [one for one in found if one not in (group, other)] + [group | other]
                break
    return found


def _compiles_apart(between: BetweenSpecs, group: frozenset[int]) -> bool:
    """Return True if the new spec compiles without a group of edits, and the old spec compiles with only these made."""
    return between.meanings(group) is not None and between.meanings(between.every - group) is not None


def _nearness(between: BetweenSpecs, one: frozenset[int], other: frozenset[int]) -> int:
    """Return how near two groups of edits are: the number of criteria in `NEAR` (same part, definition or file) by
    which some edit of one group matches some edit of the other."""
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
    """Return all groups of edits after merging each group in `odd` with every group that has an edit near one of its
    own.

    Args:
        between: The edits between the two specs.
        groups: All groups of edits, by number.
        odd: The groups that must be merged with others, because they don't compile separately.
        way: Returns a key of an edit, such as its file; edits with equal keys are near each other.
    """
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
    old, new = (unsaid if side is ABSENT else text_of_side(side) for side in (edit.old, edit.new))
    # Importers break if a definition is removed, or if a parameter loses its default.
    is_definition = len(edit.place) == 1 and isinstance(edit.old if edit.new is ABSENT else edit.new, dict)
    is_broken = (edit.kind == "removed" and is_definition) or edit.new is NO_DEFAULT
    breaks = is_pack and not edit.file and is_broken
    kind: EditKind = edit.kind if unsaid is None else "changed"
    return SpecChange(place, kind, old, new, edit.file, bool(parts), breaks, parts, group, number)


def _unsaid(edit: TreeEdit) -> str | None:
    """Return as text the default value of the task key that an edit adds or removes; None if the key has no default,
    or if the edit adds or removes something other than a key of a task."""
    owner, name = (RecordParts, edit.place[-1]) if edit.place[0] == "record" else (TaskSpec, edit.place[0])
    if edit.file or len(edit.place) != (2 if owner is RecordParts else 1) or ABSENT not in (edit.old, edit.new):
        return None
    default = next((key.default for key in keys_of(owner) if key.name == name), None)
    return None if default is None else text_of_side(default)


def _renames(between: BetweenSpecs) -> Iterator[SpecChange]:
    """Yield a change for each renamed definition and parameter; a new name alone affects no score, but other files that
    use the old name break."""
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


def text_of_side(value: Any) -> str | None:
    """Return the old or new value of a change as the text that a spec would contain; None if the value is absent.

    Examples:
        >>> text_of_side(0.5), text_of_side(ABSENT), text_of_side("zero"), text_of_side([1, "a"])
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
        return between.join(text_of_side(item) or "" for item in value)
    if isinstance(value, Mapping) and "expression" in value:
        return text_of_side(value["expression"])
    if isinstance(value, str):
        return value
    if isinstance(value, TakesPipeline):
        return "a pipeline" if value.default is None else text_of_side(value.default)
    data = data_of(value)
    return json.dumps(canonical_form(data) if isinstance(data, float) else data, ensure_ascii=False, default=str)


def _short(text: str | None) -> str:
    """Return a text on one line, truncated if it is long."""
    line = visible(text or "")
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
