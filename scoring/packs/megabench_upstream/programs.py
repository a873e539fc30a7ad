"""MEGA-Bench as released: answers that are run or shown to a judge: plans, programs and texts.

Plans: the released code never parses PDDL by its grammar. Conditions and facts are pieces of text, compared as written;
negative preconditions, negative goals and types are ignored. The consequences for an odd or broken domain are kept: a
domain with a single action, for example, can't be run at all.

Programs run in our sandbox. Not reproduced, because they are security holes: here a program can't see the expected
output through the judge's variables, and has no network, no files and no environment of the host.

Judges: ratings in their replies are read without limits. Quoting the response safely is kept.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable
from typing import Any

from scoring.extensions.judge.primitives.rating import ask_for_rating, criteria_of
from scoring.extensions.sandbox import Case, Limits, SandboxJob, current_sandbox
from scoring.extensions.sandbox.primitives.cases import share_passed
from scoring.lazy_pattern import lazy_pattern
from scoring.packs.megabench.drawings import ask_about_drawings
from scoring.packs.megabench_upstream.fields import zero_on_error
from scoring.registry import primitive
from scoring.values import Score

_PARAMETER = lazy_pattern(r"\?([^\s?)]+)")
_NEGATED = "(not "
# The parameters of an action, its conditions and its effects, with effects that remove a fact first.
_Action = tuple[list[str], list[str], list[str]]


def _inner(text: str) -> tuple[list[str], int]:
    """Return the texts in parentheses up to the first unmatched closing parenthesis, and the position after it."""
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
    """Return the items in parentheses of the section that begins with ``opening``, [] if there is none.

    If several sections do, the result is a dictionary of their items by the first word of each section.
    """
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
    """Return the clauses of a PDDL condition: the parts of an `and`, else the text up to the first `)`."""
    if not condition.startswith("(and"):
        return {condition.split(")")[0].strip() + ")"}
    return set(map(_untyped, _inner(condition[1:])[0]))


def _untyped(clause: str) -> str:
    """Return a PDDL clause without the types of its parameters, which are written after ` - `."""
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
        parameters, _, _ = parts  # the condition and the effect are extracted from the text below
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
    for parameter, value in objects.items():
        if "\\" in value:
            raise ValueError("a backslash in a name is an error, or something else than itself")
        clause = _place_of(parameter).sub(value, clause)
    return clause


def _all_hold(clauses: Iterable[str], state: Any) -> bool:
    return all((clause in state) != clause.startswith(_NEGATED) for clause in clauses)


def _apply(effects: Iterable[str], state: Any) -> None:
    for effect in effects:
        gone = _sections(effect, _NEGATED)
        if gone:
            (fact,) = gone
            if fact in state:
                state.remove(fact)
        elif effect.strip() not in state:
            state.append(effect)


@primitive(revision=2, traits=("response_alone",))
@zero_on_error
def megabench_upstream_reaches_goal(prediction: object, reference: object, /, *, domain: str, problem: str) -> Score:
    """Return 1 if the actions of a plan lead from the initial state to the positive goals, else 0.

    The lines that start with a parenthesis are the actions. Negative conditions and types are ignored, and a goal
    without ``and`` does not count.

    Args:
        domain: The domain in PDDL, with at least two actions.
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
    actions = _actions(domain)
    if not isinstance(prediction, (str, list, tuple)):
        raise TypeError("the released code takes a text or a list")
    lines = prediction.split("\n") if isinstance(prediction, str) else prediction
    steps = [line.strip()[1:-1].split(" ") for line in lines if line.startswith("(")]
    state, goals = _sections(problem, "(:init"), _sections(problem, "(and")
    for name, *arguments in steps:
        names, needed, effects = actions[name.strip()]
        bound = functools.partial(_bound, objects=dict(zip(names, arguments, strict=True)))
        if not _all_hold(map(bound, needed), state):
            return 0.0
        _apply(map(bound, effects), state)
    return float(_all_hold(goals, state))


# The released judge stops a case after two seconds.
_LIMITS = Limits(wall_seconds=2.0, cpu_seconds=3, memory_bytes=1 << 30)


@primitive(uses=("programs", "notes"), traits=("response_alone",))
@zero_on_error
def megabench_upstream_program_judge(prediction: object, reference: object, /, *, context: Any) -> Score:
    """Return the share of test cases with the expected output, running the program like the released judge does.

    Without a main block in double quotes, functions of the program see neither each other nor its variables;
    ``input()`` past the end raises StopIteration; standard input is empty; ``exit()`` loses the output; the text of
    an exception counts as output.

    Args:
        context: A mapping whose ``test_case`` is a mapping, or a list of mappings, with ``input`` (lines) and
            ``expected``; without it the score is 0.

    Examples:
        >>> case = {"input": ["a"], "expected": "a"}
        >>> megabench_upstream_program_judge("print(input())", None, context={"test_case": case})
        1.0

    Source:
        MEGA-Bench, released code, program_judge.
    """
    cases = context["test_case"]
    listed = [cases] if isinstance(cases, dict) else list(cases)
    expected = [case["expected"].rstrip() for case in listed]
    inputs = tuple(Case(lines=tuple("\n".join(case["input"]).split("\n"))) for case in listed)
    if not inputs or not isinstance(prediction, str):
        return 0.0
    results = current_sandbox().run(SandboxJob(prediction, inputs, _LIMITS, dialect="released"))
    passed = [
        result.status == "ok" and result.stdout.rstrip() == wanted
        for result, wanted in zip(results, expected, strict=True)
    ]
    return share_passed(passed, results)


@primitive(range=(-math.inf, math.inf), uses=("judge",))
def megabench_upstream_judge_rating(prediction: object, reference: object, /, *, config: object = None) -> Score:
    """Return a tenth of the number after ``**Score**:`` in the judge's reply, unlimited; 0 for a reply without it.

    Args:
        config: The task's settings of the judge; ``eval_criteria_prompt`` and ``template_mapping`` are read.

    Examples:
        >>> from scoring.extensions.judge.protocol import use_judge
        >>> from scoring.extensions.judge.asking.scripted import ScriptedJudge
        >>> with use_judge(ScriptedJudge(["**Score**: 95", "no idea"])):
        ...     [megabench_upstream_judge_rating("a", "b") for _ in range(2)]
        [9.5, 0.0]

    Source:
        MEGA-Bench, released code, gpt_4o_as_judge.
    """
    rating = ask_for_rating(prediction, reference, criteria_of(config), 10)
    return 0.0 if rating is None else rating / 10


@primitive(uses=("judge", "pillow"))
def megabench_upstream_judge_drawing(prediction: object, reference: object, /, *, config: object = None) -> Score:
    """Return 1 if the judge's reply about two drawings contains "yes" anywhere, else 0.

    Args:
        config: The task's settings of the judge; not used.

    Examples:
        >>> megabench_upstream_judge_drawing.__primitive__.params[0].name
        'config'

    Source:
        MEGA-Bench, released code, ascii_art_gpt4o_judge.
    """
    return float("yes" in ask_about_drawings(str(prediction), str(reference)).lower())
