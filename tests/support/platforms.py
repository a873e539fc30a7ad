"""What the tests of all evaluation platforms have in common: 200 records of three tasks, and one record of each
outcome, as they come back in the results of the platform itself.

A test file brings a `PlatformRun`: it has the real package evaluate records by its own call, and reads what the
platform then holds of each.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import scoring
from scoring.compiler.identity.signature import Signature
from scoring.result import MISSING
from tests.support.host_cases import Answers, HostRecord, host_case
from tests.support.host_outcomes import OUTCOMES, check_held, given, held_by_real_hosts

KEYS: Final = ("value", "status", "reason", "passed", "fields", "meaning")
"""What feedback says of an answer, beside its name."""


@dataclass(frozen=True)
class Seen:
    """What a platform holds after an evaluation.

    Args:
        rows: For each record, in order, what of its feedback is in the platform's results, by the keys of `KEYS`.
        mean: The platform's own mean of the scores; None if it computes none.
        passed: The platform's own share of those that passed; None if it computes none.
        fields: The platform's own mean of each field; None if it computes none.
    """

    rows: Sequence[Mapping[str, Any]]
    mean: float | None
    passed: float | None = None
    fields: Mapping[str, float] | None = None


PlatformRun: TypeAlias = Callable[[Any, Sequence[HostRecord]], Seen]
"""A function that has the platform evaluate records, given the spec; references are those of the records."""


def check_case(run: PlatformRun, name: str, folder: Path, answers: Answers = "mixed", *, as_json: bool = False) -> None:
    """Hold what a platform has of 200 records to `scoring score`: each score, the mean, and the meaning."""
    case = host_case(name, folder, answers)
    with case.replaying():
        seen = run(case.spec, as_texts(case.records) if as_json else case.records)
    case.check([row["value"] for row in seen.rows], seen.mean, host_adds=True)
    if seen.passed is not None:
        (rate,) = (one["value"] for one in case.summary["metrics"] if one["metric"] == "pass_rate")
        assert abs(seen.passed - rate) <= 2 * math.ulp(rate)
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
    """Hold the platform's row of the matrix: what its results still have of the feedback, for each outcome."""
    seen: list[Seen] = []

    def held(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[dict[str, Any]]:
        answers = list(zip(said, golds, strict=True))
        records = [
            HostRecord(f"{place}", one, given(gold), {"id": f"{place}"}) for place, (one, gold) in enumerate(answers)
        ]
        told = [scoring.platforms.to_feedback(task.score_parts(one, given(gold)), task) for one, gold in answers]
        seen.append(run(OUTCOMES, as_texts(records) if as_json else records))
        for feedback, row in zip(told, seen[0].rows, strict=True):
            wrong = [key for key in KEYS if key in row and row[key] != dict(feedback)[key]]
            assert not wrong, f"{platform} holds something else than it was told: {wrong} in {row}"
        return [{"score": row["value"], **{key: row[key] for key in KEYS[1:] if key in row}} for row in seen[0].rows]

    check_held(platform, held)
    found = seen[0]
    figures = {"headline": found.mean, "pass rate": found.passed, "fields": found.fields}
    declared = held_by_real_hosts()[platform]["figures"]
    assert declared == [name for name, value in figures.items() if value is not None]
    assert found.mean in (None, 0.75)
    assert found.fields in (None, {"title": 0.5, "text": 1.0})
