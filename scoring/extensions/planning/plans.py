"""Validation of plans for problems in PDDL: typed STRIPS with negative and disjunctive preconditions."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

SExpression = str | list["SExpression"]
Atom = tuple[str, ...]

_TOKEN = lazy_pattern(r"[()]|[^\s()]+")
_COMMENT = lazy_pattern(r";[^\n]*")
_LARGEST = 2_000_000
_DEEPEST = 100


class Action(Struct, frozen=True):
    """An action of a planning domain: its parameters with their types, its precondition and its effect."""

    name: str
    parameters: tuple[tuple[str, frozenset[str]], ...]
    precondition: SExpression
    effect: SExpression


class PlanningProblem(Struct, frozen=True):
    """A planning problem: actions, objects with their types, the initial state, the goal, and the supertypes."""

    actions: dict[str, Action]
    objects: dict[str, frozenset[str]]
    start: frozenset[Atom]
    goal: SExpression
    supertypes: dict[str, frozenset[str]]


def read_tree(text: str) -> list[Any]:
    """Return the parenthesised form of a PDDL text as nested lists, in lower case because PDDL ignores case.

    Raises:
        Unscored: when the text is too large, nested too deeply or not a single balanced form.
    """
    if len(text) > _LARGEST:
        raise Unscored("a PDDL text of more than 2 MB")
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(_COMMENT.sub("", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                raise Unscored("PDDL with one closing parenthesis too many")
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
        if len(stack) > _DEEPEST:
            raise Unscored("PDDL nested too deeply")
    if len(stack) != 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], list):
        raise Unscored("PDDL is one balanced form in parentheses")
    form: list[Any] = stack[0][0]
    return form


def typed_names(items: list[Any]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names of a typed list with their types; ``(either a b)`` means both, no type means ``object``."""
    waiting: list[str] = []
    rest = iter(items)
    for item in rest:
        if item != "-":
            waiting.append(str(item))
            continue
        kind = next(rest, "object")
        types = frozenset(kind[1:] if isinstance(kind, list) else [kind])
        yield from ((name, types) for name in waiting)
        waiting = []
    yield from ((name, frozenset({"object"})) for name in waiting)


def _sections(form: list[Any], name: str) -> list[list[Any]]:
    return [part for part in form if isinstance(part, list) and part and part[0] == name]


def _supertypes(domain: list[Any]) -> dict[str, frozenset[str]]:
    """Return for every type the set of its supertypes, including itself."""
    parents = {name: kinds for part in _sections(domain, ":types") for name, kinds in typed_names(part[1:])}
    closed = {}
    for name in {*parents, *(kind for kinds in parents.values() for kind in kinds)}:
        above, waiting = {"object"}, [name]
        while waiting:
            current = waiting.pop()
            if current not in above or current == name:
                above.add(current)
                waiting += [kind for kind in parents.get(current, ()) if kind not in above]
        closed[name] = frozenset(above)
    return closed


def _action(part: list[Any]) -> Action:
    if len(part) < 2 or not isinstance(part[1], str):
        raise Unscored("a PDDL action without a name")
    fields = dict(zip(part[2::2], part[3::2], strict=False)) if len(part) % 2 == 0 else {}
    if ":effect" not in fields:
        raise Unscored(f"the PDDL action `{part[1]}` has no :effect")
    parameters = tuple(typed_names(fields.get(":parameters", [])))
    return Action(part[1], parameters, fields.get(":precondition", []), fields[":effect"])


@functools.lru_cache(maxsize=64)
def read_problem(domain_text: str, problem_text: str) -> PlanningProblem:
    """Return the planning problem in the texts of a domain and a problem.

    Raises:
        Unscored: when either can't be parsed.
    """
    domain, problem = read_tree(domain_text), read_tree(problem_text)
    actions = {action.name: action for action in map(_action, _sections(domain, ":action"))}
    goals, starts = _sections(problem, ":goal"), _sections(problem, ":init")
    if not actions or len(goals) != 1 or len(goals[0]) != 2 or not starts:
        raise Unscored("a planning problem needs actions, an :init and one :goal")
    listed = [part for form, name in ((domain, ":constants"), (problem, ":objects")) for part in _sections(form, name)]
    objects = {name: kinds for part in listed for name, kinds in typed_names(part[1:])}
    facts = (item for part in starts for item in part[1:] if isinstance(item, list) and item and item[0] != "=")
    start = frozenset(tuple(item) for item in facts if all(isinstance(part, str) for part in item))
    return PlanningProblem(actions, objects, start, goals[0][1], _supertypes(domain))


