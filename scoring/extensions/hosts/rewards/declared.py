"""Read what the key `reward` of a task declares, and refuse what would reward a failure more than an answer."""

from __future__ import annotations

from typing import Any, Literal

from scoring.format.build import Building
from scoring.format.keys import ReadsValues, ValueForm
from scoring.format.nodes import SpecNode


def reward_of_failures(building: ReadsValues, node: SpecNode) -> float | Literal["skip"]:
    """Return the reward of a kind of failures; a finding is added for a text that is not ``skip``."""
    if not node.is_text:
        return float(node.plain())
    if node.value != "skip":
        building.diagnostics.error("unknown-value", "a reward is a number, or `skip` for none", node.span)
    return "skip"


def range_of_rewards(building: ReadsValues, node: SpecNode) -> tuple[float, float]:
    """Return the least and the greatest reward; a finding is added if they are in another order."""
    low, high = (float(one.plain()) for one in node.items)
    if not low < high:
        message = f"rewards go from the first number to the second, which must be greater than {low:g}"
        building.diagnostics.error("out-of-range", message, node.span)
    return low, high


def checked_rewards(building: ReadsValues, node: SpecNode, form: ValueForm) -> Any:
    """Return the rules; a finding is added for a failure that would be worth more than the worst answer, and for a gate
    of a task that does not say what passes.

    Args:
        building: The builder of the spec's model.
        node: The node of the key ``reward``.
        form: The form of the rules.
    """
    found = form.read(building, node)
    least = found.range[0]
    stated = {"unparsed": found.unparsed, "unscored": found.unscored, "not_applicable": found.not_applicable}
    for name, reward in stated.items():
        if isinstance(reward, float) and reward > least:
            what = name.replace("_", " ")
            building.diagnostics.error(
                "out-of-range",
                f"the worst answer is given {least:g}, and what is {what} would be given more: {reward:g}",
                node[name].span,
                help=f"give {least:g} or less, or `skip`, or raise the first number of `range`",
            )
    if found.gate == "pass" and isinstance(building, Building) and "pass" not in building.node:
        building.diagnostics.error(
            "bad-value",
            "the task does not say what passes",
            node["gate"].span,
            help="add it, such as `pass: score >= 0.8`, or leave `gate` out",
        )
    return found
