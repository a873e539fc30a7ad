"""The syntax trees of pipelines and their arguments. Equality ignores the spans of nodes."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator, Mapping

from msgspec.structs import force_setattr

from scoring.diagnostics.source import Fragment, Span
from scoring.value_base import PartlyCompared

Root = typing.Literal["record", "context", "reference", "prediction", "item", "parsed", "values"]
ROOTS: tuple[Root, ...] = ("record", "context", "reference", "prediction", "item", "parsed", "values")
ROOT_OF: dict[str, Root] = {root: root for root in ROOTS}
ITEM: Root = "item"
"""The current item of a step that iterates over items; it has a value only within such a step."""
OF_RECORD: tuple[Root, ...] = tuple(root for root in ROOTS if root != ITEM)
"""The roots of paths that are allowed outside of such a step."""
SOFT_ROOTS: tuple[Root, ...] = ("parsed", "values")
"""Words that begin a path only if `.` or `[` follows; elsewhere they are ordinary names."""
FIXED_ROOTS: tuple[Root, ...] = tuple(root for root in ROOTS if root not in SOFT_ROOTS)
"""Words that always begin a path, except in `item(…)`, and so can't be names of steps."""
Spans = tuple[Span | None, ...]


class Constant(PartlyCompared, frozen=True, eq=False):
    """The base of syntax nodes that are one plain value; `true`, `1` and `1.0` are three different constants."""

    value: str | int | float | bool | None
    span: Span | None = None

    def __post_init__(self) -> None:
        if isinstance(self.value, float):
            force_setattr(self, "value", plain_float(self.value))

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and type(self.value) is type(getattr(other, "value", None))

    __hash__ = PartlyCompared.__hash__


class Literal(Constant, frozen=True, eq=False):
    """A string, a number, `true`, `false` or `null`.

    Examples:
        >>> Literal(1) == Literal(1), Literal(1) == Literal(True)
        (True, False)
    """


class ListValue(PartlyCompared, frozen=True, eq=False):
    """A list of values, `[1, 2]`."""

    items: tuple[Value, ...]
    span: Span | None = None


class MapValue(PartlyCompared, frozen=True, eq=False):
    """A map from texts to values, `{Int=int_match, "a b"=1}`, in source order."""

    aside = ("span", "key_spans")
    items: tuple[tuple[str, Value], ...]
    span: Span | None = None
    key_spans: Spans = ()


class Path(PartlyCompared, frozen=True, eq=False):
    """A path to a value of the row that is being scored, `context.test_cases[0].input`."""

    root: Root
    segments: tuple[str | int, ...] = ()
    span: Span | None = None


class FormulaText(PartlyCompared, frozen=True, eq=False):
    """A formula over the record as a value, `record.n / 2`: its canonical text, where it is written, and the paths and
    the bare words (as calls) that it names."""

    aside = ("fragment", "names")
    text: str
    fragment: Fragment
    names: tuple[Path | Call, ...] = ()

    @property
    def span(self) -> Span:
        """The span of the formula in the file."""
        return self.fragment.whole


class Call(PartlyCompared, frozen=True, eq=False):
    """One step: a name with its arguments; `lower` and `lower()` are the same call."""

    aside = ("span", "name_span", "keyword_spans")
    name: str
    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()
    span: Span | None = None
    name_span: Span | None = None
    keyword_spans: Spans = ()

    @property
    def is_alone(self) -> bool:
        """Whether the call is a name without arguments."""
        return not self.args and not self.kwargs

    def keyword_span(self, index: int) -> Span | None:
        """Return the span of the name of the keyword argument number `index`, None if it is unknown."""
        return self.keyword_spans[index] if index < len(self.keyword_spans) else None


class Pipeline(PartlyCompared, frozen=True, eq=False):
    """Steps joined by `|`; a bare word is a pipeline of one step.

    ``head`` is the path or formula at its beginning, if there is one: `reference | words`. Such a pipeline works on
    this value, not on its input. A computed value, declared under `values:` of a spec, may be a path or formula alone,
    without steps.

    Examples:
        >>> Pipeline((Call("lower"), Call("equal"))).is_word
        False
        >>> Pipeline((Call("lower"),)).is_word
        True
    """

    steps: tuple[Call, ...]
    span: Span | None = None
    head: Path | FormulaText | None = None

    def __post_init__(self) -> None:
        if not self.steps and self.head is None:
            raise ValueError("a pipeline has at least one step")

    @property
    def is_word(self) -> bool:
        """Whether the whole pipeline is one name without arguments, which may be the name of a parameter."""
        return len(self.steps) == 1 and self.head is None and self.steps[0].is_alone


Value = Literal | ListValue | MapValue | Path | FormulaText | Pipeline
Node = Value | Call


def as_pipeline(value: Value) -> Value:
    """Return an argument's value with a path or formula turned into a pipeline without steps; any other value is
    unchanged."""
    return Pipeline((), value.span, value) if isinstance(value, Path | FormulaText) else value


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below a node, in source order."""
    if isinstance(node, Pipeline):
        if node.head is not None:
            yield node.head
        yield from node.steps
    elif isinstance(node, FormulaText):
        yield from node.names
    elif isinstance(node, Call):
        yield from node.args
        yield from (value for _, value in node.kwargs)
    elif isinstance(node, ListValue):
        yield from node.items
    elif isinstance(node, MapValue):
        yield from (value for _, value in node.items)


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, parents first.

    Examples:
        >>> tree = Pipeline((Call("any_of", (Pipeline((Call("equal"),)),)),))
        >>> [node.name for node in walk(tree) if isinstance(node, Call)]
        ['any_of', 'equal']
    """
    yield node
    for child in children(node):
        yield from walk(child)


def value_from_data(data: object) -> Value:
    """Return plain data (texts, numbers, lists, mappings …) as the syntax tree of a value of the language.

    Examples:
        >>> value_from_data([1, "a"])
        ListValue(items=(Literal(value=1), Literal(value='a')))
    """
    if isinstance(data, Mapping):
        return MapValue(tuple((str(key), value_from_data(item)) for key, item in data.items()))
    if isinstance(data, (list, tuple)):
        return ListValue(tuple(map(value_from_data, data)))
    if data is not None and not isinstance(data, (str, int, float, bool)):
        raise TypeError(f"the language has no {type(data).__name__}")
    return Literal(data)


def plain_float(value: float) -> float:
    """Return a float with negative zero replaced by zero; raise ValueError if it is not finite."""
    if not math.isfinite(value):
        raise ValueError("the language has no text for infinite numbers and NaN")
    return value or 0.0
