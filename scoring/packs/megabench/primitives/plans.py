"""MEGA-Bench as released: plans are run on the text of their PDDL, without negative preconditions, goals and types.

The released code never reads PDDL as a grammar: conditions and facts are pieces of text, compared as they were written.
What that leaves of an odd or broken domain is kept: a domain of one action, for one, can't be run at all.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.registry import primitive
from scoring.values import Score

_PARAMETER = re.compile(r"\?([^\s?)]+)")
_NEGATED = "(not "
# The parameters of an action, its conditions and its effects, those that take a fact away first.
_Action = tuple[list[str], list[str], list[str]]


def _inner(text: str) -> tuple[list[str], int]:
    """The texts in parentheses up to the closing one that nothing here opened, and where that ends."""
    found: list[str] = []
    depth = start = 0
    for place, character in enumerate(text):
        if character == "(":
            start = place if depth == 0 else start
            depth += 1
        elif character == ")":
            if depth == 0:
                return found, place + 1
            depth -= 1
            if depth == 0:
                found.append(text[start : place + 1])
    return found, len(text)


def _sections(text: str, opening: str) -> dict[str, list[str]] | list[str]:
    """What stands in the one section of that name; of several, what stands in each, by its first word."""
    parts = text.split(opening)
    if len(parts) <= 2:
        return _inner(parts[1])[0] if len(parts) == 2 else []
    found = {}
    while opening in text:
        text = text.split(opening, 1)[1]
        found[re.split(r"\s+", text.strip())[0]], end = _inner(text)
        text = text[end:]
    return found


def _clauses(condition: str) -> set[str]:
    """The parts of an `and`; of anything else the text up to its first closing parenthesis."""
    if not condition.startswith("(and"):
        return {condition.split(")")[0].strip() + ")"}
    found, depth, start = set(), 0, 0
    for place, character in enumerate(condition):
        if character == "(":
            depth += 1
            start = place if depth == 2 else start
        elif character == ")":
            depth -= 1
            if depth == 0:
                break
            if depth == 1:
                found.add(_untyped(condition[start : place + 1]))
    return found


def _untyped(clause: str) -> str:
    """A clause without the types after ` - `."""
    first, *rest = clause.split(" - ")
    parts = [first]
    for part in map(str.strip, rest):
        is_last = len(part.split(")")[0].split()) == 1
        parts.append(")" + part.split(")", 1)[1] if is_last else " " + part.split(" ", 1)[1])
    return "".join(parts).strip() if rest else clause


@functools.lru_cache(maxsize=64)
def _actions(domain: str) -> dict[str, _Action]:
    sections = _sections(domain, "(:action")
    if not isinstance(sections, dict):
        raise ValueError("the released code takes a domain of several actions")
    found = {}
    for name, parts in sections.items():
        parameters, _, _ = parts  # the condition and the effect are cut out of the text again
        if parameters[:1] + parameters[-1:] != "()":
            raise ValueError("the parameters are no list")
        text = domain.split(f"(:action {name}")[1]
        needed, effects = (_clauses(text.split(tag)[1].strip()) for tag in (":precondition", ":effect"))
        names = list(dict.fromkeys(_PARAMETER.findall(parameters[1:-1])))
        found[name] = (names, sorted(needed), sorted(effects, key=lambda clause: not clause.startswith(_NEGATED)))
    return found


@functools.lru_cache(maxsize=1000)
def _place_of(parameter: str) -> re.Pattern[str]:
    return re.compile(rf"\?{re.escape(parameter)}(?=[^\w-])")


def _bound(clause: str, objects: dict[str, str]) -> str:
    for parameter, given in objects.items():
        if "\\" in given:
            raise ValueError("a backslash in a name is an error, or something else than itself")
        clause = _place_of(parameter).sub(given, clause)
    return clause


def _holds(clause: str, state: Any) -> bool:
    return (clause in state) != clause.startswith(_NEGATED)


def _apply(effects: list[str], objects: dict[str, str], state: Any) -> None:
    for effect in (_bound(clause, objects) for clause in effects):
        gone = _sections(effect, _NEGATED)
        if gone:
            (fact,) = gone
            if fact in state:
                state.remove(fact)
        elif effect.strip() not in state:
            state.append(effect)


def _lines(prediction: Any) -> list[str]:
    if not isinstance(prediction, (str, list, tuple)):
        raise TypeError("the released code takes a text or a list")
    lines = prediction.split("\n") if isinstance(prediction, str) else prediction
    return [line.strip() for line in lines if line.startswith("(")]


def _reaches_goal(prediction: Any, domain: str, problem: str) -> float:
    actions = _actions(domain)
    lines = _lines(prediction)
    state, goals = _sections(problem, "(:init"), _sections(problem, "(and")
    for line in lines:
        name, *arguments = line[1:-1].split(" ")
        names, needed, effects = actions[name.strip()]
        objects = dict(zip(names, arguments, strict=True))
        if not all(_holds(_bound(clause, objects), state) for clause in needed):
            return 0.0
        _apply(effects, objects, state)
    return float(all(_holds(goal, state) for goal in goals))


@primitive(revision=2, traits=("response_alone",))
def megabench_upstream_reaches_goal(prediction: object, reference: object, /, *, domain: str, problem: str) -> Score:
    """1 when the lines that start with a parenthesis lead to the positive goals, else 0.

    Negative conditions and types are not looked at, and a goal without ``and`` is none.

    Args:
        domain: The domain in PDDL, of two actions or more.
        problem: The problem in PDDL.

    Examples:
        >>> lamp = "(:action {} :parameters (?l) :precondition ({}) :effect ({}))"
        >>> lamps = "(define " + lamp.format("on", "ok ?l", "lit ?l") + lamp.format("off", "lit ?l", "dark ?l") + ")"
        >>> dark = "(define (:init (ok a)) (:goal (and (lit a))))"
        >>> megabench_upstream_reaches_goal("(on a)\\n(on a)", None, domain=lamps, problem=dark)
        1.0

    Source:
        MEGA-Bench, released code, symbolic_planning_test.
    """
    return zero_on_error(_reaches_goal, prediction, domain, problem)
