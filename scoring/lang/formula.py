"""The syntax trees of formulas such as `aggregate: 0.7 * vendor + 0.3 * total`, `pass: record.level in ["a", "b"]`."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scoring.diagnostics.source import Span
from scoring.lang.tree import Constant, Path
from scoring.value_base import PartlyCompared

UnaryOp = typing.Literal["-", "not"]
BinaryOp = typing.Literal["+", "-", "*", "/"]
CompareOp = typing.Literal["<", "<=", ">", ">=", "==", "!=", "in", "not in"]
BooleanOp = typing.Literal["and", "or"]


class Number(Constant, frozen=True, eq=False):
    """A number without a sign; `-1` is the unary minus of 1."""

    value: int | float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.value < 0:
            raise ValueError("a negative number is Unary('-', Number(...))")


class Bool(PartlyCompared, frozen=True, eq=False):
    """A constant in a formula: `true` or `false`."""

    value: bool
    span: Span | None = None


class Text(PartlyCompared, frozen=True, eq=False):
    """A text in quotes; where a number is required, it is the name of a field and means its score."""

    value: str
    span: Span | None = None


class Field(PartlyCompared, frozen=True, eq=False):
    """A bare word in a formula: the name of a field, whose score it means, or of a computed value."""

    name: str
    span: Span | None = None


class ScoreRef(PartlyCompared, frozen=True, eq=False):
    """The word `score`: the aggregated score of the record."""

    span: Span | None = None


class Unary(PartlyCompared, frozen=True, eq=False):
    """A formula preceded by an operator: `-x` or `not x`."""

    op: UnaryOp
    x: Formula
    span: Span | None = None


class Binary(PartlyCompared, frozen=True, eq=False):
    """Two formulas joined by an arithmetic operator, such as `a + b`."""

    op: BinaryOp
    a: Formula
    b: Formula
    span: Span | None = None


class Compare(PartlyCompared, frozen=True, eq=False):
    """A comparison of two formulas; the chain `a < b < c` is `a < b and b < c`."""

    op: CompareOp
    a: Formula
    b: Formula
    span: Span | None = None


class BoolOp(PartlyCompared, frozen=True, eq=False):
    """Two or more formulas joined by `and` or by `or`."""

    op: BooleanOp
    items: tuple[Formula, ...]
    span: Span | None = None

    def __post_init__(self) -> None:
        if len(self.items) < 2:
            raise ValueError(f"`{self.op}` joins at least two formulas")


class Function(PartlyCompared, frozen=True, eq=False):
    """A call of a function in a formula, such as `min(a, b)`; the compiler checks that the function exists."""

    aside = ("span", "name_span")
    name: str
    args: tuple[Formula, ...]
    span: Span | None = None
    name_span: Span | None = None


class ListOf(PartlyCompared, frozen=True, eq=False):
    """A list of formulas, `[a, b]`."""

    items: tuple[Formula, ...]
    span: Span | None = None


class Index(PartlyCompared, frozen=True, eq=False):
    """An item of a list or mapping, `x[i]`; a constant index into a path gives a longer path, see `item_of`."""

    x: Formula
    at: Formula
    span: Span | None = None


Operation = Unary | Binary | Compare | BoolOp | ListOf | Index
Formula = Number | Bool | Text | Field | ScoreRef | Path | Function | Operation


# The attributes of the operands of formulas that have a fixed number of them.
_OPERANDS = {Unary: ("x",), Binary: ("a", "b"), Compare: ("a", "b"), Index: ("x", "at")}


def item_of(x: Formula, at: Formula, span: Span | None = None) -> Path | Index:
    """Return the tree of `x[at]`; if `x` is a path and `at` a constant, it is that path with one more segment.

    Examples:
        >>> item_of(Path("record", ("p",)), Number(0))
        Path(root='record', segments=('p', 0))
        >>> item_of(Path("record", ("p",)), Field("i"))
        Index(x=Path(root='record', segments=('p',)), at=Field(name='i'))
    """
    if isinstance(x, Path):
        turned = isinstance(at, Unary) and at.op == "-"
        number = at.x if isinstance(at, Unary) and turned else at
        if isinstance(number, Number) and isinstance(number.value, int):
            return Path(x.root, (*x.segments, -number.value if turned else number.value), span)
        if isinstance(at, Text):
            return Path(x.root, (*x.segments, at.value), span)
    return Index(x, at, span)


def operands(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas directly below a formula, in the order as written."""
    if isinstance(formula, BoolOp | ListOf):
        return formula.items
    if isinstance(formula, Function):
        return formula.args
    return tuple([getattr(formula, name) for name in _OPERANDS.get(type(formula), ())])


def with_operands(formula: Formula, parts: Sequence[Formula]) -> Formula:
    """Return a formula with its operands replaced by `parts`, in the order in which `operands` returns them.

    Examples:
        >>> with_operands(Unary("-", Field("a")), [Field("b")])
        Unary(op='-', x=Field(name='b'))
    """
    if isinstance(formula, BoolOp | ListOf):
        return replace(formula, items=tuple(parts))
    if isinstance(formula, Function):
        return replace(formula, args=tuple(parts))
    changed: dict[str, typing.Any] = dict(zip(_OPERANDS.get(type(formula), ()), parts, strict=True))
    return replace(formula, **changed) if changed else formula


def formula_from_data(data: object, span: Span | None = None) -> Formula | None:
    """Return plain data as the formula of a constant; None for null, mappings and what is in no formula.

    Examples:
        >>> formula_from_data([-1, "a"])
        ListOf(items=(Unary(op='-', x=Number(value=1)), Text(value='a')))
    """
    if isinstance(data, bool):
        return Bool(data, span)
    if isinstance(data, int | float):
        return Number(data, span) if data >= 0 else Unary("-", Number(-data, span), span)
    if isinstance(data, str):
        return Text(data, span)
    items = [formula_from_data(one, span) for one in data] if isinstance(data, list | tuple) else [None]
    return None if None in items else ListOf(tuple(filter(None, items)), span)


def walk_formula(formula: Formula) -> Iterator[Formula]:
    """Yield a formula and everything below it, parents first.

    Examples:
        >>> tree = Binary("*", Number(2), Field("total"))
        >>> [node.name for node in walk_formula(tree) if isinstance(node, Field)]
        ['total']
    """
    yield formula
    for operand in operands(formula):
        yield from walk_formula(operand)
