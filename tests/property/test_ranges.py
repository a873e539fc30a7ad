"""Ranges: what a formula or a scorer gives lies in the range that is computed, which is no wider than it must be."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import scoring
from scoring.compiler.formulas.formula import FormulaCompiler
from scoring.compiler.programs.messages import Findings
from scoring.lang.parser import parse_formula
from scoring.ranges import ScoreRange
from scoring.result import Unscored

NAMES = ("a", "b", "c", "d")
NUMBERS = st.sampled_from(["0", "0.5", "1", "2", "3.25", "100", "0.1"])
ENDS = st.one_of(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), st.floats(-100, 100)).map(lambda end: end + 0.0)


def grown(leaves: st.SearchStrategy[str], *, freely: bool) -> st.SearchStrategy[str]:
    """Formulas over some leaves; ``freely`` with all that the language has."""

    def longer(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(inner, st.sampled_from("+-*/" if freely else "+-*"), inner).map(lambda p: f"({' '.join(p)})")
        several = st.tuples(
            st.sampled_from(["min", "max", "mean", "sum"]), st.lists(inner, min_size=1, max_size=3)
        ).map(lambda call: f"{call[0]}({', '.join(call[1])})")
        ways = [pair, several, inner.map(lambda text: f"(-{text})")]
        if freely:
            chosen = st.tuples(inner, st.sampled_from(["<", ">=", "=="]), inner, inner, inner)
            ways += [
                st.tuples(st.sampled_from(["abs", "exp", "log", "sqrt", "round"]), inner).map(
                    lambda c: f"{c[0]}({c[1]})"
                ),
                st.tuples(inner, inner).map(lambda part: f"clip({part[0]}, -1, {part[1]} * {part[1]})"),
                st.tuples(inner, inner).map(lambda part: f"argmax({part[0]}, {part[1]})"),
                st.tuples(inner, inner, inner).map(lambda p: f"dot([{p[0]}, {p[1]}], [{p[2]}, 2] - {p[1]})"),
                st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"sum(exp([{', '.join(parts)}]) * 2)"),
                chosen.map(lambda part: f"if({part[0]} {part[1]} {part[2]} or false, {part[3]}, {part[4]})"),
            ]
        return st.one_of(ways)

    return st.recursive(leaves, longer, max_leaves=8)


FORMULAS = grown(st.one_of(st.sampled_from(NAMES), NUMBERS), freely=True)
FIELDS = st.fixed_dictionaries(
    {name: st.tuples(ENDS, ENDS).map(lambda ends: ScoreRange(*sorted(ends))) for name in NAMES}
)


def compiled(text: str, fields: dict[str, ScoreRange]) -> tuple[Any, bool]:
    """The formula, and whether it is in order: what can only be one thing, and what divides by 0, is refused."""
    findings = Findings()
    found = FormulaCompiler(fields, findings).number(parse_formula(text))
    return found, not findings.diagnostics.has_errors


@pytest.mark.property
@given(text=FORMULAS, fields=FIELDS, data=st.data())
def test_what_a_formula_gives_lies_in_its_range(text: str, fields: dict[str, ScoreRange], data: st.DataObject) -> None:
    formula, is_fine = compiled(text, fields)
    assume(is_fine)
    values = {name: data.draw(st.floats(held.low, held.high)) for name, held in fields.items()}
    try:
        found = formula.evaluate(values)
    except (Unscored, OverflowError, ValueError):
        return
    assume(math.isfinite(found))
    assert formula.interval.low <= found <= formula.interval.high


@pytest.mark.property
@given(data=st.data(), fields=FIELDS)
def test_the_range_of_a_formula_with_each_field_once_is_met_at_both_ends(
    data: st.DataObject, fields: dict[str, ScoreRange]
) -> None:
    shape = data.draw(grown(st.just("?"), freely=False))
    assume(shape.count("?") <= len(NAMES))
    names = iter(NAMES)
    text = "".join(next(names) if letter == "?" else letter for letter in shape)
    formula, is_fine = compiled(text, fields)
    assert is_fine
    corners = itertools.product(*((held.low, held.high) for held in fields.values()))
    found = [formula.evaluate(dict(zip(fields, corner, strict=True))) for corner in corners]
    assert (formula.interval.low, formula.interval.high) == (min(found), max(found))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("2 * a + b", 0, 3),
        ("a - b", -1, 1),
        ("a * a - a * a", 0, 0),
        ("(a - b) * (a - b)", 0, 1),
        ("1 - a", 0, 1),
        ("a / (1 + b)", 0, 1),
        ("1 / a", 1, math.inf),
        ("1 / (a - 1)", -math.inf, -1),
        ("if(a >= 0.5, 2, b)", 0, 2),
        ("if(true, a, 7)", 0, 1),
        ("mean(a, b, 4)", 4 / 3, 2),
        ("abs(a - 3)", 2, 3),
        ("max(a, 0.25) * -2", -2, -0.5),
    ],
)
def test_the_range_of_a_plain_formula_is_tight(text: str, low: float, high: float) -> None:
    fields = {name: ScoreRange(0.0, 1.0) for name in NAMES}
    assert compiled(text, fields)[0].interval == ScoreRange(low, high)


LEAVES = st.sampled_from(
    [
        "equal",
        "lower | levenshtein",
        "number | absolute_error",
        "number | within(relative=0.1)",
        "number | absolute_error | exp_decay(rate=0.5)",
        "number | absolute_error | at_least(threshold=2)",
        "number | absolute_error | zero_below(threshold=3)",
        "levenshtein | zero_below(0.3, strict=true)",
        "levenshtein | at_least(0.3, strict=true)",
        "levenshtein | scale(by=0.5, plus=0.25)",
        "levenshtein | invert | zero_below(0.25)",
    ]
)


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        st.tuples(st.sampled_from(["any_of", "all_of", "first_of"]), several).map(lambda part: f"{part[0]}({part[1]})"),
        st.tuples(inner, st.sampled_from(["-2", "0", "0.5", "7"])).map(
            lambda part: f"attempt({part[0]}, otherwise={part[1]})"
        ),
        st.tuples(inner, inner, inner).map(lambda p: f"when(test={p[0]}, then={p[1]}, otherwise={p[2]})"),
        st.tuples(inner, inner).map(lambda p: f"when(test={p[0]}, then={p[1]})"),
    )


TEXTS = st.sampled_from(["1", "1.5", "-3", "12", "x", "xy", "", "Paris", "1e3"])


def check_range(text: str, pairs: list[tuple[str, str]]) -> None:
    """Check that what a scorer gives for some pairs lies in its range."""
    scorer = scoring.scorer(text)
    scored = scorer.score_many([one for one, _ in pairs], [other for _, other in pairs])
    values = [one.value for one in scored if one.value is not None]
    assert all(scorer.range.low <= value <= scorer.range.high for value in values)
    assert not any("outside" in (one.reason or "") for one in scored)


@pytest.mark.property
@given(
    text=st.recursive(LEAVES, wrapped, max_leaves=4), pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8)
)
def test_what_a_scorer_gives_lies_in_its_range(text: str, pairs: list[tuple[str, str]]) -> None:
    check_range(text, pairs)
