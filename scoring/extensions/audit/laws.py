"""Audit of a scorer: the laws that hold for every sound scorer, tried on its references and answers.

A right answer must score 1, and an answer that is certainly wrong less. The same answer in another form must not change
the score, unless the author states that it does. Every law is tried on the given references and on a few built-in ones;
a fault is then reduced to the smallest case that still shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.audit.changes import CHANGES, apply_changes, is_changed, typos
from scoring.extensions.audit.near import NEAR_LAWS, make_near_answers
from scoring.extensions.audit.rules import GROUP_OF, LAWS_OF
from scoring.extensions.audit.verdict import NOTHING_DECLARED, TOLERANCE, Audit, Broken, Declared, Verdict, is_required
from scoring.extensions.audit.wrong import (
    LIKE_RIGHT,
    AuditCase,
    differs,
    is_moves,
    is_prose,
    like_right,
    make_half_wrong_texts,
    marked,
    number_or_none,
    own_cases,
)
from scoring.result import Outcome

STEPS = 20_000
"""The most calls of a scorer in an audit; what remains is reported as not tried."""
SLOW_STEPS = 100
"""The same for a scorer whose calls may take long, such as one that runs programs; it gets no long texts."""
SHRINKING = 200
"""The additional calls to make one counterexample small."""
_LOOKED_AT = 24
_KEPT_OTHERS = 12


class AuditPair(Struct, frozen=True):
    """An answer and its reference, as the scorer gets them.

    Args:
        prediction: The given answer; None if there is none.
        reference: The reference.
        score: The scorer, bound to this record's other data.
        question: The question; None if it is not known.
        response: A right response, for a scorer of whole responses; None if the reference is the right answer.
        may_lack: Whether an answer without a score counts as not tried, because a judge that only replays earlier
            replies has no verdict on it.
        is_error: Whether the scorer is a distance, which an empty answer may have like any other wrong answer.
    """

    prediction: Any
    reference: Any
    score: Callable[[Any, Any], Outcome]
    question: Any = None
    response: Any = None
    may_lack: bool = False
    is_error: bool = False


OF_SCORERS: Final = tuple(name for name, group in GROUP_OF.items() if group != "data")
OF_RESPONSES: Final = ("empty", "others", "letter", "affix", "long", "question", "newline")
"""The laws of whole responses: a parser may find the answer anywhere in one, so the rest does not apply."""
Check: TypeAlias = Callable[["_Trial", AuditCase], Iterator[Broken | None]]
"""Tries a law on a case: for each answer the fault, or None where there is none."""
TriedCase: TypeAlias = tuple[AuditPair, AuditCase, tuple[str, ...]]
"""A case, the pair whose scorer is called, and the laws to try."""


def try_laws(name: str, pairs: Sequence[AuditPair], declared: Declared = NOTHING_DECLARED, steps: int = STEPS) -> Audit:
    """Try every law of scorers on every pair and on built-in references, and return the verdicts.

    Args:
        name: The name of the scorer.
        pairs: The answers and references.
        declared: The rules that are declared for the scorer.
        steps: The largest number of calls of the scorer.

    Examples:
        >>> pair = AuditPair("b", "a", lambda answer, gold: Outcome(float(str(answer).casefold() == gold)))
        >>> found = try_laws("exact", [pair]).verdicts
        >>> found["reference"].holds, found["case"].holds, found["whitespace"].holds, found["order"].holds
        (True, True, False, None)
    """
    verdicts = {law: declared.verdict(law) for law in OF_SCORERS}
    # If the file declares that the reference need not score 1, low scores may be the better ones.
    is_better_high = verdicts["reference"].reason is None
    trial, small = _Trial(steps, is_better_high=is_better_high), dict[str, tuple[AuditPair, AuditCase]]()
    cases = _cases(pairs, trial)
    try:
        for pair, case, laws in [*cases, *_own(cases, trial)]:
            for law in laws:
                if law == "long" and steps <= SLOW_STEPS:
                    continue
                for fault in CHECKS[law](trial.on(pair), case):
                    verdicts[law].note(fault)
                if verdicts[law].broken and law not in small:
                    small[law] = pair, case
    except _Spent:
        pass  # the rest is reported as not tried
    for law, (pair, case) in small.items():
        verdicts[law].smallest = _smallest(law, pair, case, verdicts[law], min(SHRINKING, steps // 5))
    must = tuple(law for law in OF_SCORERS if is_required(law) or law in declared.must)
    return Audit(name, verdicts, must, trial.used, trial.used >= steps)


# ---- trying


class _Spent(Exception):
    """The exception that ends an audit's attempts when the limit on calls of the scorer is reached."""


