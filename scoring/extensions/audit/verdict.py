"""Results of an audit: a verdict on each law of each scorer and metric, given the rules that a spec declares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct

from scoring.extensions.audit.described import LAWS
from scoring.extensions.audit.rules import ADVICE, GROUP_OF, AuditRules
from scoring.ranges import ScoreRange

TOLERANCE = 1e-9


def is_error(limits: ScoreRange) -> bool:
    """Return True if a range of scores is that of a distance or an error: with a lowest value, which is best, and no
    highest.

    Examples:
        >>> is_error(ScoreRange(0.0, math.inf)), is_error(ScoreRange(0.0, 1.0))
        (True, False)
    """
    return math.isfinite(limits.low) and limits.high == math.inf


def is_required(law: str) -> bool:
    """Return True if the law named `law` must hold for every scorer, since it is neither advice nor only for those that
    declare it."""
    return GROUP_OF[law] != "declared" and law not in ADVICE


def same_figure(one: float | None, other: float | None) -> bool:
    """Return True if two figures are equal apart from rounding, or both None."""
    return one == other or (one is not None and other is not None and abs(one - other) <= TOLERANCE)


def on_scale(limits: ScoreRange, value: float) -> float:
    """Return a score in the range `limits`, moved to the scale from 0 to 1, which the laws use and on which 1 is right.

    Examples:
        >>> on_scale(ScoreRange(-1.0, 3.0), 2.0), on_scale(ScoreRange(0.0, math.inf), 3.0)
        (0.75, 0.25)
    """
    return 1.0 / (1.0 + max(0.0, value - limits.low)) if is_error(limits) else limits.share(value)


class Broken(NamedTuple):
    """A violation of a law: an answer for which it does not hold, its score, and the result as text (``found``);
    ``right`` is the score of the right or of the unchanged answer."""

    answer: Any
    reference: Any
    found: str
    score: float | None = None
    right: float | None = None


@dataclass(slots=True)
class Verdict:
    """The result for one law of one scorer or metric: how many answers were tried, and which broke the law.

    Args:
        law: The name of the law.
        tried: The number of answers that were tried.
        broken: The answers for which the law does not hold.
        smallest: One of them, made as small as possible.
        reason: The declared reason why the law need not hold; None if there is none.
        place: The part of the audited file that declares the reason; None if a definition that it uses does.
    """

    law: str
    tried: int = 0
    broken: list[Broken] = field(default_factory=list)
    smallest: Broken | None = None
    reason: str | None = None
    place: str | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the law holds: True if no answer broke it, False if one did, None if nothing could be tried."""
        return not self.broken if self.tried else None

    def note(self, fault: Broken | None) -> None:
        """Record that one more answer was tried, with its fault, or None if the law holds for it."""
        self.tried += 1
        self.broken += [] if fault is None else [fault]


class Declared(Struct, frozen=True):
    """The audit rules that are declared for a scorer or a metric, each with the part of the audited file (its name)
    that declares it.

    The part is None for rules of a definition in another place that the file uses. Earlier rules take precedence over
    later ones.
    """

    rules: tuple[tuple[str | None, AuditRules], ...] = ()

    @property
    def must(self) -> frozenset[str]:
        """The names of the laws that must hold in addition to those that hold for every scorer."""
        return frozenset(law for _, rules in self.rules for law in rules.must)

    def verdict(self, law: str) -> Verdict:
        """Return a verdict on a law, without results yet, and with the reason why the law need not hold, if one is
        declared."""
        for place, rules in self.rules:
            if law in rules.must:
                break
            if law in rules.exceptions:
                return Verdict(law, reason=rules.exceptions[law], place=place)
        return Verdict(law)


NOTHING_DECLARED = Declared()


