"""The task that a host was given, in any of the forms in which its users give one."""

from __future__ import annotations

from scoring.api.opening import SpecSource
from scoring.api.tasks import Task, load
from scoring.errors import InputError


def given_task(spec: SpecSource | Task, seed: int | None = None) -> Task:
    """Return a task as it is, or the one of a spec.

    Args:
        spec: A loaded task, the path or the name of one, or its content as plain data.
        seed: The seed of the intervals, in place of the spec's, as in `scoring score --seed`.

    Raises:
        InputError: for a seed beside a loaded task, which has its own.
        SpecError: when the spec is invalid.

    Examples:
        >>> given_task({"kind": "task", "name": "t", "score": "lower | equal"}, seed=7).seed
        7
    """
    if not isinstance(spec, Task):
        return load(spec, seed=seed)
    if seed is not None:
        raise InputError(f"{spec.name} is loaded, with its seed {spec.seed}: give {seed} to scoring.load")
    return spec
