"""Whether a plan solves a planning problem."""

from __future__ import annotations

import functools

from scoring.primitives.planning.pddl import PlanningProblem, read_problem
from scoring.primitives.planning.validate import failure, read_steps
from scoring.registry import primitive
from scoring.values import Score


@functools.lru_cache(maxsize=64)
def _problem(domain: str, problem: str) -> PlanningProblem:
    return read_problem(domain, problem)


@primitive
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
        Fikes and Nilsson 1971, STRIPS; McDermott et al. 1998, PDDL; MEGA-Bench, symbolic_planning_test.
    """
    return float(failure(_problem(domain, problem), read_steps(prediction)) is None)
