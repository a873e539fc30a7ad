"""Files in which another tool states its tasks, several to a file, and what specs are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from scoring.format.nodes import SpecNode

GROUP = "scoring.task_files"


class MadeSpec(Struct, frozen=True):
    """The spec that was made of a task in another tool's file.

    Args:
        id: The name of the task in the file; "" if it has none.
        spec: The spec as plain data.
        packs: The packs that the spec imports by path, as plain data, by the part of their file's name that follows
            the spec's own: `grader` for `SPEC-grader.yaml`.
        idle: What the file says of the task that moves no score, one line each.
        lost: What the spec scores otherwise than the tool does, one line each.
    """

    id: str
    spec: Mapping[str, object]
    packs: Mapping[str, Mapping[str, object]]
    idle: tuple[str, ...]
    lost: tuple[str, ...]


class TaskFile(Struct, frozen=True):
    """A form of files with tasks of another tool, given by an entry point of `scoring.task_files`.

    Args:
        title: The name of such a file in messages, such as ``eval.yaml of Hugging Face``.
        lacks: The reason why a file is not of this form, such as ``it has no `tasks```.
        recognises: Returns whether a file is of this form; called only for mappings without `kind`.
        convert: Returns the specs of all tasks in the order of the file, given its node, and the name for the specs:
            that of the spec of a single task, and the beginning of the names of several. It raises SpecError where
            the file has a key or value that is unknown.
    """

    title: str
    lacks: str
    recognises: Callable[[SpecNode], bool]
    convert: Callable[[SpecNode, str], Sequence[MadeSpec]]
