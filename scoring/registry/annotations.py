"""The annotations for signatures of primitives, and their conversion to types of the language."""

from __future__ import annotations

import collections.abc
import os
import types
from collections.abc import Callable, Sequence
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

from msgspec import Struct
from msgspec.structs import replace

from scoring.values import ANY, BOOL, NONE, NUMBER, SCORE, TEXT, Named, Type, list_type, union_of

T_contra = TypeVar("T_contra", contravariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
B_co = TypeVar("B_co", covariant=True)


class Between(Struct, frozen=True):
    """An annotation: the numeric parameter is between two bounds, both included."""

    low: float
    high: float


class AtLeast(Struct, frozen=True):
    """An annotation: the numeric parameter is at least `low`."""

    low: float


class AtMost(Struct, frozen=True):
    """An annotation: the numeric parameter is at most `high`."""

    high: float


class Doc(Struct, frozen=True):
    """An annotation with the description of a parameter of several primitives, in place of an entry under Args."""

    text: str


class SettingFault(Struct, frozen=True):
    """A problem with the value that a spec gives the parameter `param`.

    `message` describes the problem, `label` is a short text for the location, and `help` is advice. If the value is a
    text, `start` and `end` are the offsets of the wrong part.
    """

    param: str
    message: str
    label: str = ""
    help: str = ""
    start: int | None = None
    end: int = 0


class ParamMark(Struct, frozen=True):
    """An annotation that sets an attribute of a parameter's description (`Param`) to true, such as `is_path`."""

    attribute: str


RecordPath = Annotated[str, ParamMark("is_path")]
"""A parameter that is a path to a value of the record; it is checked with the spec."""


SpecFolder = Annotated[str | None, ParamMark("is_folder")]
"""A parameter that names a folder, relative to the spec that sets it; the function is given a `FolderText`."""


class FolderText(str):
    """The name of a folder as written in a spec; `base` is the folder of the spec, to which the name is relative.

    Examples:
        >>> name = FolderText.relative_to("databases", __file__)
        >>> name, name.base == os.path.dirname(__file__)
        ('databases', True)
    """

    base: str

    @classmethod
    def relative_to(cls, name: str, source: str) -> FolderText:
        """Return a name relative to the folder of the file `source`, or without that file to the current folder."""
        text = cls(name)
        text.base = os.path.dirname(source) if os.path.isfile(source) else ""
        return text


ComparedPath = Annotated[str | None, ParamMark("is_path"), ParamMark("compared")]
"""A parameter of a metric that is a path to a value of the record, or None for a value that the task compares."""

ComparedField = Annotated[str | None, ParamMark("compared")]
"""A parameter of a metric that names the field whose compared values are used."""


OfScore = Annotated[float, ParamMark("of_score")]
"""A parameter that is compared with scores; it must be in their range, which the compiler knows."""


class Scorer(Protocol, Generic[T_contra]):
    """A parameter that takes a pipeline ending in a score; called with a prediction and a reference."""

    def __call__(self, prediction: T_contra, reference: T_contra, /) -> float:
        """Return the score of the pair; propagate exceptions of the pipeline's primitives."""


class PairScorer(Protocol, Generic[A_contra, T_contra]):
    """A parameter like :class:`Scorer`, but with separate types for the prediction and for the reference."""

    def __call__(self, prediction: A_contra, reference: T_contra, /) -> float:
        """Return the score of the pair; propagate exceptions of the pipeline's primitives."""


class Transform(Protocol, Generic[A_contra, B_co]):
    """A parameter that takes a pipeline of transforms; called with one value."""

    def __call__(self, value: A_contra, /) -> B_co:
        """Return the transformed value; propagate exceptions of the pipeline's primitives."""


class ItemScorer(Protocol, Generic[A_contra, T_contra]):
    """A parameter like :class:`PairScorer`, but called for each item of a list, which the pipeline reads as `item`."""

    def __call__(self, prediction: A_contra, reference: T_contra, item: Any, /) -> float:
        """Return the score of the pair for an item; propagate exceptions of the pipeline's primitives."""


ItemNumber: TypeAlias = Annotated[Callable[[Any], Any] | float, Named("Number"), ParamMark("of_item")]
"""A number for all items of a list, or a function of the item: in a spec a number, or a path such as `item.points`."""
ItemCondition: TypeAlias = Annotated[Callable[[Any], Any], Named("Bool"), ParamMark("of_item")]
"""A function of each item of a list that gives true or false: in a spec a formula such as `item.score > 0.5`."""


class Aggregator(Protocol):
    """A parameter for an aggregator: a function from fields' scores and weights to one score. Rescorers may follow."""

    def __call__(self, fields: FieldScores, /) -> float:
        """Return the aggregated score; propagate exceptions of the primitives."""


class FieldScore(NamedTuple):
    """The name, score and weight of one applicable field, as passed to an aggregator."""

    name: str
    score: float
    weight: float


class FieldScores(tuple[FieldScore, ...]):
    """The fields of one record that have a score, with their weights, in the order of the spec."""

    __scoring_type__: ClassVar[str] = "Fields"
    __slots__ = ()

    @classmethod
    def of(cls, scores: Sequence[float], weights: Sequence[float] | None = None) -> FieldScores:
        """Return field scores for plain numbers, with weights of 1 by default, for tests and examples."""
        used = [1.0] * len(scores) if weights is None else weights
        pairs = zip(scores, used, strict=True)
        return cls(FieldScore(f"field_{i}", score, weight) for i, (score, weight) in enumerate(pairs))


def marks_of(annotation: Any) -> dict[str, bool]:
    """Return the attributes of `Param` that each `ParamMark` in an annotation or its parts sets to true."""
    found: dict[str, bool] = {}
    for part in get_args(annotation):
        found |= {part.attribute: True} if isinstance(part, ParamMark) else marks_of(part)
    return found


# ---- types of the language


class PipelineType(Struct, frozen=True):
    """The type of a pipeline parameter: from a pair to a score (``scorer``), or from value to value (``transform``).

    An ``aggregate`` combines several scores into one. ``source`` is the type of the value, or of the prediction;
    ``reference`` is the type of the other side. ``mapping`` means that the parameter takes a map of such pipelines by
    name, ``of_item`` that the pipeline is called for each item of a list, which it may read.
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
    list: list_type(ANY),
    tuple: list_type(ANY),
    dict: Type("Dict", (ANY, ANY)),
    set: Type("Set", (ANY,)),
    frozenset: Type("Set", (ANY,)),
}
_LISTS = (list, tuple, collections.abc.Sequence)
_SETS = (set, frozenset, collections.abc.Set)
_DICTS = (dict, collections.abc.Mapping)
_SCORERS = (Scorer, PairScorer, ItemScorer)


class UnknownAnnotation(TypeError):
    """The exception for an annotation without a corresponding type in the language."""


def type_of_annotation(annotation: Any) -> Type:
    """Return the type in the scoring language for a Python annotation.

    Raises:
        UnknownAnnotation: when there is none.

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
        type_name = next((extra.name for extra in args[1:] if isinstance(extra, Named)), None)
        return type_of_annotation(args[0]) if type_name is None else Type(type_name)
    if origin is Literal:
        return union_of(tuple(type_of_annotation(type(member)) for member in args))
    if origin in (Union, types.UnionType):
        return union_of(tuple(map(type_of_annotation, args)))
    if origin in _LISTS:
        kinds = {type_of_annotation(item) for item in args if item is not Ellipsis}
        return list_type(kinds.pop() if len(kinds) == 1 else ANY)
    if origin in (*_SETS, *_DICTS):
        return Type("Set" if origin in _SETS else "Dict", tuple(map(type_of_annotation, args)))
    try:
        return _PLAIN[annotation]
    except (KeyError, TypeError):
        raise UnknownAnnotation(f"{annotation!r} has no type in the language") from None


def pipeline_of_annotation(annotation: Any) -> PipelineType | None:
    """Return the type of a parameter that takes a pipeline, given its annotation; None if it takes plain values."""
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
