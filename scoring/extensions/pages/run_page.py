"""The page of a run: its summary, its plots, its worst records, and the rule that scored them.

What plots a run has is decided here alone, by `plots_of_document`: the page, the files of a run folder and the figures
for papers (``--plots``) are the plots of one document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.extensions.pages.charts import Chart, ForestRow, MarkedPicture, forest_of, histogram_of
from scoring.extensions.pages.drawing import draw_file
from scoring.extensions.pages.records import ShownRecords, lowest
from scoring.outcomes import Results
from scoring.report import document as doc
from scoring.report.of.summary import label, summary_document
from scoring.report.render import render
from scoring.report.visible import clipped

if TYPE_CHECKING:
    from scoring.api.run import Run

MOST_FORESTS = 6
"""Breakdowns of which the groups are drawn."""
MOST_RULE, MOST_FILES = 100_000, 20
"""Characters of a file of the rule, and files of it, that stand on a page."""


def page_of_run(run: Run) -> str:
    """Return the HTML page of a run."""
    return render(run_document(run), "html")


def plots_of_run(run: Run) -> dict[str, str]:
    """Return the plots of a run as SVG, by file name."""
    return {name: draw_file(chart) for name, chart in named_plots(run_document(run, is_page=False)).items()}


def figures_in(folder: str | Path, on_note: Callable[[str], None] | None = None) -> Callable[[Run], list[Path]]:
    """Return a function that writes the plots of a run into a folder, as figures for papers; that a run has nothing to
    draw is told to `on_note`.

    Raises:
        InputError: when the library that draws them is not installed.
    """
    from scoring.extensions.pages.papers import figure_writer

    write = figure_writer(folder)

    def written(run: Run) -> list[Path]:
        files = write(named_plots(run_document(run, is_page=False)))
        if not files and on_note is not None:
            on_note(f"{folder} has no plots: nothing that could be drawn has a score")
        return files

    return written


def run_document(run: Run, is_page: bool = True) -> doc.Document:
    """Return the whole document of a run: what a terminal shows, and the plots; on a page also its worst records, its
    images, and the rule."""
    *blocks, signature = summary_document(run.summary, run.tags).blocks
    is_head = [isinstance(block, doc.Title | doc.Headlines) for block in blocks]
    head = is_head.index(False) if False in is_head else len(blocks)
    results, tasks = _results(run)
    plots = tuple(_plots(run.summary, results))
    shown = [*blocks[:head], *([doc.Section("Plots", plots)] if plots else []), *blocks[head:]]
    if not is_page:
        return doc.Document(tuple(shown))
    better = run.summary.get("better", "higher")
    indices = lowest(results, better)
    responses = run.responses(set(indices)) if indices else {}
    by, ranges = list(run.summary.get("by", ())), run.summary.get("ranges", {})
    records = ShownRecords(results, indices, responses, by, tasks, ranges, better)
    return doc.Document((*shown, *run.pictures(), *records.table(), *_rule(run), signature))


def _results(run: Run) -> tuple[Results, list[str]]:
    """Return the results of all records of a run, and in a run of several tasks the task of each."""
    if isinstance(run.records, Mapping):
        found = Results.join([part.results for part in run.parts]) if run.parts else Results.of([])
        return found, [part.task or "" for part in run.parts for _ in part.places]
    return run.parts[0].results if run.parts else Results.of([]), []


# ---- plots


def plots_of_document(blocks: Iterable[doc.DocumentBlock]) -> Iterator[doc.Plot]:
    """Yield the plots of a document, in order, without pictures, which are no figures of a run."""
    for block in blocks:
        if isinstance(block, doc.Plot) and not isinstance(block.chart, MarkedPicture):
            yield block
        elif isinstance(block, doc.Section):
            yield from plots_of_document(block.blocks)


def named_plots(document: doc.Document) -> dict[str, Chart]:
    """Return the charts of a document by the names of their files, which are different and safe for any system."""
    found: dict[str, Chart] = {}
    for plot in plots_of_document(document.blocks):
        name = re.sub(r"[^a-z0-9]+", "_", plot.name.lower()).strip("_")[:60] or "plot"
        taken = sum(1 for one in found if re.fullmatch(rf"{name}(_\d+)?\.svg", one))
        found[f"{name}_{taken + 1}.svg" if taken else f"{name}.svg"] = plot.chart
    return found


def _plots(summary: Mapping[str, Any], results: Results) -> Iterator[doc.Plot]:
    """Yield the plots that every kind of run has: the scores, and the figures of groups with their intervals."""
    better = summary.get("better", "higher")
    is_suite = "suite" in summary
    if is_suite:
        scores = [task["score"] for task in summary["tasks"] if task["score"] is not None]
        without, word = len(summary["tasks"]) - len(scores), "tasks"
        histogram = histogram_of(scores, (None, None), title="Scores of tasks", x="score", without=without)
    else:
        values = results.outcomes.values
        ends, word = summary.get("ranges", {}).get("score", (0.0, 1.0)), "records"
        histogram = histogram_of(values, ends, better=better)
    if histogram is not None and sum(histogram.counts) > 1:
        yield doc.Plot(f"Scores of {word}", histogram)
    parts = [("groups", summary["groups"])] if is_suite else []
    for name, groups in [*parts, *summary.get("by", {}).items()][:MOST_FORESTS]:
        yield from _forest(f"by {name}" if name != "groups" or not is_suite else "by group", groups, summary)


def _forest(name: str, groups: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> Iterator[doc.Plot]:
    """Yield the plot of the first metric of a breakdown's groups, with the figure of all as a reference."""
    metrics = [one for one in summary.get("metrics", ()) if one["value"] is not None]
    first = next((one["metric"] for one in metrics), None)
    rows, level, entry = [], None, None
    for group in groups:
        entry = next((one for one in group["metrics"] if one["metric"] == first), None)
        if entry is None or entry["value"] is None:
            continue
        level = level or entry.get("level")
        count = group.get("counts", {}).get("records")
        rows.append(
            ForestRow(label(group["group"]), entry["value"], *_ends(entry), f"{count} records" if count else "")
        )
    whole = next((one for one in metrics if one["metric"] == first), None)
    if whole is None or not rows:
        return
    x = f"{first}, {level * 100:g}% intervals" if level else str(first)
    chart = forest_of(
        rows,
        whole.get("range") or (0.0, 1.0),
        title=f"{first} {name}",
        x=x,
        better=whole.get("better", "higher"),
        reference=whole["value"],
    )
    if chart is not None:
        yield doc.Plot(f"{first} {name}", chart)


