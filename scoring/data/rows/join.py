"""Create records from rows: those of one table, or of predictions and references joined by id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from scoring.data.json_write import dumps
from scoring.data.rows.batch import Batch, Item
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Block, Row

# Numbers from here on are written by the strict writer, which may cut them.
_PLAIN = 10**1000
# From here on floats can't represent every whole number, so two ids could become one.
_EXACT = 2**53

Identify: TypeAlias = Callable[[dict[str, Any]], Any]
IdsOf: TypeAlias = Callable[[Sequence[dict[str, Any]]], Sequence[Any]]


def single(read: Iterable[Block], ids_of: IdsOf, report: InputReport, *, compare_ids: bool = True) -> Iterator[Batch]:
    """Yield the records of one table; a repeated id is reported, and all its rows are scored.

    Args:
        read: The rows of the table, in blocks.
        ids_of: A function that returns the ids of many records.
        report: The report to which oddities are added.
        compare_ids: Whether to search for repeated ids, which takes memory for each id.
    """
    seen = SeenIds()
    for block in read:
        places = block.places()
        names = ids_of([record or {} for record in block.records])
        again = _repeated(seen, names) if compare_ids else frozenset()
        problems = {at: f"{places[at]}: {why}" for at, why in sorted(block.problems.items())}
        for reason in problems.values():
            report.add("bad_rows", reason)
        for at in sorted(again):
            report.add("repeated_ids", f"{id_text(names[at])} ({places[at]})")
        for at, note in sorted(block.notes.items()):
            report.add("nan_values", f"{note} ({places[at]})")
        yield Batch(names, places, block.records, problems)


def _repeated(seen: SeenIds, names: Sequence[Any]) -> frozenset[int]:
    """Return the positions of ids (`names`) that occurred before, here or in `seen`, and add all ids to `seen`."""
    kinds = set(map(type, names))
    if kinds == {str} and "" not in names:  # as most are, or numbers
        return frozenset(seen.repeated(names))
    if kinds == {int} and min(names) > -_PLAIN and max(names) < _PLAIN:
        return frozenset(seen.repeated(list(map(str, names))))
    known = [(place, text) for place, name in enumerate(names) if (text := id_text(name)) is not None]
    return frozenset(known[at][0] for at in seen.repeated([text for _, text in known]))


def join_by_id(
    predictions: Iterable[Row], references: Iterable[Row], identify: Identify, report: InputReport
) -> Iterator[Item]:
    """Yield the records of two tables joined by id, in the order of the references.

    The joined record has the keys of both rows, with the reference's value for a common key, and the two rows
    themselves as ``prediction`` and ``reference`` unless a key has that name. Ids are compared as text, because CSV has
    no numbers.
    """
    found: dict[str, Row] = {}
    for row in _noted(predictions, report):
        text = id_text(identify(row.record)) if row.record is not None else None
        if text is None:
            report.add("bad_predictions", row.reason if row.problem else f"{row.where}: no id")
        elif text in found:
            report.add("repeated_predictions", f"{text} ({row.where}, first in {found[text].where})")
        else:
            found[text] = row
    missing: dict[str, str] = {}
    for item in _records(found, references, identify, report):
        if item.problem == _NO_PREDICTION and len(missing) < _MOST_MISSING:
            text = id_text(item.id) or ""
            missing[_alike(text)] = text
        yield item
    for text in found:
        report.add("surplus_predictions", text)
        if missing and (near := missing.get(_alike(text))) is not None:
            report.add("alike_ids", f"{text} for {near}")


_NO_PREDICTION = "no prediction"
_MOST_MISSING = 100_000


def _alike(text: str) -> str:
    """Return an id without white space and in one case, to find ids that differ only in these."""
    return "".join(text.split()).casefold()


def _noted(rows: Iterable[Row], report: InputReport) -> Iterator[Row]:
    for row in rows:
        if row.note is not None:
            report.add("nan_values", f"{row.note} ({row.where})")
        yield row


def _records(
    found: dict[str, Row], references: Iterable[Row], identify: Identify, report: InputReport
) -> Iterator[Item]:
    gold: dict[str, Row] = {}
    clashes: dict[str, str] = {}
    bad: list[Item] = []
    for row in _noted(references, report):
        text = id_text(identify(row.record)) if row.record is not None else None
        if text is None and row.record is not None:
            report.add("no_id", row.where)
            bad.append(Item(None, row.where, row.record, f"reference {row.where}: no id to join by"))
            continue
        if text is None:
            report.add("bad_rows", f"reference {row.reason}")
            bad.append(Item(None, row.where, None, f"reference {row.reason}"))
            continue
        first = gold.setdefault(text, row)
        if first is not row and first.record != row.record:
            report.add("repeated_references", f"{text} ({row.where}, first in {first.where})")
            clashes[text] = f"two different references for this id: {first.where} and {row.where}"
    for text, row in gold.items():
        yield _joined(text, row, found.pop(text, None), clashes.get(text), identify, report)
    yield from bad


def _joined(
    text: str, gold: Row, answer: Row | None, clash: str | None, identify: Identify, report: InputReport
) -> Item:
    assert gold.record is not None
    name = identify(gold.record)
    if answer is None:
        report.add("missing_predictions", text)
    problem = clash or (_NO_PREDICTION if answer is None else None)
    if problem is not None or answer is None or answer.record is None:
        # The reference row still determines the record's groups in breakdowns.
        return Item(name, gold.where, gold.record, problem)
    for key in sorted(answer.record.keys() & gold.record.keys()):
        if answer.record[key] != gold.record[key] and id_text(answer.record[key]) != text:
            report.add("shared_keys", f"{key} (id {text})")
    record = {"prediction": answer.record, "reference": gold.record, **answer.record, **gold.record}
    return Item(name, gold.where, record)


def id_text(value: Any) -> str | None:
    """Return an id as text, None where there is none.

    Examples:
        >>> id_text(7), id_text("7"), id_text(7.0), id_text(None), id_text({"a": True})
        ('7', '7', '7', None, '{"a":true}')
    """
    if type(value) is str:
        return value or None
    if type(value) is int:
        return str(value) if abs(value) < _PLAIN else dumps(value)
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))  # pandas turns whole numbers into floats if one is missing
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else dumps(value)


def stood_before(runs: Sequence[Any], wanted: Any) -> Any:
    """Return a mask of the numbers in `wanted` that are in any of the sorted arrays `runs`."""
    found = np.zeros(len(wanted), dtype=np.bool_)
    for run in runs:
        found |= run[np.minimum(np.searchsorted(run, wanted), len(run) - 1)] == wanted
    return found


_RECENT = 1 << 18
"""The number of ids that are kept in a set before they are packed into a sorted array."""


class SeenIds:
    """The ids of a table so far, as 64-bit hashes; two different ids have the same hash in one of 10 ** 19 pairs.

    Examples:
        >>> seen = SeenIds()
        >>> seen.repeated(["a", "b", "a"]), seen.repeated(["c", "b"])
        ([2], [1])
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._packed: list[Any] = []

    def repeated(self, ids: Sequence[str]) -> list[int]:
        """Return the positions of the ids that occurred before, here or in earlier calls, and remember all ids."""
        numbers = list(map(hash, ids))
        new = set(numbers)
        again = set() if self._recent.isdisjoint(new) else self._recent & new
        if self._packed:
            wanted = np.sort(np.fromiter(new, np.int64, len(new)))  # sorted, so that searches are local in memory
            again |= set(wanted[stood_before(self._packed, wanted)].tolist())
        found = self._positions(numbers, again) if again or len(new) < len(numbers) else []
        self._recent |= new
        if len(self._recent) > _RECENT:
            self._pack()
        return found

    @staticmethod
    def _positions(numbers: Sequence[int], again: set[int]) -> list[int]:
        found, here = [], set(again)
        for position, number in enumerate(numbers):
            if number in here:
                found.append(position)
            here.add(number)
        return found

    def _pack(self) -> None:
        """Move the recent ids to a sorted array; arrays of similar size are merged, so that there are few."""
        self._packed.append(np.sort(np.fromiter(self._recent, np.int64, len(self._recent))))
        self._recent.clear()
        while len(self._packed) > 1 and len(self._packed[-2]) <= 2 * len(self._packed[-1]):
            self._packed[-2:] = [np.sort(np.concatenate(self._packed[-2:]))]
