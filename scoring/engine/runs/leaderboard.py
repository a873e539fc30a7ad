"""Several runs over the same records: who stands where, how sure that is, and which two of them differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from scoring.engine.runs.comparison import (
    clusters_of_records,
    common_cluster,
    differences,
    mean_of,
    run_about,
    widest_change,
)
from scoring.engine.runs.read import StoredRun
from scoring.late import dataclass
from scoring.statistics.compare import compare
from scoring.statistics.multiple import holm
from scoring.statistics.ranks import mean_draws, rank_intervals, ranks

RULE = "a record counts where every run has a score for it"
CORRECTED = "Holm"
METHOD = "percentiles of paired resamples, widened to the ranks that the tests leave open"


@dataclass(frozen=True, slots=True)
class Board:
    """The same figure of several runs.

    Args:
        about: What it is a figure of.
        values: The figure of each run.
        left_out: How many scored records of each run have no score in another one.
        records: How many things all runs have scored.
        pairs: The test of each two runs, in the order of ``combinations``.
        draws: The figures over resamples, a column for each run.
    """

    about: Mapping[str, Any]
    values: Sequence[float | None]
    left_out: Sequence[int]
    records: int
    pairs: Sequence[Mapping[str, Any]]
    draws: Any


def leaderboard(
    runs: Sequence[StoredRun],
    *,
    seed: int = 0,
    cluster: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
    boards: Callable[[str | None, float], Sequence[Board]] | None = None,
) -> dict[str, Any]:
    """The leaderboard as plain data: runs with their ranks, and every pair with its test.

    Args:
        runs: The runs, in the order in which they were named.
        seed: The seed of the draws.
        cluster: An attribute whose groups are drawn as a whole; by default the one that all runs drew by.
        confidence: The level of the intervals; by default the first run's.
        resamples: How many resamples and sign changes are drawn.
        boards: Makes the figures from a cluster and a level; by default they are means of the records' scores.

    Raises:
        InputError: when no record of the runs has that attribute.
    """
    cluster = cluster or common_cluster(*runs)
    level: float = confidence or runs[0].summary.get("intervals", {}).get("confidence", 0.95)
    found = boards(cluster, level) if boards else [_of_scores(runs, seed, cluster, level, resamples)]
    corrected = holm([pair["p_value"] for board in found for pair in board.pairs])
    shown, start = [], 0
    for board in found:
        shown.append(_board(board, corrected[start : start + len(board.pairs)], level))
        start += len(board.pairs)
    return {
        "runs": [run_about(run) for run in runs],
        "boards": shown,
        "cluster": cluster,
        "confidence": level,
        "rule": RULE,
        "corrected": {"method": CORRECTED, "tests": sum(value is not None for value in corrected)},
        "ranks": {"method": METHOD, "resamples": max((len(board.draws) for board in found), default=0)},
        "not_comparable": list(dict.fromkeys(line for run in runs[1:] for line in differences(runs[0], run))),
    }


def _board(board: Board, corrected: Sequence[float | None], level: float) -> dict[str, Any]:
    places = list(combinations(range(len(board.values)), 2))
    pairs, surely = [], []
    for (one, two), pair, p_value in zip(places, board.pairs, corrected, strict=True):
        significant = p_value is not None and p_value < 1.0 - level
        pairs.append({"first": one, "second": two, **pair, "p_holm": p_value, "significant": significant})
        if significant:
            surely.append((one, two) if pair["difference"] > 0 else (two, one))
    intervals = rank_intervals(board.draws, surely, level)
    rows: list[dict[str, Any]] = []
    for place, (value, rank) in enumerate(zip(board.values, ranks(board.values), strict=True)):
        own = {"run": place, "rank": rank, "ranks": list(intervals[place]) if rank is not None else None}
        better = sum(pair[1] == place for pair in surely)
        worse = sum(pair[0] == place for pair in surely)
        rows.append(
            {**own, "value": value, "better_than": better, "worse_than": worse, "left_out": board.left_out[place]}
        )
    rows.sort(key=lambda row: (row["rank"] is None, row["rank"], row["run"]))
    return {**board.about, "records": board.records, "ranking": rows, "pairs": pairs}


def _of_scores(runs: Sequence[StoredRun], seed: int, cluster: str | None, level: float, resamples: int) -> Board:
    """The board of the mean scores over the records that all runs have scored."""
    scores = [{key: value for key, value in run.scores().items() if value is not None} for run in runs]
    common = sorted(set.intersection(*(set(held) for held in scores)))
    clusters = None if cluster is None else clusters_of_records(runs, cluster)
    shared = [{key: held[key] for key in common} for held in scores]
    how: dict[str, Any] = {"seed": seed, "confidence": level, "resamples": resamples, "widest": widest_change(runs)}
    pairs = []
    for one, two in combinations(shared, 2):
        tested = compare(one, two, clusters=clusters, **how)
        pairs.append(
            {
                "difference": tested.difference,
                "interval": tested.interval.to_json() if tested.interval else None,
                "p_value": tested.p_value,
                "better": tested.better,
                "worse": tested.worse,
                "equal": tested.equal,
            }
        )
    owners = None if clusters is None else [clusters.get(key) for key in common]
    ends = runs[0].summary.get("ranges", {}).get("score")
    return Board(
        {"metric": "mean score", "key": None, **({"range": ends} if ends else {})},
        [mean_of(list(held.values())) for held in shared],
        [len(held) - len(common) for held in scores],
        len(common),
        pairs,
        mean_draws([list(held.values()) for held in shared], owners, seed=seed, resamples=resamples),
    )
