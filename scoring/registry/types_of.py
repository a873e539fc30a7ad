"""From a Python annotation to a type of the language."""

from __future__ import annotations

import collections.abc
import types
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from scoring.registry.annotations import Aggregator, ItemScorer, PairScorer, Scorer, Transform
from scoring.registry.model import PipelineType
from scoring.values import ANY, BOOL, NONE, NUMBER, SCORE, TEXT, Named, Type, list_of, union_of

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
_PIPELINES = (Scorer, PairScorer, ItemScorer, Transform)


class UnknownAnnotation(TypeError):
    """An annotation that has no type in the language."""


def type_of_annotation(annotation: Any) -> Type:
    """The type that an annotation stands for.

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
        return _annotated(args)
    if origin is Literal:
        return union_of(tuple(type_of_annotation(type(member)) for member in args))
    if origin in (Union, types.UnionType):
        return union_of(tuple(type_of_annotation(member) for member in args))
    if origin is not None:
        return _generic(origin, args, annotation)
    try:
        return _PLAIN[annotation]
    except (KeyError, TypeError):
        raise UnknownAnnotation(f"{annotation!r} has no type in the language") from None


def _annotated(args: tuple[Any, ...]) -> Type:
    named = next((extra for extra in args[1:] if isinstance(extra, Named)), None)
    if named is None:
        return type_of_annotation(args[0])
    return SCORE if named.name == "Score" else Type(named.name)


def _generic(origin: Any, args: tuple[Any, ...], annotation: Any) -> Type:
    if origin in _LISTS:
        items = tuple(arg for arg in args if arg is not Ellipsis)
        kinds = {type_of_annotation(item) for item in items}
        return list_of(kinds.pop() if len(kinds) == 1 else ANY)
    if origin in _SETS:
        return Type("Set", (type_of_annotation(args[0]),))
    if origin in _DICTS:
        return Type("Dict", (type_of_annotation(args[0]), type_of_annotation(args[1])))
    raise UnknownAnnotation(f"{annotation!r} has no type in the language")


def pipeline_of_annotation(annotation: Any) -> PipelineType | None:
    """What pipelines a parameter takes, None where it takes plain values; `X | None` makes one optional."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        found = [pipeline_of_annotation(member) for member in args if member is not type(None)]
        return found[0] if len(found) == 1 else None
    if origin is Annotated:
        return pipeline_of_annotation(args[0])
    if origin in _DICTS and args[0] is str:
        inner = pipeline_of_annotation(args[1])
        return replace(inner, mapping=True) if inner else None
    kinds = tuple(type_of_annotation(arg) for arg in args) if (origin or annotation) in _PIPELINES else ()
    if (origin or annotation) in (Scorer, PairScorer, ItemScorer):
        sides = kinds or (ANY,)
        of_item = (origin or annotation) is ItemScorer
        return PipelineType("scorer", sides[0], SCORE, sides[-1], of_item=of_item)
    if (origin or annotation) is Transform:
        source_type, target = kinds or (ANY, ANY)
        return PipelineType("transform", source_type, target, source_type)
    if annotation is Aggregator:
        return PipelineType("aggregate", ANY, SCORE, ANY)
    return None
