"""What a primitive's signature may be written with, beside the value types of ``scoring.values``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, get_args

from scoring.late import dataclass
from scoring.values import Named

T_contra = TypeVar("T_contra", contravariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
B_co = TypeVar("B_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Between:
    """A numeric parameter lies between two bounds, both included."""

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
    """What a parameter means, where several primitives have it: an annotation of its type, in place of their Args."""

    text: str


@dataclass(frozen=True, slots=True)
class SettingFault:
    """What is wrong with a setting, by the name of its parameter; of a text, the part that is wrong."""

    param: str
    message: str
    label: str = ""
    help: str = ""
    start: int | None = None
    end: int = 0


class _RecordPath:
    """What marks a text as a path into the record."""


RecordPath = Annotated[str, _RecordPath]
"""A parameter that names a value of the record, as a JMESPath: it is checked with the spec."""


class _SpecFolder:
    """What marks a text as a folder beside a spec."""


SpecFolder = Annotated[str | None, _SpecFolder]
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
        """A name in a file; in an expression that stands in none it counts from the working folder."""
        text = cls(name)
        text.base = os.path.dirname(source) if os.path.isfile(source) else ""
        return text


class _Compared:
    """What marks a parameter that says which of the compared values a metric reads."""


ComparedPath = Annotated[str | None, _RecordPath, _Compared]
"""A parameter of a metric that names a value of the record, or, where it is None, one that the task compares."""

ComparedField = Annotated[str | None, _Compared]
"""A parameter of a metric that names the field whose compared values are meant."""


class _OfScore:
    """What marks a number as one that scores are compared with."""


OfScore = Annotated[float, _OfScore]
"""A parameter that scores are compared with: it lies in their range, which the compiler knows."""


class Scorer(Protocol, Generic[T_contra]):
    """A parameter that takes a pipeline ending in a score; called with a prediction and a reference."""

    def __call__(self, prediction: T_contra, reference: T_contra, /) -> float:
        """The score of the pair; raises what its primitives raise."""


class PairScorer(Protocol, Generic[A_contra, T_contra]):
    """Like :class:`Scorer`, where the two sides have types of their own: the prediction's, then the reference's."""

    def __call__(self, prediction: A_contra, reference: T_contra, /) -> float:
        """The score of the pair; raises what its primitives raise."""


class Transform(Protocol, Generic[A_contra, B_co]):
    """A parameter that takes a pipeline of transforms; called with one value."""

    def __call__(self, value: A_contra, /) -> B_co:
        """The transformed value; raises what its primitives raise."""


class ItemScorer(Protocol, Generic[A_contra, T_contra]):
    """Like :class:`PairScorer`, for each item of a list: the pipeline may read `item`, and is called with it."""

    def __call__(self, prediction: A_contra, reference: T_contra, item: Any, /) -> float:
        """The score of the pair for an item; raises what its primitives raise."""


class _OfItem:
    """What marks a value that is read for each item."""


ItemNumber: TypeAlias = Annotated[Callable[[Any], Any] | float, Named("Number"), _OfItem]
"""A number for all items of a list, or a function of the item: in a spec a number, or a path such as `item.points`."""


class Aggregator(Protocol):
    """A parameter that takes an aggregator, with rescorers behind it if need be; called with scores and weights."""

    def __call__(self, fields: FieldScores, /) -> float:
        """The score that they make together; raises what its primitives raise."""


def is_of_item(annotation: Any) -> bool:
    """Whether a parameter is read for each item of a list."""
    return _is_marked(annotation, _OfItem)


def is_record_path(annotation: Any) -> bool:
    """Whether a parameter takes a path into the record, or None."""
    return _is_marked(annotation, _RecordPath)


def is_spec_folder(annotation: Any) -> bool:
    """Whether a parameter names a folder beside the spec."""
    return _is_marked(annotation, _SpecFolder)


def is_compared(annotation: Any) -> bool:
    """Whether a parameter says which of the compared values a metric reads."""
    return _is_marked(annotation, _Compared)


def is_of_score(annotation: Any) -> bool:
    """Whether a parameter is a number that scores are compared with."""
    return _is_marked(annotation, _OfScore)


def _is_marked(annotation: Any, mark: type) -> bool:
    return any(part is mark or _is_marked(part, mark) for part in get_args(annotation))


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
