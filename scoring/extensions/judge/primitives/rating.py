"""The primitive that asks a judge to rate an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from scoring.extensions.judge.programs.fence import boundary, fence, notice
from scoring.extensions.judge.protocol import InvalidReply, ask_judge
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import AtLeast, primitive
from scoring.result import Unscored
from scoring.values import Score

SYSTEM = "You are a careful evaluator. You judge by the instruction you are given and reply in the form it asks."
_RATED = lazy_pattern(r"\*\*Score\*\*:\s*(-?\d{1,6}(?:\.\d{1,6})?)")
_DEFAULT = "Rate how well the response gives what the reference gives."


# Names that a task's template may use for the two strings; they are quoted below the criteria under our names.
_QUOTED = {
    **dict.fromkeys(("response", "prediction", "answer", "model_response", "model_answer", "output"), "response"),
    **dict.fromkeys(("reference", "reference_answer", "correct_answer", "ground_truth", "gold", "gt"), "reference"),
}


def criteria_of(config: object) -> str:
    """Return the judge's criteria as a string: `config` itself or, if it is a mapping, its template with the
    placeholders filled in; default criteria if there are none.

    Examples:
        >>> mapping = {"text": "response", "aim": "style"}
        >>> criteria_of({"eval_criteria_prompt": "Rate {text} by {aim}.", "template_mapping": mapping})
        'Rate the quoted `response` by style.'
    """
    mapping: object = None
    if isinstance(config, Mapping):
        mapping = config.get("template_mapping")
        config = config.get("eval_criteria_prompt")
    if config is None or config == "":
        return _DEFAULT
    if not isinstance(config, str):
        raise Unscored("the judge's criteria are not a text")
    return _filled(config, mapping) if isinstance(mapping, Mapping) else config


def _filled(template: str, mapping: Mapping[object, object]) -> str:
    """Return the template with each placeholder replaced by its value in `mapping`; a value that names the response or
    the reference is replaced by words that refer to this text, which the prompt quotes elsewhere.
    """
    texts = {
        f"{{{key}}}" if str(key).isidentifier() else str(key): _heading_of(value) for key, value in mapping.items()
    }
    found = [re.escape(key) for key in sorted(texts, key=len, reverse=True) if key]
    return re.sub("|".join(found), lambda match: texts[match[0]], template) if found else template


def _heading_of(value: object) -> str:
    name = _QUOTED.get(str(value).strip("{}").lower())
    return f"the quoted `{name}`" if name else str(value)


def ask_for_rating(prediction: object, reference: object, criteria: str, highest: float) -> float | None:
    """Ask the judge to rate the prediction by the criteria, from 0 to `highest`; return the number after the last
    ``**Score**:`` of its reply, None if there is none.
    """
    materials = {"reference": str(reference), "response": str(prediction)}
    if reference is None:
        del materials["reference"]
    word = boundary(criteria, materials.values())
    quoted = "\n\n".join(fence(label, text, word) for label, text in materials.items())
    form = f"End your reply with one line `**Score**: N`, N being a number from 0 to {highest:g}."
    reply = ask_judge(f"{criteria}\n\n{notice(word)}\n\n{quoted}\n\n{form}", system=SYSTEM)
    found = _RATED.findall(reply)
    return float(found[-1]) if found else None


@primitive(
    uses=("judge",),
    topics=("rubrics",),
    aka=("llm rubric", "llm as a judge", "model graded", "g-eval", "rating", "model_graded_qa"),
)
def judge_rating(
    prediction: object, reference: object, /, *, criteria: object = None, highest: Annotated[float, AtLeast(1)] = 10.0
) -> Score:
    """Return the judge's rating of a response, divided by the highest possible rating.

    The response and the reference are quoted between boundaries that they can't contain, so that instructions in
    them are not followed.

    Args:
        criteria: The criteria to judge by: a string, or a mapping with ``eval_criteria_prompt``, whose
            placeholders ``template_mapping`` fills.
        highest: The highest rating.

    Raises:
        Unscored: when no judge is configured, or its reply has no rating within the scale.
    Examples:
        >>> from scoring.extensions.judge.protocol import use_judge
        >>> from scoring.extensions.judge.asking.scripted import ScriptedJudge
        >>> with use_judge(ScriptedJudge(["Good. **Score**: 8"])):
        ...     judge_rating("a red barn at dusk", "a barn in the evening")
        0.8

    Source:
        MEGA-Bench, gpt_4o_as_judge: a rating of 0 to 10 in the form ``**Score**: N``.
    """
    rating = ask_for_rating(prediction, reference, criteria_of(criteria), highest)
    if rating is None:
        raise InvalidReply("no_rating", "the reply has no `**Score**: N`")
    if not 0 <= rating <= highest:
        raise InvalidReply("out_of_scale", f"{rating:g} is outside 0 to {highest:g}")
    return rating / highest
