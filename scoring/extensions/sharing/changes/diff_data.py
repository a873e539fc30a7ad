"""Results of a comparison as plain data: changes, both sides of each expression row by row, and how records move."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

from scoring.extensions.comparison.runs.better import quality
from scoring.extensions.sharing.changes.found import MovesJudged, SpecChange, describe_changes, text_of_side
from scoring.extensions.sharing.changes.merge import FORMULAS, TreeEdit, align_lists, trees_equal
from scoring.extensions.sharing.changes.partial_edits import AnyBetween, BetweenSpecs
from scoring.extensions.sharing.changes.score_changes import (
    Attribution,
    ChangeEffect,
    MovedFigure,
    MovedRecord,
    RecordScore,
    ScoredData,
    count_moved,
    moved_records,
    outcome_words,
    statuses,
    subtract_scores,
)
from scoring.extensions.sharing.changes.trees import other_words
from scoring.lang.formula_printer import print_formula
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import Call, Path, Pipeline
from scoring.ranges import Better

COLUMN_WIDTH = 34
"""The width of each of the two columns, so that both fit a terminal of 80."""
MOST_LINES = 400
"""Lines of an expression or a text that are told beside one another."""
# Figures are rounded sums; a difference smaller than this is floating-point noise and not the effect of a change.
_NOISE = 1e-9


def diff_data(between: AnyBetween, judged: MovesJudged, shown: Sequence[str], everything: bool) -> dict[str, Any]:
    """Return the changes between two specs as plain data.

    Args:
        between: The edits between the two specs.
        judged: Which of the edits change the meaning.
        shown: The display names of the old and the new spec.
        everything: Whether to include expressions and documentation whose changes don't affect the meaning.
    """
    found = list(describe_changes(between, judged))
    specs = between.old.files[0].spec, between.new.files[0].spec
    old, new = (
        {"shown": name, "name": spec.name, "version": spec.version, "kind": spec.kind}
        for name, spec in zip(shown, specs, strict=True)
    )
    return {
        "old": old,
        "new": new,
        "moves": any(change.moves or change.breaks for change in found),
        "changes": [change_data(change) for change in found],
        "sides": [*_sides(between, [change for change in found if change.moves or everything])],
        "is_exact": judged.is_exact,
        "words": [*dict.fromkeys(chain.from_iterable(map(_words_of, between.parts)))] if everything else None,
    }


def _words_of(between: BetweenSpecs) -> Iterator[str]:
    """Yield the path of each part that never affects scores (documentation, source, example, audit note) and whose
    content differs between the two specs, such as `close_text.doc`."""
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
            yield from (f"{head}{place}{word}" for word in other_words(one, other))


def change_data(change: SpecChange) -> dict[str, Any]:
    """Return a change between two specs as plain data: its text, path, kind, old and new value, and effect."""
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


def _sides(between: AnyBetween, changes: Sequence[SpecChange]) -> Iterator[dict[str, Any]]:
    """Yield each expression, formula and long text in which one of the given changes was made, as rows of a
    side-by-side view."""
    edited = [(edit.file, edit.place) for edit in (between.edits[one.edit] for one in changes if one.edit >= 0)]
    for pair in between.pairs:
        if any(file == pair.file and place[: len(pair.place)] == pair.place for file, place in edited):
            yield side_by_side_rows(pair)


def side_by_side_rows(pair: TreeEdit) -> dict[str, Any]:
    """Return a changed expression, formula or text as plain data: its path, its pack, and its old and new lines as
    aligned rows.

    Args:
        pair: The old and the new version of the whole expression, formula or text.
    """
    return {"place": ".".join(pair.place), "pack": pair.file, "rows": [*_rows(pair)][:MOST_LINES]}


def _rows(pair: TreeEdit) -> Iterator[dict[str, str]]:
    old, new = pair.old, pair.new
    if not (isinstance(old, Pipeline) and isinstance(new, Pipeline)):
        yield from _lines(_written(old), _written(new))
        return
    heads = [[] if side.head is None else [value_text(side.head)] for side in (old, new)]
    yield from _lines(*heads)
    gaps = list(align_lists(old.steps, new.steps))
    gone = [step for _, steps, _ in gaps for step in steps]
    come = [step for _, _, steps in gaps for step in steps]
    for both, before, after in gaps:
        left, right = (
            [step for step in steps if not any(trees_equal(step, one) for one in others)]
            for steps, others in ((before, come), (after, gone))
        )
        # Equally many removed and added steps are shown side by side, as replacements of one another.
        is_paired = len(left) == len(right)
        for step in before:
            if step not in left or not is_paired:
                yield from _alone(step, "old", "moved" if step not in left else "removed")
        for one, other in zip(left, right, strict=True) if is_paired else ():
            yield from _lines(_step(one), _step(other))
        for step in after:
            if step not in right or not is_paired:
                yield from _alone(step, "new", "moved" if step not in right else "added")
        if both is not None:
            yield from _lines(*map(_step, both))


def _step(step: Call) -> list[str]:
    return print_pipeline(Pipeline((step,)), COLUMN_WIDTH).split("\n")


def _alone(step: Call, side: str, mark: str) -> Iterator[dict[str, str]]:
    for line in _step(step):
        yield {"mark": mark, "old": line if side == "old" else "", "new": line if side == "new" else ""}


def _written(value: Any) -> list[str]:
    if isinstance(value, Pipeline):
        return print_pipeline(value, COLUMN_WIDTH).split("\n")
    if isinstance(value, (Path, *FORMULAS)):
        return [print_formula(value)]
    return (text_of_side(value) or "").split("\n")


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the old and the new lines as rows, aligned by a line diff and each marked same, added, removed or
    changed."""
    if len(old) + len(new) > MOST_LINES * 2:
        old, new = old[:MOST_LINES], new[:MOST_LINES]
    for tag, start, end, begin, stop in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for one, other in zip_longest(old[start:end], new[begin:stop]):
            mark = "same" if tag == "equal" else "added" if one is None else "removed" if other is None else "changed"
            yield {"mark": mark, "old": one or "", "new": other or ""}


