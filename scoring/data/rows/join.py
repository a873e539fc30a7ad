"""Join the rows of two tables, of predictions and of references, by id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeAlias

from scoring.data.rows.batch import Item, id_text
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Row

Identify: TypeAlias = Callable[[dict[str, Any]], Any]


def join_by_id(
    predictions: Iterable[Row],
    references: Iterable[Row],
    identify: Identify,
    report: InputReport,
    named: Collection[str] | None = None,
) -> Iterator[Item]:
    """Yield the records of two tables joined by id, in the order of the references.

    The joined record has the keys of both rows, with the reference's value for a common key, and the two rows
    themselves as ``prediction`` and ``reference`` unless a key has that name. Ids are compared as text, because CSV has
    no numbers. A common key with two values is reported; if ``named`` is given, only one of these.
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
    found: dict[str, Row],
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
        yield _joined(text, row, found.pop(text, None), clashes.get(text), identify, report, named)
    yield from bad


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
