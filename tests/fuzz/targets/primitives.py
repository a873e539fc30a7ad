"""Every primitive of a pipeline, with settings and inputs drawn from its declaration."""

from __future__ import annotations

import json
import math
from functools import cache, cached_property
from random import Random
from typing import Any

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.sharing.release.constants import example_calls
from scoring.registry import registry
from scoring.registry.model import Param, Primitive, PrimitiveKind
from scoring.values import ANY, Type
from tests.fuzz import drawing
from tests.fuzz.generators import corpus, mutate, values
from tests.fuzz.target import Refused, Subject, Target, Told, told_outcome
from tests.fuzz.targets.pairs import CONTEXT, ParserSubject, ScorerSubject

INNER = (
    "equal", "to_text | levenshtein", "to_text | lower | equal", "number | absolute_error", "to_text | bleu",
    "to_text | levenshtein | invert", "number | within(absolute=0.1)", "to_set | jaccard", "to_list | align(equal)",
    "attempt(number | equal)", "to_text | levenshtein | zero_below(0.5)", "json | tree", "to_dict | per_key(equal)",
)  # fmt: skip
"""Scorers for the pipelines that a combinator takes."""
INNER_ITEMS = (
    *INNER, "switch(on=item.k, a=equal, default=to_text | levenshtein)", "value_of(item) | equal",
    "each(over=item, score=value_of(item) | equal, join=mean)", "each(over=item.l, score=equal, join=sum, weight=item)",
)  # fmt: skip
"""The same of one that is asked for each item, which it may read."""
JOINS = ("mean", "min", "max", "sum", "product", "geometric_mean", 'mean(over="positive")', "mean | at_least(0.5)")
STEPS = {"prediction": ("to_text", "number", "lower"), "reference": ("to_text", "to_list")}
VALUE_STEPS = ("to_text | length", "to_text", "number", "lower", "json", "strip | number")
SETTINGS: dict[str, tuple[Any, ...]] = {
    "word": ("cat", "", "The"), "scheme": ("aab", "AABB", "a"), "pattern": ("5/7/5", "5", "a*b"),
    "words": (["cat", "mat"],), "groups": ([["cat"], ["dog", "mat"]],), "boxes": (["(0, 0, 1, 1)"], "[[0, 0, 1, 1]]"),
    "formula": ("a / 2", "log(b)", "a >= 0.5"),
    "on": ("context.setting",), "domain": ("(define (domain d) (:predicates (lit ?l)))",),
    "problem": ("(define (problem p) (:domain d))",), "separator": (",", " ", ";;"), "keys": (["a", "b"],),
}  # fmt: skip
"""Settings that mean something, by name; any text comes, too."""
OUTSIDE = frozenset(("judge", "programs", "torch", "transformers"))
"""What asks a model, runs programs or needs a network of nerves has targets or tests of its own."""


@cache
def of_kinds(*kinds: PrimitiveKind) -> tuple[Primitive, ...]:
    """Our primitives of some kinds that compute alone."""
    return tuple(one for one in registry if one.kind in kinds and one.is_own and not OUTSIDE & set(one.uses))


def setting(random: Random, param: Param) -> Any:
    """A value for a parameter: within its bounds or at their edges, seldom beyond."""
    if param.name in SETTINGS and random.randrange(4):
        return random.choice(SETTINGS[param.name])
    if param.choices and random.randrange(12):
        return random.choice(param.choices)
    kind = random.choice(param.type.args) if param.type.name == "Union" else param.type
    if kind.name == "Number":
        return _number(random, param)
    if kind.name == "List" and kind.args[0].name == "Number":
        return [_number(random, param) for _ in range(random.randrange(6))]
    return values.of_type(random, kind if kind != ANY else Type("Text"))


