"""Detection of types that a scorer can never find equal, such as a number and a string, or a string and a list."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.compiler.programs.program import BoundStep, Program
from scoring.values import ANY, BOOL, NUMBER, SCORE, TEXT, Bindings, Type, assignable, list_type, substitute

BY_VALUE = "by_value"
"""The trait of primitives that compare values for equality, so that values of different types never match."""

_HOLDERS = ("List", "Set")
_FLAT = frozenset(("Text", "Number", "Bool"))
_KNOWN = frozenset((*_FLAT, "Dict", *_HOLDERS))
_OF_CLASS: dict[type, Type] = {
    str: TEXT,
    int: NUMBER,
    float: NUMBER,
    bool: BOOL,
    list: list_type(ANY),
    tuple: list_type(ANY),
    dict: Type("Dict", (TEXT, ANY)),
}


def of_class(kind: type) -> Type:
    """Return the language's type for a Python class, or `Any` if the class does not determine the type.

    Examples:
        >>> str(of_class(float)), str(of_class(list)), str(of_class(type(None)))
        ('Number', 'List[Any]', 'Any')
    """
    return _OF_CLASS.get(kind, ANY)


def differ(one: Type, other: Type) -> bool:
    """Tell whether no value of type ``one`` can equal a value of type ``other``; a value of type `Any` may equal any
    other.

    Examples:
        >>> (
        ...     differ(TEXT, NUMBER),
        ...     differ(TEXT, ANY),
        ...     differ(list_type(TEXT), list_type(NUMBER)),
        ...     differ(TEXT, list_type(TEXT)),
        ... )
        (True, False, True, True)
    """
    one, other = (NUMBER if kind == SCORE else kind for kind in (one, other))
    if one.variable or other.variable or one.name not in _KNOWN or other.name not in _KNOWN:
        return False
    if one.name in _HOLDERS and other.name in _HOLDERS:
        inside = {kind.args[0].name for kind in (one, other) if len(kind.args) == 1}
        return len(inside) == 2 and inside <= _FLAT
    return one.name != other.name


def can_never_match(program: Program, prediction: Type, reference: Type) -> bool:
    """Tell whether ``program``, a scorer, can never find a prediction of one type equal to a reference of another.

    The answer follows from declarations alone: the output types of the steps, and whether the joining step compares
    values as they are. Return False whenever these do not decide it.
    """
    prediction, reference = _behind(program.prediction, prediction), _behind(program.reference, reference)
    join = program.join
    if join is None:
        return False
    if BY_VALUE in join.primitive.traits:
        return differ(prediction, reference)
    inside = [one for one in join.programs() if one.form == "scorer"] if _hands_on(join) else []
    return bool(inside) and all(can_never_match(one, prediction, reference) for one in inside)


def _behind(steps: Sequence[BoundStep], kind: Type) -> Type:
    """Return the type that a value of the type ``kind`` has after ``steps``; `Any` if their declarations do not
    determine the type."""
    for step in steps:
        bindings: Bindings = {}
        made, taken = step.primitive.output, step.primitive.inputs[0]
        kind = substitute(made, bindings) if assignable(kind, taken, bindings) else ANY
    return kind


def _hands_on(join: BoundStep) -> bool:
    """Tell whether a combinator (``join``) passes its two values unchanged to each of the scorers in its arguments."""
    sides = join.primitive.inputs
    pipelines = [one.pipeline for one in join.primitive.params if one.pipeline is not None]
    return (
        len(sides) == 2
        and all(side.variable for side in sides)
        and all(one.source == sides[0] and one.reference == sides[1] for one in pipelines if one.form == "scorer")
        and not any(one.of_item for one in pipelines)
    )


def type_within(value: object) -> Type:
    """Return the type of a value, for a list including the common type of its items.

    Examples:
        >>> [str(type_within(value)) for value in ("a", [1, 2.5], [1, "a"], [])]
        ['Text', 'List[Number]', 'List[Any]', 'List[Any]']
    """
    kind = of_class(type(value))
    if not isinstance(value, list | tuple):
        return kind
    items = set(map(of_class, set(map(type, value))))
    return list_type(items.pop()) if len(items) == 1 else kind
