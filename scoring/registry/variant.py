"""Families of primitives with one signature that differ in one function: their parameters are described only once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from scoring.registry.declare import primitive

Part = TypeVar("Part", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")


class Variants(Generic[Part, P, R]):
    """A decorator that makes a primitive of each function it decorates: a shared body that calls the function.

    Args:
        template: The body: a function that takes the decorated function first, then what flows through the pipeline,
            then the settings. All of its docstring but the summary is added to the docstring of each primitive.
        options: The arguments of ``primitive`` that all of them share.
    """

    def __init__(self, template: Callable[Concatenate[Part, P], R], **options: Any) -> None:
        self.template = template
        self.options = options

    def declare(self, **options: Any) -> Callable[[Part], Callable[P, R]]:
        """Return this decorator with further options of ``primitive`` for one function, such as ``name``."""
        return partial(self, **options)

    def __call__(self, part: Part, **options: Any) -> Callable[P, R]:
        """Register a primitive with the name and docstring of `part`, the decorated function, and return it."""
        template = self.template

        def variant(*data: P.args, **settings: P.kwargs) -> R:
            return template(part, *data, **settings)

        update_wrapper(variant, part)
        _describe(variant, template, part)
        return primitive(**{**self.options, **options})(variant)


def _describe(variant: Any, template: Any, part: Any) -> None:
    """Give `variant` the signature of `template`, the docstrings of both, and the name and position of `part`."""
    signature = inspect.signature(template, eval_str=True)
    others = list(signature.parameters.values())[1:]
    variant.__annotations__ = {one.name: one.annotation for one in others} | {"return": signature.return_annotation}
    variant.__signature__ = signature.replace(parameters=others)
    before, heading, after = inspect.cleandoc(part.__doc__ or "").partition("Examples:")
    about, arguments, shared = inspect.cleandoc(template.__doc__ or "").partition("Args:")
    prose = about.partition("\n\n")[2]
    variant.__doc__ = f"{before}{prose}{arguments}{shared}\n\n{heading}{after}"
    # The place is what tracebacks and documentation show, and what tells the code of two variants apart.
    found = part.__code__
    variant.__code__ = variant.__code__.replace(
        co_name=found.co_name, co_filename=found.co_filename, co_firstlineno=found.co_firstlineno
    )


@overload
def variants(template: Callable[Concatenate[Part, P], R], /) -> Variants[Part, P, R]: ...
@overload
def variants(**options: Any) -> Callable[[Callable[Concatenate[Part, P], R]], Variants[Part, P, R]]: ...
def variants(template: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Decorate a body that several primitives share; the result is a decorator for the function in which they differ.

    Type checkers see the signature of the body for each of these primitives.

    Args:
        template: The body, with its settings described under Args, when the decorator is used without parentheses.
        options: The arguments of ``primitive`` that all of them share.

    Examples:
        A body ``_averaged(figure, rows, /, *, k: int)`` decorated by ``@variants`` is a decorator in turn: a function
        ``precision_at_k(ranked, relevant, k)`` under ``@_averaged`` becomes the primitive ``precision_at_k(k)``, whose
        docstring is its own, with everything but the summary of the body's.
    """
    if template is not None:
        return Variants(template)
    return lambda body: Variants(body, **options)
