"""The functions that formulas call: the ranges of their values, and arguments for which they have none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scoring.compiler.formulas.formula_parts import WRONG, FormulaPart
from scoring.compiler.programs.messages import Findings
from scoring.lang import formula as tree
from scoring.lang.evaluation import NoValue
from scoring.lang.functions import FUNCTIONS
from scoring.ranges import EVERYTHING, ScoreRange, apply, as_range, hull, joined_range


def call_range(node: tree.Function, parts: Sequence[FormulaPart], findings: Findings) -> ScoreRange:
    """Return the range of a function call's value, given its checked arguments; report a call that can never have a
    value."""
    name, intervals = node.name, [part.interval for part in parts]
    if name in _GROWING:
        known = _numbers(parts)
        found = joined_range(_GROWING[name], known)
        if all(part.kind == "number" or part.parts for part in parts):
            return found
        # Of a list that may be empty beside other numbers nothing is left.
        return _any_sum(known) if name == "sum" else found if len(parts) == 1 else hull(known)
    if name == "argmax":
        known = _numbers(parts)
        is_known = all(part.kind == "number" or part.parts for part in parts)
        return ScoreRange(0.0, float(len(known) - 1) if is_known else math.inf)
    if name == "length":
        (part,) = parts
        if part.kind in ("number", "truth") and part.node is not WRONG.node:
            findings.error("formula-type", "only texts, lists and mappings have a length", node.args[0].span)
        return as_range(len(part.parts)) if part.parts else ScoreRange(0.0, math.inf)
    if name == "dot":
        return _dot(node, parts, findings)
    if name == "abs":
        return intervals[0].magnitude()
    if name in _LEAST:
        return _with_domain(node, intervals[0], findings)
    if name == "clip" and intervals[1].low > intervals[2].high:
        findings.error("formula-type", f"no number is between {intervals[1]} and {intervals[2]}", node.span)
        return EVERYTHING
    if name == "round" and len(parts) == 2 and not isinstance(parts[1].node, tree.Number):
        findings.error("formula-type", "the digits of `round` must be a number, such as 2", node.args[1].span)
        return EVERYTHING
    return joined_range(lambda values: FUNCTIONS[name].join(values), intervals)


# What grows with each of its numbers, so that its ends are those of the numbers' ends.
_GROWING: dict[str, Callable[[list[float]], float]] = {
    name: FUNCTIONS[name].join for name in ("min", "max", "sum", "mean")
}
# Functions that have no value for low numbers: the first for which they have none, and whether it is the last of them.
_LEAST = {"log": (0.0, False), "sqrt": (0.0, True)}


def _numbers(parts: Sequence[FormulaPart]) -> list[ScoreRange]:
    """Return the ranges of all numbers among some arguments; a list of unknown length counts as one number."""
    found: list[ScoreRange] = []
    for part in parts:
        items = [item.interval if item.kind == "number" else EVERYTHING for item in part.parts]
        found.extend(items or [part.interval])
    return found


def _any_sum(known: Sequence[ScoreRange]) -> ScoreRange:
    """Return the range of a sum of any count of numbers in ``known`` ranges, including none, whose sum is 0."""
    low, high = min(one.low for one in known), max(one.high for one in known)
    return ScoreRange(0.0 if low >= 0 else -math.inf, 0.0 if high <= 0 else math.inf)


def _dot(node: tree.Function, parts: Sequence[FormulaPart], findings: Findings) -> ScoreRange:
    for part, written in zip(parts, node.args, strict=True):
        if part.kind not in ("list", "any"):
            findings.error("formula-type", "`dot` takes two lists of numbers", written.span, "expected a list")
            return EVERYTHING
    one, other = (_numbers([part]) for part in parts)
    if not all(part.parts for part in parts):
        return EVERYTHING
    if len(one) != len(other):
        findings.error("formula-type", f"the lists have {len(one)} and {len(other)} numbers", node.span)
        return EVERYTHING
    return joined_range(math.fsum, [apply("*", a, b) for a, b in zip(one, other, strict=True)])


def _with_domain(node: tree.Function, interval: ScoreRange, findings: Findings) -> ScoreRange:
    least, is_within = _LEAST[node.name]
    if interval.high < least or (interval.high == least and not is_within):
        what = "logarithm" if node.name == "log" else "square root"
        findings.error("formula-type", f"there is no {what} of {interval}", node.args[0].span, "no number above 0")
        return EVERYTHING

    def end(values: list[float]) -> float:
        try:
            return float(FUNCTIONS[node.name].join(values))
        except NoValue:  # the logarithm of 0, to which those of numbers near it lead
            return -math.inf

    return joined_range(end, [interval.within(least, math.inf)])


def is_like(name: str, wanted: str) -> bool:
    """Tell whether a name matches a string in which `*` matches any characters.

    Examples:
        >>> is_like("p12", "p*"), is_like("top", "p*")
        (True, False)
    """
    first, *rest = wanted.split("*")
    if not rest:
        return name == wanted
    *middle, last = rest
    if not name.startswith(first) or not name.endswith(last) or len(name) < len(first) + len(last):
        return False
    place, end = len(first), len(name) - len(last)
    for part in middle:  # each where it first stands: what follows then has the most room
        place = name.find(part, place, end)
        if place < 0:
            return False
        place += len(part)
    return True
