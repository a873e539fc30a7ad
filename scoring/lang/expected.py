"""Describe in words what is expected at a position of an expression, given the terminals that are accepted there."""

from __future__ import annotations

from collections.abc import Set

_ROOTS = ("RECORD", "CONTEXT", "REFERENCE", "PREDICTION", "ITEM", "SOFT")
_VALUES = ("TEXT", "NUMBER", "TRUE", "FALSE", "NULL", "LBRACE", "NAME", "LPAR", "LSQB", "MINUS", *_ROOTS)
_FORMULAS = ("NUMBER", "NAME", "TEXT", "TRUE", "FALSE", "SCORE", "NOT", "LPAR", "LSQB", "MINUS", *_ROOTS)
# The ways in which a name or a path may continue; they are not mentioned where something else may follow as well.
_FURTHER = ("DOT", "SLASH", "LPAR", "LSQB", "EQUAL")
# In order of priority: a phrase, the terminals that must all be accepted, and the terminals that the phrase covers.
_PHRASES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("a value", ("TEXT", "NUMBER", "LBRACE"), _VALUES),
    ("a number, a field or a function", ("NUMBER", "NAME", "SCORE"), _FORMULAS),
    ("a name", ("NAME", "TEXT", "TRUE"), ("NAME", "TEXT", "TRUE", "FALSE", "NULL", *_ROOTS)),
    ("a name or a text in quotes", ("NAME", "TEXT"), ("NAME", "TEXT")),
    ("a name", ("NAME",), ("NAME", "LPAR", *_ROOTS)),
    ("record, context, reference, prediction, item, parsed or values", _ROOTS, _ROOTS),
    ("a number", ("NUMBER",), ("NUMBER", "MINUS")),
    ("arithmetic", ("PLUS", "STAR"), ("PLUS", "MINUS", "STAR", *_FURTHER)),
    ("`and`", ("AND",), ("AND",)),
    ("`or`", ("OR",), ("OR",)),
    ("a comparison", ("COMPARE",), ("COMPARE", "IN", "NOT_IN")),
    ("`|`", ("VBAR",), ("VBAR", *_FURTHER)),
    ("`=`", ("EQUAL",), ("EQUAL",)),
    ("`.`", ("DOT",), ("DOT",)),
    ("`/`", ("SLASH",), ("SLASH",)),
    ("`[`", ("LSQB",), ("LSQB",)),
    ("`(`", ("LPAR",), ("LPAR",)),
    ("`,`", ("COMMA",), ("COMMA",)),
    ("`)`", ("RPAR",), ("RPAR",)),
    ("`]`", ("RSQB",), ("RSQB",)),
    ("`}`", ("RBRACE",), ("RBRACE",)),
    ("the end", ("$END",), ("$END",)),
)


def describe_expected(accepted: Set[str]) -> str:
    """Return a phrase that says in words which kinds of tokens may come next.

    Args:
        accepted: The names of these tokens in the grammar, as returned by Lark.

    Examples:
        >>> describe_expected({"$END", "VBAR", "LPAR", "DOT", "SLASH"}), describe_expected({"NAME", "TEXT"})
        ('`|` or the end', 'a name or a text in quotes')
    """
    words: list[str] = []
    left = set(accepted)
    for phrase, wanted, covered in _PHRASES:
        if left.issuperset(wanted):
            words.append(phrase)
            left.difference_update(covered)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