class Audit(Struct, frozen=True):
    """The results for all laws of one scorer or metric.

    Args:
        name: The scorer or metric.
        verdicts: The results by law.
        must: The laws that must hold.
        steps: The number of calls of the scorer.
        is_spent: Whether the limit of calls was reached before everything was tried.
    """

    name: str
    verdicts: dict[str, Verdict]
    must: tuple[str, ...]
    steps: int = 0
    is_spent: bool = False

    def advice(self, declared: Iterable[str] = ()) -> list[Verdict]:
        """Return the broken laws that sound scorers may break, and which therefore don't count by default."""
        counted, strict = self.failed(declared), self.failed(declared, is_strict=True)
        return [verdict for verdict in strict if verdict not in counted]

    def failed(self, declared: Iterable[str] = (), *, is_strict: bool = False) -> list[Verdict]:
        """Return the laws that must hold and do not.

        Args:
            declared: Further laws that must hold in spite of exceptions in the file.
            is_strict: Whether the laws that are advice count, too, unless they are excepted.
        """
        wanted = set(declared)
        return [
            verdict
            for law, verdict in self.verdicts.items()
            if verdict.holds is False and (law in wanted or (self._asks(law, is_strict) and verdict.reason is None))
        ]

    def _asks(self, law: str, is_strict: bool) -> bool:
        return law in self.must or (is_strict and GROUP_OF[law] != "declared")


def audit_data(audits: Sequence[Audit], declared: Iterable[str] = (), *, is_strict: bool = False) -> dict[str, Any]:
    """Return audits as plain data: the verdicts on all laws by scorer, the broken laws, advice and unnecessary
    exceptions.

    Args:
        audits: The audits.
        declared: Further laws that must hold in spite of exceptions in the file.
        is_strict: Whether the laws that are advice count, too.
    """
    wanted = list(declared)
    advised = [*ADVICE] if is_strict else []
    failed = [found.failed(wanted, is_strict=is_strict) for found in audits]
    advice = [[] if is_strict else found.advice(wanted) for found in audits]
    return {
        "passed": not any(failed),
        "must_hold": list(dict.fromkeys([*(law for found in audits for law in found.must), *wanted, *advised])),
        "findings": _findings(audits, failed),
        "advice": _findings(audits, advice),
        "idle": _idle(audits),
        "scorers": list(map(_of_scorer, audits, failed, advice)),
    }


def _idle(audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """Return, as plain data, the exceptions in the audited file that are unnecessary, since their law was tried and
    holds wherever it is excepted."""
    excepted: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in (verdict for found in audits for verdict in found.verdicts.values()):
        if verdict.reason is not None and verdict.place is not None:
            excepted.setdefault((verdict.place, verdict.law), []).append(verdict)
    return [
        {"place": place, "law": law, "reason": verdicts[0].reason}
        for (place, law), verdicts in excepted.items()
        if any(one.tried for one in verdicts) and not any(one.broken for one in verdicts)
    ]


def _findings(audits: Sequence[Audit], verdicts: Sequence[Sequence[Verdict]]) -> list[dict[str, Any]]:
    return [_finding(found.name, one) for found, some in zip(audits, verdicts, strict=True) for one in some]


def _finding(name: str, verdict: Verdict) -> dict[str, Any]:
    law, fault = LAWS[verdict.law], verdict.smallest or verdict.broken[0]
    return {
        "scorer": name,
        "law": verdict.law,
        "message": law.broken,
        "times": len(verdict.broken),
        "tried": verdict.tried,
        "smallest": fault._asdict(),
        "help": law.help,
    }


def _of_scorer(found: Audit, failed: Sequence[Verdict], advice: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "scorer": found.name,
        "steps": found.steps,
        "is_spent": found.is_spent,
        "laws": [
            {
                "law": verdict.law,
                "tried": verdict.tried,
                "holds": verdict.holds,
                "excepted": verdict.reason,
                "is_broken": verdict in failed,
                "is_advice": verdict in advice,
                "broken": [one._asdict() for one in verdict.broken],
            }
            for verdict in found.verdicts.values()
        ],
    }
