"""Formulas of judge programs: counting verdicts and computing with the counts.

The string is a formula of the language (``scoring.lang``); here a name refers to a value of the program: a number,
or a list (of statements, of verdicts, of scores collected over references).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scoring.lang import formula as tree
from scoring.lang.evaluation import (
    SCORE,
    Evaluation,
    FormulaWords,
    Join,
    NoValue,
    Values,
    WrongKind,
    element_at,
    evaluation,
    operators,
    require_number,
)
from scoring.lang.functions import flat, functions, wrong_count
from scoring.lang.tree import Path
from scoring.lang.words import is_name
from scoring.result import Unscored, cause_of


class WrongType(Unscored):
    """The error that an operation of a formula does not allow the types of its operands, whatever their values are."""


@lru_cache(maxsize=512)
def _parse(text: str) -> tree.Formula:
    """Return the syntax tree of a formula.

    A quoted string is a string; if it can't be a bare name, it may instead be the name of a value.

    Raises:
        SpecError: with the location of the mistake; also for an unknown function.
    """
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.lang.parser import parse_formula

    found = parse_formula(text)
    for node in tree.walk_formula(found):
        if isinstance(node, tree.Function) and node.name not in _FUNCTIONS and node.name not in ("count", "if"):
            known = ", ".join(["count", "if", *_FUNCTIONS])
            raise SpecError.of("unknown-function", f"there is no function `{node.name}`", node.span, help=known)
        if isinstance(node, tree.Function) and (wrong := wrong_count(node)):
            raise SpecError.of("formula-type", wrong, node.span, help=f"here it has {len(node.args)}")
    return found


def evaluate_program_formula(text: str, values: Mapping[str, Any]) -> Any:
    """Return the value of a formula, in which names refer to the given values of a judge program.

    Raises:
        Unscored: when the formula divides by zero, a name has no value, or an operation does not allow a value.

    Examples:
        >>> evaluate_program_formula("count(verdicts, yes) / count(verdicts)", {"verdicts": ["yes", "no"]})
        0.5
        >>> evaluate_program_formula("max(0, scores)", {"scores": []})
        0
    """
    return _evaluation(text)(values)


def names_in(text: str, known: Container[str] = ()) -> set[str]:
    """Return the names that a formula reads; the second argument of ``count`` is a word, not a name.

    Args:
        text: The formula.
        known: The defined names: a quoted string that can't be a bare name refers to one of them.

    Examples:
        >>> sorted(names_in("count(verdicts, yes) + rating"))
        ['rating', 'verdicts']
    """
    return _names(_parse(text), known)


def _names(node: tree.Formula, known: Container[str]) -> set[str]:
    if isinstance(node, tree.Field):
        return {node.name}
    if isinstance(node, tree.Text):
        return {node.value} if not is_name(node.value) and node.value in known else set()
    if isinstance(node, tree.ScoreRef | Path):
        return {SCORE if isinstance(node, tree.ScoreRef) else node.root}
    parts = tree.operands(node)
    if isinstance(node, tree.Function) and node.name == "count":
        parts = parts[:1]
    return {name for part in parts for name in _names(part, known)}


@lru_cache(maxsize=512)
def _evaluation(text: str) -> Evaluation:
    return evaluation(_parse(text), _WORDS)


def _read(values: Values, name: str) -> Any:
    if name not in values:
        raise Unscored(f"the formula's `{name}` has no value")
    return values[name]


def _quoted(values: Values, text: str) -> Any:
    """Return the meaning of a quoted string in a formula: the value of the name `text` if `values` has one and the name
    can only be written in quotes; else the string itself.
    """
    return values[text] if not is_name(text) and text in values else text


def _path(values: Values, path: Path) -> Any:
    found = _read(values, path.root)
    for segment in path.segments:
        try:
            found = element_at(found, segment)
        except (TypeError, ValueError) as error:
            raise _failed("[…]", error) from None
    return found


def _failed(op: str, error: Exception) -> Exception:
    if isinstance(error, ZeroDivisionError):
        return Unscored("the formula divides by zero")
    if isinstance(error, WrongKind):
        message = f"`{op}` needs two numbers; `count(…)` is the length of a list"
        return WrongType(message if op in _OPERATORS else f"`{op}`: {error}")
    if isinstance(error, NoValue):
        return Unscored(f"`{op}` of the formula has no value: {error}")
    return Unscored(f"`{op}` of the formula has no value: {cause_of(error)}")


def _count(node: tree.Function) -> Evaluation:
    """Return a function that evaluates a call of ``count`` (`node`) on a program's values: the length of a list or,
    given a second argument, how often that word occurs in the list; the word need not be quoted.
    """
    items = evaluation(node.args[0], _WORDS)
    word = node.args[1] if len(node.args) > 1 else None
    if isinstance(word, tree.Field):
        word = tree.Text(word.name)
    sought = evaluation(word, _WORDS) if word is not None else None

    def counted(values: Values) -> int:
        found = items(values)
        if not isinstance(found, (list, tuple)):
            raise WrongType("`count` takes a list")
        if sought is None:
            return len(found)
        wanted = sought(values)
        return sum(item == wanted for item in found)

    return counted


def _typed(name: str, function: Join) -> Join:
    def call(arguments: Sequence[Any]) -> Any:
        try:
            return function(arguments)
        except TypeError:
            kinds = " and ".join(map(describe_kind, flat(arguments)[:3]))
            raise WrongType(f"`{name}` can't take {kinds}") from None

    return call


def describe_kind(value: Any) -> str:
    """Return words for the type of a value, for messages.

    Examples:
        >>> describe_kind(["yes"]), describe_kind(None)
        ('a list', 'nothing')
    """
    return _KINDS.get(type(value), "nothing" if value is None else "an object")


def _average_precision(marks: Sequence[Any]) -> float:
    """Return the mean of the precisions at each item marked yes, that is, the share of yes among the items up to it; 0
    if there is no yes.

    Examples:
        >>> _average_precision(["yes", "no", "no", "yes"]), _average_precision(["no", "yes", "no", "yes"])
        (0.75, 0.5)

    Source:
        Valor, text generation metrics, Context Precision.
    """
    hits, total = 0, 0.0
    for place, mark in enumerate(marks, start=1):
        if mark == "yes":
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0


def _either(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return a list of yes and no: yes at each position where at least one of the lists has yes.

    Examples:
        >>> _either([["yes", "no"], ["no", "no"]])
        ['yes', 'no']
    """
    return ["yes" if "yes" in marks else "no" for marks in zip(*lists, strict=True)]


_KINDS = {bool: "a boolean", int: "a number", float: "a number", str: "a text", dict: "an object", list: "a list"}


def _number(value: Any) -> Any:
    """Return the value if it is a number, with true and false as 1 and 0; raise an error otherwise."""
    return int(value) if isinstance(value, bool) else require_number(value)


_OPERATORS = frozenset("+-*/<>") | {"<=", ">="}
_UNTYPED: dict[str, Join] = {
    **{name: found.join for name, found in functions(_number).items()},
    "average_precision": lambda arguments: _average_precision(*arguments),
    "either": lambda arguments: _either(*arguments),
}
_FUNCTIONS = {name: _typed(name, function) for name, function in _UNTYPED.items()}
_WORDS = FormulaWords(
    _read,
    _path,
    _FUNCTIONS.__getitem__,
    _failed,
    {"count": _count},
    operators(_number),
    _number,
    truth=bool,
    quoted=_quoted,
)
