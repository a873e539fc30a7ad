"""Hypothesis strategies for the trees of the language and for texts near it."""

from __future__ import annotations

from hypothesis import strategies as st

from scoring.diagnostics.source import Fragment
from scoring.lang.formula import (
    Binary,
    Bool,
    BoolOp,
    Compare,
    Field,
    Formula,
    Function,
    ListOf,
    Number,
    ScoreRef,
    Text,
    Unary,
    item_of,
)
from scoring.lang.formula_printer import print_formula
from scoring.lang.pipelines import as_value
from scoring.lang.tree import (
    FIXED_ROOTS,
    ROOTS,
    SOFT_ROOTS,
    Call,
    FormulaText,
    ListValue,
    Literal,
    MapValue,
    Path,
    Pipeline,
    Value,
)

RESERVED = frozenset({*ROOTS, "true", "false", "null"})
WORDS = frozenset({"and", "or", "not", "true", "false", "score", *FIXED_ROOTS})
FOREIGN = frozenset({"True", "TRUE", "False", "FALSE", "None", "NULL", "Null", "nil", "undefined"})

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.one_of(
    st.sampled_from(["lower", "equal", "zero_below", "x", "score", "and", "not", "lambda", "préfixe", "日本"]),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True),
)
floats = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(-(10**30), 10**30)
keywords = st.one_of(names, st.sampled_from(sorted(RESERVED)), texts)

literals = st.builds(Literal, st.one_of(texts, integers, floats, st.booleans(), st.none()))
segments = st.lists(st.one_of(keywords, st.integers(-99, 99)), max_size=3).map(tuple)
paths = st.one_of(
    st.builds(Path, st.sampled_from(FIXED_ROOTS), segments),
    st.builds(Path, st.sampled_from(SOFT_ROOTS), segments.filter(bool)),
)


def _dotted(first: str, rest: list[str], separator: str) -> str:
    return separator.join([first, *rest])


step_names = st.builds(
    _dotted, names, st.lists(st.one_of(names, st.sampled_from(sorted(RESERVED))), max_size=2), st.sampled_from("./")
).filter(
    lambda name: (
        name.split(".")[0] not in RESERVED and name.replace("/", ".").split(".")[0] != "not" and name not in FOREIGN
    )
)


def _items(values: st.SearchStrategy[Value]) -> st.SearchStrategy[tuple[tuple[str, Value], ...]]:
    return st.dictionaries(keywords, values, max_size=3).map(lambda items: tuple(items.items()))


def pipelines_of(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Pipeline]:
    """Pipelines whose arguments come from `values`."""
    calls = st.builds(Call, step_names, st.lists(values, max_size=3).map(tuple), _items(values))
    heads = st.one_of(st.none(), paths)
    return st.builds(Pipeline, st.lists(calls, min_size=1, max_size=4).map(tuple), st.none(), heads)


def _is_constant(found: ListValue) -> bool:
    """Tell whether a list has no values of the record, with which it is a formula."""
    return not any(isinstance(one, Path | FormulaText) for one in found.items)


def _values_of(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.builds(ListValue, st.lists(values, max_size=3).map(tuple)).filter(_is_constant),
        st.builds(MapValue, _items(values)),
        pipelines_of(values),
    )


numbers = st.builds(Number, st.one_of(st.integers(0, 10**30), floats.map(abs)))
fields = st.builds(Field, st.one_of(names, st.sampled_from(["in", "min", "if"])).filter(lambda n: n not in WORDS))


def _formulas_of(formulas: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(formulas, min_size=2, max_size=3).map(tuple)
    function_names = names.filter(lambda name: name not in WORDS)
    return st.one_of(
        st.builds(Unary, st.sampled_from(["-", "not"]), formulas),
        st.builds(Binary, st.sampled_from("+-*/"), formulas, formulas),
        st.builds(Compare, st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "in", "not in"]), formulas, formulas),
        st.builds(BoolOp, st.sampled_from(["and", "or"]), several),
        st.builds(Function, function_names, st.lists(formulas, max_size=3).map(tuple)),
        st.builds(ListOf, st.lists(formulas, max_size=3).map(tuple)),
        st.builds(item_of, formulas, formulas),
    )


formulas: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(numbers, fields, paths, st.builds(Text, texts), st.builds(Bool, st.booleans()), st.builds(ScoreRef)),
    _formulas_of,
    max_leaves=15,
)


def _as_value(formula: Formula) -> FormulaText:
    text = print_formula(formula)
    return as_value(formula, Fragment.of(text))


#: Formulas that are no value of another kind: a number, a name and the call of a name are.
formula_texts = formulas.filter(lambda one: isinstance(one, Binary | Compare | BoolOp)).map(_as_value)

leaves: st.SearchStrategy[Value] = st.one_of(literals, paths, formula_texts)
# Three floors, each drawn once: `st.recursive` throws away half of what it draws for having too many leaves.
values: st.SearchStrategy[Value] = st.one_of(leaves, leaves, _values_of(st.one_of(leaves, leaves, _values_of(leaves))))
pipelines = pipelines_of(values)
computed = st.one_of(pipelines, st.one_of(paths, formula_texts).map(lambda head: Pipeline((), None, head)))

#: Texts that are almost expressions: pieces of the language in any order.
scraps = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "a",
                " ",
                "|",
                "(",
                ")",
                "[",
                "]",
                "{",
                "}",
                ",",
                "=",
                ".",
                ":",
                '"',
                "'",
                "\\",
                "1",
                "0.5",
                "1e9",
                "-",
                "+",
                "*",
                "/",
                "<",
                ">=",
                "==",
                "and",
                "or",
                "not",
                "in",
                "true",
                "null",
                "record",
                "values",
                "parsed",
                "score",
                "lambda",
                "#",
                "@",
                "“",
                "（",
                "\n",
                "\u00a0",
                "||",
                "&&",
                "\ud800",
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=20,
).map("".join)
