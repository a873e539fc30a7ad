"""Read a planning domain and a problem: typed STRIPS with negative and disjunctive preconditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from scoring.late import dataclass
from scoring.result import Unscored

Tree = str | list["Tree"]
Atom = tuple[str, ...]

_TOKEN = re.compile(r"[()]|[^\s()]+")
_COMMENT = re.compile(r";[^\n]*")
_LARGEST = 2_000_000
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Action:
    """What an action takes, needs and does."""

    name: str
    parameters: tuple[tuple[str, frozenset[str]], ...]
    precondition: Tree
    effect: Tree


@dataclass(frozen=True, slots=True)
class PlanningProblem:
    """Everything a plan is checked against."""

    actions: dict[str, Action]
    objects: dict[str, frozenset[str]]
    start: frozenset[Atom]
    goal: Tree
    supertypes: dict[str, frozenset[str]] = field(default_factory=dict)


def read_tree(text: str) -> list[Any]:
    """The one parenthesised form of a PDDL text, in lower case as PDDL ignores it.

    Raises:
        Unscored: when it is too large, too deep or not one balanced form.
    """
    if len(text) > _LARGEST:
        raise Unscored("a PDDL text of more than 2 MB")
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(_COMMENT.sub("", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                raise Unscored("PDDL with a closing parenthesis too many")
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
    """The names of a typed list with their types; ``(either a b)`` gives both, no type gives ``object``."""
    waiting: list[str] = []
    position = 0
    while position < len(items):
        item = items[position]
        if item == "-":
            kind = items[position + 1] if position + 1 < len(items) else "object"
            types = frozenset(kind[1:] if isinstance(kind, list) else [kind])
            yield from ((name, types) for name in waiting)
            waiting, position = [], position + 2
            continue
        waiting.append(str(item))
        position += 1
    yield from ((name, frozenset({"object"})) for name in waiting)


def _sections(form: list[Any], name: str) -> list[list[Any]]:
    return [part for part in form if isinstance(part, list) and part and part[0] == name]


def _supertypes(domain: list[Any]) -> dict[str, frozenset[str]]:
    """Every type with all types above it, itself included."""
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


def read_problem(domain_text: str, problem_text: str) -> PlanningProblem:
    """The problem that a domain and a problem description state.

    Raises:
        Unscored: when either can't be read.
    """
    domain, problem = read_tree(domain_text), read_tree(problem_text)
    actions = [_action(part) for part in _sections(domain, ":action")]
    goals, starts = _sections(problem, ":goal"), _sections(problem, ":init")
    if not actions or len(goals) != 1 or len(goals[0]) != 2 or not starts:
        raise Unscored("a planning problem needs actions, an :init and one :goal")
    listed = [part for form, name in ((domain, ":constants"), (problem, ":objects")) for part in _sections(form, name)]
    objects = {name: kinds for part in listed for name, kinds in typed_names(part[1:])}
    atoms = [item for part in starts for item in part[1:]]
    start = frozenset(tuple(item) for item in atoms if _is_atom(item))
    return PlanningProblem(
        {action.name: action for action in actions}, objects, start, goals[0][1], _supertypes(domain)
    )


def _is_atom(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(part, str) for part in item) and item[0] != "="