def _ends(metric: Mapping[str, Any]) -> tuple[float | None, float | None]:
    low, high = metric.get("interval") or (None, None)
    return low, high


# ---- the rule


def _rule(run: Run) -> Iterator[doc.DocumentBlock]:
    """Yield the section with the rule: the texts of the spec and its packs, and what each step of it does."""
    from scoring.engine.runs.texts import texts_of

    kept = json.loads(texts_of(run.task))
    bundles = [kept["spec"], *(one["bundle"] for one in kept.get("tasks", ()))]
    files = {file["text"]: file for bundle in bundles for file in bundle["files"]}
    blocks: list[doc.DocumentBlock] = []
    for place, (text, file) in enumerate(files.items()):
        if place == MOST_FILES:
            blocks.append(doc.Paragraph((f"and {len(files) - MOST_FILES} more files, in texts.json",)))
            break
        code = doc.Code(clipped(kept["texts"][text], MOST_RULE), file["form"])
        blocks.append(code if place == 0 else doc.Section(str(file["name"] or file["shown"]), (code,), folded=True))
    steps = _steps(run)
    yield doc.Section("The rule", (*blocks[:1], *steps, *blocks[1:]))


def _steps(run: Run) -> Iterator[doc.DocumentTable]:
    recipe = getattr(run.task, "recipe", None) or getattr(getattr(run.task, "parts", None), "recipe", None)
    found = {one.name: one for one in getattr(recipe, "primitives", ())}
    if found:
        rows = tuple([doc.Piece(name, "code"), one.kind, one.doc.summary] for name, one in sorted(found.items()))
        columns = (doc.TableColumn("step"), doc.TableColumn("kind", choices=True), doc.TableColumn("what it does"))
        yield doc.DocumentTable(columns, rows, "What its steps do")
