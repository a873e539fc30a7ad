"""Compare finished runs: whether they may be compared, whether they differ, and which records changed where.

Of several it is told who stands where, how sure that is, and which two of them differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

from scoring.compiler.record import reader
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import StoredRun, score_of
from scoring.late import dataclass
from scoring.ranges import ScoreRange
from scoring.statistics.compare import Comparison, compare, mean_of
from scoring.statistics.paired import holm
from scoring.statistics.ranks import mean_draws, rank_intervals, ranks

_MAX_FLIPS = 1000
RULE = "a record counts where every run has a score for it"
CORRECTED = "Holm"
METHOD = "percentiles of paired resamples, widened to the ranks that the tests leave open"


def differences(first: StoredRun, second: StoredRun) -> list[str]:
    """Why the numbers of two runs do not mean the same thing; empty where they do.

    They do where the programs are the same and the same judge was asked. Libraries, interpreters and seeds may differ.
    """
    return [f"{name}: {one} and {other}" for name, (one, other) in first.means(second).items()]


def widest_change(runs: Sequence[StoredRun]) -> float:
    """How far the scores of two runs can lie apart, infinite where no range says."""
    ranges = [ScoreRange.of_json(ends) for run in runs for ends in _ends_of_scores(run)]
    return max(one.high for one in ranges) - min(one.low for one in ranges)


def environments(first: StoredRun, second: StoredRun) -> list[str]:
    """What two runs were made with in different versions; their numbers mean the same, and a reader should know."""
    one, other = (dict(part.rpartition(" ")[::2] for part in run.signature.env.split(", ")) for run in (first, second))
    return [f"{name} {one[name]} and {other[name]}" for name in one if other.get(name, one[name]) != one[name]]


@dataclass(frozen=True, slots=True)
class RunDraws:
    """How what differs between some runs is drawn.

    Args:
        cluster: An attribute whose groups are drawn as a whole (the document of a question, say); by default the one
            that all runs drew by. In a suite it may be an attribute of the tasks.
        level: The level of the intervals; by default the first run's.
        seed: The seed of the draws.
        resamples: How many resamples and sign changes are drawn; fewer where they are expensive.
    """

    cluster: str | None
    level: float
    seed: int
    resamples: int

    @classmethod
    def of(
        cls,
        runs: Sequence[StoredRun],
        *,
        cluster: str | None = None,
        confidence: float | None = None,
        seed: int = 0,
        resamples: int = 10_000,
    ) -> RunDraws:
        """What is drawn of some runs, as they were drawn themselves where nothing else is said."""
        found = {run.summary.get("intervals", {}).get("cluster") for run in runs}
        level = confidence or runs[0].summary.get("intervals", {}).get("confidence", 0.95)
        return cls(cluster or (found.pop() if len(found) == 1 else None), level, seed, resamples)


def compare_runs(first: StoredRun, second: StoredRun, draws: RunDraws | None = None) -> dict[str, Any]:
    """The comparison as plain data.

    Args:
        first: The run to start from.
        second: The run that may be better.
        draws: How the difference is drawn; by default as the runs were.

    Raises:
        InputError: when no record of the runs has the attribute of the clusters.
    """
    draws = draws or RunDraws.of((first, second))
    cluster = draws.cluster
    found: Comparison = compare(
        first.scores(),
        second.scores(),
        seed=draws.seed,
        resamples=draws.resamples,
        confidence=draws.level,
        clusters=clusters_of_records((first, second), cluster) if cluster is not None else None,
        widest=widest_change((first, second)),
    )
    data = found.to_json()
    data["significant"] = found.is_significant
    data["cluster"] = cluster
    data["runs"] = [run_about(first), run_about(second)]
    data["not_comparable"] = differences(first, second)
    data["environments"] = environments(first, second)
    data["ranges"] = {**second.summary.get("ranges", {}), **first.summary.get("ranges", {})}
    data["groups"] = _of_both(first, second, lambda figure: "groups" in figure.get("details", {}))
    data["formulas"] = _of_both(first, second, lambda figure: "formula" in figure)
    data["fields"] = _fields(first, second)
    flips = [{**flip, **_where(first, second, flip["id"])} for flip in data["flips"]]
    data["stages"] = dict(sorted(Counter(flip["stage"] for flip in flips).items()))
    data["flip_count"] = len(flips)
    data["flips"] = flips[:_MAX_FLIPS]
    return data


def _ends_of_scores(run: StoredRun) -> list[list[float | None] | None]:
    """What the scores of a run may be; of a suite's, task by task. None stands for the unit interval."""
    if "suite" in run.summary and run.summary.get("tasks"):
        return [task.get("range") for task in run.summary["tasks"]]
    return [run.summary.get("ranges", {}).get("score")]