@primitive(traits=("response_alone",), topics=("plans",))
def solves_plan(prediction: str | list[str], reference: object, /, *, domain: str, problem: str) -> Score:
    """Return 1 if a plan leads from the initial state to the goal with every step allowed in its state, else 0.

    Each pair of parentheses is a step, with an action and its objects; case does not matter. Types, negative and
    disjunctive preconditions, equality and negative goals are enforced. A step deletes before it adds.

    Args:
        domain: The domain in PDDL: types, predicates and actions.
        problem: The problem in PDDL: objects, start and goal.

    Raises:
        Unscored: when the domain or the problem can't be parsed, or needs quantifiers or conditional effects.

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
    return float(find_plan_failure(read_problem(domain, problem), read_steps(prediction)) is None)


PlanBindings = Mapping[str, str]
_STEP = lazy_pattern(r"\(([^()]*)\)")
_MOST_STEPS = 10_000
_NUMERIC = ("increase", "decrease", "assign", "scale-up", "scale-down")


class NotAllowed(Exception):
    """The error that a step of a plan is not allowed; the message is the reason."""


def read_steps(plan: str | Iterable[str]) -> list[tuple[str, ...]]:
    """Return the steps of a plan, which are its texts in parentheses, as tuples of names in lower case.

    Comments after ``;`` are dropped.

    Raises:
        Unscored: when there are too many steps.

    Examples:
        >>> read_steps("1. (Move a  b) ; go\\n(drop b)")
        [('move', 'a', 'b'), ('drop', 'b')]
    """
    lines = plan.splitlines() if isinstance(plan, str) else [str(step) for step in plan]
    steps = [tuple(found.lower().split()) for line in lines for found in _STEP.findall(line.split(";")[0])]
    if len(steps) > _MOST_STEPS:
        raise Unscored(f"a plan of more than {_MOST_STEPS} steps")
    return [step for step in steps if step]


def _ground(atom: list[Any], bindings: PlanBindings) -> Atom:
    return tuple(bindings.get(part, part) for part in atom)


def _condition_holds(condition: Any, state: frozenset[Atom] | set[Atom], bindings: PlanBindings) -> bool:
    """Return whether a condition made of and, or, not, imply, equality and atoms holds in a state.

    ``bindings`` has the objects that replace the parameters in it.

    Raises:
        Unscored: when the condition uses quantifiers or numbers.
    """
    if not condition:
        return True
    head, *rest = condition
    if head == "and":
        return all(_condition_holds(part, state, bindings) for part in rest)
    if head == "or":
        return any(_condition_holds(part, state, bindings) for part in rest)
    if head == "not":
        return not _condition_holds(rest[0], state, bindings)
    if head == "imply":
        return not _condition_holds(rest[0], state, bindings) or _condition_holds(rest[1], state, bindings)
    if head in ("forall", "exists", ">", "<", ">=", "<=", "when"):
        raise Unscored(f"PDDL conditions with `{head}` are not supported")
    if head == "=":
        left, right = _ground(rest, bindings)
        return left == right
    return _ground(condition, bindings) in state


def _changes(effect: Any, bindings: PlanBindings) -> tuple[set[Atom], set[Atom]]:
    """Return the atoms that an effect adds to a state, and those that it deletes.

    ``bindings`` has the objects that replace the parameters in it. Numeric effects such as costs are ignored.

    Raises:
        Unscored: when the effect is conditional or quantified.
    """
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


def _bind(action: Action, arguments: tuple[str, ...], problem: PlanningProblem) -> PlanBindings:
    if len(arguments) != len(action.parameters):
        raise NotAllowed(f"`{action.name}` takes {len(action.parameters)} objects, not {len(arguments)}")
    for name, (parameter, wanted) in zip(arguments, action.parameters, strict=True):
        if name not in problem.objects:
            raise NotAllowed(f"there is no object `{name}`")
        kinds = {above for kind in problem.objects[name] for above in problem.supertypes.get(kind, {kind, "object"})}
        if not kinds & wanted:
            raise NotAllowed(f"`{name}` is not of type {' or '.join(sorted(wanted))} ({parameter} of `{action.name}`)")
    return {parameter: name for (parameter, _), name in zip(action.parameters, arguments, strict=True)}


def find_plan_failure(problem: PlanningProblem, steps: Iterable[tuple[str, ...]]) -> str | None:
    """Return the reason why the steps of a plan do not solve a problem; None if they do.

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
        if not _condition_holds(action.precondition, state, bindings):
            return f"step {number}: the precondition of `{name}` does not hold"
        added, removed = _changes(action.effect, bindings)
        state = (state - removed) | added
    return None if _condition_holds(problem.goal, state, {}) else "the goal does not hold at the end"
