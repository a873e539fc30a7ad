"""What the expressions mean: the trees of pipelines and of formulas, and the spans in them."""

from __future__ import annotations

import pytest

from scoring.diagnostics.source import Fragment
from scoring.lang.formula import (
    Binary,
    Bool,
    BoolOp,
    Compare,
    Field,
    Formula,
    Function,
    Index,
    ListOf,
    Number,
    ScoreRef,
    Text,
    Unary,
    walk_formula,
)
from scoring.lang.parser import parse_formula, parse_path, parse_pipeline
from scoring.lang.tree import Call, ListValue, Literal, MapValue, Path, Pipeline, Value, walk


def word(*names: str) -> Pipeline:
    return Pipeline(tuple(Call(name) for name in names))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", Literal(1)),
        ("-1", Literal(-1)),
        ("- 1", Literal(-1)),
        ("0.5", Literal(0.5)),
        ("1.0", Literal(1.0)),
        ("1e-6", Literal(1e-6)),
        ("-2.5E+3", Literal(-2500.0)),
        ("-0.0", Literal(0.0)),
        ("1e3", Literal(1000.0)),
        ("true", Literal(True)),
        ("false", Literal(False)),
        ("null", Literal(None)),
        ('"a b"', Literal("a b")),
        ("'a b'", Literal("a b")),
        (r'"\"\\\/\b\f\n\r\t"', Literal('"\\/\b\f\n\r\t')),
        (r"'it\'s \u00e9 \ud83d\ude00'", Literal("it's é 😀")),
        ('"# not: a comment"', Literal("# not: a comment")),
        ("[]", ListValue(())),
        ("[1, [2],]", ListValue((Literal(1), ListValue((Literal(2),))))),
        ("{}", MapValue(())),
        ('{a=1, "b c"=x,}', MapValue((("a", Literal(1)), ("b c", word("x"))))),
        ("{record=1, true=2}", MapValue((("record", Literal(1)), ("true", Literal(2))))),
        ("threshold", word("threshold")),
        ("a | b", word("a", "b")),
        ("(a | b)", word("a", "b")),
        ("mega.near | acme/near", word("mega.near", "acme/near")),
        ("préfixe", word("préfixe")),
        ("record", Path("record")),
        ("context.a.b", Path("context", ("a", "b"))),
        ('reference."a b"[0][-1]', Path("reference", ("a b", 0, -1))),
        ("prediction.true", Path("prediction", ("true",))),
        ("record.record", Path("record", ("record",))),
        ("recorded", word("recorded")),
        ("nullable", word("nullable")),
    ],
)
def test_values(written: str, value: Value) -> None:
    assert parse_pipeline(f"f({written})") == Pipeline((Call("f", (value,)),))
    assert parse_pipeline(f"f(x={written})") == Pipeline((Call("f", (), (("x", value),)),))


def test_constants_of_different_kinds_differ() -> None:
    trees = {parse_pipeline(f"f({written})") for written in ("1", "1.0", "true", '"1"', '"true"')}
    assert len(trees) == 5


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a|b", "a | b"),
        ("a | (b | c) | d", "a | b | c | d"),
        ("((a))", "a"),
        ("a()", "a"),
        ("f(x,)", "f(x)"),
        ("f(\n  x,\n  y=1,\n)", "f(x, y=1)"),
        ("a\n| b", "a | b"),
        ("f('x')", 'f("x")'),
        ("f('x'=1)", "f(x=1)"),
        ("a . b", "a.b"),
    ],
)
def test_ways_to_write_one_tree(left: str, right: str) -> None:
    assert parse_pipeline(left) == parse_pipeline(right)


def test_arguments_keep_their_order() -> None:
    tree = parse_pipeline('switch(record.t, "No answer"=refusal, Int=int_match)')
    assert tree.steps[0].args == (Path("record", ("t",)),)
    assert [name for name, _ in tree.steps[0].kwargs] == ["No answer", "Int"]


def test_spans_of_a_pipeline() -> None:
    text = 'lower | per_key( to_set | equal, over = "union", limits={"a"=[record.x]})'
    tree = parse_pipeline(text)
    found = [node.span.text for node in walk(tree) if node.span]
    assert found == [
        text,
        "lower",
        text[8:],
        "to_set | equal",
        "to_set",
        "equal",
        '"union"',
        '{"a"=[record.x]}',
        "[record.x]",
        "record.x",
    ]
    call = tree.steps[1]
    assert call.name_span is not None
    assert call.name_span.text == "per_key"
    assert [span.text for span in call.keyword_spans if span] == ["over", "limits"]
    assert call.keyword_span(7) is None
    (_, limits) = call.kwargs[1]
    assert isinstance(limits, MapValue)
    assert [span.text for span in limits.key_spans if span] == ['"a"']