def run_about(run: StoredRun) -> dict[str, Any]:
    """How a comparison names a run."""
    signature = run.signature
    return {
        "name": run.name,
        "signature": signature,
        "meaning": signature.meaning,
        "env": signature.env,
        "records": len(run.records),
    }


def _of_both(first: StoredRun, second: StoredRun, wanted: Callable[[Mapping[str, Any]], bool]) -> list[dict[str, Any]]:
    """Some figures that both runs have, beside the difference of scores: of groups, such as pass@k, and of formulas."""
    one, other = ({figure["metric"]: figure for figure in run.summary.get("metrics", ())} for run in (first, second))
    return [
        {"metric": name, "first": _figure(one[name]), "second": _figure(other[name])}
        for name in one
        if name in other and wanted(one[name])
    ]


def _figure(figure: Mapping[str, Any]) -> dict[str, Any]:
    return {key: figure.get(key) for key in ("value", "interval", "details", "formula")}


def clusters_of_records(runs: Sequence[StoredRun], name: str) -> dict[str, Any]:
    """The cluster of each record, from whichever run tells it."""
    known: dict[str, None] = {}
    found: dict[str, Any] = {}
    for run in runs:
        for key, data in run.records.items():
            attributes = _attributes(run, data, name)
            known.update(dict.fromkeys(attributes))
            if found.get(key) is None:
                found[key] = attributes.get(name)
    if name not in known:
        listed = ", ".join(sorted(known)) or "none"
        raise InputError(f"no record has the attribute {name}; the runs have {listed}; the spec's `by` adds more")
    return found