class _Trial:
    """A caller of the scorer of one pair of answer and reference, which counts the calls and caches the scores."""

    def __init__(self, most: int, *, is_better_high: bool = True) -> None:
        self.most, self.used, self.is_better_high = most, 0, is_better_high
        self._pair: AuditPair | None = None
        self._known: dict[str, float | None] = {}

    def on(self, pair: AuditPair) -> _Trial:
        """Switch to the scorer of another pair, without resetting the count of calls, and return this object."""
        if pair is not self._pair:
            self._pair, self._known = pair, {}
        return self

    def __call__(self, answer: Any, reference: Any) -> float | None:
        """Return the scorer's score of an answer: 0 for an answer that fails, None if there is nothing to score."""
        key = repr((answer, reference))
        if key not in self._known:
            self._known[key] = self._value(answer, reference)
        return self._known[key]

    @property
    def is_error(self) -> bool:
        """Whether the scorer is a distance or an error, of which lower values are better."""
        return self._pair is not None and self._pair.is_error

    def outcome(self, answer: Any, reference: Any) -> Outcome:
        """Call the scorer, and return the outcome of an answer.

        Raises:
            _Spent: when the limit of calls is reached.
        """
        if self.used >= self.most:
            raise _Spent
        self.used += 1
        assert self._pair is not None
        return self._pair.score(answer, reference)

    def _value(self, answer: Any, reference: Any) -> float | None:
        outcome = self.outcome(answer, reference)
        if outcome.status == "not_applicable":
            return None
        if isinstance(outcome.value, (int, float)):
            return float(outcome.value)
        return None if self._pair is not None and self._pair.may_lack else 0.0


def _cases(pairs: Sequence[AuditPair], trial: _Trial) -> list[TriedCase]:
    """Return a case for each right answer of the pairs, each with its pair and the laws to try on it.

    Each case contains clearly different right answers of other pairs, which are wrong ones for it.
    """
    found = []
    try:
        for pair in pairs:
            found += [(pair, right) for right in _right(pair, trial.on(pair))]
    except _Spent:
        pass
    # Whole responses are compared by the references that they answer.
    answers = {repr(right): (right, right if pair.response is None else pair.reference) for pair, right in found}
    positions, known = {key: position for position, key in enumerate(answers)}, list(answers.values())
    cases = []
    for pair, right in found:
        start, expected = positions[repr(right)] + 1, answers[repr(right)][1]
        near = [known[(start + step) % len(known)] for step in range(min(_LOOKED_AT, len(known) - 1))]
        also = pair.reference if isinstance(pair.reference, list) else ()
        far = (one for one, of in near if type(one) is type(right) and all(differs(of, x) for x in (expected, *also)))
        others = tuple(islice(far, _KEPT_OTHERS))
        case = AuditCase(right, pair.reference, others, pair.question, pair.response is not None, pair.prediction)
        cases.append((pair, case, OF_RESPONSES if case.is_raw else OF_SCORERS))
    return cases


def _right(pair: AuditPair, score: _Trial) -> Iterator[Any]:
    """Yield the right answers of a pair: its response, else the reference, or its items if the scorer accepts each."""
    reference = pair.reference
    if pair.response is not None:
        yield pair.response
        return
    if reference is None or score(reference, reference) is None:
        return
    are_several = (
        isinstance(reference, list)
        and reference
        and score(reference, reference) != 1
        and (
            all(score(one, reference) == 1 for one in reference)
            # If the answer is a string and the reference a list of strings, the scorer compares it with each.
            or (isinstance(pair.prediction, str) and all(isinstance(one, str) for one in reference))
        )
    )
    yield from reference if are_several else [reference]


def _own(cases: Sequence[TriedCase], trial: _Trial) -> Iterator[TriedCase]:
    """Yield cases with built-in references of the given forms that the scorer accepts as answers to themselves, each
    with a pair whose scorer to call, and the laws."""
    wrong = (*LAWS_OF["wrong"], "marks")
    for position, case in own_cases([case for _, case, _ in cases]):
        is_number, pair = number_or_none(case.right) is not None, cases[position][0]
        laws = (("reference", *wrong) if is_number else wrong) if not case.is_raw else OF_RESPONSES
        if is_number or trial.on(pair)(case.right, case.reference):
            yield pair, case, laws


