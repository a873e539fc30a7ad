"""Judge programs as steps of a pipeline, and rules that call a judge only if they are unsure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

from scoring.effects import leave_note
from scoring.ranges import EVERYTHING, UNIT, ScoreRange
from scoring.registry import AtLeast, Scorer, asks_reference, bounds, primitive
from scoring.result import Unscored
from scoring.values import Score

if TYPE_CHECKING:
    from scoring.extensions.judge.programs.program import JudgeProgram

# Keyed by identity, because a compiled pipeline passes the same mapping object with every pair. The mapping is stored,
# too, so that its `id` is not reused for another object.
_loaded: dict[int, tuple[dict[str, Any], JudgeProgram]] = {}
_MOST_LOADED = 256


def _program(data: dict[str, Any]) -> JudgeProgram:
    known = _loaded.get(id(data))
    if known is not None and known[0] is data:
        return known[1]
    from scoring.extensions.judge.programs.program import load_program

    try:
        program = load_program(str(data["name"]), data["judges"])
    except (KeyError, TypeError, ValueError) as error:
        raise Unscored(f"the judge program is not well formed: {error}") from None
    if len(_loaded) >= _MOST_LOADED:
        _loaded.clear()
    _loaded[id(data)] = (data, program)
    return program


def _values(program: JudgeProgram, prediction: Any, reference: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    sides = {"prediction": prediction, "reference": reference}
    found = {name: sides[declared.path] for name, declared in program.inputs.items() if declared.path in sides}
    return {**found, **inputs}


@primitive(
    range=(-math.inf, math.inf),
    uses=("judge", "jsonschema", "notes"),
    topics=("rubrics",),
    aka=("judge program", "model_graded_fact"),
)
def judged(
    prediction: Any,
    reference: Any,
    /,
    *,
    program: dict[str, Any],
    restarts: int | None = None,
    samples: Annotated[int, AtLeast(1)] = 1,
    combine: Literal["majority", "mean", "median"] = "majority",
    **inputs: Any,
) -> Score:
    """Return the score of a judge program: questions to the configured judge, and a formula over its verdicts.

    A pack defines programs in its `judges:` section and uses them by name; they are compiled to this step. An invalid
    reply or an unreachable judge leaves the record unscored.

    Args:
        program: The program: its name, and the entries of `judges:` that it needs.
        restarts: The number of restarts after an invalid reply; by default that of the program or the judge.
        samples: The number of opinions to request from each judge.
        combine: The method of combining several opinions into one score.
        inputs: The program's inputs other than the prediction and the reference, by name.


    Examples:
        >>> from scoring.extensions.judge.protocol import use_judge
        >>> from scoring.extensions.judge.asking.scripted import ScriptedJudge
        >>> rate = {
        ...     "prompt": "Rate the text from 0 to 1.",
        ...     "reply": {"integer": {"minimum": 0, "maximum": 1}},
        ...     "inputs": {"text": "prediction"},
        ...     "show": ["text"],
        ...     "gives": {"rating": "@"},
        ...     "score": "rating",
        ... }
        >>> with use_judge(ScriptedJudge(["1"])):
        ...     judged("a text", None, program={"name": "rate", "judges": {"rate": rate}})
        1

    Source:
        Valor, LLM-guided metrics, for the form of the programs.
    """
    from scoring.extensions.judge.asking.panel import ask_panel
    from scoring.extensions.judge.programs.run import run_program
    from scoring.extensions.judge.protocol import current_judge, current_judges

    loaded = _program(program)
    values = _values(loaded, prediction, reference, inputs)
    if samples > 1 or len(current_judges()) > 1:
        panel = ask_panel(loaded, values, current_judges(), samples=samples, combine=combine, restarts=restarts)
        leave_note("opinions", {opinion.label: opinion.score for opinion in panel.opinions})
        return panel.score
    found = run_program(loaded, values, current_judge(), restarts=restarts)
    if found.score is None:
        raise Unscored(f"judge `{loaded.name}` gives a value, not a score")
    return found.score


@bounds(judged)
def _(*, program: Any, **_: Any) -> ScoreRange:
    # A score outside of the range that a program states leaves the record unscored.
    try:
        low, high = program["judges"][program["name"]].get("range", (0.0, 1.0))
        return ScoreRange(float(low), float(high))
    except (AttributeError, KeyError, TypeError, ValueError):  # a malformed program, reported by its first call
        return EVERYTHING


@asks_reference(judged)
def _(*, program: Any, **_: Any) -> bool:
    try:
        return any(one.path == "reference" and one.is_used for one in _program(program).inputs.values())
    except (TypeError, Unscored):  # a malformed program, reported by its first call
        return True


@primitive(uses=("judge", "jsonschema"), topics=("rubrics", "extraction"), aka=("llm extraction",))
def judge_extract(response: Any, /, *, program: dict[str, Any], restarts: int | None = None, **inputs: Any) -> Any:
    """Return a value that a judge program extracts from a response, such as the short answer in a long one.

    Args:
        program: The program: its name, and the entries of `judges:` that it needs; it has `value` instead of `score`.
        restarts: The number of restarts after an invalid reply; by default that of the program or the judge.
        inputs: The program's inputs other than the response, by name.

    Examples:
        >>> from scoring.extensions.judge.protocol import use_judge
        >>> from scoring.extensions.judge.asking.scripted import ScriptedJudge
        >>> find = {
        ...     "prompt": "What is the answer?",
        ...     "reply": {"text": {}},
        ...     "inputs": {"text": "prediction"},
        ...     "show": ["text"],
        ...     "gives": {"answer": "@"},
        ...     "value": "answer",
        ... }
        >>> with use_judge(ScriptedJudge(["42"])):
        ...     judge_extract("It must be 42.", program={"name": "find", "judges": {"find": find}})
        '42'

    Source:
        As used in MMESGBench, extraction of short answers.
    """
    from scoring.extensions.judge.programs.run import run_program
    from scoring.extensions.judge.protocol import current_judge

    loaded = _program(program)
    return run_program(loaded, _values(loaded, response, None, inputs), current_judge(), restarts=restarts).value


@primitive(uses=("notes",), traits=("response_alone",), topics=("rubrics", "scores"), aka=("model graded fallback",))
def cascade(
    prediction: Any,
    reference: Any,
    /,
    *,
    rule: Scorer[Any],
    unsure: Scorer[Any],
    low: float | None = None,
    high: float = 1.0,
) -> Score:
    """Return the score of a rule or, if the rule is unsure, that of another scorer, such as a judge.

    The rule is sure of scores of at least `high` and, if `low` is given, of scores of at most `low`. The result of
    every record contains a note of the scorer that decided: `decided_by` is `rule` or `unsure`.

    Args:
        rule: The cheap scorer, which is called first.
        unsure: The scorer that decides if the rule is unsure.
        low: The largest score that is a sure failure; without it no failure of the rule is sure.
        high: The smallest score of which the rule is sure.


    Examples:
        >>> equal = lambda prediction, reference: float(prediction == reference)
        >>> half = lambda prediction, reference: 0.5
        >>> cascade("4", "4", rule=equal, unsure=half), cascade("four", "4", rule=equal, unsure=half)
        (1.0, 0.5)

    Source:
        P. Viola and M. Jones, "Rapid object detection using a boosted cascade of simple features", 2001, for the idea.
    """
    score = rule(prediction, reference)
    sure = _is_sure(score, low, high)
    leave_note("decided_by", "rule" if sure else "unsure")
    return score if sure else unsure(prediction, reference)


@bounds(cascade)
def _(*, rule: ScoreRange, unsure: ScoreRange, **_: Any) -> ScoreRange:
    return rule.hull(unsure)


@primitive(traits=("response_alone",), topics=("rubrics",))
def is_sure(
    prediction: Any, reference: Any, /, *, rule: Scorer[Any], low: float | None = None, high: float = 1.0
) -> Score:
    """Return 1 if the rule of a `cascade` decides alone, 0 if the other scorer is called.

    Args:
        rule: The rule, as in `cascade`.
        low: As in `cascade`.
        high: As in `cascade`.

    Examples:
        >>> equal = lambda prediction, reference: float(prediction == reference)
        >>> is_sure("4", "4", rule=equal), is_sure("four", "4", rule=equal)
        (1.0, 0.0)
    """
    return float(_is_sure(rule(prediction, reference), low, high))


@bounds(is_sure)
def _(**_: Any) -> ScoreRange:
    return UNIT


def _is_sure(score: float, low: float | None, high: float) -> bool:
    return score >= high or (low is not None and score <= low)
