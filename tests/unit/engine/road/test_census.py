"""The census of what is compared: it tells what nobody means, and is the same however it is counted."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main
from scoring.compiler.checks.apart import BY_VALUE
from scoring.data.rows.batch import Batch, Item
from scoring.engine.road.census import Census
from scoring.engine.road.evaluate import score_batch
from scoring.engine.road.summary import RunState
from scoring.registry import registry
from scoring.result import Unscored

Make = Callable[[int], dict[str, Any]]


def task(**keys: Any) -> dict[str, Any]:
    return {"kind": "task", "name": "t", **keys}


def rows(make: Make, count: int = 20) -> list[dict[str, Any]]:
    return [{"id": number, **make(number)} for number in range(count)]


def pairs(answer: Callable[[int], Any], reference: Callable[[int], Any]) -> Make:
    return lambda number: {"response": answer(number), "reference": reference(number)}


def inputs(spec: dict[str, Any], make: Make, count: int = 20, **how: Any) -> dict[str, Any]:
    found: dict[str, Any] = scoring.evaluate(spec, rows(make, count), **how).to_json()["inputs"]
    return found


SILENT: dict[str, tuple[dict[str, Any], Make]] = {
    "what makes numbers of both": (task(score="number | equal"), pairs(str, int)),
    "what makes texts of both": (task(score="to_text | equal"), pairs(str, int)),
    "the best of some references": (task(score="any_reference(equal)"), pairs(lambda n: f"b{n}", lambda n: [f"a{n}"])),
    "one rule of two that can": (task(score="any_of(equal, number | equal)"), pairs(str, lambda n: n + 1)),
    "what ignores case": (task(score="casefold | equal"), pairs(lambda n: f"A{n}", lambda n: f"a{n}")),
    "what ignores blanks": (task(score="strip | equal"), pairs(lambda n: f" a{n}", lambda n: f"a{n}")),
    "two answers in another case": (task(score="equal"), pairs(lambda n: "A" if n < 2 else "a", lambda n: "a")),
    "numbers of two kinds": (task(score="equal"), pairs(float, int)),
    "wrong answers": (task(score="equal"), pairs(lambda n: f"b{n}", lambda n: f"a{n}")),
    "empty references": (task(score="equal"), pairs(lambda n: " " if n else "a", lambda n: "" if n else "a")),
    "empty lists": (task(score="to_set | set_f1"), pairs(lambda n: [], lambda n: [n])),
    "answers all alike and right": (task(score="equal"), pairs(lambda n: "yes", lambda n: "yes")),
    "words of errors": (task(score="equal"), pairs(lambda n: f"{n}: an error is a mistake", lambda n: "a")),
    "a rule of the response alone": (task(score='matches("a")'), pairs(lambda n: f"a{n}", lambda n: n)),
    "fields that some references lack": (
        task(parse="json", fields={"a": "equal", "b": "equal"}),
        pairs(lambda n: {"a": n, "b": n}, lambda n: {"a": n, "b": n} if n % 2 else {"a": n}),
    ),
    "a few responses without a field": (
        task(parse="json", fields={"a": "equal", "b": "equal"}),
        pairs(lambda n: {"a": n, "b": n} if n > 5 else {"a": n}, lambda n: {"a": n, "b": n}),
    ),
    "a group that few lack": (
        task(score="equal", by=["kind"]),
        lambda n: {"response": f"a{n}", "reference": f"a{n}", **({"kind": "k"} if n > 5 else {})},
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_told_of_what_may_be_meant(name: str) -> None:
    assert inputs(*SILENT[name]) == {}


TOLD: dict[str, tuple[str, int, dict[str, Any], Make]] = {
    "a rule whose parts all compare by value": (
        "never_equal", 1, task(score="all_of(equal, equal | invert)"), pairs(str, int)
    ),
    "an attempt": ("never_equal", 1, task(score="attempt(equal)"), pairs(str, int)),
    "items of two types": ("never_equal", 1, task(score="equal"), pairs(lambda n: [str(n)], lambda n: [n])),
    "a boolean beside a text": ("never_equal", 1, task(score="equal"), pairs(lambda n: True, lambda n: "true")),
    "a mapping beside a text": ("never_equal", 1, task(score="equal"), pairs(lambda n: {"a": n}, lambda n: "a")),
    "one of two fields": (
        "never_equal", 1, task(parse="json", fields={"a": "equal", "b": "equal"}),
        pairs(lambda n: {"a": n, "b": str(n)}, lambda n: {"a": n, "b": n}),
    ),
    "one answer of twenty": ("unequal_types", 1, task(score="equal"), pairs(lambda n: n if n else "0", int)),
    "a trace of Python": (
        "error_answers", 20, task(score="equal"),
        pairs(lambda n: f"openai.RateLimitError: Error code: 429 - {n}", lambda n: "a"),
    ),
    "an answer of a server": (
        "error_answers", 20, task(score="equal"), pairs(lambda n: f"HTTP 503 {n}", lambda n: "a")
    ),
    "blanks alone": ("empty_answers", 20, task(score="equal"), pairs(lambda n: " " * (n + 1), lambda n: "a")),
    "a near key in one reference": (
        "other_keys", 1, task(parse="json", fields={"vendor": "equal", "total": "equal"}),
        pairs(lambda n: {"vendor": n, "total": n}, lambda n: {"vendor" if n else "vendors": n, "total": n}),
    ),
    "fields of objects that nothing parses": (
        "named_keys", 40, task(fields={"vendor": "equal"}),
        pairs(lambda n: {"vendor": n}, lambda n: {"vendor": n}),
    ),
    "a cluster that one lacks": (
        "partial_attributes", 1, task(score="equal", intervals={"cluster": "doc"}),
        lambda n: {"response": f"a{n}", "reference": f"a{n}", **({"doc": n // 2} if n else {})},
    ),
    "groups of a number and its text": (
        "alike_groups", 3, task(score="equal", by=["kind"]),
        lambda n: {"response": f"a{n}", "reference": f"a{n}", "kind": ("x", "X", "x ")[n % 3]},
    ),
}  # fmt: skip


def check_told(kind: str, count: int, spec: dict[str, Any], make: Make) -> None:
    """Check that this alone is told of the records, so many times."""
    found = inputs(spec, make)
    assert list(found) == [kind]
    assert found[kind]["count"] == count
    assert found[kind]["examples"]


@pytest.mark.parametrize("name", TOLD)
def test_what_cannot_be_meant_is_told(name: str) -> None:
    check_told(*TOLD[name])


def mixed(n: int) -> dict[str, Any]:
    """Some of everything."""
    return {
        "response": [str(n), n, " Caf\u00e9 ", "Error: rate limit exceeded", "", "B"][n % 6],
        "reference": [n, n, "Cafe\u0301", "a", "b", "b"][n % 6],
        "kind": ["en", "EN", None][n % 3],
        "doc": n // 4 if n % 2 else None,
        "sure": n % 100,
    }


SPEC = task(score="equal", by=["kind"], intervals={"cluster": "doc"}, metrics=["mean"], version="1.0.0")


@pytest.fixture(scope="module")
def whole() -> str:
    found = json.dumps(inputs(SPEC, mixed, 3_000))
    assert all(kind in found for kind in ("unequal_types", "error_answers", "cases", "alike_groups"))
    return found


@pytest.mark.parametrize("size", [1, 7, 512, 10_000])
def test_it_is_the_same_for_any_size_of_batches(size: int, whole: str) -> None:
    assert json.dumps(inputs(SPEC, mixed, 3_000, batch_size=size)) == whole


def test_it_is_the_same_in_any_order_and_any_process(tmp_path: Path, whole: str) -> None:
    records = rows(mixed, 3_000)
    random.Random(5).shuffle(records)
    (tmp_path / "task.yaml").write_text(json.dumps(SPEC))
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    spec, data = str(tmp_path / "task.yaml"), str(tmp_path / "data.jsonl")
    small: dict[str, Any] = {"keep_values": False, "keep_records": False}
    assert json.dumps(scoring.evaluate(spec, data, processes=2, **small).to_json()["inputs"]) == whole


def batch_of(records: Sequence[dict[str, Any]]) -> Batch:
    return Batch.of(Item(record["id"], "", record) for record in records)


@pytest.mark.property
@settings(deadline=None, max_examples=40)
@given(order=st.permutations(range(24)), cuts=st.lists(st.integers(1, 24), max_size=4))
def test_parts_add_up_to_the_whole(order: Sequence[int], cuts: Sequence[int]) -> None:
    compiled, records = scoring.load({**SPEC, "metrics": ["mean"]}), rows(mixed, 24)

    def census(some: Sequence[int]) -> Census:
        found = batch_of([records[place] for place in some])
        return Census.of(compiled, score_batch(compiled, found), found)

    ends = [0, *sorted(cuts), 24]
    added = Census({})
    for start, end in pairwise(ends):
        added = census(order[start:end]).merge(added)
    assert added.pack() == census(range(24)).pack()
    assert Census.unpack(json.loads(json.dumps(added.pack()))) == added


def test_its_state_stays_small() -> None:
    compiled = scoring.load(task(score="equal"))
    made = rows(lambda n: {"response": f"\x00{n}" * 400, "reference": n}, 400)
    found = batch_of(made)
    results = score_batch(compiled, found)
    state = RunState.of(compiled, results, [], Census.of(compiled, results, found))
    assert len(json.dumps(state.census.pack())) < 500


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in registry.names()
        if (found := registry.get(name)) is not None and found.kind == "comparator" and BY_VALUE in found.traits
    ],
)
def test_what_says_that_it_compares_by_value_never_finds_two_types_alike(name: str) -> None:
    """A score of two lists whose items differ in type alone is that of two lists that share nothing."""
    primitive = registry.get(name)
    assert primitive is not None
    side = frozenset if primitive.inputs[0].name == "Set" else list

    def scored(one: list[Any], other: list[Any]) -> Any:
        try:
            return primitive.function(side(one), side(other))
        except Unscored:  # its items are spans or triples, and none of these is one
            return None

    for one, other in ((["1"], [1]), ([True], ["true"]), ([0.5], ["0.5"])):
        assert scored(one, other) == scored(["q"], [7]), (one, other)


def test_many_records_are_told_of_before_they_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec, data = tmp_path / "task.yaml", tmp_path / "data.jsonl"
    spec.write_text(json.dumps(task(score="equal")))
    for count in (1_200, 900):
        data.write_text("".join(f"{json.dumps(one)}\n" for one in rows(pairs(str, int), count)))
        assert main(["score", str(spec), str(data)]) == 3
        shown = capsys.readouterr()
        assert f"({count} of {count} pairs)" in shown.out
        assert ("in the first 1,000 records: 1 × field" in shown.err) is (count > 1_000)
        assert ("(1000 of 1000 pairs)" in shown.err) is (count > 1_000)


def check_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> None:
    """Check that the command shows hostile answers in one plain line."""
    spec, data = tmp_path / "task.yaml", tmp_path / "data.jsonl"
    spec.write_text(json.dumps(task(score="equal")))
    made = pairs(lambda n: "\x1b[31mred\n\u202e<script>alert(1)</script>" * 9, lambda n: n)
    data.write_text("".join(f"{json.dumps(one)}\n" for one in rows(made)))
    main(["score", str(spec), str(data), "-o", str(tmp_path / "run"), *more])
    shown = capsys.readouterr().out
    line = next(line for line in shown.splitlines() if line.startswith("input: 1 ×"))
    assert "\\x1b[31mred\\n\\u202e<scr" in line
    assert line.isprintable()


def test_what_it_shows_of_hostile_answers_is_one_plain_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_shown(tmp_path, capsys)


def test_a_run_from_python_says_what_can_never_be_equal() -> None:
    run = scoring.evaluate(task(score="equal"), rows(pairs(str, int)))
    assert run.never_equal == [
        "`answer`: answer '0', reference 0 (20 of 20 pairs); `number` reads a number out of a text, "
        "as in `number | equal`"
    ]
    assert scoring.evaluate(task(score="equal"), rows(pairs(int, int))).never_equal == []


@pytest.mark.parametrize("beside", [[], [{"question": 1}], {"id": 1}, "text", [1]])
def test_what_is_no_second_list_of_records_may_stand_beside_them(beside: Any, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(json.dumps({"records": rows(pairs(int, int)), "more": beside}))
    assert scoring.evaluate(task(score="equal"), str(tmp_path / "data.json")).metrics == {"mean": 1.0}


def test_a_pair_that_a_step_refuses_is_unscored_and_not_called_unequal() -> None:
    run = scoring.evaluate(task(score="lower | equal"), rows(pairs(int, str)))
    assert (run.coverage, run.to_json()["inputs"]) == (0.0, {})
