"""MEGA-Bench as released: plans are run without negative preconditions, negative goals and types."""

from __future__ import annotations

import re
from typing import Any

from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.registry import primitive
from scoring.values import Score

_TOKEN = re.compile(r"[()]|[^\s()]+")
_COMMENT = re.compile(r";[^\n]*")


def _form(text: str) -> list[Any]:
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(_COMMENT.sub("", text)):
        if token == "(":
            stack.append([])
        elif token == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    form: list[Any] = stack[0][0]
    return form


def _sections(form: list[Any], name: str) -> list[list[Any]]:
    return [part for part in form if isinstance(part, list) and part and part[0] == name]


def _parts(condition: list[Any]) -> list[Any]:
    if not condition:
        return []
    return condition[1:] if condition[0] == "and" else [condition]


def _frozen(item: Any, bindings: dict[str, str]) -> Any:
    if isinstance(item, list):
        return tuple(_frozen(part, bindings) for part in item)
    return bindings.get(item, item)


def _actions(domain: list[Any]) -> dict[str, tuple[list[str], list[Any], list[Any]]]:
    found = {}
    for part in _sections(domain, ":action"):
        fields = dict(zip(part[2::2], part[3::2], strict=False))
        names = [name for name in fields[":parameters"] if name.startswith("?")]
        found[part[1]] = (names, _parts(fields[":precondition"]), _parts(fields[":effect"]))
    return found


def _goals(problem: list[Any]) -> list[Any]:
    goal = _sections(problem, ":goal")[0][1]
    return goal[1:] if goal[0] == "and" else []  # a single goal is no goal, as released


def _wanted(parts: list[Any], bindings: dict[str, str]) -> set[Any]:
    return {_frozen(part, bindings) for part in parts if part[0] != "not"}


def _lines(prediction: Any) -> list[Any]:
    if isinstance(prediction, str):
        return prediction.split("\n")
    if isinstance(prediction, (list, tuple)):
        return list(prediction)
    raise ValueError("the released code takes a text or a list")


def _reaches_goal(prediction: Any, domain_text: str, problem_text: str) -> float:
    actions, problem = _actions(_form(domain_text)), _form(problem_text)
    state = {_frozen(atom, {}) for part in _sections(problem, ":init") for atom in part[1:]}
    goals = _goals(problem)
    for line in _lines(prediction):
        if not line.startswith("("):
            continue
        name, *arguments = line.rstrip()[1:-1].split(" ")
        if name not in actions or len(arguments) != len(actions[name][0]):
            return 0.0
        names, needed, effects = actions[name]
        bindings = dict(zip(names, arguments, strict=True))
        if not _wanted(needed, bindings) <= state:
            return 0.0
        state -= {_frozen(part[1], bindings) for part in effects if part[0] == "not"}
        state |= _wanted(effects, bindings)
    return float(_wanted(goals, {}) <= state)


@primitive
def megabench_upstream_reaches_goal(prediction: object, reference: object, /, *, domain: str, problem: str) -> Score:
    """1 when the lines that start with a parenthesis lead to the positive goals, else 0.

    Negative conditions and types are not looked at, and a goal without ``and`` is none.

    Args:
        domain: The domain in PDDL.
        problem: The problem in PDDL.

    Examples:
        >>> lamps = "(define (:action on :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l)))"
        >>> dark = "(define (:init) (:goal (and (lit a))))"
        >>> megabench_upstream_reaches_goal("(on a)\\n(on a)", None, domain=lamps, problem=dark)
        1.0

    Source:
        MEGA-Bench, released code, symbolic_planning_test.
    """
    return zero_on_error(_reaches_goal, prediction, domain, problem)
