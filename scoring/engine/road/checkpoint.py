"""A run that was stopped goes on: what stands of it is kept in its folder now and then, and taken up again.

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
"""So many seconds apart, at least, is written what stands."""
_SHARE = 40
"""Writing it takes at most one part in so many of the time."""

Standing: TypeAlias = tuple[int, RunState | None]
"""How many records of a lane are scored, and their state."""


@dataclass
class Checkpointer:
    """Keeps what stands of a run."""

    folder: RunFolder
    writer: LineWriter
    files: Sequence[InputFile]
    on_note: Callable[[str], None] | None = None
    _next: float = field(default_factory=lambda: monotonic() + EVERY)

    def standing(self, tasks: Sequence[CompiledTask]) -> list[Standing]:
        """Return what stands of each lane; its lines are written, and its input must be as it was.

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
        """Tell whether it is time to keep what stands."""
        return monotonic() >= self._next

    def keep(self, lanes: Sequence[Standing]) -> None:
        """Keep what stands of each lane, in place of what was kept before."""
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
