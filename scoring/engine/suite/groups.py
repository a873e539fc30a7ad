"""Groups of tasks by what their attributes must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.statistics.breakdown import values_of


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """The tasks whose attributes have certain values.

    Examples:
        >>> hard = TaskGroup({"level": ("hard", "extreme"), "skills": ("maths",)})
        >>> hard.holds({"level": "hard", "skills": ["maths", "vision"]}), hard.holds({"level": "hard"})
        (True, False)
    """

    wanted: Mapping[str, tuple[Any, ...]]

    def holds(self, attributes: Mapping[str, Any]) -> bool:
        """Whether a task with these attributes is in the group; of a list one value is enough."""
        return all(
            any(value in values for value in values_of(attributes.get(name))) for name, values in self.wanted.items()
        )


def groups_of(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, TaskGroup]:
    """The groups that a spec states: each attribute with its value, or with a list of values.

    Examples:
        >>> groups_of({"core": {"eval_type": "rule"}})
        {'core': TaskGroup(wanted={'eval_type': ('rule',)})}
    """
    return {
        name: TaskGroup({key: tuple(value) if isinstance(value, list) else (value,) for key, value in wanted.items()})
        for name, wanted in settings.items()
    }