# ---- records


def movement_data(
    old: ScoredData,
    new: ScoredData,
    attribution: Attribution,
    numbers: Mapping[int, int],
    judged: MovesJudged,
    worst: int,
) -> dict[str, Any]:
    """Return how the scores of records and the figures differ between two scorings of the same data, as plain data.

    Args:
        old: The data scored by the old spec.
        new: The data scored by the new spec.
        attribution: The effect of each change.
        numbers: For each edit its position among the reported changes.
        judged: Whether versions between the two specs could be compiled.
        worst: The number of records to list individually, both of those whose status changed and of all others.
    """
    moved = moved_records(old, new)
    effects = [_effect(effect, old, new, numbers) for effect in attribution.effects]
    up = sum((one.difference or 0) > 0 for one in moved)
    down = sum((one.difference or 0) < 0 for one in moved)
    # Changes of status come first; each kind has its own limit, so that neither crowds out the other.
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
    first = next(iter(old.figures), "")
    return {
        "changes": sorted({numbers[edit] for edit in effect.edits if edit in numbers}),
        "alone": _moved(old, effect.alone, first, old.figures),
        "last": _moved(effect.last, new, first, new.figures),
    }


def _moved(old: ScoredData, new: ScoredData, first: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the number of records that two scorings of the same data score differently, and the differences of
    figures.

    Args:
        old: The scoring from which differences are counted.
        new: The scoring to which they are counted.
        first: The name of the main figure, whose difference is reported separately.
        names: The names of all figures to compare.
    """
    less = {name: subtract_scores(old.figures.get(name), new.figures.get(name)) for name in (first, *names)}
    figures = {name: less[name] for name in names}
    return {"records": count_moved(old, new), "difference": less[first], "figures": figures}


def _figures(old: ScoredData, new: ScoredData, attribution: Attribution) -> list[dict[str, Any]]:
    found = []
    for name in dict.fromkeys((*old.figures, *new.figures)):
        one, other = old.figures.get(name), new.figures.get(name)
        total = subtract_scores(one, other)
        alone = [subtract_scores(one, effect.alone.figures.get(name)) for effect in attribution.effects]
        last = [subtract_scores(effect.last.figures.get(name), other) for effect in attribution.effects]
        left = _left_over(total, alone, last)
        row = {"metric": name, "old": one, "new": other, "difference": total, "interaction": left}
        better = new.better.get(name, old.better.get(name, "higher"))
        found.append({**row, "better_is": better, "way": _way(one, other, better)})
    return found


def _way(old: MovedFigure, new: MovedFigure, better: Better) -> str:
    """Return "better" or "worse" for the change of a figure from `old` to `new`; "" if it is equal or missing, or if
    neither direction is better.

    Args:
        better: The direction in which the figure gets better; None if there is none.
    """
    if old is None or new is None or better is None:
        return ""
    less = quality(new, better) - quality(old, better)
    return "better" if less > 0 else "worse" if less < 0 else ""


def _record(one: MovedRecord, attribution: Attribution) -> dict[str, Any]:
    total = one.difference
    because = [
        _part(one, effect.alone.records.get(one.key), effect.last.records.get(one.key))
        for effect in attribution.effects
    ]
    old, new = (
        {"status": side[0], "score": side[1], "outcome": outcome_words(*side[:2])} for side in (one.old, one.new)
    )
    return {
        "id": one.key,
        "old": old,
        "new": new,
        "difference": total,
        "fields": [{"name": name, "old": _pair(old), "new": _pair(new)} for name, old, new, _ in one.fields()],
        "because": because,
        "interaction": _left_over(total, [item["alone"] for item in because], [item["last"] for item in because]),
    }


def _part(one: MovedRecord, alone: RecordScore | None, last: RecordScore | None) -> dict[str, Any]:
    """Return the effect of one change on a record, as plain data: the differences of its score and the statuses.

    Args:
        one: The record with its scores by the old and by the new spec.
        alone: Its score by the old spec with only this change made; None if it was not scored.
        last: Its score by the new spec without this change; None if it was not scored.
    """
    return {
        "alone": None if alone is None else MovedRecord(one.key, one.old, alone).difference,
        "last": None if last is None else MovedRecord(one.key, last, one.new).difference,
        "is_moved": alone != one.old or last != one.new,
        "status": [None if side is None else side[0] for side in (alone, last)],
    }


def _pair(found: tuple[str, Any] | None) -> dict[str, Any] | None:
    return None if found is None else {"status": found[0], "score": found[1]}


def _left_over(total: Any, alone: Sequence[Any], last: Sequence[Any]) -> dict[str, Any] | None:
    """Return the rest of a total difference that the separate effects of the changes don't add up to, as plain data;
    None if there is only one change, or no total.

    Args:
        total: The difference between both specs.
        alone: The effect of each change when it is made alone on the old spec.
        last: The effect of each change when it is made last, after all others.
    """
    if len(alone) < 2 or total is None:
        return None
    return {way: _rest(total, values) for way, values in (("alone", alone), ("last", last))}


def _rest(total: float, values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    rest = total - math.fsum(known) if len(known) == len(values) else None
    return 0.0 if rest is not None and abs(rest) < _NOISE else rest
