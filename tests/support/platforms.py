"""What the tests of all evaluation platforms have in common: 200 records of three tasks, and one record of each
outcome, as they come back in the results of the platform itself.

A test file brings a `PlatformRun`: it has the real package evaluate records by its own call, and reads what the
platform then holds of each. `platforms.toml` says what that is, and docs/hosts/platforms.md shows it as a table, which
``python -m tests.support.platforms`` writes anew.
"""

from __future__ import annotations

import json
import math
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import scoring
from scoring.compiler.identity.signature import Signature
from scoring.result import MISSING
from tests.support.golden import REPOSITORY
from tests.support.host_cases import Answers, HostRecord, host_case

HELD: Final = REPOSITORY / "tests/extensions/hosts/platforms.toml"
PAGE: Final = REPOSITORY / "docs/hosts/platforms.md"
STATUSES: Final = ("scored", "unparsed", "unscored", "not_applicable")
KEYS: Final = ("value", "status", "reason", "passed", "fields", "meaning")
"""What feedback says of an answer, beside its name."""

OUTCOMES: Final[dict[str, Any]] = {
    "kind": "task",
    "name": "demo/outcomes",
    "version": "1.0.0",
    "parse": "json",
    "fields": {
        "title": "each(over=reference.words, score=has_word(item), join=mean)",
        "text": "each(over=reference.words, score=has_word(item), join=min)",
    },
    "pass": "score > 0.5",
}
_GOLD = {"title": "", "text": "", "words": [["rome"], ["paris"]]}
_ANSWERS: Final[dict[str, tuple[str, Any]]] = {
    "scored": ('{"title": "From Rome", "text": "From Rome to Paris"}', _GOLD),
    "unparsed": ("I have no idea.", _GOLD),
    "unscored": ('{"title": "From Rome", "text": "From Rome to Paris"}', MISSING),
    "not_applicable": ('{"title": "From Rome", "text": "To Paris"}', _GOLD | {"words": []}),
}


@dataclass(frozen=True)
class Seen:
    """What a platform holds after an evaluation.

    Args:
        rows: For each record, in order, what of its feedback is in the platform's results, by the keys of `KEYS`.
        mean: The platform's own mean of the scores; None if it computes none.
        passed: The platform's own share of those that passed; None if it computes none.
    """

    rows: Sequence[Mapping[str, Any]]
    mean: float | None
    passed: float | None = None


PlatformRun: TypeAlias = Callable[[Any, Sequence[HostRecord]], Seen]
"""A function that has the platform evaluate records, given the spec; references are those of the records."""


def check_case(
    run: PlatformRun, name: str, folder: Path, answers: Answers = "mixed", *, as_json: bool = False, ulps: int = 2
) -> None:
    """Hold what a platform has of 200 records to `scoring score`: each score, the mean, and the meaning."""
    case = host_case(name, folder, answers)
    with case.replaying():
        seen = run(case.spec, as_texts(case.records) if as_json else case.records)
    case.check([row["value"] for row in seen.rows], seen.mean, ulps=ulps)
    if seen.passed is not None:
        (rate,) = (one["value"] for one in case.summary["metrics"] if one["metric"] == "pass_rate")
        assert abs(seen.passed - rate) <= ulps * math.ulp(rate)
    meanings = {row["meaning"] for row in seen.rows if "meaning" in row}
    assert meanings <= {Signature(case.summary["signature"]).meaning}


def as_texts(records: Sequence[HostRecord]) -> list[HostRecord]:
    """The records with their references as JSON texts, for platforms that hold nothing else."""
    return [
        HostRecord(
            one.id,
            one.response,
            one.reference if one.reference is MISSING else json.dumps(one.reference, ensure_ascii=False),
            one.whole,
        )
        for one in records
    ]


def check_outcomes(platform: str, run: PlatformRun, *, as_json: bool = False) -> None:
    """Hold each cell of the platform's row: what its results still have of the feedback, for each outcome."""
    records = [HostRecord(name, said, gold, {"id": name}) for name, (said, gold) in _ANSWERS.items()]
    task = scoring.load(OUTCOMES)
    told = [scoring.platforms.to_feedback(task.score_parts(one.response, one.reference), task) for one in records]
    assert tuple(feedback["status"] for feedback in told) == STATUSES
    seen = run(OUTCOMES, as_texts(records) if as_json else records)
    found = {
        status: [key for key in KEYS if key in row and row[key] == dict(feedback)[key]]
        for status, feedback, row in zip(STATUSES, told, seen.rows, strict=True)
    }
    wrong = {
        status: [key for key in row if key in KEYS and key not in found[status]]
        for status, row in zip(STATUSES, seen.rows, strict=True)
    }
    assert not any(wrong.values()), f"{platform} holds something else than it was told: {wrong} in {seen.rows}"
    declared = tomllib.loads(HELD.read_text("utf-8"))[platform]
    assert found == {status: declared[status] for status in STATUSES}
    assert (seen.mean is not None, seen.passed is not None) == ("mean" in declared, "passed" in declared)
    if seen.mean is not None:
        assert seen.mean == 0.75


def table() -> str:
    """The matrix of platforms and outcomes, in Markdown."""
    platforms = tomllib.loads(HELD.read_text("utf-8"))
    head = ["platform", "scored", "unparsed", "unscored", "not applicable", "its mean", "its share that passed"]
    rows = [head, ["---"] * len(head)]
    for row in platforms.values():
        cells = [_cell(row[status]) for status in STATUSES]
        rows.append([f"{row['title']} {row['version']}", *cells, row.get("mean", "none"), row.get("passed", "none")])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows) + "\n"


def _cell(held: Sequence[str]) -> str:
    lost = [key for key in KEYS if key not in held]
    if not lost:
        return "all"
    return f"all but {', '.join(lost)}" if len(lost) < len(held) else f"{', '.join(held) or 'nothing'} alone"


def page_with_table(page: str) -> str:
    """The page with the table of today in the place of its first one."""
    start = page.index("| platform |")
    end = page.index("\n\n", start) + 1
    return page[:start] + table() + page[end:]


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text("utf-8")), encoding="utf-8")
    sys.stdout.write(f"written {PAGE.relative_to(REPOSITORY)}\n")
