"""The key `reward` of a task: what a trainer is given for a record, in place of the record's score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from scoring.format.forms import one_of, section
from scoring.format.keys import ROWS, ReadsValues, SpecSection, ValueForm, key
from scoring.format.nodes import SpecNode

Failed: TypeAlias = float | Literal["skip"] | None
"""The reward of a record that failed: a number, ``skip`` for none; None for that of the score it counts with."""
OF_FAILURES: Final = ("unparsed", "unscored", "not_applicable")
_MOST: Final = 1e9


def _numbers(**schema: Any) -> dict[str, Any]:
    return {"type": "number", "minimum": -_MOST, "maximum": _MOST, **schema}


def _failed(building: ReadsValues, node: SpecNode) -> Failed:
    if not node.is_text:
        return float(node.plain())
    if node.value != "skip":
        building.diagnostics.error("unknown-value", "a reward is a number, or `skip` for none", node.span)
    return "skip"


def _scale(building: ReadsValues, node: SpecNode) -> tuple[float, float]:
    low, high = (float(one.plain()) for one in node.items)
    if not low < high:
        message = f"rewards go from the first number to the second, which must be greater than {low:g}"
        building.diagnostics.error("out-of-range", message, node.span)
    return low, high


_FAILED: Final = ValueForm(
    lambda kind: {"type": ["number", "string"], "minimum": -_MOST, "maximum": _MOST, "examples": ["skip", 0]}, _failed
)
_SCALE: Final = ValueForm(
    lambda kind: {"type": "array", "items": _numbers(), "minItems": 2, "maxItems": 2, "default": [0, 1]}, _scale
)
_SECONDS: Final = ValueForm(
    lambda kind: {"type": "number", "exclusiveMinimum": 0, "maximum": 1e6}, lambda building, node: float(node.plain())
)


@dataclass(frozen=True, slots=True)
class RewardRules:
    """What is given as the reward of a record: the content of a task's key `reward`."""

    unparsed: Failed = key(
        _FAILED,
        "The reward of an answer that did not parse, or `skip` for none; by default that of the score it counts with.",
        moves="value",
        default=None,
    )
    unscored: Failed = key(
        _FAILED,
        "The reward of a record without a score, or `skip` for none; by default that of the score it counts with.",
        moves="value",
        default=None,
    )
    not_applicable: Failed = key(
        _FAILED,
        "The reward of a record to which the task does not apply, or `skip` for none, the default.",
        moves="value",
        default=None,
    )
    gate: Literal["pass"] | None = key(
        one_of("pass"),
        "With `pass`, what does not pass is given the least of `range`, whatever its score.",
        moves="value",
        default=None,
    )
    range: tuple[float, float] = key(
        _SCALE,
        "The least and the greatest reward, onto which the range of the task's score is mapped.",
        moves="value",
        default=(0.0, 1.0),
    )
    seconds: float | None = key(
        _SECONDS,
        "The longest that one record may take; it is scored in a process of its own, and unscored when that is over.",
        moves="value",
        default=None,
    )


_FORM: Final = section(RewardRules)


def _read(building: ReadsValues, node: SpecNode) -> RewardRules:
    """Return the rules; a finding is added for each failure that would be worth more than an answer can be."""
    from scoring.format.build import Building  # imported here, since few tasks have rewards

    rules: RewardRules = _FORM.read(building, node)
    least = rules.range[0]
    for name in OF_FAILURES:
        found = getattr(rules, name)
        if isinstance(found, float) and found > least:
            what = name.replace("_", " ")
            building.diagnostics.error(
                "out-of-range",
                f"the worst answer is given {least:g}, and what is {what} would be given more: {found:g}",
                node[name].span,
                help=f"give {least:g} or less, or `skip`, or raise the first number of `range`",
            )
    if rules.gate == "pass" and isinstance(building, Building) and "pass" not in building.node:
        building.diagnostics.error(
            "bad-value",
            "the task does not say what passes",
            node["gate"].span,
            help="add it, such as `pass: score >= 0.8`, or leave `gate` out",
        )
    return rules


NO_RULES: Final = RewardRules()
SECTION: Final = SpecSection(
    ("task",),
    ValueForm(_FORM.schema, _read, _FORM.inside),
    "The rewards that trainers are given: of failures, of what does not pass, their range, and the time for one.",
    moves="value",
    kinds=ROWS,
)
