"""The plots of comparisons and leaderboards: changes of records, figures of runs and groups, ranks with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.extensions.comparison.runs.again import figure_entry
from scoring.extensions.comparison.runs.better import better_of_json
from scoring.extensions.pages.charts import MOST_ROWS, Changes, Forest, ForestRow, forest_of
from scoring.extensions.verification.read import StoredRun
from scoring.report.document import Plot
from scoring.report.of.summary import common_scale, label

MOST_POINTS, CELLS = 400, 20
"""Pairs of values that are drawn one by one; more are counted in a grid with this many cells a side."""
MOST_BREAKDOWNS = 3


def comparison_plots(runs: Sequence[StoredRun], metric: str) -> tuple[Plot, ...]:
    """Return the plots of a comparison of two runs.

    Args:
        runs: The two runs.
        metric: The name of the figure by which they are compared.
    """
    return (*_changes(*runs), *figures_of_runs(runs, [one.name for one in runs], metric))


def leaderboard_plots(runs: Sequence[StoredRun], data: Mapping[str, Any], names: Sequence[str]) -> tuple[Plot, ...]:
    """Return the plots of a leaderboard.

    Args:
        runs: The runs.
        data: The leaderboard as plain data.
        names: The name of each run, no two alike.
    """
    found = [*ranks_of_runs(data, names)]
    for metric in dict.fromkeys(board["metric"] for board in data["boards"]):
        found += figures_of_runs(runs, names, metric)
    return tuple(found)


def ranks_of_runs(data: Mapping[str, Any], names: Sequence[str]) -> Iterator[Plot]:
    """Yield a plot for each ranking of a leaderboard: the rank of every run, and those that it may have."""
    for board in data["boards"]:
        rows = [
            ForestRow(names[row["run"]], float(row["rank"]), *(row["ranks"] or (None, None)))
            for row in board["ranking"]
            if row["rank"] is not None
        ]
        if len(rows) > 1:
            x = f"rank by {board['metric']}, with its {data['confidence'] * 100:g}% interval"
            key = f" of {board['key']}" if board["key"] not in (None, "label") else ""
            name = f"ranks by {board['metric']}{key}"
            drawn = tuple(rows[:MOST_ROWS])
            yield Plot(name, Forest(name, x, drawn, (1.0, float(len(names))), "lower", is_whole=True))


def _changes(first: StoredRun, second: StoredRun) -> Iterator[Plot]:
    scores = [{key: value for key, value in run.scores().items() if value is not None} for run in (first, second)]
    both = scores[0].keys() & scores[1].keys()
    if not both:
        return
    pairs = Counter((float(scores[0][key]), float(scores[1][key])) for key in both)
    lows, highs = zip(*(_ends(run) for run in (first, second)), strict=True)
    seen = [value for pair in pairs for value in pair]
    low = min(seen) if None in lows else min(lows)
    high = max(seen) if None in highs else max(highs)
    low, high = (low, high) if low < high else (low - 0.5, low + 0.5)
    points = tuple((*pair, count) for pair, count in sorted(pairs.items()))
    note = f"{len(both):,} records with a score in both"
    if len(points) > MOST_POINTS:
        points, note = _gridded(pairs, low, high), f"{note}, counted in {CELLS} × {CELLS} cells"
    lost = len(scores[0]) + len(scores[1]) - 2 * len(both)
    note += f"; {lost:,} scores of one run alone are not drawn" if lost else ""
    better = better_of_json(first.summary.get("better", "higher"))
    chart = Changes(
        "Scores of each record in both runs",
        f"score in {first.name}",
        f"score in {second.name}",
        points,
        (low, high),
        better,
        note,
    )
    yield Plot("scores of each record in both runs", chart)


def _gridded(pairs: Mapping[tuple[float, float], int], low: float, high: float) -> tuple[tuple[float, float, int], ...]:
    """Return how many pairs of values lie in each cell of a grid, at its middle."""
    values, counts = np.array(list(pairs)), np.array(list(pairs.values()))
    cells = np.clip((values - low) / (high - low) * CELLS, 0, CELLS - 1e-9).astype(int)
    found: Counter[tuple[int, int]] = Counter()
    for (row, column), count in zip(cells.tolist(), counts.tolist(), strict=True):
        found[row, column] += count
    size = (high - low) / CELLS
    return tuple((low + (a + 0.5) * size, low + (b + 0.5) * size, count) for (a, b), count in sorted(found.items()))


def _ends(run: StoredRun) -> tuple[float | None, float | None]:
    low, high = run.summary.get("ranges", {}).get("score") or (0.0, 1.0)
    return low, high


def figures_of_runs(runs: Sequence[StoredRun], names: Sequence[str], metric: str) -> Iterator[Plot]:
    """Yield plots of a figure with its intervals: of each run, and of the groups of the first breakdowns."""
    entries = [figure_entry(run, metric) for run in runs]
    scale = common_scale([entry.get("range") for entry in entries])
    better = better_of_json(entries[0].get("better", "higher"))
    rows = [row for name, entry in zip(names, entries, strict=True) for row in _row(name, entry)]
    level = next((entry["level"] for entry in entries if entry.get("level")), None)
    x = f"{metric}, {level * 100:g}% intervals" if level else metric
    chart = forest_of(rows, scale, title=f"{metric} of each run", x=x, better=better)
    if chart is not None:
        yield Plot(f"{metric} of each run", chart)
    for breakdown in list(runs[0].summary.get("by", {}))[:MOST_BREAKDOWNS]:
        found: dict[str, list[ForestRow]] = {}
        for name, run in zip(names, runs, strict=True):
            for group in run.summary.get("by", {}).get(breakdown, ()):
                own = label(group["group"])
                for one in group["metrics"]:
                    if one["metric"] == metric:
                        found.setdefault(own, []).extend(_row(f"{own} · {name}", one))
        inside = [row for rows in found.values() for row in rows]
        chart = forest_of(inside, scale, title=f"{metric} by {breakdown}", x=x, better=better)
        if chart is not None:
            yield Plot(f"{metric} by {breakdown} of each run", chart)


def _row(name: str, entry: Mapping[str, Any]) -> Iterator[ForestRow]:
    if entry.get("value") is not None:
        low, high = entry.get("interval") or (None, None)
        yield ForestRow(name, float(entry["value"]), low, high)
