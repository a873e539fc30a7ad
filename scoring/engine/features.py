"""The features that each kind of task supports, used to refuse options and, by an extension, to generate the docs.

A feature is either supported or refused with a reason; it is never silently ignored, since the resulting figure would
be mistaken for a different one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from scoring.registry import plugins
from scoring.registry.spec_kind import spec_kind

RunKind: TypeAlias = str
"""`rows` for a task over rows, `table` for one over a data set as a whole, or the `kind` of a file of an extension."""

KINDS: Final[Mapping[RunKind, str]] = {
    "rows": "rows of a file",
    **{plugin.name: plugin.name for plugin in plugins.own(plugins.KINDS)},
    "table": "data set as a whole",
}


class Feature(Struct, frozen=True):
    """An option or operation of runs.

    For each kind of task that does not support it, ``refused`` gives the reason and an alternative; for a kind of file
    that an extension provides, its `SpecKind` does.
    """

    name: str
    doc: str
    refused: Mapping[RunKind, str] = field(default_factory=dict)


_WHOLE: Final = "a data set of this kind is read as a whole; `--processes` shares its matching"

FEATURES: Final[Mapping[str, Feature]] = {
    one.name: one
    for one in (
        Feature("--limit", "only the first N"),
        Feature("--by", "one more breakdown; `a x b` crosses two"),
        Feature("--seed", "the seed of the intervals"),
        Feature("--processes", "score in N processes, the same bits"),
        Feature("--references", "ground truth in a file of its own"),
        Feature("--scores parquet", "the scores as columns"),
        Feature(
            "--parts",
            "score in parts that stay, so that a run that was stopped goes on; `scoring merge` joins those of others",
            {"table": _WHOLE},
        ),
        Feature("--engine", "score on a Ray or Spark cluster, the same bits", {"table": _WHOLE}),
        Feature(
            "--state sums",
            "figures in constant memory; beyond 1,000 different scores intervals come from sums of squares",
            {"table": "figures over a whole data set need all its predictions, so no sums stand for them"},
        ),
        Feature("--html", "a page of the results"),
        Feature("--plots", "the plots of that page as figures for papers"),
        Feature("--min-coverage", "exit with 3 where a smaller share of the records has a score; 0.5 by default"),
        Feature("--min", "exit with 4 where a figure is less than NAME=VALUE says, or null; `--max` where it is more"),
        Feature("`input:`", "what looks odd about the data: a census of answers and references, or of labels"),
        Feature("--locked", "refuse a spec without a lock; where there is one, it is applied"),
        Feature("--frozen", "refuse a project whose lock is missing or does not fit"),
        Feature("`.gz` and `.zst`", "compressed data"),
        Feature("`intervals:`", "how confidence intervals are computed, also by clusters"),
        Feature(
            "`intervals: strata`",
            "records are drawn within fixed groups",
            {"table": "such figures are drawn by the units of the data set, or by `cluster`; `by` breaks them down"},
        ),
        Feature("`by:`", "breakdowns of the spec"),
        Feature(
            "`examples:`",
            "what a spec must give, run by `scoring test`",
            {"table": "a figure over a whole data set has no example of one record; pin a small one with `verify`"},
        ),
        Feature(
            "--dialects",
            "the same answers under other scorers",
            {"table": "scorers of answers are no metrics of a whole data set; name several metrics in the spec"},
        ),
        Feature("scoring verify", "score a run again, to the bit"),
        Feature("scoring bundle", "one file with everything that others need to verify a run"),
        Feature("scoring compare", "whether runs differ, paired; a leaderboard of more than two"),
        Feature("scoring explain", "one record or image, stage by stage"),
        Feature("scoring audit", "attack the metric itself"),
        Feature("scoring lock", "pin the packs of a spec"),
        Feature("scoring fmt", "write expressions in their canonical text"),
    )
}


def unsupported_reason(name: str, kind: RunKind) -> str | None:
    """Return the reason why a kind of task does not support a feature, None if it does.

    Examples:
        >>> unsupported_reason("--limit", "table") is None
        True
        >>> unsupported_reason("--dialects", "table")
        'scorers of answers are no metrics of a whole data set; name several metrics in the spec'
    """
    return FEATURES[name].refused.get(kind) if kind in ("rows", "table") else spec_kind(kind).refused.get(name)
