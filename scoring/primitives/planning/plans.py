"""Whether a plan solves a planning problem."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.primitives.planning.pddl import Action, Atom, PlanningProblem, read_problem
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score


@functools.lru_cache(maxsize=64)
def _problem(domain: str, problem: str) -> PlanningProblem:
    return read_problem(domain, problem)


@primitive(traits=("response_alone",), topics=("plans",))
def solves_plan(prediction: str | list[str], reference: object, /, *, domain: str, problem: str) -> Score:
    """1 when the plan leads from the start to the goal, every step being allowed where it stands; otherwise 0.

    Steps are what stands in parentheses, one action and its objects each; capitals don't matter. Types, negative
    and disjunctive preconditions, equality and negative goals are enforced. A step deletes before it adds.

    Args:
        domain: The domain in PDDL: types, predicates and actions.
        problem: The problem in PDDL: objects, start and goal.

    Raises:
        Unscored: when the domain or the problem can't be read, or needs quantifiers or conditional effects.

    Examples:
        >>> lamps = '''(define (domain lamps) (:predicates (lit ?l))
        ...   (:action switch-on :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l)))'''
        >>> dark = "(define (problem dark) (:domain lamps) (:objects a b) (:init) (:goal (and (lit a))))"
        >>> solves_plan("(switch-on a)", None, domain=lamps, problem=dark)
        1.0
        >>> solves_plan("(switch-on a)\\n(switch-on a)", None, domain=lamps, problem=dark)
        0.0

    Source:
        Fikes and Nilsson 1971, STRIPS; McDermott et al. 1998, PDDL; as used in MEGA-Bench, symbolic_planning_test.
    """
    return float(failure(_problem(domain, problem), read_steps(prediction)) is None)


Bindings = Mapping[str, str]
_STEP = re.compile(r"\(([^()]*)\)")
_MOST_STEPS = 10_000
_NUMERIC = ("increase", "decrease", "assign", "scale-up", "scale-down")


class NotAllowed(Exception):
    """A step that can't be taken, and why."""


def read_steps(plan: str | Iterable[str]) -> list[tuple[str, ...]]:
    """The steps of a plan: whatever stands in parentheses, names in lower case; comments after ``;`` are skipped.

    Examples:
        >>> read_steps("1. (Move a  b) ; go\\n(drop b)")
        [('move', 'a', 'b'), ('drop', 'b')]
    """
    lines = plan.splitlines() if isinstance(plan, str) else [str(step) for step in plan]
    steps = [tuple(found.lower().split()) for line in lines for found in _STEP.findall(line.split(";")[0])]
    if len(steps) > _MOST_STEPS:
        raise Unscored(f"a plan of more than {_MOST_STEPS} steps")
    return [step for step in steps if step]


def _ground(atom: list[Any], bindings: Bindings) -> Atom:
    return tuple(bindings.get(part, part) for part in atom)


def holds(condition: Any, state: frozenset[Atom] | set[Atom], bindings: Bindings) -> bool:
    """Whether a condition of and, or, not, imply, equality and atoms holds in a state."""
    if not condition:
        return True
    head, *rest = condition
    if head == "and":
        return all(holds(part, state, bindings) for part in rest)
    if head == "or":
        return any(holds(part, state, bindings) for part in rest)
    if head == "not":
        return not holds(rest[0], state, bindings)
    if head == "imply":
        return not holds(rest[0], state, bindings) or holds(rest[1], state, bindings)
    if head in ("forall", "exists", ">", "<", ">=", "<=", "when"):
        raise Unscored(f"PDDL conditions with `{head}` are not supported")
    if head == "=":
        left, right = _ground(rest, bindings)
        return left == right
    return _ground(condition, bindings) in state


def _changes(effect: Any, bindings: Bindings) -> tuple[set[Atom], set[Atom]]:
    """What an effect adds and what it takes away; costs are left out."""
    added: set[Atom] = set()
    removed: set[Atom] = set()
    waiting = [effect]
    while waiting:
        part = waiting.pop()
        if not part or part[0] in _NUMERIC:
            continue
        if part[0] == "and":
            waiting += part[1:]
        elif part[0] == "not":
            removed.add(_ground(part[1], bindings))
        elif part[0] in ("when", "forall"):
            raise Unscored(f"PDDL effects with `{part[0]}` are not supported")
        else:
            added.add(_ground(part, bindings))
    return added, removed


def _bind(action: Action, arguments: tuple[str, ...], problem: PlanningProblem) -> Bindings:
    if len(arguments) != len(action.parameters):
        raise NotAllowed(f"`{action.name}` takes {len(action.parameters)} objects, not {len(arguments)}")
    for name, (parameter, wanted) in zip(arguments, action.parameters, strict=True):
        if name not in problem.objects:
            raise NotAllowed(f"there is no object `{name}`")
        kinds = {above for kind in problem.objects[name] for above in problem.supertypes.get(kind, {kind, "object"})}
        if not kinds & wanted:
            raise NotAllowed(f"`{name}` is no {' or '.join(sorted(wanted))} ({parameter} of `{action.name}`)")
    return {parameter: name for (parameter, _), name in zip(action.parameters, arguments, strict=True)}


def failure(problem: PlanningProblem, steps: Iterable[tuple[str, ...]]) -> str | None:
    """Why a plan is not valid; None when it is.

    Raises:
        Unscored: when the problem uses a part of PDDL that is not supported.
    """
    state = set(problem.start)
    for number, (name, *arguments) in enumerate(steps, 1):
        action = problem.actions.get(name)
        if action is None:
            return f"step {number}: there is no action `{name}`"
        try:
            bindings = _bind(action, tuple(arguments), problem)
        except NotAllowed as error:
            return f"step {number}: {error}"
        if not holds(action.precondition, state, bindings):
            return f"step {number}: the precondition of `{name}` does not hold"
        added, removed = _changes(action.effect, bindings)
        state = (state - removed) | added
    return None if holds(problem.goal, state, {}) else "the goal does not hold at the end"
