"""No reason that a user reads is Python's: whatever a step is given, it is told in the words of the language."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import scoring
from scoring.registry import registry
from scoring.registry.model import Param, Primitive
from scoring.result import NotApplicable, Unparsed, Unscored

PYTHON = re.compile(
    r"\w+(Error|Exception)\b|has no attribute|unsupported operand|not subscriptable|<class|\b0x[0-9a-f]{4}"
    r"|index out of range|could not convert|division by zero|Traceback|NoneType|not iterable|unhashable"
    r"|not supported between|positional argument|keyword argument|invalid literal|argument must be|no len\(\)"
    r"|too many values|not enough values|object at |int too large|surrogates not allowed|codec|recursion depth"
    r"|dtype|ndarray|broadcast|must be real|expected str|malformed"
)

DEEP: Any = 0
for _ in range(60):
    DEEP = [DEEP]
# fmt: off
VALUES: list[Any] = [
    None, True, 0, -3, 0.5, 1e308, float("nan"), float("-inf"), 10**400, "", " ", "a", "3.5", "1,2", "\ud800x", "\x00",
    "[1, 2]", "{'a': 1}", "[[1,2,3,4]]", "((", "\\boxed{3}", "1e999", "<box>(1,2),(3,4)</box>", "<point>1 2</point>",
    "Answer: {", "9" * 5000, "é́ß字", [], [1], ["a", "b"], [1, "a"], [None], [[1, 2], [3, 4]], [[0, 0, 1, 1]],
    [0, 0, 1, 1], [1, 2], ["a", ["b", {"c": 1}]], [float("nan")], [{"a": 1}, {"a": 2}], [10**400, 1], ["\ud800"],
    (1, 2), ({"a"},), {}, {"a": "b"}, {"a": None}, {"a": [1, 2]}, {"a": {"b": [1]}}, {1: 2}, {None: 1}, {"y": 2},
    {"type": "box", "value": [1, 2, 3, 4]}, {"counts": [1], "size": [1, 1]}, {1, 2}, frozenset("ab"), set(), DEEP,
    b"bytes", 1 + 2j, [[0, 0], [1, 0], [1, 1]], [["a"]], ["1", "2"], {"mask": [[1, "a"]]}, {"bbox": [1, 2, 3, 10**400]},
]
# fmt: on
SCORERS = ["equal", "levenshtein", "relative_closeness", "jaccard", "per_key(scorer=equal)", "f1"]
STEPS = ["lower", "number", "to_list", "json", "to_text", "to_set", "number_with_unit"]
# What these ask (a judge, a geocoder, a model) is no matter of values.
ASKS = {"judge", "programs", "transformers"}
TRIED = [
    one
    for one in registry
    if one.kind not in ("metric", "aggregator") and not ASKS.intersection(one.uses) and one.family != "geography"
]


def value_of(param: Param, chance: random.Random) -> Any:
    kind = str(param.type)
    if param.choices:
        return chance.choice(param.choices)
    if kind.startswith("List"):
        return [["a"]] if "List[List" in kind else ["a", "b"] if "Text" in kind else [[0, 0, 1, 1]]
    if kind.startswith("Number"):
        low = 0.0 if param.low is None else param.low
        return int(low) if param.high is None else low
    return {"Text": "a", "Bool": True}.get(kind.partition(" ")[0], [1, "a"])


def written(primitive: Primitive, chance: random.Random) -> str:
    """A pipeline around the primitive, with what it must be told."""
    parts: list[str] = []
    for param in primitive.params:
        if param.pipeline is not None and (param.required or param.variadic):
            pool = SCORERS if param.pipeline.form == "scorer" else STEPS
            name = {"": f"{param.name}=", "positional": "", "keyword": "a="}[param.variadic]
            parts.append(name + chance.choice(pool))
        elif param.required:
            parts.append(f"{param.name}={json.dumps(value_of(param, chance))}")
    call = f"{primitive.name}({', '.join(parts)})" if parts else primitive.name
    if primitive.name == "switch":
        call = f'switch(on="a", a={chance.choice(SCORERS)})'
    if primitive.name == "combine":
        call = f'combine("log(a) / a", a={chance.choice(SCORERS)})'
    is_value = primitive.kind == "transform" or primitive.output.name != "Score"
    return f"relative_closeness | {call}" if primitive.kind == "rescorer" else f"{call} | equal" if is_value else call


def outcomes(primitive: Primitive, seed: int, tries: int) -> Iterator[tuple[Any, Any, str | None]]:
    chance = random.Random(f"{primitive.name}{seed}")
    try:
        scorer = scoring.scorer(written(primitive, chance))
    except scoring.SpecError:  # a setting that needs another one
        return
    for _ in range(tries):
        prediction, reference = chance.choice(VALUES), chance.choice(VALUES)
        yield prediction, reference, scorer.score(prediction, reference).reason


@pytest.mark.parametrize("primitive", TRIED, ids=lambda primitive: primitive.name)
def test_no_reason_is_pythons(primitive: Primitive) -> None:
    # Workers for formulas take long over each; a few pairs tell their wording, too.
    tries = 4 if "sympy" in primitive.uses else 60
    for prediction, reference, reason in outcomes(primitive, 1, tries):
        assert not PYTHON.search(reason or ""), f"{reason} <- {prediction!r:.80}, {reference!r:.80}"


LARGE = (
    "can't be computed: a number is too large to compute with (the prediction is Number and the reference is Number)"
)


@pytest.mark.parametrize(
    ("pipeline", "prediction", "reference", "reason"),
    [("relative_closeness", 10**400, 0.5, f"`relative_closeness` {LARGE}")],
)
def test_a_reason_says_what_was_taken_and_what_was_given(
    pipeline: str, prediction: Any, reference: Any, reason: str
) -> None:
    assert scoring.scorer(pipeline).score(prediction, reference).reason == reason


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (RecursionError(), "nested too deeply"),
        (MemoryError(), "more memory than there is"),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), "half of a surrogate pair"),
        (FileNotFoundError(2, "No such file or directory", "/secret"), "no such file or directory"),
        (TimeoutError(), "took too long"),
        (ModuleNotFoundError("No module named 'x'", name="acme.x"), "needs the package `acme`"),
        (KeyError("a"), "a key that is not there"),
    ],
)
def test_python_errors_have_words(raised: Exception, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> float:
        raise raised

    scorer = scoring.scorer("levenshtein")
    monkeypatch.setattr("scoring.primitives.text.edit.check_size", fails)
    reason = scorer.score("kitten", "sitting").reason or ""
    assert words in reason
    assert not PYTHON.search(reason)


@pytest.mark.parametrize("kind", [Unscored, Unparsed, NotApplicable])
def test_what_a_step_says_itself_stays(kind: Callable[[str], Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> float:
        raise kind("the answer names no town")

    monkeypatch.setattr("scoring.primitives.text.edit.check_size", refuses)
    assert scoring.scorer("levenshtein").score("kitten", "sitting").reason == "the answer names no town"