def test_equality_ignores_spans() -> None:
    assert parse_pipeline(Fragment.of("a |b")) == parse_pipeline(Fragment.of("a | b"))
    assert hash(parse_pipeline("a |b")) == hash(parse_pipeline("a | b"))


a, b, c = Field("a"), Field("b"), Field("c")


@pytest.mark.parametrize(
    ("written", "tree"),
    [
        ("a + b * c", Binary("+", a, Binary("*", b, c))),
        ("a - b - c", Binary("-", Binary("-", a, b), c)),
        ("a / b * c", Binary("*", Binary("/", a, b), c)),
        ("(a + b) * c", Binary("*", Binary("+", a, b), c)),
        ("-a * b", Binary("*", Unary("-", a), b)),
        ("a - -1", Binary("-", a, Unary("-", Number(1)))),
        ("a-1", Binary("-", a, Number(1))),
        ("not a == b", Unary("not", Compare("==", a, b))),
        ("not a and b or c", BoolOp("or", (BoolOp("and", (Unary("not", a), b)), c))),
        ("a and b and c", BoolOp("and", (a, b, c))),
        ("a and (b and c)", BoolOp("and", (a, BoolOp("and", (b, c))))),
        ("0.2 <= a < 0.8", BoolOp("and", (Compare("<=", Number(0.2), a), Compare("<", a, Number(0.8))))),
        ("score >= 0.8", Compare(">=", ScoreRef(), Number(0.8))),
        ("a + 1 != b", Compare("!=", Binary("+", a, Number(1)), b)),
        ("if(a, true, false)", Function("if", (a, Bool(True), Bool(False)))),
        ("min(a, b,)", Function("min", (a, b))),
        ("f()", Function("f", ())),
        ('"number of objects"', Text("number of objects")),
        ("'score'", Text("score")),
        ("min", Field("min")),
        ("in", Field("in")),
        ("record", Path("record")),
        ("record.options[0].text", Path("record", ("options", 0, "text"))),
        ('record."a b"[-1]', Path("record", ("a b", -1))),
        ('(record.a)["b"]', Path("record", ("a", "b"))),
        ("record.p[record.gold].text", Index(Index(Path("record", ("p",)), Path("record", ("gold",))), Text("text"))),
        ("a[0]", Index(a, Number(0))),
        ("-a[b]", Unary("-", Index(a, b))),
        ("[a, 1,]", ListOf((a, Number(1)))),
        ("[]", ListOf(())),
        ('a in ["x"]', Compare("in", a, ListOf((Text("x"),)))),
        ("a not in b and not c", BoolOp("and", (Compare("not in", a, b), Unary("not", c)))),
        ("null", Field("null")),
        ("scores", Field("scores")),
        ("字段", Field("字段")),
    ],
)
def test_formulas(written: str, tree: object) -> None:
    assert parse_formula(written) == tree


def test_spans_of_a_formula() -> None:
    tree = parse_formula('0.5 * min(a, "b c") >= -score')
    assert [node.span.text for node in walk_formula(tree) if node.span] == [
        '0.5 * min(a, "b c") >= -score',
        '0.5 * min(a, "b c")',
        "0.5",
        'min(a, "b c")',
        "a",
        '"b c"',
        "-score",
        "score",
    ]


def below(calls: int, text: str) -> Formula:
    """The formula of a text, read that many calls deep."""
    return parse_formula(text) if calls == 0 else below(calls - 1, text)


@pytest.mark.parametrize("text", ["(" * 50 + "not " * 150 + "-" * 50 + "a" + ")" * 50, "f(1 + " * 50 + "a" + ")" * 50])
def test_the_deepest_formula_is_read_also_where_the_program_is_deep(text: str) -> None:
    assert below(250, text) == below(700, text) == parse_formula(text)


def test_formulas_hold_at_their_limit() -> None:
    text = " - ".join(["a"] * 201)
    tree = parse_formula(text)
    assert hash(tree) == hash(parse_formula(text))
    assert sum(1 for _ in walk_formula(tree)) == 401


def test_path() -> None:
    assert parse_path("context.cases[0]") == Path("context", ("cases", 0))


def test_nodes_refuse_what_has_no_text() -> None:
    for build in (
        lambda: Pipeline(()),
        lambda: Literal(float("nan")),
        lambda: Number(float("inf")),
        lambda: Number(-1),
        lambda: BoolOp("and", (a,)),
    ):
        with pytest.raises(ValueError, match=r"."):
            build()
