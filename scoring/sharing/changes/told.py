"""What changed as plain data: the changes, both sides of each expression row by row, and how records move by them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.tree import Call, Path, Pipeline
from scoring.sharing.changes.between import BetweenSpecs
from scoring.sharing.changes.found import AnyBetween, MovesJudged, SpecChange, described, text_of
from scoring.sharing.changes.merge import FORMULAS, TreeEdit, aligned, same
from scoring.sharing.changes.movement import (
    Attribution,
    ChangeEffect,
    MovedRecord,
    ScoredData,
    count_moved,
    moved_records,
    outcome_words,
    statuses,
)
from scoring.sharing.changes.names import SpecFiles

WIDE = 34
"""How wide each of the two columns is, so that both fit a terminal of 80."""
MOST_LINES = 400
"""Lines of an expression or a text that are told beside one another."""
# Figures are rounded sums, and what is smaller than this is nothing that a change did.
_NOISE = 1e-9


def diff_data(between: AnyBetween, judged: MovesJudged, shown: Sequence[str], everything: bool) -> dict[str, Any]:
    """What changed between two specs, as plain data."""
    found = list(described(between, judged))
    return {
        "old": _about(between.old, shown[0]),
        "new": _about(between.new, shown[1]),
        "moves": any(change.moves or change.breaks for change in found),
        "changes": [change_data(change) for change in found],
        "sides": sides(between, [change for change in found if change.moves or everything]),
        "is_exact": judged.is_exact,
        "words": words_changed(between) if everything else None,
    }


def _about(files: SpecFiles, shown: str) -> dict[str, Any]:
    spec = files.files[0].spec
    return {"shown": shown, "name": spec.name, "version": spec.version, "kind": spec.kind}


def words_changed(between: AnyBetween) -> list[str]:
    """Where documentation, sources, examples and notes of audits changed, which move nothing."""
    return list(dict.fromkeys(place for part in between.parts for place in _words_of(part)))


def _words_of(between: BetweenSpecs) -> Iterator[str]:
    for before, after in between.matching.files:
        if before is None or after is None:
            continue
        old, new = between.old.files[before].spec, between.new.files[after].spec
        head = f"{new.name}." if after else ""
        names = between.matching.renaming.definitions.get(before, {})
        twins = {names.get(name, name): one for name, one in between.old.definitions(before).items()}
        pairs: list[tuple[str, Any, Any]] = [("", old, new)]
        pairs += [
            (f"{name}.", twins[name], one) for name, one in between.new.definitions(after).items() if name in twins
        ]
        for place, one, other in pairs:
            yield from (f"{head}{place}{word}" for word in _WORDS if _words(one, word) != _words(other, word))


_WORDS = ("version", "doc", "source", "examples", "audit")


def _words(part: Any, word: str) -> Any:
    held: Any = getattr(part, word, None)
    return [(dict(one.data), one.expect) for one in held or ()] if word == "examples" else held


def change_data(change: SpecChange) -> dict[str, Any]:
    """A change as plain data."""
    return {
        "text": str(change),
        "place": change.place,
        "pack": change.file,
        "kind": change.kind,
        "old": change.old,
        "new": change.new,
        "moves": change.moves,
        "breaks": change.breaks,
        "parts": list(change.parts),
        "group": change.group,
    }


def sides(between: AnyBetween, changes: Sequence[SpecChange]) -> list[dict[str, Any]]:
    """The expressions, formulas and long texts in which some changes are, their two sides row by row."""
    edits = [between.edits[change.edit] for change in changes if change.edit >= 0]
    held = [pair for pair in between.pairs if any(_is_within(edit, pair) for edit in edits)]
    return [rows_of(pair) for pair in held]


def rows_of(pair: TreeEdit) -> dict[str, Any]:
    """The two sides of an expression, a formula or a text beside one another."""
    return {"place": ".".join(pair.place), "pack": pair.file, "rows": [*_rows(pair)][:MOST_LINES]}


def _is_within(edit: TreeEdit, pair: TreeEdit) -> bool:
    return edit.file == pair.file and edit.place[: len(pair.place)] == pair.place


def _rows(pair: TreeEdit) -> Iterator[dict[str, str]]:
    old, new = pair.old, pair.new
    if not (isinstance(old, Pipeline) and isinstance(new, Pipeline)):
        yield from _lines(_written(old), _written(new))
        return
    heads = [[] if side.head is None else [print_formula(side.head)] for side in (old, new)]
    yield from _lines(*heads)
    gaps = list(aligned(old.steps, new.steps))
    gone = [step for _, steps, _ in gaps for step in steps]
    come = [step for _, _, steps in gaps for step in steps]
    for both, before, after in gaps:
        left, right = (
            [step for step in steps if not any(same(step, one) for one in others)]
            for steps, others in ((before, come), (after, gone))
        )
        # As many others in the place of some steps stand beside them.
        pairs = [*zip(left, right, strict=True)] if len(left) == len(right) else []
        for step in before if not pairs else [step for step in before if step not in left]:
            yield from _alone(step, "old", "moved" if step not in left else "removed")
        for one, other in pairs:
            yield from _lines(_step(one), _step(other))
        for step in after if not pairs else [step for step in after if step not in right]:
            yield from _alone(step, "new", "moved" if step not in right else "added")
        if both is not None:
            yield from _lines(*map(_step, both))


def _step(step: Call) -> list[str]:
    return print_pipeline(Pipeline((step,)), WIDE).split("\n")


def _alone(step: Call, side: str, mark: str) -> Iterator[dict[str, str]]:
    for line in _step(step):
        yield {"mark": mark, "old": line if side == "old" else "", "new": line if side == "new" else ""}


def _written(value: Any) -> list[str]:
    if isinstance(value, Pipeline):
        return print_pipeline(value, WIDE).split("\n")
    if isinstance(value, (Path, *FORMULAS)):
        return [print_formula(value)]
    return (text_of(value) or "").split("\n")


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[dict[str, str]]:
    """Lines of both sides beside one another."""
    if len(old) + len(new) > MOST_LINES * 2:
        old, new = old[:MOST_LINES], new[:MOST_LINES]
    for tag, start, end, begin, stop in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left, right = list(old[start:end]), list(new[begin:stop])
        for at in range(max(len(left), len(right))):
            one, other = (side[at] if at < len(side) else "" for side in (left, right))
            mark = "same" if tag == "equal" else "changed" if at < len(left) and at < len(right) else ""
            yield {"mark": mark or ("removed" if at < len(left) else "added"), "old": one, "new": other}


# ---- records


def movement_data(
    old: ScoredData,
    new: ScoredData,
    attribution: Attribution,
    numbers: Mapping[int, int],
    judged: MovesJudged,
    worst: int,
) -> dict[str, Any]:
    """How records and figures move, as plain data.

    Args:
        old: What the old spec makes of the data.
        new: What the new one does.
        attribution: What each change does.
        numbers: The place of each edit among the changes that are told.
        judged: Whether versions between the two could be made.
        worst: How many records are told one by one.
    """
    moved = moved_records(old, new)
    effects = [_effect(effect, old, new, numbers) for effect in attribution.effects]
    up = sum((one.difference or 0) > 0 for one in moved)
    down = sum((one.difference or 0) < 0 for one in moved)
    # Those without a size on both sides come first, and neither kind hides the other.
    status = [one for one in moved if one.is_status][:worst]
    sized = [one for one in moved if not one.is_status][:worst]
    return {
        "records": sum(key in new.records for key in old.records),
        "only_old": sum(key not in new.records for key in old.records),
        "only_new": sum(key not in old.records for key in new.records),
        "moved": len(moved),
        "up": up,
        "down": down,
        "statuses": statuses(moved),
        "figures": _figures(old, new, attribution),
        "because": effects,
        "is_exact": judged.is_exact,
        "is_grouped": attribution.is_grouped,
        "scorings": attribution.scorings,
        "status_moves": [_record(one, attribution) for one in status],
        "worst": [_record(one, attribution) for one in sized],
    }


def _effect(effect: ChangeEffect, old: ScoredData, new: ScoredData, numbers: Mapping[int, int]) -> dict[str, Any]:
    first = next(iter(old.figures), None)
    return {
        "changes": sorted({numbers[edit] for edit in effect.edits if edit in numbers}),
        "alone": {
            "records": count_moved(old, effect.alone),
            "difference": _less(effect.alone.figures.get(first or ""), old.figures.get(first or "")),
            "figures": {name: _less(effect.alone.figures.get(name), value) for name, value in old.figures.items()},
        },
        "last": {
            "records": count_moved(effect.last, new),
            "difference": _less(new.figures.get(first or ""), effect.last.figures.get(first or "")),
            "figures": {name: _less(value, effect.last.figures.get(name)) for name, value in new.figures.items()},
        },
    }


def _figures(old: ScoredData, new: ScoredData, attribution: Attribution) -> list[dict[str, Any]]:
    found = []
    for name in dict.fromkeys((*old.figures, *new.figures)):
        one, other = old.figures.get(name), new.figures.get(name)
        total = _less(other, one)
        alone = [_less(effect.alone.figures.get(name), one) for effect in attribution.effects]
        last = [_less(other, effect.last.figures.get(name)) for effect in attribution.effects]
        found.append(
            {
                "metric": name,
                "old": one,
                "new": other,
                "difference": total,
                "interaction": _left_over(total, alone, last),
            }
        )
    return found


def _record(one: MovedRecord, attribution: Attribution) -> dict[str, Any]:
    total = one.difference
    because = []
    for effect in attribution.effects:
        alone, last = effect.alone.records.get(one.key), effect.last.records.get(one.key)
        because.append(
            {
                "alone": None if alone is None else MovedRecord(one.key, one.old, alone).difference,
                "last": None if last is None else MovedRecord(one.key, last, one.new).difference,
                "is_moved": alone != one.old or last != one.new,
                "status": [alone[0] if alone is not None else None, last[0] if last is not None else None],
            }
        )
    return {
        "id": one.key,
        "old": {"status": one.old[0], "score": one.old[1], "outcome": outcome_words(*one.old[:2])},
        "new": {"status": one.new[0], "score": one.new[1], "outcome": outcome_words(*one.new[:2])},
        "difference": total,
        "fields": [{"name": name, "old": _pair(old), "new": _pair(new)} for name, old, new, _ in one.fields()],
        "because": because,
        "interaction": _left_over(total, [item["alone"] for item in because], [item["last"] for item in because]),
    }


def _pair(found: tuple[str, Any] | None) -> dict[str, Any] | None:
    return None if found is None else {"status": found[0], "score": found[1]}


def _left_over(total: Any, alone: Sequence[Any], last: Sequence[Any]) -> dict[str, Any] | None:
    """What the effects of all changes leave of the whole, both ways; nothing where there is one change or no number."""
    if len(alone) < 2 or total is None:
        return None
    return {
        way: None if any(value is None for value in values) else _but_noise(total - math.fsum(values))
        for way, values in (("alone", alone), ("last", last))
    }


def _but_noise(value: float) -> float:
    """A number, or 0 where it is the rounding of sums alone."""
    return 0.0 if abs(value) < _NOISE else value


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
