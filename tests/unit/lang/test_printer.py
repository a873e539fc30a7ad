"""The canonical text, on one line and wrapped."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import scoring.lang
from scoring.lang.formula_printer import print_formula
from scoring.lang.parser import parse_formula, parse_pipeline
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import Literal
from scoring.lang.words import quote


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("a|b(  x = 1 )|(c|d)", "a | b(x=1) | c | d"),
        ("f('say \"hi\"', 'x')", 'f("say \\"hi\\"", "x")'),
        ("f({'a':=1})".replace(":", ""), "f({a=1})"),
        ("f('a b'=[1,2,], c={'d e'=null})", 'f("a b"=[1, 2], c={"d e"=null})'),
        ("f(record . x . 'y z' [ 0 ])", 'f(record.x."y z"[0])'),
        ("f(1E3, 0.50, 1e-7, - 2)", "f(1000.0, 0.5, 1e-07, -2)"),
        ("a()", "a"),
        (r'f("\u2028\u00e9\/")', 'f("\\u2028é/")'),
    ],
)
def test_pipelines(written: str, canonical: str) -> None:
    assert print_pipeline(parse_pipeline(written)) == canonical


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("((a))+(b*c)", "a + b * c"),
        ("a-(b-c)", "a - (b - c)"),
        ("a/(b*c)", "a / (b * c)"),
        ("(a-b)-c", "a - b - c"),
        ("not(a)and(not b)", "not a and not b"),
        ("not(a and b)", "not (a and b)"),
        ("-(a+b)", "-(a + b)"),
        ("(not a)==b", "(not a) == b"),
        ("(a<b)<c", "(a < b) < c"),
        ("a<b<=c", "a < b <= c"),
        ("a<b and b<c", "a < b < c"),
        ("a<b and c<b", "a < b and c < b"),
        ("a<b and b>c", "a < b and b > c"),
        ("(a<b<c)==d", "(a < b < c) == d"),
        ("x and (a<b<c)", "x and a < b < c"),
        ("a or(b or c)", "a or (b or c)"),
        ("min+\"score\"+'or'", 'min + "score" + "or"'),
        ("[a,'b',]", '[a, "b"]'),
        ("a  not   in[b]", "a not in [b]"),
        ("not a in b", "not (a in b)"),
        ('record["x y"][0].z', 'record."x y"[0].z'),
        ("record.p[record.i].t", 'record.p[record.i]["t"]'),
        ("(a+b)[0]", "(a + b)[0]"),
        ("r'\\d'", 'r"\\d"'),
        ("'a b'", '"a b"'),
        ("if(a>0.50,1,-1)", "if(a > 0.5, 1, -1)"),
    ],
)
def test_formulas(written: str, canonical: str) -> None:
    assert print_formula(parse_formula(written)) == canonical
    assert print_formula(parse_formula(canonical)) == canonical


def test_short_pipelines_stay_on_one_line() -> None:
    assert print_pipeline(parse_pipeline("a | b"), width=5) == "a | b"


def test_long_pipelines_have_a_line_for_each_step() -> None:
    tree = parse_pipeline('json | per_key(casefold | strip | equal, over="union", cases={a=1}) | at_least(0.5)')
    assert print_pipeline(tree, width=30) == (
        'json\n| per_key(\n  casefold | strip | equal,\n  over="union",\n  cases={a=1},\n)\n| at_least(0.5)'
    )
    assert print_pipeline(tree, width=20).splitlines()[2:5] == ["  casefold", "  | strip", "  | equal,"]


def test_half_a_pair_is_printed_as_its_escape() -> None:
    assert value_text(Literal("\ud800")) == quote("\ud800") == '"\\ud800"'


@pytest.mark.parametrize("module", [found.name for found in pkgutil.iter_modules(scoring.lang.__path__)])
def test_examples_in_docstrings(module: str) -> None:
    assert doctest.testmod(importlib.import_module(f"scoring.lang.{module}")).failed == 0
