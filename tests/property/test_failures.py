"""A failure that a policy counts is never better than an answer, however fields are joined, and records pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.registry import primitive, registry
from scoring.result import Unscored
from scoring.values import Score
from tests.property.test_ranges import NUMBERS, grown

NAMES = ("a", "b", "c")
LEAVES = st.one_of(st.sampled_from([*NAMES, "record.w", "said"]), NUMBERS)
LOWEST = {"told": 0.0, "told_from_below": -1.0, "told_from_above": 0.25}
PIPELINES = ("mean", "min", "max", "sum", "product", "mean | invert", "sum | at_most(1)")
ZERO = {"on_missing": "zero", "on_unparsed": "zero", "on_error": "zero"}
# How an answer to one field can fail: it is not there, it is none, its scorer fails.
FAILURES = ("missing", "unparsed", "unscored")


@pytest.fixture(autouse=True, scope="module")
def told() -> Iterator[None]:
    """Scorers that give what the response says, of three ranges."""
    for name, low in LOWEST.items():

        def scorer(prediction: float, reference: Any, /) -> Score:
            """What the response says.

            Raises:
                Unscored: for 9.

            Examples:
                >>> scorer(0.5, None)
                0.5
            """
            if prediction == 9:
                raise Unscored("9 is not told")
            return float(prediction)

        primitive(name=name, range=(low, 1.0))(scorer)
    yield
    for name in LOWEST:
        del registry._steps[name]


def spec_of(aggregate: str, condition: str | None, scorers: dict[str, str]) -> dict[str, Any]:
    read = {*re.findall(r"\w+", f"{aggregate} {condition}"), *(["a"] if "half" in aggregate else [])}
    fields: dict[str, Any] = {name: how for name, how in scorers.items() if name in read or aggregate in PIPELINES}
    if "half" in aggregate:
        fields["half"] = {"score": "(1 - a) / 2"}
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": aggregate, **ZERO}
    spec |= {"values": {"said": "parsed.said | number"}} if "said" in aggregate else {}
    return {**spec, "record": {"w": "w"}, **({"pass": condition} if condition else {})}


@pytest.mark.property
@given(data=st.data())
def test_a_failure_is_never_better_than_an_answer(data: st.DataObject) -> None:
    plain = st.sampled_from([*PIPELINES, "1 - a", "a - half"])
    aggregate = data.draw(st.one_of(plain, grown(LEAVES, freely=True).map(lambda text: f"clip({text}, -5, 5)")))
    conditions = ["score >= 0.5", "score <= 0.5", "score > 0.2 and a < 0.5", "b == 1 or a == 0", "not (c > 0.5)"]
    condition = data.draw(st.sampled_from([None, *conditions]))
    kinds = st.sampled_from([*LOWEST])
    scorers = {name: data.draw(kinds) for name in NAMES}
    try:
        task = scoring.load(spec_of(aggregate, condition, scorers))
    except SpecError:  # a constant condition, a division by 0, no least score
        assume(False)
    fields = [name for name in task.field_names if name != "half"]
    assume(fields)
    answers = {name: data.draw(st.floats(LOWEST[scorers[name]], 1.0), label=name) for name in fields}
    failed = data.draw(st.lists(st.sampled_from(fields), min_size=1, unique=True))
    given_: dict[str, Any] = dict(answers)
    for name in failed:
        how = data.draw(st.sampled_from(FAILURES))
        given_[name] = {"missing": None, "unparsed": "?", "unscored": 9}[how]
    w, said = data.draw(st.sampled_from([-2, 0, 0.5, 3])), data.draw(st.sampled_from([-1, 0, 2]))
    record = {"id": 1, "reference": dict.fromkeys(fields, 0), "w": w}
    answer = task.score({**record, "response": {**answers, "said": said}})
    failure = task.score({**record, "response": {**given_, "said": said}})
    assume(answer.score is not None)
    event(f"{aggregate.split('(')[0]}: {'counted' if failure.score is not None else 'left out'}")
    assert failure.score is None or failure.score <= answer.score
    assert not failure.passed or answer.passed
    nothing = task.score({**record, "response": "no JSON"})
    assert nothing.score is not None
    assert nothing.score <= answer.score
    assert not nothing.passed or answer.passed
    one_by_one = [failure.to_json(), nothing.to_json()]
    batch = task.score_batch([{**record, "response": {**given_, "said": said}}, {**record, "response": "no JSON"}])
    assert [one.to_json() for one in batch] == one_by_one
