"""Rank several finished runs by a figure: their ranks, the uncertainty of these, and which pairs of runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.comparison.runs.again import SpecOfRun, figure_of, in_common, names_of
from scoring.extensions.comparison.runs.better import better_of_json, quality
from scoring.extensions.comparison.runs.comparison import (
    DrawnBy,
    RunDraws,
    corrected,
    differences,
    drawing,
    is_plain_mean,
    no_spec,
    oriented,
    run_about,
    verdict,
    widest_change,
)
from scoring.extensions.comparison.statistics.compare import compare_paired_scores, drawn_by, mean_or_none
from scoring.extensions.comparison.statistics.ranks import mean_draws, rank_intervals, ranks
from scoring.extensions.verification.read import StoredRun
from scoring.ranges import Better

RULE = "a record counts where every run has a score for it"
CORRECTED = "Holm"
METHOD = "percentiles of paired resamples, widened to the ranks that the tests leave open"


class Board(Struct, frozen=True):
    """One figure of several runs, with everything that a ranking by it needs.

    Args:
        about: Entries that describe the figure, such as its metric, unit and range.
        values: The figure's value for each run.
        left_out: For each run, the number of its scored records that lack a score in another run.
        records: Number of records (or tasks) that all runs have scored.
        pairs: The test of each pair of runs, in the order of ``combinations``.
        draws: The figure's values over resamples, with a column for each run.
        better: Whether higher or lower values are better, or the best value; None if unknown.
    """

    about: Mapping[str, Any]
    values: Sequence[float | None]
    left_out: Sequence[int]
    records: int
    pairs: Sequence[Mapping[str, Any]]
    draws: Any
    better: Better = "higher"


def leaderboard(
    runs: Sequence[StoredRun],
    draws: RunDraws,
    boards: Sequence[Board] | None = None,
    *,
    metric: str | None = None,
    compiled: SpecOfRun | None = None,
) -> dict[str, Any]:
    """Return the leaderboard as plain data: runs with their ranks, and every pair with its test.

    Args:
        runs: The runs.
        draws: The settings for resampling their differences.
        boards: Their figures, if already computed.
        metric: The figure by which they are ranked, ``all`` for every figure that all have; by default the headline.
        compiled: Compiles the spec of a run again.

    Raises:
        InputError: when no record of the runs has the attribute of the clusters, or a figure can't be recomputed.
    """
    level = draws.level
    with drawing(draws):
        found = boards or [_of_figure(runs, name, draws, compiled) for name in names_of(runs, metric)]
    pairs = corrected([pair for board in found for pair in board.pairs], level)
    rest = iter(pairs)
    shown = [_board(board, list(islice(rest, len(board.pairs))), level) for board in found]
    return {
        "runs": [run_about(run) for run in runs],
        "boards": shown,
        "cluster": draws.cluster,
        "strata": draws.strata,
        "confidence": level,
        "rule": RULE.replace("record", found[0].about.get("unit", "record"), 1),
        "corrected": {"method": CORRECTED, "tests": sum(pair["p_holm"] is not None for pair in pairs)},
        "ranks": {"method": METHOD, "resamples": max((len(board.draws) for board in found), default=0)},
        "not_comparable": list(dict.fromkeys(line for run in runs[1:] for line in differences(runs[0], run))),
    }


def _board(board: Board, tested: Sequence[Mapping[str, Any]], level: float) -> dict[str, Any]:
    indexes = combinations(range(len(board.values)), 2)
    pairs = [{"first": one, "second": two, **test} for (one, two), test in zip(indexes, tested, strict=True)]
    sides = [{"first": board.values[pair["first"]], "second": board.values[pair["second"]]} for pair in pairs]
    for pair, values in zip(pairs, sides, strict=True):
        pair["verdict"] = verdict({**values, "better_is": board.better, "significant": pair["significant"]})
    goods = [None if value is None else quality(value, board.better) for value in board.values]
    surely = [(pair["first"], pair["second"]) for pair in pairs if pair["verdict"] == "better"]
    surely += [(pair["second"], pair["first"]) for pair in pairs if pair["verdict"] == "worse"]
    intervals = rank_intervals(_qualities(board), surely, level)
    known = ranks(goods if board.better is not None else [None] * len(goods))
    rows: list[dict[str, Any]] = []
    for run, (value, rank) in enumerate(zip(board.values, known, strict=True)):
        rows.append(
            {
                "run": run,
                "rank": rank,
                "ranks": list(intervals[run]) if rank is not None else None,
                "value": value,
                "better_than": sum(better == run for _, better in surely),
                "worse_than": sum(worse == run for worse, _ in surely),
                "left_out": board.left_out[run],
            }
        )
    rows.sort(key=lambda row: (row["rank"] is None, row["rank"] or 0, row["run"]))
    return {**board.about, "better_is": board.better, "records": board.records, "ranking": rows, "pairs": pairs}


def _qualities(board: Board) -> Any:
    """Return the resampled figures of a board, transformed so that higher is better: negated if lower is, or the
    negative distance to the best value."""
    if isinstance(board.better, (int, float)):
        return -np.abs(board.draws - board.better)
    return -board.draws if board.better == "lower" else board.draws


def _of_figure(runs: Sequence[StoredRun], name: str, draws: RunDraws, compiled: SpecOfRun | None) -> Board:
    """Return the values, pairwise tests and resamples (a `Board`) of the figure named `name`, over the records (or
    tasks) that all runs have in common."""
    figure = figure_of(runs, name, compiled or no_spec)
    if is_plain_mean(runs, name):
        return replace(_of_scores(runs, draws), better=figure.better)
    compared = in_common(runs, figure, *DrawnBy.of(runs, draws), draws.cluster)
    chances = draws.chances(figure.widest)
    values = [compared.value(run) for run in range(len(runs))]
    pairs = []
    for one, two in combinations(range(len(runs)), 2):
        tested = compared.test(one, two, chances)
        pairs.append(
            {
                "difference": compared.difference(one, two),
                "interval": tested.interval.to_json() if tested.interval else None,
                "p_value": tested.p_value,
            }
        )
    left_out = [one.statistic.count - len(compared) for one in compared.entrants]
    about = {"metric": name, "key": None, "unit": compared.unit, "range": figure.range.to_json()}
    return Board(about, values, left_out, len(compared), pairs, compared.draws(chances), figure.better)


def _of_scores(runs: Sequence[StoredRun], draws: RunDraws) -> Board:
    """Return the runs' mean scores with pairwise tests and resamples (a `Board`), over the records that all runs have
    scored."""
    scores = [{key: value for key, value in run.scores().items() if value is not None} for run in runs]
    common = sorted(set.intersection(*(set(values) for values in scores)))
    drawn = DrawnBy.of(runs, draws)
    shared = [{key: values[key] for key in common} for values in scores]
    widest = widest_change(runs)
    how: dict[str, Any] = {"seed": draws.seed, "resamples": draws.resamples}
    pairs = []
    for one, two in combinations(shared, 2):
        found = compare_paired_scores(
            one, two, **drawn._asdict(), confidence=draws.level, widest=widest, **how
        ).to_json()
        tested = oriented(found, better_of_json(runs[0].summary.get("better", "higher")))
        pairs.append({name: tested[name] for name in ("difference", "interval", "p_value", "better", "worse", "equal")})
    owners, strata = drawn_by(*(None if labels is None else [labels.get(key) for key in common] for labels in drawn))
    ends = runs[0].summary.get("ranges", {}).get("score")
    return Board(
        {"metric": "mean", "key": None, **({"range": ends} if ends else {})},
        [mean_or_none(list(values.values())) for values in shared],
        [len(values) - len(common) for values in scores],
        len(common),
        pairs,
        mean_draws([list(values.values()) for values in shared], owners, strata, **how),
    )
