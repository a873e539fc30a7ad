"""Whatever a primitive that scores is given, its score lies in the range that is declared for its settings."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.ranges import EVERYTHING, UNIT, ScoreRange
from scoring.registry import registry
from scoring.registry.annotations import FieldScores
from scoring.registry.model import Param, Primitive
from scoring.result import NotApplicable, Unscored
from scoring.values import Type
from tests.primitives.test_laws import values_of

TEXTS = st.one_of(
    st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "3", "1/2", "Paris", ".", "\n"]), max_size=9).map(
        " ".join
    ),
    st.sampled_from(["[1, 2]", "{'a': 1}", "(0, 0, 1, 1)", "[[0, 0, 1, 1], [0, 0, 2, 2]]", "<a>", "50%", "$x^2$", ""]),
)
ANYTHING = st.recursive(
    st.one_of(TEXTS, st.floats(-1e9, 1e9), st.integers(-3, 3), st.booleans(), st.none()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
#: What needs a model, a program or a network has a range, too, but no score here.
OUTSIDE = {"judge", "programs", "nli", "transformers", "bert-score", "unbabel-comet", "langdetect"}
INNER = [
    "equal",
    "to_text | levenshtein",
    "to_text | levenshtein | invert",
    "number | absolute_error",
    "to_text | bleu",
]
#: Settings that must be given, and are no numbers.
REQUIRED = {
    "word": "cat", "scheme": "aab", "pattern": "5/7/5", "words": ["cat", "mat"], "groups": [["cat"], ["dog", "mat"]],
    "boxes": ["(0, 0, 1, 1)"], "on": "Int",
    "domain": "(define (domain d) (:predicates (lit ?l)))", "problem": "(define (problem p) (:domain d))",
    "first_word": "cat", "language": "en", "schema": '{"type": ["object", "string"], "minLength": 3}',
    "functions": [{"name": "now", "parameters": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}],
    "formula": "2 * Int - 1",
}  # fmt: skip
PIPELINES = {
    "step": ["to_text", "length"], "prediction": ["to_text"], "reference": ["to_text"],
    "join": ["mean", "min", "sum", "product", 'mean(over="positive")', "mean | at_least(0.5)"],
}  # fmt: skip


def drawn(kind: Type) -> st.SearchStrategy[Any]:
    """Values of a type; whatever there is, where anything may come."""
    if kind.name in ("Any", "A", "B", "V") or kind.variable:
        return ANYTHING
    if kind.name == "Union":
        return st.one_of(*map(drawn, kind.args))
    if kind.name == "List":
        return st.lists(drawn(kind.args[0]), max_size=5)
    if kind.name == "Dict":
        return st.dictionaries(st.sampled_from("abcd"), drawn(kind.args[1]), max_size=4)
    return TEXTS if kind.name == "Text" else values_of(kind)


def setting(param: Param) -> st.SearchStrategy[Any] | None:
    """Values of a parameter within its bounds, as a spec may set them; None where no general one is known."""
    if param.name in REQUIRED and not param.choices:
        return st.just(REQUIRED[param.name])
    if param.choices:
        return st.sampled_from(param.choices)
    if param.required and param.type.name == "List":
        return st.lists(st.sampled_from(["a", 1, None]), max_size=3)
    if param.name == "weights":
        return st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0, 3.0]), min_size=1, max_size=5)
    if param.type.name == "Bool":
        return st.booleans()
    if param.type.name != "Number":
        return None
    low, high = -4.0 if param.low is None else param.low, 9.0 if param.high is None else param.high
    low, high = (0.0, 1.0) if param.of_score else (low, high)

    return st.integers(math.ceil(low), int(min(high, low + 12))) if param.is_whole else st.floats(low, max(low, high))


def spelled(value: Any) -> str:
    """A value as the language writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}={spelled(held)}" for key, held in value.items()) + "}"
    return f"[{', '.join(map(spelled, value))}]" if isinstance(value, list) else json.dumps(value)