def _attributes(run: StoredRun, data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The attributes of a record, or else of its task, which a suite reads by JMESPath."""
    held: Mapping[str, Any] = data.get("attributes") or {}
    task = run.tasks.get(data.get("task", ""))
    if task is None or name in held:
        return held
    value = reader(name)(task)
    return {**task, **held} if value is None else {**task, **held, name: value}


def _fields(first: StoredRun, second: StoredRun) -> list[dict[str, Any]]:
    """What each field contributes: its means over the records that both runs have scored, and how many changed."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for key, before in first.records.items():
        if (after := second.records.get(key)) is None:
            continue
        for name, part in before["fields"].items():
            one, other = score_of(part), score_of(after["fields"].get(name, {}))
            scores = pairs.setdefault(name, [])
            if one is not None and other is not None:
                scores.append((one, other))
    return [
        {
            "field": name,
            "records": len(scores),
            "first": mean_of([one for one, _ in scores]),
            "second": mean_of([other for _, other in scores]),
            "changed": sum(one != other for one, other in scores),
        }
        for name, scores in pairs.items()
    ]


def _where(first: StoredRun, second: StoredRun, key: str) -> dict[str, Any]:
    """Which fields of a record changed, and the first stage at which the two runs part.

    The stages: one run lacks the ``record``; only one response could be parsed (``parse``), or both gave another
    ``answer``; the answers are the same and a field's ``scoring`` differs, or only how fields are joined
    (``aggregate``).
    """
    before, after = first.records.get(key), second.records.get(key)
    if before is None or after is None:
        return {"fields": {}, "stage": "record"}
    scores = {
        name: [data["fields"].get(name, {}).get("score") for data in (before, after)]
        for name in {**before["fields"], **after["fields"]}
    }
    changed = {name: pair for name, pair in scores.items() if pair[0] != pair[1]}
    found: dict[str, Any] = {"fields": changed, "stage": _stage(before, after, changed)}
    reasons = [_reason(before), _reason(after)]
    if reasons[0] != reasons[1]:
        found["reasons"] = reasons
    return found


def _stage(before: Mapping[str, Any], after: Mapping[str, Any], changed: Mapping[str, Any]) -> str:
    if (before.get("unparsed") is None) != (after.get("unparsed") is None):
        return "parse"
    if before["parsed"] != after["parsed"]:
        return "answer"
    return "scoring" if changed else "aggregate"


def _reason(data: Mapping[str, Any]) -> str | None:
    found = data.get("unparsed") or data.get("reason")
    return str(found) if found else None


# ---- several runs


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


def leaderboard(runs: Sequence[StoredRun], draws: RunDraws, boards: Sequence[Board] | None = None) -> dict[str, Any]:
    """The leaderboard as plain data: runs with their ranks, and every pair with its test.

    By default its figures are means of the records' scores.

    Raises:
        InputError: when no record of the runs has the attribute of the clusters.
    """
    level = draws.level
    found = boards or [_of_scores(runs, draws)]
    pairs = corrected([pair for board in found for pair in board.pairs], level)
    rest = iter(pairs)
    shown = [_board(board, list(islice(rest, len(board.pairs))), level) for board in found]
    return {
        "runs": [run_about(run) for run in runs],
        "boards": shown,
        "cluster": draws.cluster,
        "confidence": level,
        "rule": RULE,
        "corrected": {"method": CORRECTED, "tests": sum(pair["p_holm"] is not None for pair in pairs)},
        "ranks": {"method": METHOD, "resamples": max((len(board.draws) for board in found), default=0)},
        "not_comparable": list(dict.fromkeys(line for run in runs[1:] for line in differences(runs[0], run))),
    }


def corrected(tests: Sequence[Mapping[str, Any]], level: float) -> list[dict[str, Any]]:
    """Several tests with the p-values that keep their promise for all of them together."""
    return [
        {**test, "p_holm": p_value, "significant": p_value is not None and p_value < 1.0 - level}
        for test, p_value in zip(tests, holm([test["p_value"] for test in tests]), strict=True)
    ]


def _board(board: Board, tested: Sequence[Mapping[str, Any]], level: float) -> dict[str, Any]:
    places = combinations(range(len(board.values)), 2)
    pairs = [{"first": one, "second": two, **test} for (one, two), test in zip(places, tested, strict=True)]
    surely = [
        (pair["first"], pair["second"]) if pair["difference"] > 0 else (pair["second"], pair["first"])
        for pair in pairs
        if pair["significant"]
    ]
    intervals = rank_intervals(board.draws, surely, level)
    rows: list[dict[str, Any]] = []
    for place, (value, rank) in enumerate(zip(board.values, ranks(board.values), strict=True)):
        rows.append(
            {
                "run": place,
                "rank": rank,
                "ranks": list(intervals[place]) if rank is not None else None,
                "value": value,
                "better_than": sum(better == place for _, better in surely),
                "worse_than": sum(worse == place for worse, _ in surely),
                "left_out": board.left_out[place],
            }
        )
    rows.sort(key=lambda row: (row["rank"] is None, row["rank"], row["run"]))
    return {**board.about, "records": board.records, "ranking": rows, "pairs": pairs}


def _of_scores(runs: Sequence[StoredRun], draws: RunDraws) -> Board:
    """The board of the mean scores over the records that all runs have scored."""
    scores = [{key: value for key, value in run.scores().items() if value is not None} for run in runs]
    common = sorted(set.intersection(*(set(held) for held in scores)))
    clusters = None if draws.cluster is None else clusters_of_records(runs, draws.cluster)
    shared = [{key: held[key] for key in common} for held in scores]
    widest, how = widest_change(runs), {"seed": draws.seed, "resamples": draws.resamples}
    pairs = []
    for one, two in combinations(shared, 2):
        tested = compare(one, two, clusters=clusters, confidence=draws.level, widest=widest, **how).to_json()
        pairs.append({name: tested[name] for name in ("difference", "interval", "p_value", "better", "worse", "equal")})
    owners = None if clusters is None else [clusters.get(key) for key in common]
    ends = runs[0].summary.get("ranges", {}).get("score")
    return Board(
        {"metric": "mean score", "key": None, **({"range": ends} if ends else {})},
        [mean_of(list(held.values())) for held in shared],
        [len(held) - len(common) for held in scores],
        len(common),
        pairs,
        mean_draws([list(held.values()) for held in shared], owners, **how),
    )
