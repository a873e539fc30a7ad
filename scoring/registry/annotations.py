"""Annotations in signatures of primitives, and the types of the language that they denote."""

from __future__ import annotations

import collections.abc
import os
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from scoring.values import ANY, BOOL, NONE, NUMBER, SCORE, TEXT, Named, Type, list_of, union_of

T_contra = TypeVar("T_contra", contravariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
B_co = TypeVar("B_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Between:
    """A numeric parameter is between two bounds, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A numeric parameter is at least this."""

    low: float


@dataclass(frozen=True, slots=True)
class AtMost:
    """A numeric parameter is at most this."""

    high: float


@dataclass(frozen=True, slots=True)
class Says:
    """The description of a parameter that several primitives have: an annotation of its type instead of a line in
    Args."""

    text: str


@dataclass(frozen=True, slots=True)
class SettingFault:
    """A mistake in a setting, by the name of its parameter; for a string, with the wrong part."""

    param: str
    message: str
    label: str = ""
    help: str = ""
    start: int | None = None
    end: int = 0


@dataclass(frozen=True, slots=True)
class ParamMark:
    """A property of a parameter besides its type: the attribute of `Param` that is true."""

    attribute: str


RecordPath = Annotated[str, ParamMark("is_path")]
"""A parameter that names a value of the record, as a JMESPath: it is checked with the spec."""


SpecFolder = Annotated[str | None, ParamMark("is_folder")]
"""A parameter that names a folder, relative to the spec that says so; the function is given a `FolderText`."""


class FolderText(str):
    """The name of a folder as a spec has it, which knows where it counts from: the folder of that spec.

    Examples:
        >>> named = FolderText.beside("databases", __file__)
        >>> named, named.base == os.path.dirname(__file__)
        ('databases', True)
    """

    base: str

    @classmethod
    def beside(cls, name: str, source: str) -> FolderText:
        """Return a name in a file; in an expression without a file it is relative to the working folder."""
        text = cls(name)
        text.base = os.path.dirname(source) if os.path.isfile(source) else ""
        return text


ComparedPath = Annotated[str | None, ParamMark("is_path"), ParamMark("compared")]
"""A parameter of a metric that names a value of the record, or, where it is None, one that the task compares."""

ComparedField = Annotated[str | None, ParamMark("compared")]
"""A parameter of a metric that names the field whose compared values are meant."""


OfScore = Annotated[float, ParamMark("of_score")]
"""A parameter that scores are compared with: it must be in their range, which the compiler knows."""


class Scorer(Protocol, Generic[T_contra]):
    """A parameter that takes a pipeline ending in a score; called with a prediction and a reference."""

    def __call__(self, prediction: T_contra, reference: T_contra, /) -> float:
        """Return the score of the pair; raises what its primitives raise."""


class PairScorer(Protocol, Generic[A_contra, T_contra]):
    """Like :class:`Scorer`, where the two sides have types of their own: the prediction's, then the reference's."""

    def __call__(self, prediction: A_contra, reference: T_contra, /) -> float:
        """Return the score of the pair; raises what its primitives raise."""


class Transform(Protocol, Generic[A_contra, B_co]):
    """A parameter that takes a pipeline of transforms; called with one value."""

    def __call__(self, value: A_contra, /) -> B_co:
        """Return the transformed value; raises what its primitives raise."""


class ItemScorer(Protocol, Generic[A_contra, T_contra]):
    """Like :class:`PairScorer`, for each item of a list: the pipeline may read `item`, and is called with it."""

    def __call__(self, prediction: A_contra, reference: T_contra, item: Any, /) -> float:
        """Return the score of the pair for an item; raises what its primitives raise."""


ItemNumber: TypeAlias = Annotated[Callable[[Any], Any] | float, Named("Number"), ParamMark("of_item")]
"""A number for all items of a list, or a function of the item: in a spec a number, or a path such as `item.points`."""


class Aggregator(Protocol):
    """A parameter that takes an aggregator, with rescorers behind it if need be; called with scores and weights."""

    def __call__(self, fields: FieldScores, /) -> float:
        """Return the joint score; raises what its primitives raise."""


class FieldScore(NamedTuple):
    """One applicable field as an aggregator sees it."""

    name: str
    score: float
    weight: float


class FieldScores(tuple[FieldScore, ...]):
    """The fields of one record that have a score, with their weights, in the order of the spec."""

    __scoring_type__: ClassVar[str] = "Fields"
    __slots__ = ()

    @classmethod
    def of(cls, scores: Sequence[float], weights: Sequence[float] | None = None) -> FieldScores:
        """Field scores from plain numbers, for tests and examples."""
        used = [1.0] * len(scores) if weights is None else weights
        pairs = zip(scores, used, strict=True)
        return cls(FieldScore(f"field_{i}", score, weight) for i, (score, weight) in enumerate(pairs))


def marks_of(annotation: Any) -> dict[str, bool]:
    """Return the attributes of `Param` that an annotation, or a part of it, says to hold."""
    found: dict[str, bool] = {}
    for part in get_args(annotation):
        found |= {part.attribute: True} if isinstance(part, ParamMark) else marks_of(part)
    return found


# ---- types of the language


@dataclass(frozen=True, slots=True)
class PipelineType:
    """The kind of pipeline that a parameter takes: two sides to a score (``scorer``), or one value to another
    (``transform``).

    An ``aggregate`` makes one score of several. ``source`` is the type of the value, or of the prediction;
    ``reference`` that of the other side. ``mapping`` says that the parameter takes a map of such pipelines by name,
    ``of_item`` that the pipeline is asked for each item of a list, which it may read.
    """

    form: Literal["scorer", "transform", "aggregate"]
    source: Type
    target: Type
    reference: Type
    mapping: bool = False
    of_item: bool = False

    def __str__(self) -> str:
        if self.form == "aggregate":
            return "Aggregator"
        text = f"Transform[{self.source}, {self.target}]" if self.form == "transform" else f"Scorer[{self._sides()}]"
        return f"Dict[Text, {text}]" if self.mapping else text

    def _sides(self) -> str:
        return str(self.source) if self.source == self.reference else f"{self.source}, {self.reference}"


_PLAIN: dict[Any, Type] = {
    str: TEXT,
    int: NUMBER,
    float: NUMBER,
    bool: BOOL,
    None: NONE,
    type(None): NONE,
    object: ANY,
    Any: ANY,
    bytes: Type("Bytes"),
    list: list_of(ANY),
    tuple: list_of(ANY),
    dict: Type("Dict", (ANY, ANY)),
    set: Type("Set", (ANY,)),
    frozenset: Type("Set", (ANY,)),
}
_LISTS = (list, tuple, collections.abc.Sequence)
_SETS = (set, frozenset, collections.abc.Set)
_DICTS = (dict, collections.abc.Mapping)
_SCORERS = (Scorer, PairScorer, ItemScorer)


class UnknownAnnotation(TypeError):
    """An annotation that has no type in the language."""


def type_of_annotation(annotation: Any) -> Type:
    """Return the type of the language that an annotation denotes.

    Raises:
        UnknownAnnotation: when it has none.

    Examples:
        >>> str(type_of_annotation(dict[str, list[float]]))
        'Dict[Text, List[Number]]'
    """
    if isinstance(annotation, TypeVar):
        return Type(annotation.__name__, variable=True)
    if isinstance(annotation, type) and "__scoring_type__" in vars(annotation):
        return Type(vars(annotation)["__scoring_type__"])
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        named = next((extra.name for extra in args[1:] if isinstance(extra, Named)), None)
        return type_of_annotation(args[0]) if named is None else Type(named)
    if origin is Literal:
        return union_of(tuple(type_of_annotation(type(member)) for member in args))
    if origin in (Union, types.UnionType):
        return union_of(tuple(map(type_of_annotation, args)))
    if origin in _LISTS:
        kinds = {type_of_annotation(item) for item in args if item is not Ellipsis}
        return list_of(kinds.pop() if len(kinds) == 1 else ANY)
    if origin in (*_SETS, *_DICTS):
        return Type("Set" if origin in _SETS else "Dict", tuple(map(type_of_annotation, args)))
    try:
        return _PLAIN[annotation]
    except (KeyError, TypeError):
        raise UnknownAnnotation(f"{annotation!r} has no type in the language") from None


def pipeline_of_annotation(annotation: Any) -> PipelineType | None:
    """Return what pipelines a parameter takes, None where it takes plain values; `X | None` makes one optional."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        found = [pipeline_of_annotation(member) for member in args if member is not type(None)]
        return found[0] if len(found) == 1 else None
    if origin is Annotated:
        return pipeline_of_annotation(args[0])
    if origin in _DICTS and args[0] is str:
        inner = pipeline_of_annotation(args[1])
        return replace(inner, mapping=True) if inner else None
    kind = origin or annotation
    if kind in _SCORERS:
        sides = tuple(map(type_of_annotation, args)) or (ANY,)
        return PipelineType("scorer", sides[0], SCORE, sides[-1], of_item=kind is ItemScorer)
    if kind is Transform:
        source, target = tuple(map(type_of_annotation, args)) or (ANY, ANY)
        return PipelineType("transform", source, target, source)
    return PipelineType("aggregate", ANY, SCORE, ANY) if annotation is Aggregator else None
