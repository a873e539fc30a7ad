"""MEGA-Bench as released: the judges' replies are read without bounds. Quoting the response safely is kept."""

from __future__ import annotations

import math

from scoring.primitives.judges.rating import ask_about_drawings, ask_for_rating, criteria_of
from scoring.registry import primitive
from scoring.values import Score


@primitive(range=(-math.inf, math.inf), uses=("judge",))
def megabench_upstream_judge_rating(prediction: object, reference: object, /, *, config: object = None) -> Score:
    """A tenth of the number after ``**Score**:`` in the judge's reply, unbounded; a reply without it is 0.

    Args:
        config: The task's settings of the judge; ``eval_criteria_prompt`` and ``template_mapping`` are read.

    Examples:
        >>> from scoring.judge.protocol import use_judge
        >>> from scoring.judge.asking.scripted import ScriptedJudge
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
    """1 when the judge's reply about two drawings has a "yes" anywhere, else 0.

    Args:
        config: The task's settings of the judge; not used.

    Examples:
        >>> megabench_upstream_judge_drawing.__primitive__.params[0].name
        'config'

    Source:
        MEGA-Bench, released code, ascii_art_gpt4o_judge.
    """
    return float("yes" in ask_about_drawings(str(prediction), str(reference)).lower())
