"""Declare several primitives that share a signature and a body, and differ only in one function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, get_type_hints, overload

from scoring.registry.declare import primitive

Part = TypeVar("Part", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")


class Variants(Generic[Part, P, R]):
    """A decorator that declares a primitive for each decorated function.

    Args:
        template: The body: a function that takes the decorated function, then the values that flow through the
            pipeline, then the settings. Its docstring describes the settings, under Args.
        options: The options of ``primitive`` for all of these primitives.
    """

    def __init__(self, template: Callable[Concatenate[Part, P], R], **options: Any) -> None:
        self.template = template
        self.options = options

    def declare(self, **options: Any) -> Callable[[Part], Callable[P, R]]:
        """Return this decorator with further options of ``primitive``, such as another ``name`` or ``revision``."""
        return partial(self, **options)

    def __call__(self, part: Part, **options: Any) -> Callable[P, R]:
        """Register and return a primitive with the name and docstring of a function."""
        template = self.template

        def variant(*data: P.args, **settings: P.kwargs) -> R:
            return template(part, *data, **settings)

        update_wrapper(variant, part)
        _describe(variant, template, part)
        return primitive(**{**self.options, **options})(variant)


def _describe(variant: Any, template: Any, part: Any) -> None:
    """Set a variant's signature to the template's, its docstring to both, and its location to its own function's."""
    hints = get_type_hints(template, include_extras=True)
    first, *others = inspect.signature(template).parameters.values()
    variant.__annotations__ = {name: hint for name, hint in hints.items() if name != first.name}
    variant.__signature__ = inspect.Signature(others, return_annotation=hints["return"])
    before, heading, after = inspect.cleandoc(part.__doc__ or "").partition("Examples:")
    _, arguments, shared = inspect.cleandoc(template.__doc__ or "").partition("Args:")
    variant.__doc__ = f"{before}{arguments}{shared}\n\n{heading}{after}"
    # Tracebacks and documentation show the location, and it distinguishes the code of two variants.
    found = part.__code__
    variant.__code__ = variant.__code__.replace(
        co_name=found.co_name, co_filename=found.co_filename, co_firstlineno=found.co_firstlineno
    )


@overload
def variants(template: Callable[Concatenate[Part, P], R], /) -> Variants[Part, P, R]: ...
@overload
def variants(**options: Any) -> Callable[[Callable[Concatenate[Part, P], R]], Variants[Part, P, R]]: ...
def variants(template: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Turn a body into a decorator that declares several primitives, each a separate function with its own docstring.

    Type checkers see the signature of the body for each of them.

    Args:
        template: The body, with its settings described under Args, when the decorator is used without parentheses.
        options: The options of ``primitive`` for all of these primitives.

    Examples:
        A body ``_averaged(figure, rows, /, *, k: int)`` decorated by ``@variants`` is itself a decorator: a function
        ``precision_at_k(ranked, relevant, k)`` under ``@_averaged`` becomes the primitive ``precision_at_k(k)``, whose
        docstring is its own, with everything but the summary of the body's.
    """
    if template is not None:
        return Variants(template)
    return lambda body: Variants(body, **options)
