"""The parameters of public functions as they declare them, from which the command line makes its options.

Type, default and choices are those of the signature, bounds of whole numbers those that every verb checks, and the
meaning is that of the docstring. So an option is declared once, where Python reads it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from scoring.api.arguments import alternatives, choices_in, least_of
from scoring.lazy_pattern import lazy_pattern

_OTHERS = lazy_pattern(r"Unpack\[(\w+)\]")


class VerbParameter(Struct, frozen=True):
    """One parameter of a public function, or one field of a class of options.

    Attributes:
        name: Its name in Python.
        kinds: The names of the types that it may have, as written in its annotation; empty if any.
        default: Its default, None if there is none or the signature does not show it.
        is_required: Whether it has to be given.
        meaning: Its description in the docstring.
        choices: The texts that it may be, if its annotation lists them.
        least: The least whole number that it may be, None if it is no whole number.
        is_positional: Whether it may be given without its name.
        is_many: Whether it takes any number of values.
    """

    name: str
    kinds: tuple[str, ...]
    default: Any
    is_required: bool
    meaning: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    is_positional: bool = False
    is_many: bool = False

    @property
    def summary(self) -> str:
        """The help text of the parameter: the first sentence of its meaning, without a capital or a full stop."""
        first = re.split(r"(?<=[^.])\.(?=\s|$)", self.meaning, maxsplit=1)[0].replace("``", "`")
        first = first.removeprefix("Whether to ")
        return first[:1].lower() + first[1:] if first[1:2].islower() or first[1:2] == " " else first


@cache
def parameters_of(place: str) -> Mapping[str, VerbParameter]:
    """Return the parameters of a function or of a class of options, by name.

    Args:
        place: Where it is, as `module:name`.

    Examples:
        >>> found = parameters_of("scoring.api.evaluating:evaluate")
        >>> found["processes"].default, found["limit"].least, found["processes"].summary
        (1, 1, 'the number of processes that score')
    """
    module, _, name = place.partition(":")
    return {one.name: _described(owner, one) for owner, one in _declared(getattr(import_module(module), name))}


def _declared(function: Any) -> Iterator[tuple[Any, inspect.Parameter]]:
    """Yield the parameters of a function, each after the object whose docstring describes it: the function, or the
    class that lists its further keyword arguments."""
    for one in inspect.signature(function).parameters.values():
        one = one.replace(annotation=function.__annotations__.get(one.name, one.annotation))  # as it is written
        others = _OTHERS.fullmatch(str(one.annotation))
        if others is None:
            yield function, one
            continue
        more = inspect.unwrap(function).__globals__[others[1]]
        for name, kind in more.__annotations__.items():
            written = str(getattr(kind, "__forward_arg__", kind))
            yield more, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=written)


def _described(owner: Any, one: inspect.Parameter) -> VerbParameter:
    from scoring.registry.docstring import parse_docstring

    annotation = str(one.annotation)
    kinds = tuple(alternatives(annotation))
    return VerbParameter(
        one.name,
        kinds,
        None if one.default is one.empty else one.default,
        one.default is one.empty,
        parse_docstring(owner.__doc__ or "").arguments.get(one.name, ""),
        tuple(choices_in(annotation)),
        least_of(one.name) if "int" in kinds else None,
        one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.VAR_POSITIONAL),
        one.kind is one.VAR_POSITIONAL or any(kind == "Names" or "Sequence[" in kind for kind in kinds),
    )