def _number(random: Random, param: Param) -> Any:
    if values.chance(random, 10):
        return random.choice(values.NUMBERS)
    low = (0.0 if param.of_score else -4.0) if param.low is None else param.low
    high = (1.0 if param.of_score else low + 12.0) if param.high is None else param.high
    whole = type(param.default) is int or random.randrange(3) == 0
    edges = (low, high, low + (high - low) / 3)
    found = random.choice(edges) if random.randrange(2) else random.uniform(low, min(high, low + 12))
    return int(found) if whole and math.isfinite(found) else found


def written(random: Random, primitive: Primitive, *, reads: bool = True) -> str:
    """A call as a spec has it: its required settings, some of the others, and a pipeline where it takes one.

    Args:
        random: What is drawn from.
        primitive: What is called.
        reads: Whether settings may be read from the context.
    """
    parts = [part for param in primitive.params for part in _argument(random, param, reads)]
    return f"{primitive.name}({', '.join(parts)})" if parts else primitive.name


def _argument(random: Random, param: Param, reads: bool) -> list[str]:
    if param.pipeline is not None:
        others = JOINS if param.pipeline.form == "aggregate" else STEPS.get(param.name, VALUE_STEPS)
        steps = (INNER_ITEMS if param.pipeline.of_item else INNER) if param.pipeline.form == "scorer" else others
        count = random.randrange(1, 4) if param.variadic == "positional" else 1
        name = {"positional": "", "keyword": f"{random.choice('ab')}="}.get(param.variadic, f"{param.name}=")
        if not param.required and not param.variadic and random.randrange(2):
            return []
        return [f"{name}{random.choice(steps)}" for _ in range(count)]
    if param.of_item and values.chance(random, 2):
        return [f"{param.name}=item.k"]
    if param.variadic or not (param.required or values.chance(random, 3)):
        return []
    if reads and values.chance(random, 8) and param.name != "on":
        return [f"{param.name}=context.{CONTEXT}"]
    try:
        return [f"{param.name}={json.dumps(setting(random, param))}"]
    except (TypeError, ValueError, RecursionError):  # no value that a spec can have
        return []


def context_for(random: Random, written: str) -> Any:
    """What an input brings where a setting is read from its context."""
    if f"context.{CONTEXT}" not in written:
        return None
    usual = (0.5, 1, 3, "a", "cat", ",", ["cat"], None, True)
    return {CONTEXT: random.choice(usual) if random.randrange(2) else values.anything(random, 2)}


@cache
def steps(*, joins: bool) -> tuple[Primitive, ...]:
    """Those that give a score, or those that give another value; a combinator may do either."""
    every = of_kinds("comparator", "combinator", "rescorer", "transform")
    return tuple(one for one in every if (one.output.name == "Score") is joins)


class _Primitives(Target):
    joins: bool

    def setup(self, random: Random) -> Any:
        primitive = random.choice(steps(joins=self.joins))
        plain = random.randrange(2) and not any(param.required for param in primitive.params)
        return {"primitive": primitive.name, "written": primitive.name if plain else written(random, primitive)}

    def member(self, setup: Any) -> str:
        return str(setup["primitive"])


class Scorers(_Primitives):
    """Comparators, combinators, and rescorers behind a comparator."""

    name = "scorers"
    weight = 3.0
    joins = True

    def setup(self, random: Random) -> Any:
        found = super().setup(random)
        primitive = registry.get(found["primitive"])
        assert primitive is not None
        if primitive.kind == "rescorer":
            found["written"] = f"{random.choice(('absolute_error', 'levenshtein', 'ter'))} | {found['written']}"
        elif primitive.kind == "comparator" and values.chance(random, 4):
            after = random.choice(
                ("invert", "zero_below(0.5)", "scale(by=2, plus=-1)", "zero_below(0, strict=true)", "exp_decay(rate=2)")
            )
            found["written"] = f"{found['written']} | {after}"
        return found

    def given(self, random: Random, setup: Any) -> Any:
        primitive = registry.get(setup["primitive"])
        assert primitive is not None
        if primitive.kind == "rescorer":
            numbers = "absolute_error" in setup["written"]
            drawn = [(values.number if numbers else values.text)(random) for _ in range(2)]
        else:
            left, right = primitive.inputs
            drawn = drawing.pair(random, left, right, _pairs(primitive.name))
        return [*drawn, context_for(random, setup["written"])]

    def open(self, setup: Any) -> Subject:
        try:
            return ScorerSubject(scoring.scorer(setup["written"]))
        except SpecError as error:
            raise Refused from error


