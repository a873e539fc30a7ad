"""Join the rows of two tables, of predictions and of references, by id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeAlias

from scoring.data.rows.batch import Item, id_text
from scoring.data.rows.memory import rows_of
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Row

Identify: TypeAlias = Callable[[dict[str, Any]], Any]


def join_by_id(
    predictions: Iterable[Row],
    references: Iterable[Row],
    identify: Identify,
    report: InputReport,
    named: Collection[str] | None = None,
    *,
    has_many: bool = False,
) -> Iterator[Item]:
    """Yield the records of two tables joined by id, in the order of the references.

    The joined record has the keys of both rows, with the reference's value for a common key, and the two rows
    themselves as ``prediction`` and ``reference`` unless a key has that name. Ids are compared as text, because CSV has
    no numbers. A common key with two values is reported; if ``named`` is given, only one of these. Of
    several predictions with one id each becomes a record if ``has_many`` is set; otherwise the first does.
    """
    found: dict[str, list[Row]] = {}
    for row in _noted(predictions, report):
        text = id_text(identify(row.record)) if row.record is not None else None
        if text is None:
            report.add("bad_predictions", row.reason if row.problem else f"{row.where}: no id")
        elif has_many or text not in found:
            found.setdefault(text, []).append(row)
        else:
            report.add("repeated_predictions", f"{text} ({row.where}, first in {found[text][0].where})")
    missing: dict[str, str] = {}
    for item in _records(found, references, identify, report, named):
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
    found: dict[str, list[Row]],
    references: Iterable[Row],
    identify: Identify,
    report: InputReport,
    named: Collection[str] | None,
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
        for answer in found.pop(text, [None]):
            yield _joined(text, row, answer, clashes.get(text), identify, report, named)
    yield from bad


def rows_of_parts(parts: Iterable[Any], identify: Identify) -> Iterator[Row]:
    """Yield the references that several files hold in parts: one row of the rows that have the same id in each of them.

    A row whose id is in no other file, or twice in one, is yielded as it is, and so is one in which a key has another
    value than before: these are told by `join_by_id`.
    """
    files = list(parts)
    if len(files) == 1:
        yield from rows_of(files[0])
        return
    merged: dict[str, Row] = {}
    others: list[Row] = []
    for file in files:
        seen: set[str] = set()
        for row in rows_of(file):
            text = id_text(identify(row.record)) if row.record is not None else None
            known = None if text is None else merged.get(text)
            if text is None or row.record is None or text in seen:
                others.append(row)
                continue
            seen.add(text)
            if known is None or known.record is None:
                merged[text] = row
            elif all(row.record[key] == known.record[key] for key in row.record.keys() & known.record.keys()):
                merged[text] = Row(known.where, {**known.record, **row.record}, note=known.note or row.note)
            else:
                others.append(row)
    yield from merged.values()
    yield from others


def _joined(
    text: str,
    gold: Row,
    answer: Row | None,
    clash: str | None,
    identify: Identify,
    report: InputReport,
    named: Collection[str] | None,
) -> Item:
    assert gold.record is not None
    name = identify(gold.record)
    if answer is None:
        report.add("missing_predictions", text)
    problem = clash or (_NO_PREDICTION if answer is None else None)
    if problem is not None or answer is None or answer.record is None:
        # The reference row still determines the record's groups in breakdowns.
        return Item(name, gold.where, gold.record, problem)
    shared = answer.record.keys() & gold.record.keys()
    for key in sorted(shared if named is None else shared.intersection(named)):
        if answer.record[key] != gold.record[key] and id_text(answer.record[key]) != text:
            report.add("shared_keys", f"{key} (id {text})")
    record = {"prediction": answer.record, "reference": gold.record, **answer.record, **gold.record}
    return Item(name, gold.where, record)
