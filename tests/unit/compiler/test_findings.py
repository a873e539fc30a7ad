"""What the compiler finds in a spec, where, and what it says to do."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.compiler.tasks.checking import check_spec
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.load import Loader
from scoring.format.read import read_text


def findings(text: str) -> tuple[Diagnostic, ...]:
    """The findings about a task, written without its first lines."""
    loader = Loader()
    try:
        loaded = loader.load(read_text(f"kind: task\nname: t\n{text}", "t.yaml"), name="t.yaml")
    except SpecError as error:
        return error.diagnostics
    return check_spec(loaded, loader)


def one(text: str) -> Diagnostic:
    found = findings(text)
    assert len(found) == 1, [str(diagnostic) for diagnostic in found]
    return found[0]


def marked(diagnostic: Diagnostic) -> str:
    assert diagnostic.span is not None
    return diagnostic.span.text


def test_a_spec_in_order_has_no_findings() -> None:
    assert findings("score: lower | levenshtein | zero_below(0.5)") == ()


def test_a_type_error_stands_at_its_step_and_names_the_step_before() -> None:
    found = one("score: to_set | levenshtein")
    assert (found.id, marked(found)) == ("type-mismatch", "levenshtein")
    assert str(found.span) == "t.yaml:3:17"
    (producer,) = found.secondary
    assert producer.span is not None
    assert producer.span.text == "to_set"
    assert "this step produces" in producer.text


@pytest.mark.parametrize(
    ("score", "help"),
    [
        ("lower | any_reference(equal)", "write `any_reference(lower | …)`, where the step runs on each item"),
        ("lower | jaccard", "`to_set` makes it one"),
        ("words | length | levenshtein", "`to_text` makes it one"),
        ("lower | within(absolute=1)", "`number` makes it one"),
    ],
)
def test_a_type_error_says_how_to_come_to_the_type(score: str, help: str) -> None:
    found = one(f'score: "{score}"')
    assert found.id == "type-mismatch"
    assert found.help[0].startswith(help)


@pytest.mark.parametrize(
    ("spec", "id", "place"),
    [
        ("score: lowr | equal", "unknown-name", "lowr"),
        ("score: mega.set_equality", "unknown-name", "mega.set_equality"),
        ("score: lower | equal | lower", "wrong-stage", "lower"),
        ("score: lower | zero_below(0.5)", "wrong-stage", "zero_below"),
        ("score: lower | equal | equal", "wrong-stage", "equal"),
        ("score: lower", "no-score", "lower"),
        ("score: equal | zero_below(2)", "argument-value", "2"),
        ('score: equal | zero_below("high")', "argument-type", '"high"'),
        ("score: equal | zero_below", "missing-parameter", "zero_below"),
        ("score: equal | zero_below(0.5, true, 0.6)", "too-many-arguments", "0.6"),
        ("score: equal | zero_below(treshold=0.5)", "unknown-parameter", "treshold"),
        ('score: per_key(equal, over="onion")', "argument-value", '"onion"'),
        ("score: per_key(equal, over=union)", "argument-type", "union"),
        ("score: any_of(equal, 3)", "argument-type", "3"),
        ("score: mean", "wrong-stage", "mean"),
        ("parse: equal\nscore: equal", "wrong-stage", "equal"),
        ("score: equal\naggregate: lower", "wrong-stage", "lower"),
        ("score: equal\nmetrics: [lower]", "wrong-stage", "lower"),
        ("fields: {a: equal}\naggregate: a + b", "unknown-field", "b"),
        ("fields: {a: equal}\naggregate: score * 2", "unknown-field", "score"),
        ("fields: {a: equal}\npass: score >= 0", "constant-condition", "score >= 0"),
        ("fields: {a: equal}\npass: a > 1", "constant-condition", "a > 1"),
        ("fields: {a: equal}\npass: score + 1", "formula-type", "score + 1"),
        ("fields: {a: equal}\naggregate: median(a, 1)", "unknown-function", "median"),
        ("fields: {a: equal, b: equal}\naggregate: a * 1", "unused-field", "b"),
        ("fields: {a: , b: equal}", "unused-field", "a"),
        ("score: equal\nrecord: {id: 'a['}", "bad-path", "'a['"),
        ("score: equal\nrecord: {kind: {path: 'a['}}", "bad-path", "'a['"),
        ("fields: {a: {score: equal, prediction: 'b[?c]'}}", "bad-path", "'b[?c]'"),
        ("score: equal\nimports: {a: anls@1}", "unused-import", "a"),
        ("score: a.docvqa\nimports: {a: anls@1, m: megabench@1}", "unused-import", "m"),
        ("fields: {a: {score: equal, weight: 2}}\naggregate: a * 1", "unused-field", "2"),
        ("score: equal\nmetrics: [mean, pass_rate]", "missing-key", "pass_rate"),
        ("score: mine\nscorers: {mine: mine}", "definition-cycle", "mine"),
        ("score: lower\nscorers: {lower: equal}", "shadowed-name", "lower"),
        ("score: m.equal\nimports: {m: megabenhc@1}", "import-not-found", "megabenhc@1"),
        ("score: equal\nimports: {m: megabench@latest}", "import-version", "megabench@latest"),
        ("score: equal\nimports: {m: megabench-upstream@77}", "import-version", "megabench-upstream@77"),
        ("score: equal\nimports: {m: ./none.yaml}", "import-not-found", "./none.yaml"),
        ('score: switch("Int", Int=equal, Str=equal)', "unreachable-case", 'switch("Int", Int=equal, Str=equal)'),
        (
            "record: {t: {path: type, values: [a, b]}}\nscore: switch(record.t, a=equal)",
            "missing-case",
            "switch(record.t, a=equal)",
        ),
        ("parse: lower\nfields: {a: {score: equal, prediction: parsed.b}}", "parse-shape", "parsed.b"),
    ],
)
def test_each_mistake_is_found_at_its_place(spec: str, id: str, place: str) -> None:
    found = [diagnostic for diagnostic in findings(spec) if diagnostic.id == id]
    assert found, [str(diagnostic) for diagnostic in findings(spec)]
    assert marked(found[0]) == place


@pytest.mark.parametrize(
    "metric", ['mean(field="b")', "mean(b)", "b_share: mean(b == 1)", "b_mean: {mean: {field: b}}"]
)
def test_a_field_that_a_metric_names_is_used(metric: str) -> None:
    metrics = f"metrics: ['{metric}']" if ":" not in metric else f"metrics:\n  - {metric}"
    assert "unused-field" not in {
        found.id for found in findings(f"fields: {{a: equal, b: equal}}\naggregate: a * 1\n{metrics}")
    }


def test_one_mistake_is_one_finding() -> None:
    assert one("score: nonsense | levenshtein | zero_below(0.5)").id == "unknown-name"
    assert one("imports: {m: nowhere@1}\nscore: m.thing | zero_below(0.5)").id == "import-not-found"


def test_findings_of_all_fields_come_together() -> None:
    found = findings("fields: {a: lowr | equal, b: equal | zero_below(7), c: upper}")
    assert [diagnostic.id for diagnostic in found] == ["unknown-name", "argument-value", "no-score"]


def test_a_mistake_inside_a_definition_is_marked_at_the_call_with_the_step_behind_it() -> None:
    found = [f for f in findings("score: to_set | near\nscorers:\n  near: lower | levenshtein") if f.span]
    outer = next(f for f in found if f.span is not None and f.span.line == 3)
    assert (outer.id, marked(outer)) == ("type-mismatch", "near")
    assert any("in the definition of `near`" in label.text for label in outer.secondary)


def test_a_suggestion_is_offered_once() -> None:
    assert one("score: lower | eqaul").primary.text == "did you mean `equal`?"
    found: Any = one("fields: {vendor: equal, total: equal}\naggregate: vendr + total * 0")
    assert found.primary.text == "did you mean `vendor`?"


@pytest.mark.parametrize("condition", ['"no such" > 1', "foo(1) > 1", "min() > 1"])
def test_a_part_that_is_wrong_makes_no_condition_constant(condition: str) -> None:
    assert one(f"score: equal\npass: '{condition}'").id != "constant-condition"


def pack_of(steps: list[str]) -> str:
    lines = [f"  d{index}: {{doc: d, score: '{step}'}}" for index, step in enumerate(steps)]
    return "score: d0\nscorers:\n" + "\n".join(lines)


def test_pipelines_in_pipelines_are_bounded_through_definitions() -> None:
    steps = [f"{'any_of(' * 45}{f'd{index + 1}' if index < 30 else 'equal'}{')' * 45}" for index in range(31)]
    found = findings(pack_of(steps))
    assert {diagnostic.id for diagnostic in found} == {"spec-too-large"}
    assert "pipelines are nested" in found[0].message


def test_definitions_that_are_only_deep_are_not_called_circular() -> None:
    found = findings(pack_of([f"d{index + 1}" if index < 60 else "equal" for index in range(61)]))
    assert {diagnostic.id for diagnostic in found} == {"spec-too-large"}


def test_a_failure_that_counts_as_the_best_of_distances_is_told() -> None:
    distance = {"off": {"score": "number | absolute_error"}}
    spec = {
        "kind": "task",
        "name": "t",
        "parse": "json",
        "fields": distance,
        "aggregate": "min(off, 1)",
        "on_missing": "zero",
    }
    (found,) = scoring.load(spec).warnings
    assert found.message == "`on_missing: zero` makes a failure the best score of `off`, which has no upper end"
    assert not scoring.load({**spec, "on_missing": "unscored"}).warnings
    assert not scoring.load({**spec, "fields": {"off": {"score": "number | absolute_error | exp_decay"}}}).warnings
    assert not scoring.load({**spec, "metrics": ["mean"], "better": {"mean": "lower"}}).warnings


@pytest.mark.parametrize(
    ("metric", "setting"), [("accuracy(threshold=record.a)", "threshold"), ("quantile(q=context.x)", "q")]
)
def test_a_metric_is_for_all_records_so_no_setting_of_it_is_read_from_one(metric: str, setting: str) -> None:
    found = next(iter(findings(f"record: {{a: a, b: b}}\nscore: equal\nmetrics:\n  - {metric}\n")))
    assert found.id == "argument-type"
    assert f"`{setting}` of" in found.message
    assert "can't be read from a record" in found.message


@pytest.mark.parametrize("name", ["any_of", "all_of", "first_of", "fallback"])
def test_what_joins_pipelines_needs_one(name: str) -> None:
    assert [found.id for found in findings(f"score: {name} | equal")][:1] == ["missing-parameter"]


def test_a_function_of_formulas_is_no_scorer_and_the_formula_to_write_is_told() -> None:
    found = one("fields: {a: {score: equal | exp(record.n)}}")
    assert (found.id, marked(found), found.primary.text) == ("unknown-name", "exp", "")
    assert found.help == ("it is a function of formulas: give it a field of its own, `score: exp(record.n)`",)


def test_a_value_that_begins_with_a_misspelled_root_or_value_is_told_what_was_meant() -> None:
    used = "fields: {a: {prediction: r, score: equal}}"
    assert one(f"values: {{r: refrence | lower}}\n{used}").primary.text == "did you mean `reference`?"
    assert "did you mean" not in one(f"values: {{r: lower | upper}}\n{used}").primary.text
    other = findings(f"values: {{letter: prediction | lower, r: leter | upper}}\n{used}")
    assert "did you mean `letter`?" in [found.primary.text for found in other]