def _smallest(law: str, pair: AuditPair, case: AuditCase, verdict: Verdict, most: int) -> Broken:
    """Return the violation of a law by the smallest case that still violates it, found by shrinking `case` step by step
    with at most `most` calls of the scorer of `pair`; `verdict` has the violations known so far."""
    trial, best = _Trial(most).on(pair), verdict.broken[0]
    try:
        found = True
        while found:
            found = False
            for one in smaller(case):
                fault = next((fault for fault in CHECKS[law](trial, one) if fault is not None), None)
                if fault is not None:
                    case, best, found = one, fault, True
                    break
    except _Spent:
        pass  # as small as the limit of calls allows
    return best


# ---- smaller cases


def smaller(case: AuditCase) -> Iterator[AuditCase]:
    """Yield smaller cases: with fewer other answers, a shorter right answer, or without the given answer.

    The right answer is only shortened if it is the reference, or its only item.

    Examples:
        >>> [one.right for one in smaller(AuditCase("one two", "one two"))]
        ['one', 'two', 'one', ' two', 'one tw']
    """
    if case.prediction is not None:
        yield replace(case, prediction=None)
    if len(case.others) > 1:
        half = len(case.others) // 2
        yield replace(case, others=case.others[:half])
        yield replace(case, others=case.others[half:])
        if len(case.others) > 2:
            yield replace(case, others=case.others[1:])
            yield replace(case, others=case.others[:-1])
    several = isinstance(case.reference, list) and not isinstance(case.right, list)
    if several and len(case.reference) > 1 and case.right in case.reference:
        yield replace(case, reference=[case.right])
    if case.reference != ([case.right] if several else case.right):
        return
    for right in _shorter(case.right):
        if isinstance(right, str) and _has_words(case.right) and not _has_words(right):
            continue  # the `$` of `$12` is not a smaller answer, but an empty one
        yield replace(case, right=right, reference=[right] if several else right)


