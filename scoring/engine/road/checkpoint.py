"""Resumable runs: the state is saved in the run's folder from time to time, and read when the run is started again.

What stands is the lines of the first records and the state that they left. The input is read again from its begin, so
that places, ids and digests are those of the whole, and only the scoring of those records is left out. States add up to
the same bits wherever they are parted, so a run that went on ends with the files of one that nothing disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeAlias

from scoring.compiler.task import CompiledTask
from scoring.data.file import InputFile
from scoring.engine.road.summary import RunState
from scoring.engine.runs.folder import LineWriter, RunFolder
from scoring.statistics.statistic import NotPortable

EVERY = 2.0
"""The least time between two saves, in seconds."""
_SHARE = 40
"""Saving takes at most this fraction (one in …) of the time."""

Standing: TypeAlias = tuple[int, RunState | None]
"""The number of records of a lane that are scored, and their state."""


@dataclass
class Checkpointer:
    """Saves the state of a run."""

    folder: RunFolder
    writer: LineWriter
    files: Sequence[InputFile]
    on_note: Callable[[str], None] | None = None
    _next: float = field(default_factory=lambda: monotonic() + EVERY)

    def standing(self, tasks: Sequence[CompiledTask]) -> list[Standing]:
        """Return the saved state of each lane; its lines exist already, and its input must be unchanged.

        Raises:
            InputError: when a file is another one now, here or where it is read on.
        """
        held = self.folder.standing()
        try:
            lanes = [] if held is None else [_unpacked(*one) for one in zip(tasks, held["lanes"], strict=True)]
            seen = [] if held is None else list(zip(self._each(), held["files"], strict=True))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            held = None  # it was sealed, and by no run of ours
        if held is None:
            return [(0, None)] * len(tasks)
        for file, entry in seen:
            file.expect(entry)
        for lines in self.folder.standing_lines(held):
            self.writer.write_content(lines)
        if self.on_note is not None:
            count = sum(records for records, _ in lanes)
            self.on_note(f"goes on behind the {count} records that stand in {self.folder.path}")
        self.keep(lanes)
        return lanes

    def is_due(self) -> bool:
        """Tell whether it is time to save."""
        return monotonic() >= self._next

    def keep(self, lanes: Sequence[Standing]) -> None:
        """Save the state of each lane, replacing the former one."""
        began = monotonic()
        try:
            packed = [
                {"records": records, "state": None if state is None else state.pack()} for records, state in lanes
            ]
        except NotPortable:  # of a plug-in's metric, say: such a run begins anew
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