def written(primitive: Primitive, data: st.DataObject) -> str:
    """A call of the primitive, some of its settings and all its pipelines drawn."""
    parts: list[str] = []
    for param in primitive.params:
        if param.pipeline is not None:
            number = data.draw(st.integers(1, 3)) if param.variadic == "positional" else 1
            inner = [data.draw(st.sampled_from(PIPELINES.get(param.name, INNER))) for _ in range(number)]
            name = {"positional": "", "keyword": "Int="}.get(param.variadic, f"{param.name}=")
            parts += [f"{name}{one}" for one in inner]
        elif param.required or data.draw(st.booleans()):
            values = setting(param)
            assume(values is not None or not param.required)
            if values is not None:
                parts.append(f"{param.name}={spelled(data.draw(values))}")
    return f"{primitive.name}({', '.join(parts)})" if parts else primitive.name


def scorers(*kinds: str) -> list[Primitive]:
    """Those that can be called here; a mapping can only be given as a value of the record."""
    found = [
        one for one in registry if one.kind in kinds and one.output.name == "Score" and not OUTSIDE & set(one.uses)
    ]
    return [one for one in found if not any(param.required and param.type.name == "Dict" for param in one.params)]


def by_name(found: Primitive) -> str:
    return found.name


def held(scorer: Any, *pair: Any) -> None:
    """One pair, alone and in a batch, scores within the range or says why it does not score."""
    for outcome in (scorer.score(*pair), scorer.score_many([pair[0]] * 2, [pair[1]] * 2)[1]):
        assert "outside" not in (outcome.reason or "")
        # Some released code gives no number for lists without items, and a range that says nothing of it.
        if outcome.status == "scored" and not (scorer.range == EVERYTHING and math.isnan(outcome.value)):
            assert scorer.range.low <= outcome.value <= scorer.range.high


@pytest.mark.property
@pytest.mark.parametrize("primitive", scorers("comparator"), ids=by_name)
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_comparator_scores_within_its_range(primitive: Primitive, data: st.DataObject) -> None:
    try:
        scorer = scoring.scorer(written(primitive, data))
    except SpecError:  # a setting that needs another one
        assume(False)
    left, right = (drawn(kind) for kind in primitive.inputs)
    prediction = data.draw(left)
    reference = data.draw(st.one_of(st.just(prediction), right))
    held(scorer, prediction, reference)


@pytest.mark.property
@pytest.mark.parametrize("primitive", scorers("rescorer"), ids=by_name)
@settings(max_examples=40)
@given(data=st.data())
def test_a_rescorer_scores_within_its_range(primitive: Primitive, data: st.DataObject) -> None:
    before = data.draw(st.sampled_from(["to_text | levenshtein", "number | absolute_error", "to_text | ter"]))
    numbers = st.one_of(st.floats(-5, 5), st.floats(-1e6, 1e6))
    try:
        scorer = scoring.scorer(f"{before} | {written(primitive, data)}")
    except SpecError:
        assume(False)
    held(scorer, data.draw(numbers), data.draw(numbers))


@pytest.mark.property
@pytest.mark.parametrize("primitive", scorers("combinator"), ids=by_name)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_combinator_scores_within_its_range(primitive: Primitive, data: st.DataObject) -> None:
    try:
        scorer = scoring.scorer(written(primitive, data))
    except SpecError:
        assume(False)
    left, right = (drawn(kind) for kind in primitive.inputs)
    held(scorer, data.draw(left), data.draw(right))


@pytest.mark.property
@pytest.mark.parametrize("primitive", [one for one in registry if one.kind == "aggregator"], ids=by_name)
@given(data=st.data())
def test_an_aggregator_joins_within_its_range(primitive: Primitive, data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=4))
    ranges = [ScoreRange(*map(float, sorted(pair))) for pair in ends] if primitive.bounds else [UNIT] * len(ends)
    scores = [data.draw(st.floats(one.low, one.high)) for one in ranges]
    weights = data.draw(st.lists(st.sampled_from([0, 0.5, 1, 3]), min_size=len(scores), max_size=len(scores)))
    try:
        found = primitive.function(FieldScores.of(scores, weights))
    except (Unscored, NotApplicable):
        return
    assert (primitive.bounds(ranges) if primitive.bounds else ScoreRange(*primitive.range)).holds(found)
