"""The key `reward` of a task: what a trainer is given for a record, in place of the record's score."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from scoring.format.forms import number_form, one_of, section
from scoring.format.keys import ROWS, SpecPart, SpecSection, ValueForm, key

Failed: TypeAlias = float | Literal["skip"] | None


def _declared(name: str, *given: Any) -> Any:
    from scoring.extensions.hosts.rewards import declared  # imported here, since few tasks have rewards

    return getattr(declared, name)(*given)


def _form(name: str, **schema: Any) -> ValueForm:
    return ValueForm(lambda kind: schema, lambda building, node: _declared(name, building, node))


_NUMBER: Final = {"type": "number", "minimum": -1e9, "maximum": 1e9}
_FAILED: Final = _form("reward_of_failures", **_NUMBER | {"type": ["number", "string"], "examples": ["skip", 0]})
_SCALE: Final = _form("range_of_rewards", type="array", items=_NUMBER, minItems=2, maxItems=2, default=[0, 1])
_GATE: Final = one_of("pass")
_SECONDS: Final = number_form(exclusiveMinimum=0, maximum=1e6)
_ELSE: Final = ", or `skip` for none; by default that of the score it counts with."


class RewardRules(SpecPart, frozen=True):
    """What is given as the reward of a record: the content of a task's key `reward`."""

    unparsed: Failed = key(_FAILED, f"The reward of what did not parse{_ELSE}", moves="value", default=None)
    unscored: Failed = key(_FAILED, f"The reward of what has no score{_ELSE}", moves="value", default=None)
    not_applicable: Failed = key(_FAILED, f"The reward where nothing applies{_ELSE}", moves="value", default=None)
    gate: Literal["pass"] | None = key(_GATE, "What must hold for more than the least.", moves="value", default=None)
    range: tuple[float, float] = key(_SCALE, "The rewards of the worst and best score.", moves="value", default=(0, 1))
    seconds: float | None = key(_SECONDS, "The longest that one record may take.", moves="value", default=None)


_FORM: Final = section(RewardRules)
SECTION: Final = SpecSection(
    ("task",),
    replace(_FORM, read=lambda building, node: _declared("checked_rewards", building, node, _FORM)),
    "The rewards that trainers are given: of failures, of what does not pass, their range, and the time for one.",
    moves="value",
    kinds=ROWS,
)
