"""How deep a value is nested decides, never how deep the caller stands, nor how small its thread's stack is."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pytest

import scoring
from scoring.depth import DEEPEST, in_full_depth, nests_too_deep
from scoring.registry import registry
from scoring.result import Outcome, Unparsed, Unscored

R = TypeVar("R")
TOO_DEEP = f"nested deeper than {DEEPEST} levels"
DEPTHS = (1, 2, 90, 150, DEEPEST - 1, DEEPEST, DEEPEST + 1, DEEPEST + 2, 900, 5_000)
# What combinators and steps with arguments are tried with.
WITH = {
    "align": "equal", "all_of": "equal, contains", "any_of": "equal, contains", "any_reference": "equal",
    "attempt": "equal", "cascade": "rule=equal, unsure=equal",
    "fallback": "json, number", "first_of": "equal, contains", "is_sure": "equal", "map_items": "lower",
    "map_values": "lower", "match_in_order": "equal", "per_key": "equal", "tree": "equal",
    "under_key": '"k"', "when": "equal, equal", "megabench_upstream/mean_over_union": "equal",
    "megabench_upstream/whole_answer": "equal",
}  # fmt: skip
ELSEWHERE = ("judge", "entail", "nli", "geocode", "place_nearness", "run_tests", "formulas", "sides")


def nested(depth: int, kind: str, leaf: Any = "a") -> Any:
    """A value nested so deep."""
    value = leaf
    for _ in range(depth):
        value = {"a": value} if kind == "mappings" else [value, "b"] if kind == "pairs" else [value]
    return value


def written(depth: int) -> Iterator[str]:
    """Texts that are nested as deep, closed and not, of the notations that are read."""
    yield "[" * depth + "]" * depth
    yield '{"a":' * depth + "1" + "}" * depth
    yield "(" * depth + "1" + ")" * depth
    yield "{" * depth
    yield "-" * depth + "1"
    yield "1+" * depth + "1"
    yield "\\frac{1}{" * depth + "2" + "}" * depth


def deep_within(calls: int, call: Callable[[], R]) -> R:
    """What a call gives when so many others are under way."""
    frame, under_way = sys._getframe(), 0
    while frame.f_back is not None:
        frame, under_way = frame.f_back, under_way + 1

    def deeper(left: int) -> R:
        return deeper(left - 1) if left > 0 else call()

    return deeper(calls - under_way)


def in_small_thread(call: Callable[[], R]) -> R:
    """What a call gives in a thread with the stack of 1 MiB that small systems give."""
    found: list[R] = []
    before = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=lambda: found.append(call()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return found[0]


def everywhere(call: Callable[[], R]) -> R:
    """What a call gives, which is the same wherever it is called."""
    found = call()
    first = repr(found)
    assert repr(deep_within(900, call)) == first, "among 900 calls"
    assert repr(in_small_thread(call)) == first, "in a small thread"
    return found


def steps() -> Iterator[tuple[str, bool]]:
    """Every registered step that needs nothing else than values, and whether it compares two."""
    for name in registry.names():
        primitive = registry.get(name)
        if primitive is None or primitive.kind in ("metric", "aggregator", "rescorer"):
            continue
        if any(word in name for word in ELSEWHERE) or (name not in WITH and any(p.required for p in primitive.params)):
            continue
        if name in WITH or not any(param.variadic for param in primitive.params):
            yield (f"{name}({WITH[name]})" if name in WITH else name), len(primitive.inputs) == 2


def scoring_with(text: str, compares: bool) -> Callable[[Any, Any], Any]:
    """What a step makes of values: an outcome, or what it parses or refuses."""
    if compares:
        return scoring.scorer(text).score
    parser = scoring.parser(text)

    def parsed(one: Any, other: Any) -> Any:
        try:
            return parser.parse(one)
        except (Unparsed, Unscored) as error:
            return Outcome.of_exception(error)
        except Exception as error:
            return type(error).__name__

    return parsed


@pytest.mark.parametrize(("text", "compares"), list(steps()), ids=lambda value: str(value))
def test_a_step_gives_the_same_wherever_it_is_called(
    text: str, compares: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What takes too much work takes it in vain: a tenth of it says the same.
    with suppress(ImportError):  # the core may stand alone
        worker = import_module("scoring.extensions.maths.worker")
        monkeypatch.setattr(worker, "CALLS_A_SECOND", worker.CALLS_A_SECOND // 10)
    # The parsers of released code read deeper, and fail as it does.
    own, outcome_of = "upstream" not in text, scoring_with(text, compares)
    primitive = registry.get(text.partition("(")[0])
    assert primitive is not None
    # What is computed in a process of its own can't tell who calls, and takes its time.
    apart = primitive.function.__module__.startswith("scoring.extensions.maths.")
    for depth in (DEEPEST + 1,) if apart else (DEEPEST, DEEPEST + 1, 900):
        for kind in ("lists", "mappings"):
            one, other = nested(depth, kind), nested(depth, kind)
            found = everywhere(partial(outcome_of, one, other))
            assert "RecursionError" not in repr(found)
            if depth > DEEPEST:
                assert TOO_DEEP in str(found.reason)
        for given in written(depth):
            found = everywhere(partial(outcome_of, given, given))
            assert not own or "RecursionError" not in repr(found)


@pytest.mark.parametrize("kind", ["lists", "mappings", "pairs"])
def test_values_are_compared_down_to_the_stated_depth_and_refused_below(kind: str) -> None:
    check_depths("equal", kind)


def check_depths(text: str, kind: str) -> None:
    """Check that a scorer compares equal values down to the stated depth, and refuses deeper ones."""
    scorer = scoring.scorer(text)
    for depth in DEPTHS:
        one, other = nested(depth, kind), nested(depth, kind)
        found = scorer.score(one, other)
        assert found.score == (1.0 if depth <= DEEPEST else None), depth
        assert (TOO_DEEP in str(found.reason)) is (depth > DEEPEST)
        assert [found] * 2 == scorer.score_many([one, one], [other, other])


def test_a_value_that_holds_itself_is_too_deep() -> None:
    round_and_round: list[Any] = []
    round_and_round += [round_and_round, round_and_round]
    assert TOO_DEEP in str(scoring.scorer("equal").score(round_and_round, "a").reason)


def of_depth(depth: int) -> tuple[scoring.Task, dict[str, Any], dict[str, Any]]:
    """A task, and two records that it scores: one nested so deep, and a flat one."""
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    deep = {"id": 1, "response": nested(depth, "lists"), "reference": nested(depth, "lists")}
    return task, deep, {"id": 2, "response": "a", "reference": "a"}


@pytest.mark.parametrize("depth", [DEEPEST, DEEPEST + 1])
def test_every_way_into_a_task_has_the_same_bound(depth: int, tmp_path: Path) -> None:
    task, deep, flat = of_depth(depth)
    for name, content in {
        "a.jsonl": "".join(json.dumps(one) + "\n" for one in (deep, flat)),
        "a.json": json.dumps([deep, flat]),
    }.items():
        (tmp_path / name).write_text(content)
    wanted = [1.0 if depth <= DEEPEST else None, 1.0]

    def scores() -> list[list[Any]]:
        return [
            [task.score(one).score for one in (deep, flat)],
            [task.score_parts(one["response"], one["reference"]).score for one in (deep, flat)],
            [one.score for one in task.evaluate([deep, flat]).records],
            [one.score for one in task.evaluate(tmp_path / "a.jsonl").records],
            [one.score for one in task.evaluate(tmp_path / "a.json").records],
        ]

    assert everywhere(scores) == [wanted] * 5


def test_brackets_within_texts_are_no_depth() -> None:
    for text in (
        '"' + "[" * 999 + '"',
        '["' + '\\"[' * 999 + '"]',
        "[" + "[]," * 999 + "1]",
        "[[" + "{}," * 999 + "1]]",
    ):
        assert not nests_too_deep(text)
        assert not nests_too_deep(text.encode())
    for depth in DEPTHS:
        for text in ("[" * depth + "]" * depth, '{"[":' * depth + "1" + "}" * depth, "[" * depth, '["\\\\",' * depth):
            assert nests_too_deep(text) is (depth > DEEPEST)


def test_a_fresh_stack_gives_what_the_function_gives_or_raises() -> None:
    def deepest(left: int) -> int:
        return deepest(left - 1) + 1 if left else 0

    assert deep_within(800, lambda: in_full_depth(deepest, 500)) == 500
    with pytest.raises(RecursionError):
        in_full_depth(deepest, 10_000)
    with pytest.raises(ZeroDivisionError):
        deep_within(900, lambda: in_full_depth(lambda: deepest(500) / 0))
