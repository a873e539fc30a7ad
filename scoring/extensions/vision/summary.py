"""The parts of a summary that only data sets of images have, by label key: metrics, breakdowns, worst images, plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.extensions.pages.plots import plots_of
from scoring.report.document import ColumnKind, DocumentBlock, DocumentTable, Headlines, Plot, Section, TableColumn
from scoring.report.of.summary import ELSEWHERE, breakdown_table, headline_of, short_number, single_details

MAX_WORST = 5


def keys_of_summary(summary: Mapping[str, Any]) -> Iterator[DocumentBlock]:
    """Yield the parts of a data set's summary to print: for each label key its metrics, breakdowns, worst items and
    plots.

    If there is only one label key, its metrics and breakdowns may be at the top level of the summary.
    """
    for key, part in summary.get("keys", {}).items():
        blocks = tuple(_key(part, summary))
        yield from (Section(str(key), blocks),) if len(summary["keys"]) > 1 else blocks


def _key(part: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[DocumentBlock]:
    metrics = part.get("metrics", ())
    if metrics and not summary.get("metrics"):
        yield Headlines(tuple(headline_of(metric, "images") for metric in metrics))
    for name, groups in part.get("by", {}).items() if not summary.get("by") else ():
        rows = groups if isinstance(groups, list) else [{"group": one, "metrics": groups[one]} for one in groups]
        yield breakdown_table(f"by {name}", f"By {name}", rows, name)
    yield from _worst(part.get("worst", ()))
    yield from _every_detail(metrics or summary.get("metrics", ()))
    yield from _plots(metrics or summary.get("metrics", ()))


def _every_detail(metrics: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable]:
    rows = [[one["metric"], name, short_number(value)] for one in metrics for name, value in single_details(one)]
    if rows:
        columns = (TableColumn("metric"), TableColumn("detail"), TableColumn("figure"))
        yield DocumentTable(columns, tuple(rows), "Details", 0)


def _worst(worst: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable]:
    names = list(dict.fromkeys(name for item in worst for name in item if name != "id"))
    cells = ((TableColumn(name.replace("_", " "), _kind([item.get(name) for item in worst])), name) for name in names)
    if worst:
        identifier = (TableColumn("lowest", width=40), "id")
        yield DocumentTable.of(worst, identifier, *cells, title="Lowest", brief=MAX_WORST, rest=ELSEWHERE)


def _kind(values: Sequence[Any]) -> ColumnKind:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        return "count"
    return "number" if kinds <= {int, float} else "text"


def _plots(metrics: Sequence[Mapping[str, Any]]) -> Iterator[Plot]:
    for metric in metrics:
        for name, svg in plots_of(metric.get("details", {})).items():
            yield Plot(f"{metric['metric']}: {name.replace('_', ' ')}", svg)
