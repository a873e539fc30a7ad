"""Checkpoints, by which an interrupted run can be resumed: its progress is saved in its folder from time to time.

A checkpoint consists of the lines of the first records and the state after them. On resuming, the input is read again
from the start, so that positions, ids and digests are those of the whole, and only the scoring of those records is
skipped. States merge to the same bits wherever they are split, so a resumed run ends with the same files as an
uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeAlias

from scoring.compiler.tasks.task import CompiledTask
from scoring.data.file import InputFile
from scoring.engine.road.summary import RunState
from scoring.engine.runs.folder import LineWriter, RunFolder
from scoring.statistics.statistic import NotPortable

EVERY = 2.0
"""Minimum number of seconds between two checkpoints."""
_SHARE = 40
"""Writing checkpoints takes at most about 1/40 of the time."""

Standing: TypeAlias = tuple[int, RunState | None]
"""How many records of a lane (a task with its records in a run) are scored, and the state over them."""


@dataclass
class Checkpointer:
    """A writer and reader of the checkpoints of one run."""

    folder: RunFolder
    writer: LineWriter
    files: Sequence[InputFile]
    on_note: Callable[[str], None] | None = None
    _next: float = field(default_factory=lambda: monotonic() + EVERY)

    def standing(self, tasks: Sequence[CompiledTask]) -> list[Standing]:
        """Return the number of saved records and the saved state of each task, or (0, None), and write the saved lines.

        Raises:
            InputError: when an input file has changed, either now or later when it is read further.
        """
        saved = self.folder.standing()
        try:
            lanes = [] if saved is None else [_unpacked(*one) for one in zip(tasks, saved["lanes"], strict=True)]
            seen = [] if saved is None else list(zip(self._each(), saved["files"], strict=True))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            saved = None  # the checkpoint is intact, but this program did not write it
        if saved is None:
            return [(0, None)] * len(tasks)
        for file, entry in seen:
            file.expect(entry)
        for lines in self.folder.standing_lines(saved):
            self.writer.write_content(lines)
        if self.on_note is not None:
            count = sum(records for records, _ in lanes)
            self.on_note(f"continues after the {count} records that are in {self.folder.path}")
        self.keep(lanes)
        return lanes

    def is_due(self) -> bool:
        """Return whether it is time for the next checkpoint."""
        return monotonic() >= self._next

    def keep(self, lanes: Sequence[Standing]) -> None:
        """Save the progress of each lane, replacing the previous checkpoint; stop saving if a state can't be stored."""
        began = monotonic()
        try:
            packed = [
                {"records": records, "state": None if state is None else state.pack()} for records, state in lanes
            ]
        except NotPortable:  # for example, a plug-in's metric; such a run starts over instead of resuming
            self._next = float("inf")
            return
        files = [file.seen() for file in self._each()]
        self.folder.keep({"files": files, "lanes": packed, "lines": self.writer.flushed()})
        now = monotonic()
        self._next = now + max(EVERY, _SHARE * (now - began))

    def _each(self) -> Iterator[InputFile]:
        return (one for file in self.files for one in file.files)


def _unpacked(task: CompiledTask, lane: Mapping[str, Any]) -> Standing:
    state = lane["state"]
    return int(lane["records"]), None if state is None else RunState.unpack(task, state)
