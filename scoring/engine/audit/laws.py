"""Attack a metric itself: what must hold of any scorer, tried on its own references and answers.

The reference as the answer must score 1, an empty answer 0, more typos never more than fewer, and what the author
declares to be overlooked must be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.engine.audit.changes import CHANGES, is_changed, typos
from scoring.result import Outcome

LAWS = ("reference", "empty", "typos")
SYMMETRIC = "swapped"
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class AuditPair:
    """An answer (None where there is none) and its reference, as the scorer gets them.

    Args:
        prediction: What was answered.
        reference: What is right.
        score: The scorer, with what it reads of this record.
    """

    prediction: Any
    reference: Any
    score: Callable[[Any, Any], Outcome]


@dataclass(frozen=True, slots=True)
class Broken:
    """One answer for which a law does not hold."""

    prediction: Any
    reference: Any
    found: str


@dataclass(slots=True)
class Verdict:
    """What was found about one law of one scorer."""

    law: str
    tried: int = 0
    broken: list[Broken] = field(default_factory=list)

    @property
    def holds(self) -> bool | None:
        """Whether the law holds, None where nothing could be tried."""
        return not self.broken if self.tried else None


@dataclass(frozen=True, slots=True)
class Audit:
    """All laws of one scorer or metric, and which of them must hold of any."""

    name: str
    verdicts: dict[str, Verdict]
    must: tuple[str, ...] = LAWS

    def failed(self, declared: Iterable[str] = ()) -> list[Verdict]:
        """The laws that must hold and do not: those of every scorer, and the declared invariances."""
        return [
            verdict
            for law, verdict in self.verdicts.items()
            if verdict.holds is False and (law in self.must or law in declared)
        ]


def audit(name: str, pairs: Sequence[AuditPair]) -> Audit:
    """Try every law on every pair.

    Examples:
        >>> pair = AuditPair("b", "a", lambda answer, gold: Outcome(float(str(answer).casefold() == gold)))
        >>> found = audit("exact", [pair]).verdicts
        >>> found["reference"].holds, found["case"].holds, found["whitespace"].holds, found["order"].holds
        (True, True, False, None)
    """
    verdicts = {law: Verdict(law) for law in (*LAWS, *CHANGES, SYMMETRIC)}
    for pair in pairs:
        answers = list(_right(pair))
        if not answers:
            continue
        _reference(pair, answers, verdicts["reference"])
        _empty(pair, verdicts["empty"])
        _typos(pair, answers, verdicts["typos"])
        for law, change in CHANGES.items():
            _unchanged(pair, answers, change, verdicts[law])
        _swapped(pair, verdicts[SYMMETRIC])
    return Audit(name, verdicts)


def _right(pair: AuditPair) -> Iterator[Any]:
    """The answers that are right: the reference, or, where the scorer takes several references, each of them."""
    reference = pair.reference
    if reference is None or pair.score(reference, reference).status == "not_applicable":
        return
    are_several = (
        isinstance(reference, list)
        and reference
        and _value(pair, reference) != 1
        and all(_value(pair, one) == 1 for one in reference)
    )
    yield from reference if are_several else [reference]


def _value(pair: AuditPair, answer: Any) -> float:
    """The score of an answer; one that gets none counts 0."""
    outcome = pair.score(answer, pair.reference)
    value = outcome.value
    is_number = isinstance(value, (int, float)) and outcome.status != "not_applicable"
    return float(value) if is_number else 0.0


def _reference(pair: AuditPair, answers: Sequence[Any], verdict: Verdict) -> None:
    for answer in answers:
        verdict.tried += 1
        if abs(_value(pair, answer) - 1.0) > TOLERANCE:
            outcome = pair.score(answer, pair.reference)
            told = f"{outcome.value:.4f}" if isinstance(outcome.value, float) else f"{outcome.status}: {outcome.reason}"
            verdict.broken.append(Broken(answer, pair.reference, told))


def _empty(pair: AuditPair, verdict: Verdict) -> None:
    if pair.reference in ("", [], {}) or (isinstance(pair.reference, list) and "" in pair.reference):
        return
    verdict.tried += 1
    nothing: tuple[Any, ...] = ("", [], {}, None)
    for answer in nothing:
        value = _value(pair, answer)
        if abs(value) > TOLERANCE:
            verdict.broken.append(Broken(answer, pair.reference, f"{value:.4f}"))
            return


def _typos(pair: AuditPair, answers: Sequence[Any], verdict: Verdict) -> None:
    for answer in answers:
        if not isinstance(answer, str) or not next(typos(answer), None):
            continue
        verdict.tried += 1
        before = _value(pair, answer)
        for worse in typos(answer):
            value = _value(pair, worse)
            if value > before + TOLERANCE:
                verdict.broken.append(Broken(worse, pair.reference, f"{value:.4f} after {before:.4f}"))
                break
            before = value


def _unchanged(pair: AuditPair, answers: Sequence[Any], change: Callable[[Any], Any], verdict: Verdict) -> None:
    for answer in (*answers, pair.prediction):
        changed = change(answer)
        if not is_changed(answer, changed):
            continue
        verdict.tried += 1
        before, after = _value(pair, answer), _value(pair, changed)
        if abs(before - after) > TOLERANCE:
            verdict.broken.append(Broken(changed, pair.reference, f"{after:.4f} instead of {before:.4f}"))


def _swapped(pair: AuditPair, verdict: Verdict) -> None:
    if pair.prediction is None or type(pair.prediction) is not type(pair.reference):
        return
    if not is_changed(pair.prediction, pair.reference):
        return
    verdict.tried += 1
    before, after = _value(pair, pair.prediction), _score(pair.score(pair.reference, pair.prediction))
    if abs(before - after) > TOLERANCE:
        verdict.broken.append(Broken(pair.reference, pair.prediction, f"{after:.4f} instead of {before:.4f}"))


def _score(outcome: Outcome) -> float:
    return float(outcome.value) if isinstance(outcome.value, (int, float)) else 0.0


def audit_data(audits: Sequence[Audit], declared: Iterable[str]) -> dict[str, Any]:
    """The audit as plain data."""
    wanted = list(declared)
    return {
        "passed": not any(found.failed(wanted) for found in audits),
        "must_hold": list(dict.fromkeys([*(law for found in audits for law in found.must), *wanted])),
        "scorers": [
            {
                "scorer": found.name,
                "laws": [
                    {
                        "law": verdict.law,
                        "tried": verdict.tried,
                        "holds": verdict.holds,
                        "broken": [
                            {"answer": one.prediction, "reference": one.reference, "found": one.found}
                            for one in verdict.broken
                        ],
                    }
                    for verdict in found.verdicts.values()
                ],
            }
            for found in audits
        ],
    }
