"""Laws: what is printed reads back as the same tree, and no text at all makes the parser fail in another way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from scoring.diagnostics.diagnostic import SpecError
from scoring.lang.formula import Formula
from scoring.lang.formula_printer import print_formula
from scoring.lang.parser import parse_formula, parse_pipeline
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Pipeline
from tests.support.strategies_lang import formulas, pipelines, scraps

pytestmark = pytest.mark.property
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@given(pipelines)
def test_a_printed_pipeline_reads_back_wrapped_or_not_and_stands_unquoted_in_yaml(tree: Pipeline) -> None:
    """One law for all that is printed: drawing a tree takes longer than all that is asked of it."""
    printed, wrapped = print_pipeline(tree), print_pipeline(tree, width=20)
    assert parse_pipeline(printed) == tree
    assert parse_pipeline(wrapped) == tree
    assert print_pipeline(parse_pipeline(wrapped)) == printed
    for text in (printed, wrapped):
        outside = QUOTED.sub('""', text)
        assert ": " not in outside
        assert ":\n" not in outside
        assert "#" not in outside


@given(formulas)
def test_printed_formula_reads_back(tree: Formula) -> None:
    assert parse_formula(print_formula(tree)) == tree


@pytest.mark.parametrize(("parse", "show"), [(parse_pipeline, print_pipeline), (parse_formula, print_formula)])
@given(text=scraps)
def test_any_text_is_a_tree_or_a_finding(parse: Callable[[str], Any], show: Callable[[Any], str], text: str) -> None:
    try:
        tree = parse(text)
    except SpecError as error:
        refused = error.diagnostics
    else:
        refused = ()
        printed = show(tree)
        assert parse(printed) == tree
        assert show(parse(printed)) == printed
    assert all(found.id.startswith("syntax-") and found.message for found in refused)
    assert all(found.span is not None for found in refused)


@pytest.mark.parametrize("sign", ["not ", "-"])
def test_many_signs_in_a_row_read_back(sign: str) -> None:
    tree = parse_formula(sign * 120 + "a")
    assert parse_formula(print_formula(tree)) == tree


@pytest.mark.parametrize("written", ["a", "(a >= 0.5)", "(a and b)"])
def test_a_condition_that_is_turned_many_times_reads_back(written: str) -> None:
    tree = parse_formula("not " * 60 + written)
    assert print_formula(tree) == "not " * 60 + written
    assert parse_formula(print_formula(tree)) == tree
