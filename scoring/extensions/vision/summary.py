"""The parts of a summary that only data sets of images have, by label key: metrics, breakdowns, worst images, plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scoring.diagnostics.words import counted
from scoring.extensions.pages.charts import plots_of
from scoring.report import numbers
from scoring.report.document import (
    ColumnKind,
    DocumentBlock,
    DocumentTable,
    Headline,
    Headlines,
    Plot,
    Section,
    TableColumn,
)
from scoring.report.of.summary import ELSEWHERE, breakdown_table, breakdowns, headline_of, not_counted, summary_blocks
from scoring.report.visible import shorten

MAX_DETAILS = 12
MAX_WORST = 5


def image_blocks(summary: Mapping[str, Any], task_tags: Sequence[frozenset[str]]) -> Iterator[DocumentBlock]:
    """Yield the blocks of the summary of a data set of images, in which records are images."""
    sizes = [summary["records"], counted(summary["images"], "image"), summary.get("geometry")]
    figures = map(image_headline, summary.get("metrics", ()))
    return summary_blocks(summary, [str(one) for one in sizes if one is not None], figures, breakdowns(summary))


def image_headline(metric: Mapping[str, Any]) -> Headline:
    """Return the headline figure of a metric, with the labels that are in no image, and the figures among its
    details."""
    found = headline_of(metric, "images", labels_left_out(metric))
    details = (f"{name} {short_number(value)}" for name, value in single_details(metric)[:MAX_DETAILS])
    return replace(found, notes=(*filter(None, found.notes), shorten("  ".join(details), 100)))


def labels_left_out(metric: Mapping[str, Any]) -> str:
    """Return a text on the labels that are in no image, or else on the images that a figure leaves out; "" without any.

    Examples:
        >>> labels_left_out({"labels_in_no_image": 1})
        '1 label in no image'
    """
    if unseen := metric.get("labels_in_no_image", 0):
        return f"{counted(unseen, 'label')} in no image"
    return not_counted(metric, "images")


def single_details(metric: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the single figures among a metric's details, with their names; its tables are only in the summary file.

    Examples:
        >>> single_details({"details": {"ap50": 0.7, "labels": {"cat": 0.5}}})
        [('ap50', 0.7)]
    """
    return [(name, value) for name, value in metric.get("details", {}).items() if type(value) in (int, float)]


def short_number(value: Any) -> str:
    """Return a whole number as it is, and any other number as a score.

    Examples:
        >>> short_number(3), short_number(0.5)
        ('3', '0.5000')
    """
    return str(value) if type(value) is int else numbers.format_score(value)


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
        yield Headlines(tuple(map(image_headline, metrics)))
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
        for name, chart in plots_of(metric.get("details", {})).items():
            yield Plot(f"{metric['metric']}: {name.replace('_', ' ')}", chart)
