"""The processes behind a studio, as its server sees them: the newest text wins, and what hangs is ended."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any, TypeAlias

from scoring import processes
from scoring.errors import InputError
from scoring.extensions.processes.child import ChildLost, ChildProcess
from scoring.extensions.studio.settings import StudioSettings

MEMORY = 8_000_000_000
"""The bytes of memory that the records and their scores may take in a process, in addition to its own."""
OPENING = 120.0
"""The seconds in which the records must have been read."""
HANGING = 20.0
"""The seconds after which a step of scoring, which takes a tenth of one as a rule, is given up."""
HURRY = 2.0
"""The seconds after which a step is given up if there is a newer text."""
WHOLE = 600.0
"""The seconds after which the scoring of a data set of images, which is one step, is given up."""
LOOKING = 20.0
"""The seconds in which a question about the results must be answered."""
HELPING = 10.0
"""The same for one about the text."""
AUDITING = 120.0
"""The same for an audit."""
JUDGING = 600.0
"""The same where a judge is asked."""

WrittenTexts: TypeAlias = tuple[int, Mapping[str, Any]]
"""A version of what stands in the editor: its number, and the texts by the paths of their files."""


class AskedChild:
    """A process that answers questions one at a time, and another one in its place once one took too long.

    Args:
        serving: The function that makes its answers, as `ChildProcess` takes it.
        argument: The argument of this function.
    """

    def __init__(self, serving: str, argument: Any) -> None:
        self._serving, self._argument = serving, argument
        self._using = threading.Lock()
        self._child: ChildProcess | None = None
        self.starts = 0
        self.is_closed = False

    def ask(self, question: Any, seconds: float, missed: str = "no answer") -> Any:
        """Return the answer to a question.

        Raises:
            ChildLost: when there is none in time, or the process died.
        """
        with self._using:
            if self.is_closed:
                raise ChildLost("the studio is closed")
            child = self._child
            try:
                if child is None:
                    memory = MEMORY if processes.BOUNDS_MEMORY else None
                    child = self._child = ChildProcess(self._serving, self._argument, memory)
                    self.starts += 1
                child.wait_until_ready()
                child.send([question if isinstance(question, bytes) else json.dumps(question).encode()])
                return json.loads(child.answer(seconds, missed))
            except (ChildLost, InputError) as lost:
                self._child = None
                if child is not None:
                    child.stop()
                raise ChildLost(str(lost)) from None

    def kill(self) -> None:
        """End what it works on; whoever waits for the answer is told."""
        child = self._child
        if child is not None:
            child.process.kill()

    def close(self) -> None:
        """End the process for good."""
        self.is_closed = True
        self.end()

    def end(self) -> None:
        """End the process, and what it works on; the next question is asked of a new one."""
        self.kill()
        with self._using:
            if self._child is not None:
                self._child.stop()
                self._child = None


class ScoringDriver:
    """A thread that has the newest text scored, step by step, and lets questions about the results between the steps.

    Args:
        settings: What the studio was opened with.
    """

    def __init__(self, settings: StudioSettings) -> None:
        self._desk = AskedChild("scoring.extensions.studio.desk:make_desk", settings)
        self._has_beside = settings.beside is not None
        self._changed = threading.Condition()
        self._newest: WrittenTexts = (0, {})
        self._begun = 0
        self._good: list[WrittenTexts] = []
        self._is_done, self._is_beside = True, False
        self._redone = -1
        self._lookers = 0
        self._since: float | None = None
        self._is_closed = False
        self.problem: str | None = None
        self.beside_problem: str | None = None
        self._thread = threading.Thread(target=self._drive, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and the process."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._desk.close()
        self._thread.join()

    def write(self, version: int, written: Mapping[str, Any]) -> None:
        """Take newer texts, as the desk takes them; what is done for older ones is given up, at once if it hangs."""
        with self._changed:
            self._newest = version, written
            since = self._since
            self._changed.notify_all()
        if since is not None and time.monotonic() - since > HURRY:
            self._desk.kill()

    def look(self, question: Mapping[str, Any], seconds: float = LOOKING) -> Any:
        """Return the answer to a question about the results; a problem if there is none."""
        with self._changed:
            self._lookers += 1
        try:
            return self._desk.ask(question, seconds)
        except ChildLost as lost:
            with self._changed:
                self._again(str(lost))
            return {"problem": str(lost)}
        finally:
            with self._changed:
                self._lookers -= 1
                self._changed.notify_all()

    def is_working(self) -> bool:
        """Return whether a text is being scored, or will be."""
        with self._changed:
            return not self._is_done or self._newest[0] != self._begun

    def _drive(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._has_work())
                # Whoever looks comes first; a step takes a tenth of a second.
                self._changed.wait_for(lambda: self._is_closed or not self._lookers, timeout=0.3)
                if self._is_closed:
                    return
                newest = self._newest
                # Reading the records may take its time; a step may not.
                self._since = time.monotonic() if newest[0] == self._begun else None
            try:
                self._work(newest)
            except ChildLost as lost:
                with self._changed:
                    self._lose(newest, str(lost))
            finally:
                with self._changed:
                    self._since = None

    def _has_work(self) -> bool:
        return not self._is_done or self._newest[0] != self._begun

    def _work(self, newest: WrittenTexts) -> None:
        version, written = newest
        if version == self._begun:
            told = self._desk.ask({"ask": "step"}, HANGING, "a step of scoring had no end")
            if told.get("still", 0.0) > WHOLE:
                self._desk.end()
                raise ChildLost(f"the data set was not scored in {WHOLE:g} seconds")
            is_done = told.get("is_done", True)
            self.problem = told.get("problem") or self.problem
            with self._changed:
                self._is_done = is_done and (self._is_beside or not self._has_beside or not self._good)
            if is_done and self._has_beside and self._good and not self._is_beside:
                self._is_beside = True
                self.beside_problem = self._desk.ask({"ask": "beside"}, OPENING).get("problem")
            return
        with self._changed:
            self._begun, self._is_done = version, False
        asked = {**written, "ask": "begin", "version": version}
        found = self._desk.ask(asked, OPENING, "the records were not read")
        if version != self._redone:
            self.problem = found.get("problem")
        if found.get("is_good"):
            self._good = [*self._good[-1:], newest]

    def _lose(self, newest: WrittenTexts, why: str) -> None:
        """Go back to the last text that was scored, after the process was lost with this one."""
        if self._is_closed:
            return
        if self._newest[0] == newest[0]:
            self.problem = f"this text was given up: {why}"
        self._good = [one for one in self._good if one[0] != newest[0]]
        self._again(why)

    def _again(self, why: str) -> None:
        """Have the last good text scored again, by a new process that knows nothing yet."""
        self._is_beside = False
        self.problem = self.problem or why
        if self._good and not self._is_closed:
            good = self._good[-1]
            self._good, self._redone = [], good[0]
            if self._newest[0] == self._begun:
                self._newest, self._begun = good, -1
                self._is_done = True
        else:
            self._is_done = True
        self._changed.notify_all()
