"""Computed values change how a spec is written, and nothing that it gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

import scoring
from scoring.compiler.tasks.task import CompiledTask
from scoring.diagnostics.diagnostic import SpecError

pytestmark = pytest.mark.property

plain = st.one_of(
    st.none(),
    st.sampled_from(["answer: A", "Answer (b) answer: c", "", "3", "a b c", '{"n": [1, null], "t": "x y"}', "[]", "½"]),
    st.text(max_size=8),
    st.integers(-3, 3),
    st.booleans(),
    st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(0, 3)), max_size=3),
    st.dictionaries(st.sampled_from(["n", "t", "a"]), st.one_of(st.none(), st.text(max_size=3)), max_size=2),
)
records = st.lists(
    st.dictionaries(st.sampled_from(["id", "response", "reference", "kind", "n"]), plain, max_size=5),
    min_size=1,
    max_size=6,
)
POLICIES = st.fixed_dictionaries(
    {
        "on_unparsed": st.sampled_from(["unscored", "zero", "raw"]),
        "on_error": st.sampled_from(["unscored", "zero"]),
        "on_missing": st.sampled_from(["zero", "unscored", "pass"]),
        "on_null": st.sampled_from(["absent", "value"]),
    }
)
LETTER = 'find(r"(?i)answer\\W*([a-d])", pick="last") | lower'
VALUES = {
    "letter": f"prediction | {LETTER}",
    "gold": "reference | lower",
    "count": "reference | words | length",
    "deep": "parsed.n | length",
    "kind_of": "record.kind",
}


def task(**spec: Any) -> scoring.Task:
    return scoring.load({"kind": "task", "name": "t", **spec})


def outcomes(one: CompiledTask, record: dict[str, Any]) -> Any:
    found = one.score(record)
    return found.outcome, found.passed, {name: part.outcome for name, part in found.fields.items()}


def in_paths(one: CompiledTask, record: dict[str, Any]) -> Any:
    """The outcomes, with the path of a value for its name in their reasons: each spec says what its author wrote."""
    whole, passed, fields = outcomes(one, record)
    whole, *parts = (
        replace(part, reason=part.reason and part.reason.replace("`far`", "`record.n`"))
        for part in (whole, *fields.values())
    )
    return whole, passed, dict(zip(fields, parts, strict=True))


POLICY = {"on_unparsed": "unscored", "on_error": "unscored", "on_missing": "zero", "on_null": "absent"}


@given(policies=POLICIES, rows=records)
@example(policies=POLICY, rows=[{"reference": "3", "response": 0, "id": None, "kind": None, "n": "answer: A"}])
def test_a_spec_with_values_is_the_same_spec_written_out(policies: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    named = task(
        values={"letter": VALUES["letter"], "gold": VALUES["gold"], "count": VALUES["count"], "far": "record.n"},
        fields={
            "choice": {"prediction": "letter", "reference": "gold", "score": "equal"},
            "near": "number | within(absolute=count, relative=far)",
        },
        **policies,
    )
    written = task(
        fields={
            "choice": {"prediction": f"prediction | {LETTER}", "reference": "reference | lower", "score": "equal"},
            "near": "number | within(absolute=reference | words | length, relative=record.n)",
        },
        **policies,
    )
    assert named.signature.meaning == written.signature.meaning
    for row in rows:
        assert in_paths(named, row) == outcomes(written, row)


EVERYTHING = {
    "parse": "fallback(json, strip)",
    "values": VALUES,
    "fields": {
        "choice": {"prediction": "letter", "reference": "gold", "score": "equal"},
        "own": {"prediction": "prediction | find(r'\\w+')", "score": "sides(reference=gold) | equal"},
        "inner": {
            "prediction": "prediction | json | value_at('n')",
            "reference": "reference",
            "optional": True,
            "score": "equal",
        },
        "size": {
            "prediction": "parsed",
            "reference": "reference",
            "score": "switch(on=kind_of, a=equal, default=contains)",
        },
        "ratio": {"score": "count / (deep + 1)"},
    },
    "aggregate": "0.5 * choice + 0.5 * own",
    "pass": "count < 3",
    "by": ["letter", "kind_of", "values.count x kind_of"],
    "metrics": ["mean", {"words": "sum(count) / count()"}],
}


@given(policies=POLICIES, rows=records)
def test_a_batch_gives_what_each_record_alone_gives(policies: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    one = task(**EVERYTHING, **policies)
    together = one.score_batch(rows)
    for row, found in zip(rows, together, strict=True):
        alone = one.score(row)
        assert found == alone
        assert found.values == alone.values


def test_any_number_of_processes_gives_the_same() -> None:
    one = task(**EVERYTHING)
    rows = [
        {
            "id": place,
            "response": f"answer: {'abcd'[place % 4]}",
            "reference": "ab"[place % 2] * (place % 3),
            "kind": "a",
        }
        for place in range(300)
    ]
    alone, many = (one.evaluate(rows, processes=processes) for processes in (1, 2))
    assert alone.summary == many.summary


@given(size=st.integers(1, 8), steps=st.booleans())
def test_every_circle_is_refused_and_shown(size: int, steps: bool) -> None:
    names = [f"v{place}" for place in range(size)]
    then = " | lower" if steps else ""
    values = {name: f"{names[(place + 1) % size]}{then}" for place, name in enumerate(names)}
    with pytest.raises(SpecError) as refused:
        task(values=values, fields={"a": {"prediction": "v0", "score": "equal"}})
    circle = " -> ".join(f"`{name}`" for name in [*names, names[0]])
    assert any(circle in found.message for found in refused.value.diagnostics)
