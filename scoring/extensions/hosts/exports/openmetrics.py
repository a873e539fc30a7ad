"""The figures and counts of a run as OpenMetrics text, which Prometheus and its kin collect.

Source:
    OpenMetrics 1.0.0, the specification (2020), sections "Text format" and "Gauge".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.data.output import write_file
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.exports.run_files import RunFiles
from scoring.values import is_number

_FAMILIES = {
    "scoring_figure": "The value of a figure of the run.",
    "scoring_figure_low": "The lower end of a figure's interval.",
    "scoring_figure_high": "The upper end of a figure's interval.",
    "scoring_records": "How many records have a status.",
    "scoring_coverage": "The share of the records with a score.",
}
_WHOLE = {"dimension": "", "group": ""}
"""The labels of what counts all records; a label that is empty is the same as none."""
_Point = tuple[str, Mapping[str, str], float]


def _write(run: Path, out: Path) -> Sequence[Path]:
    files = RunFiles(run, "a collector of metrics")
    about = {"task": files.task, "version": files.version, "meaning": files.meaning}
    points = list(_points(files))
    text = []
    for family, meaning in _FAMILIES.items():
        own = [point for point in points if point[0] == family]
        if own:
            text += [f"# TYPE {family} gauge", f"# HELP {family} {meaning}"]
            text += [f"{family}{_labels({**about, **labels})} {float(value)!r}" for _, labels, value in own]
    write_file(out, "".join(f"{line}\n" for line in [*text, "# EOF"]).encode("utf-8", "replace"))
    return [out]


def _points(files: RunFiles) -> Iterator[_Point]:
    yield from _points_of(files.summary, files.figures, files.counts, _WHOLE)
    for dimension, groups in (files.summary.get("by") or {}).items():
        for group in groups:
            named = {"dimension": str(dimension), "group": str(group.get("group"))}
            counts = {status: int(group["counts"].get(status) or 0) for status in files.counts}
            yield from _points_of(group, group.get("metrics") or [], counts, named)


def _points_of(
    part: Mapping[str, Any], figures: Sequence[Mapping[str, Any]], counts: Mapping[str, int], named: Mapping[str, str]
) -> Iterator[_Point]:
    """Yield the points of all records or of one group; a figure without a value has none, rather than 0 or NaN."""
    for figure in figures:
        labels = {**named, "figure": str(figure["metric"])}
        ends = figure.get("interval") or (None, None)
        if is_number(figure.get("value")):
            yield "scoring_figure", labels, figure["value"]
            level = {**labels, "level": str(figure.get("level", "")), "method": str(figure.get("method", ""))}
            for family, end in zip(("scoring_figure_low", "scoring_figure_high"), ends, strict=True):
                if is_number(end):
                    yield family, level, end
    for status, count in counts.items():
        yield "scoring_records", {**named, "status": status}, count
    if is_number(part.get("coverage")):
        yield "scoring_coverage", named, part["coverage"]


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items() if value) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


EXPORT = HostExport("metrics in OpenMetrics text", "run", _write)