def _has_words(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


def _shorter(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        words, half = value.split(), len(value) // 2
        if len(words) > 1:
            yield " ".join(words[: len(words) // 2])
            yield " ".join(words[len(words) // 2 :])
        if half:
            yield value[:half]
            yield value[half:]
        if len(value) > 2:
            yield value[:-1]
    elif isinstance(value, list) and len(value) > 1:
        yield value[: len(value) // 2]
        yield value[len(value) // 2 :]
        yield value[:-1]
    elif isinstance(value, dict) and len(value) > 1:
        names = list(value)
        yield {name: value[name] for name in names[: len(names) // 2]}
        yield {name: value[name] for name in names[:-1]}


# ---- the laws


def _reference(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
    value = score(case.right, case.reference)
    if value is None or abs(value - 1.0) <= TOLERANCE:
        yield from () if value is None else (None,)
        return
    outcome = score.outcome(case.right, case.reference)
    result = f"{outcome.value:.4f}" if isinstance(outcome.value, float) else f"{outcome.status}: {outcome.reason}"
    yield Broken(case.right, case.reference, result, value if outcome.value is not None else None, 1.0)


def _wrong(law: str) -> Check:
    """Return the function that checks one law about wrong answers: they score less than a right one, empty ones 0."""

    def check(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
        right = score(case.right, case.reference)
        if right is None or (right <= TOLERANCE and not score.is_better_high):
            return
        least = (right if right > TOLERANCE else 1.0) - TOLERANCE
        for answer, reference in like_right(law, case):
            value = score(answer, reference)
            if value is not None:
                # White space may be part of the right answer, so it may get a score if parts count.
                is_nothing = law == "empty" and answer not in (" ", "\n") and not score.is_error
                is_fault = value > TOLERANCE if is_nothing else value >= least
                yield Broken(answer, reference, f"{value:.4f}", value, right) if is_fault else None

    return check


def _near(law: str) -> Check:
    """Return the function that checks one law about wrong answers that differ little from the right one: they must
    score less than it if another error of the same size (the control) does."""

    def check(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
        for one in make_near_answers(law, case) if score.is_better_high else ():
            right, value = score(one.right, one.reference), score(one.wrong, one.reference)
            if right is None or value is None or right <= TOLERANCE:
                continue
            if value < right - TOLERANCE:
                yield None
            elif (other := score(one.control, one.instead)) is not None and other < right - TOLERANCE:
                yield Broken(one.wrong, one.reference, f"{value:.4f}", value, right)

    return check


def _typos(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
    if not isinstance(case.right, str) or case.is_raw or not next(typos(case.right), None):
        return
    before = score(case.right, case.reference) or 0.0
    for worse in typos(case.right):
        value = score(worse, case.reference) or 0.0
        if value > before + TOLERANCE:
            yield Broken(worse, case.reference, f"{value:.4f} after {before:.4f}", value, before)
            return
        before = value
    yield None


def _unchanged(law: str) -> Check:
    """Return the function that checks one law about form: its changes of an answer's form must not change the score."""

    def check(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
        for answer in (case.right, case.prediction):
            for other in apply_changes(law, answer):
                if is_changed(answer, other):
                    yield _moved(score, (answer, case.reference), (other, case.reference))

    return check


def _swapped(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
    prediction, reference = case.prediction, case.reference
    if (
        prediction is None
        or case.is_raw
        or type(prediction) is not type(reference)
        or not is_changed(prediction, reference)
    ):
        return
    yield _moved(score, (prediction, reference), (reference, prediction))


def _moved(score: _Trial, one: tuple[Any, Any], other: tuple[Any, Any]) -> Broken | None:
    """Return the violation if two pairs of answer and reference, `one` and `other`, score differently; else None."""
    before, after = score(*one) or 0.0, score(*other) or 0.0
    fault = Broken(*other, f"{after:.4f} instead of {before:.4f}", after, before)
    return fault if abs(before - after) > TOLERANCE else None


def _boundary(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
    """Yield a violation if a scorer gives 0 just below a half-wrong answer, and clearly more to that answer; else None.

    A scorer that gives the half-wrong answer the full score is no violation: its author chose that threshold.
    """
    answers = () if case.is_raw else make_half_wrong_texts(case.right)
    if not answers:
        return
    better, exact, worse = (score(answer, case.reference) or 0.0 for answer in answers)
    # A score that falls evenly is not cut off; one that is 0 at exactly half has its boundary above.
    if exact >= 1.0 - TOLERANCE:
        return
    is_cut = worse <= TOLERANCE < exact and exact - worse > 2 * (better - exact) + TOLERANCE
    fault = Broken(answers[1], case.reference, f"{exact:.4f}, and {worse:.4f} below", exact, better)
    yield fault if is_cut else None


def _marks(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
    if not is_moves(case.right):
        return
    unmarked = marked(case.right, "")
    reference = [unmarked] if isinstance(case.reference, list) else unmarked
    if (score(unmarked, reference) or 0.0) < 1.0 - TOLERANCE:
        return
    scores = {mark: score(marked(unmarked, mark), reference) or 0.0 for mark in "+#"}
    counts = [mark for mark, value in scores.items() if value < 1.0 - TOLERANCE]
    if len(counts) == 1:
        value, other = scores[counts[0]], "".join(set(scores) - set(counts))
        yield Broken(marked(unmarked, counts[0]), reference, f"{value:.4f}, with `{other}` 1.0000", value, 1.0)
    else:
        yield None


def _accents(score: _Trial, case: AuditCase) -> Iterator[Broken | None]:
    """Yield a violation if the scorer ignores case for plain letters, but not for accented ones; else None."""
    right, plain, accents = "élan über", "éLAN üBER", "Élan Über"
    reference = [right] if isinstance(case.reference, list) else right
    if case.is_raw or not is_prose(case.right) or not score.is_better_high:
        return
    if any((score(answer, reference) or 0.0) < 1.0 - TOLERANCE for answer in (right, plain)):
        return
    value = score(accents, reference) or 0.0
    is_fault = value < 1.0 - TOLERANCE
    yield Broken(accents, reference, f"{value:.4f}, `{plain}` 1.0000", value, 1.0) if is_fault else None


CHECKS: Final[Mapping[str, Check]] = {
    "reference": _reference,
    **{law: _wrong(law) for law in LIKE_RIGHT},
    "boundary": _boundary,
    **{law: _near(law) for law in NEAR_LAWS},
    "typos": _typos,
    **{law: _unchanged(law) for law in CHANGES},
    "marks": _marks,
    "accents": _accents,
    "swapped": _swapped,
}
