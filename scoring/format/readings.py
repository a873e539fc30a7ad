"""Tell pipelines from formulas that look like them: a call of a function, and a quotient."""

from __future__ import annotations

from collections.abc import Container, Iterable

from scoring.lang.tree import FormulaText, Pipeline
from scoring.lang.words import CALLS
from scoring.registry import registry


def is_function_call(pipeline: Pipeline, defined: Container[str]) -> bool:
    """Return whether a pipeline is a call of a function of formulas, such as `max(a, 0.5)`, so not a scorer; `defined`
    are the definitions of the file."""
    first = pipeline.steps[0]
    if len(pipeline.steps) > 1 or not first.args or first.name not in CALLS or first.name in defined:
        return False
    primitive = registry.get(first.name)
    return primitive is None or primitive.kind in ("aggregator", "transform")


def is_quotient(pipeline: Pipeline, known: Iterable[str]) -> bool:
    """Return whether a pipeline is the quotient of a `known` field or value and something else: `a / b` looks like the
    name of another package's step."""
    return len(pipeline.steps) == 1 and not set(known).isdisjoint(pipeline.steps[0].name.split("/"))


def names_of_no_step(pipeline: Pipeline, defined: Container[str]) -> list[str]:
    """Return the names in a pipeline that is one name, or the quotient of two (`a / b` looks like the name of another
    package's step), and that no step has; [] for any other pipeline."""
    name = pipeline.steps[0].name if pipeline.is_word else ""
    return [] if not name or name in defined or registry.knows(name) else name.split("/")


def may_be_formula(pipeline: Pipeline, defined: Container[str], values: Iterable[str]) -> bool:
    """Return whether the pipeline of a computed value is a formula, or meant as one: a quotient, a call of a function,
    or of what is no step, such as `len(a)`."""
    if pipeline.head is not None:
        return isinstance(pipeline.head, FormulaText) and not pipeline.steps
    first = pipeline.steps[0]
    is_unknown = not (first.name in defined or "." in first.name or registry.knows(first.name))
    is_call = len(pipeline.steps) == 1 and bool(first.args) and is_unknown
    return is_call or is_function_call(pipeline, defined) or is_quotient(pipeline, values)
