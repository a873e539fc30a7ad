"""What `prediction:` and `reference:` may say: places in JMESPath, values, paths that go on from one, pipelines."""

from __future__ import annotations

import contextlib
from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.compiler.records.roots import roots_of
from scoring.diagnostics.diagnostic import SpecError

MONEY = {"money": r'prediction | find_groups(r"(?P<a>[$])?\d+ ?(?P<b>EUR)?")'}


def task(prediction: str, **more: Any) -> Any:
    fields = {"f": {"prediction": prediction, "reference": "@", "score": "equal"}}
    return scoring.load({"kind": "task", "name": "t", "fields": fields, **more})


@pytest.mark.parametrize(
    "path",
    [
        "money.a || money.b",
        "money.b || money.a",
        "not_null(money.a, money.b)",
        "[money.a, money.b][?@] | [0]",
        "values.money.a || money.b",
    ],
)
def test_a_path_reads_a_value_wherever_it_begins(path: str) -> None:
    one = task(path, values=MONEY)
    assert not one.warnings
    for response, reference in (("12 EUR", "EUR"), ("$12", "$")):
        assert one.score({"response": response, "reference": reference}).score == 1.0, response


def test_a_path_may_begin_twice_with_a_part_of_the_row() -> None:
    for path in ("record.a || record.b", "not_null(record.a, record.b)", "[record.a, record.b][?@] | [0]"):
        assert task(path).score({"response": "", "a": None, "b": "x", "reference": "x"}).score == 1.0, path


@pytest.mark.parametrize("path", ["not_null(parsed.a, parsed.b)", "parsed.a || parsed.b", "a || b", "not_null(a, b)"])
def test_a_path_may_begin_twice_with_a_part_of_the_answer(path: str) -> None:
    assert task(path, parse="json").score({"response": '{"b": "x"}', "reference": "x"}).score == 1.0


def test_a_path_over_a_value_of_a_pack(tmp_path: Any) -> None:
    value = "values: {m: 'prediction | find_groups(r\"(?P<a>x)?(?P<b>y)?\")'}\n"
    (tmp_path / "p.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\n" + value)
    (tmp_path / "t.yaml").write_text(
        "kind: task\nname: t\nimports: {p: ./p.yaml}\n"
        "fields: {f: {prediction: p.m.a || p.m.b, reference: '@', score: equal}}\n"
    )
    assert scoring.load(tmp_path / "t.yaml").score({"response": "y", "reference": "y"}).score == 1.0


@pytest.mark.parametrize(
    ("path", "both"),
    [
        ("money.a || town.b", "`money` and `town`"),
        ("money.a || place", "`money` and `place`"),
        ("not_null(@, money.a)", "`money` and `@`"),
        ("money.a || record.b", "`money` and `record`"),
        ("parsed.a || record.b", "`parsed` and `record`"),
    ],
)
def test_a_path_over_two_values_is_refused(path: str, both: str) -> None:
    with pytest.raises(SpecError) as raised:
        task(path, values={**MONEY, "town": "record.town"})
    (found,) = (one for one in raised.value.diagnostics if one.severity == "error")
    assert found.id == "bad-path"
    assert both in found.message
    assert "fallback" in found.help[0]


@pytest.mark.parametrize(
    ("place", "step"),
    [
        ("answer | lower", "parsed.answer | lower"),
        ("answer.x | lower | strip", "parsed.answer.x | lower | strip"),
        ("answer[0] | lower", "parsed.answer[0] | lower"),
        ('answer | find("x")', 'parsed.answer | find("x")'),
        ("lower | strip", "parsed | lower | strip"),
        ('strip("x") | lower', 'parsed | strip("x") | lower'),
    ],
)
def test_a_place_with_steps_behind_it_is_refused(place: str, step: str) -> None:
    with pytest.raises(SpecError) as raised:
        task(place, parse="json")
    (found,) = raised.value.diagnostics
    assert found.id == "wrong-stage"
    assert found.help[0].startswith(f"write `{step}`")
    assert found.primary.span is not None
    assert found.primary.span.text.strip("'\"").replace("\\", "") == place
    task(step, parse="json")  # the next step is one


def test_a_reference_with_steps_behind_it_is_refused() -> None:
    fields = {"f": {"prediction": "@", "reference": "gold | lower", "score": "equal"}}
    with pytest.raises(SpecError, match="`gold` is no value of this file") as raised:
        scoring.load({"kind": "task", "name": "t", "fields": fields})
    assert raised.value.diagnostics[0].help[0].startswith("write `reference.gold | lower`")


def test_the_pipes_that_only_jmespath_has_are_places() -> None:
    for path in ("a[*].b | [0]", "a[].b | max(@)", "a | [0]"):
        assert not task(path, parse="json").warnings


_NAMES = st.sampled_from(["a", "b", '"c d"', "e"])
_PATHS = st.recursive(
    _NAMES | st.just("@"),
    lambda inner: st.one_of(
        st.tuples(inner, _NAMES).map(".".join),
        st.tuples(inner, inner).map(" || ".join),
        st.tuples(inner, inner).map(lambda pair: f"[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"{{x: {pair[0]}, y: {pair[1]}}}"),
        st.tuples(inner, inner, _NAMES).map(lambda one: f"({one[0]})[?{one[1]}].{one[2]}"),
        inner.map(lambda one: f"not_null(`1`, {one})"),
        inner.map(lambda one: f"({one})[*].b | [0]"),
        inner.map(lambda one: f"sort_by({one}, &a)"),
    ),
    max_leaves=6,
)


@given(_PATHS)
def test_every_name_at_a_root_is_found_and_no_other(path: str) -> None:
    """A search reads of the whole just the keys that are told: counted by a mapping that notes who asks it."""
    asked: set[str] = set()

    class Whole(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            asked.add(key)
            return default

    # A function may not like null: names behind it are not asked for.
    with contextlib.suppress(jmespath.exceptions.JMESPathError):
        jmespath.search(path, Whole())
    told = {one.name for one in roots_of(path)}
    # `@.a` asks the whole for what is told as `@`.
    assert asked <= told or "@" in told
    assert all(path[one.start : one.end].strip('"') == one.name for one in roots_of(path))
