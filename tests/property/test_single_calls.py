"""A single call and a batch give the same results, to the bit, for random tasks and hostile records."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scoring import MISSING, SpecError, Task, load
from scoring.result import RecordResult

TRANSFORMS = (
    "lower",
    "strip",
    "collapse_spaces",
    "to_text",
    "number",
    "json",
    "to_list",
    "unquote",
    'replace(old="a", new="b")',
    'split(separator=",")',
    "remove_punctuation",
    "sides(reference=lower)",
    "to_dict",
    "sides(prediction=strip | lower, reference=to_text)",
    "fallback(number, to_text)",
    "required",
    "nonempty",
    "map_items(strip | lower)",
)
JOINS = (
    "equal",
    "levenshtein",
    "absolute_error",
    "contains",
    "levenshtein | zero_below(threshold=0.4)",
    "any_of(equal, lower | levenshtein)",
    "all_of(levenshtein, lower | equal)",
    "attempt(number | absolute_error)",
    "any_reference(lower | equal)",
    'combine("(a + b) / 2", a=equal, b=levenshtein | zero_below(threshold=0.5))',
    "first_of(number | equal, lower | equal)",
    "to_set | jaccard",
    "attempt(levenshtein, otherwise=0.25)",
    "attempt(attempt(number | equal, otherwise=0.5))",
    "align(equal)",
    "switch(on=record.kind, a=equal, b=lower | levenshtein)",
    "switch(on=context.kind, a=equal, default=levenshtein)",
    "levenshtein | zero_below(threshold=record.tolerance)",
    "tree(leaf=equal)",
    "is_sure(equal)",
    "cascade(rule=levenshtein, unsure=equal)",
    "any_of(equal | scale(by=context.tolerance), attempt(lower | equal))",
    "bleu",
    "to_text | bleu",
)
RESCORERS = (
    "zero_below(threshold=0.5)",
    "zero_below(0.3, strict=true)",
    "invert",
    "scale(by=0.5)",
    "at_least(threshold=0.9)",
)
AGGREGATES = (
    "mean",
    "min",
    "product",
    "geometric_mean",
    "max | invert",
    "a",
    "(a + b) / 2",
    "b / a - 0.5",
    "if(a > 0.5, b, 1)",
)
PASSES = ("score >= 0.5", "a > 0.5 and score < 1", "b >= a", "score / a > 0.25")

pipelines = st.builds(
    lambda before, join, after: " | ".join([*before, join, *after]),
    st.lists(st.sampled_from(TRANSFORMS), max_size=5),
    st.sampled_from(JOINS),
    st.lists(st.sampled_from(RESCORERS), max_size=1),
)
fields = st.fixed_dictionaries(
    {"score": pipelines},
    optional={
        "weight": st.sampled_from([2, 0.1, 0]),
        "optional": st.booleans(),
        "prediction": st.sampled_from(["parsed", "parsed.a", "parsed.x.y", "prediction"]),
        "reference": st.sampled_from(["reference", "reference.a"]),
    },
)
specs = st.fixed_dictionaries(
    {
        "kind": st.just("task"),
        "name": st.just("t"),
        "fields": st.dictionaries(st.sampled_from("ab"), fields, min_size=1),
    },
    optional={
        "parse": st.sampled_from(["json", "strip | json", "lower", "strip | sides(reference=json)", "to_text | lower"]),
        "aggregate": st.sampled_from(AGGREGATES),
        "pass": st.sampled_from(PASSES),
        "on_unparsed": st.sampled_from(["zero", "unscored", "raw"]),
        "on_error": st.sampled_from(["zero", "unscored"]),
        "on_missing": st.sampled_from(["zero", "unscored", "pass"]),
        "record": st.sampled_from([{"kind": "kind"}, {"kind": "meta.kind", "tolerance": "t", "weight": "w"}]),
        "by": st.just(["kind"]),
    },
)
texts = st.sampled_from(["", "a", "A ", "3.14", "3", "-0.0", "nan", "1e999", "a,b", '"a"', "ß, é", "null", "[1, 2]"])
plain = st.recursive(
    texts | st.none() | st.booleans() | st.integers(-3, 3) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "kind"]), inner, max_size=2),
    max_leaves=6,
)
both = st.fixed_dictionaries({"a": texts, "b": texts})
answers = texts | texts | both | both.map(json.dumps) | plain | plain.map(json.dumps)
records = st.fixed_dictionaries(
    {"response": answers, "reference": answers},
    optional={
        "id": st.integers() | texts,
        "context": st.fixed_dictionaries({"kind": texts}, optional={"tolerance": st.sampled_from([0.5, -1, "x"])}),
        "kind": texts,
        "t": st.sampled_from([0.5, None, "x", float("nan")]),
        "w": st.sampled_from([1, 2.5, -1, float("inf"), None, "x"]),
        "meta": st.just({"kind": "a"}),
    },
)
records |= st.dictionaries(st.sampled_from(["response", "reference", "kind"]), answers)


def task_of(spec: dict[str, Any]) -> Task:
    """The task, if such a spec is one."""
    try:
        return load(spec)
    except SpecError:
        assume(False)
        raise


def told(result: RecordResult) -> str:
    """All of a result, to the last bit; NaN, which equals nothing, as its text."""
    notes = [part.outcome.notes for part in result.fields.values()]
    return repr((result, result.outcome.notes, notes))


@settings(deadline=None)
@given(specs, st.lists(records, min_size=1, max_size=5))
def test_a_record_alone_has_the_result_that_it_has_in_a_batch(spec: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    task = task_of(spec)
    together = task.score_batch([*rows, *rows])
    for row, one, again in zip(rows, together[: len(rows)], together[len(rows) :], strict=True):
        assert told(task.score(row)) == told(one) == told(again)


GROUPED_BY_A_MAP = {
    "kind": "task",
    "name": "t",
    "by": ["kind"],
    "record": {"kind": "kind"},
    "fields": {"a": {"score": "switch(on=record.kind, a=equal, b=lower | levenshtein)"}},
}


@settings(deadline=None)
@given(specs, st.lists(records, min_size=1, max_size=4))
@example(GROUPED_BY_A_MAP, [{"response": "", "reference": "", "kind": {"a": None}}])
def test_parts_have_the_result_of_their_record(spec: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    task = task_of(spec)
    for row in rows:
        more: dict[str, Any] = {"context": row.get("context"), "id": row.get("id"), "record": row}
        single = task.score_parts(row.get("response"), row.get("reference", MISSING), **more)
        assert told(task.score(row)) == told(single)