@cache
def _pairs(name: str) -> list[tuple[Any, ...]]:
    found = registry.get(name)
    assert found is not None
    return [call for call in example_calls(found) if len(call) == 2]


class Transforms(_Primitives):
    """Transforms, and combinators of them, as a pipeline of their own."""

    name = "transforms"
    weight = 2.0
    joins = False

    def given(self, random: Random, setup: Any) -> Any:
        primitive = registry.get(setup["primitive"])
        assert primitive is not None
        examples = [call for call in example_calls(primitive) if len(call) == 1]
        if examples and random.randrange(3) == 0:
            return mutate.value(random, random.choice(examples)[0], corpus.texts())
        return values.of_type(random, primitive.inputs[0])

    def open(self, setup: Any) -> Subject:
        try:
            return ParserSubject(scoring.parser(setup["written"]))
        except SpecError as error:
            raise Refused from error


class Aggregators(Target):
    """Aggregators over the fields of records, whose scores go anywhere; and formulas in their place."""

    name = "aggregators"
    weight = 0.5
    formulas = (
        "a",
        "(a + b) / 2",
        "b / a - 0.5",
        "if(a > 0.5, b, 1)",
        "a * b * c",
        "1 / (a - b)",
        "-a",
        "min(a, b)",
        "a - 2 * c",
    )

    def setup(self, random: Random) -> Any:
        primitives = of_kinds("aggregator")
        primitive = random.choice(primitives)
        name = random.choice(self.formulas) if values.chance(random, 3) else written(random, primitive)
        scores = [
            random.choice(("absolute_error", "absolute_error | scale(by=2, plus=-3)", "equal", "within(absolute=1)"))
            for _ in "abc"
        ]
        weights = [random.choice((0, 0.5, 1, 1, 3, 1e-300, 1e300)) for _ in "abc"]
        policies = {
            "on_error": random.choice(("zero", "unscored")),
            "on_missing": random.choice(("zero", "unscored", "pass")),
        }
        fields = {
            field: {"score": score, "weight": weight, "optional": values.chance(random, 3)}
            for field, score, weight in zip("abc", scores, weights, strict=True)
        }
        return {"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": name, **policies}

    def member(self, setup: Any) -> str:
        return str(setup["aggregate"])

    def given(self, random: Random, setup: Any) -> Any:
        return {
            side: {field: values.number(random) for field in "abc" if random.randrange(8)}
            for side in ("response", "reference")
        }

    def open(self, setup: Any) -> Subject:
        try:
            return TaskSubject(scoring.load(setup))
        except SpecError as error:
            raise Refused from error


class TaskSubject:
    """A task of rows; an input is a record."""

    def __init__(self, task: scoring.Task) -> None:
        self.task = task

    @cached_property
    def range(self) -> Any:
        """What a record's score may be."""
        return self.task.range

    def one(self, given: Any) -> Told:
        """The outcome of one record and of its fields."""
        return self._told(self.task.score(given))

    def many(self, given: list[Any]) -> list[Told]:
        """Those of all records together."""
        return [self._told(result) for result in self.task.score_batch(given)]

    def _told(self, result: Any) -> Told:
        parts = [
            told_outcome(result.outcome, self.range),
            *(told_outcome(part.outcome) for part in result.fields.values()),
        ]
        return Told("\n".join(part.text for part in parts), tuple(fault for part in parts for fault in part.faults))
