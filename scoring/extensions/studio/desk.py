"""The process behind a studio's page: it holds the records, scores them by what is written, and tells what is shown.

It answers one question at a time, and scores in steps that are questions, too: so who asks decides when an older text
is given up, and a process that takes too long for a step can be ended.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, TypeAlias

from scoring.api.opening import Opened, open_spec
from scoring.api.sources import GivenData
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.studio import looking
from scoring.extensions.studio.asking import Unasked, questions_of, shown_questions
from scoring.extensions.studio.blocks import report_data
from scoring.extensions.studio.boards import (
    BoardSet,
    Movement,
    ScoreBoard,
    SetInProgress,
    board_of_lines,
    label_paths,
    truths,
)
from scoring.extensions.studio.keeping import DataKeeper, compiled_text, open_texts, tasks_by_file
from scoring.extensions.studio.settings import StudioSettings
from scoring.extensions.verification.read import read_run
from scoring.extensions.verification.repeating import locate_run_files, prepared_of, spec_of_run
from scoring.result import describe_error

STEP = 0.08
"""The seconds of a step of scoring."""
_LABELS_SEEN, _MOST_LINES = 1_000, 6
StudioQuestion: TypeAlias = Mapping[str, Any]
_AGAINST = ("edit", "opened", "beside")


class StudioDesk:
    """The records of a studio, and the boards that specs made of them.

    Args:
        settings: What the studio was opened with.
    """

    def __init__(self, settings: StudioSettings) -> None:
        self.settings = settings
        self.keeper = DataKeeper(settings)
        self.sets: dict[str, BoardSet] = {}
        self.doing: SetInProgress | None = None
        self.waiting: list[SetInProgress] = []
        self.problem: str | None = None
        self.files: Mapping[str, list[str]] = {}
        self.broken: Sequence[str] = ()
        self._shown: BoardSet | None = None
        self._movements: dict[tuple[str, str], tuple[ScoreBoard, ScoreBoard, Movement]] = {}
        self._labels: tuple[Any, Any] = (None, None)

    def answer(self, question: StudioQuestion) -> Any:
        """Return the answer to a question of the page, as plain data."""
        return _ANSWERS[question["ask"]](self, question)

    # Scoring

    def begin(self, question: StudioQuestion) -> dict[str, Any]:
        """Start to score the data by what is written; without effect if it has mistakes, which others tell where they
        stand in the file that is shown."""
        self.problem, self.broken, texts = None, (), open_texts(question)
        try:
            opened = compiled_text(texts, self.settings.spec)
            self.files = tasks_by_file(texts, opened)
        except SpecError as error:
            names = {one.span.source.name for one in _errors(error) if one.span is not None}
            self.broken = [str(path) for name, path in texts.read.items() if name in names]
            self.problem = _elsewhere(error, question["shown"])
            return {"is_good": False}
        except InputError as error:
            self.problem = _why(error)
            return {"is_good": False}
        try:
            before = self.sets["now"].boards if "now" in self.sets else None
            doing = self.keeper.begin("this text", opened, question["version"], before=before)
        except (SpecError, InputError, OSError) as error:
            self.problem = _why(error)
            return {"is_good": False}
        if self.doing is not None:
            self.doing.give_up()
        shown = self._shown
        if shown is not None and shown.is_complete and shown.meaning == doing.meaning:
            # Nothing that moves a score or a figure was written.
            shown.version, self.doing = question["version"], None
        else:
            self.doing = doing
        return {"is_good": True}

    def open_beside(self, question: StudioQuestion) -> dict[str, Any]:
        """Start to score the data by the second spec, or read the scores of the run beside."""
        beside = str(self.settings.beside)
        if (Path(beside) / "manifest.json").is_file():
            self._open_run(beside)
        else:
            self._wait_for(open_spec(beside))
        return {}

    def _open_run(self, beside: str) -> None:
        stored, now = read_run(beside), self.sets["now"]
        _check_kind(beside, "suite" if "suite" in stored.summary else None, now.kind)
        if now.kind == "table":
            with suppress(
                InputError, SpecError
            ):  # its files are not those that it read, so its scores are all there is
                again = prepared_of(stored, locate_run_files(stored))
                self._wait_for(again.opened, again.given)
                return
        opened = spec_of_run(stored)
        task = opened.task if opened is not None and opened.kind == "rows" else None
        boards = {
            name: board_of_lines(beside, board.held, stored.records, task, f"{name}/" if name else "")
            for name, board in now.boards.items()
        }
        for name, board in boards.items():
            board.summary = {} if name else stored.summary
        self.sets["beside"] = BoardSet(beside, boards, -1, now.kind, summary=stored.summary if "" not in boards else {})

    def _wait_for(self, opened: Opened, given: GivenData | None = None) -> None:
        _check_kind(str(self.settings.beside), opened.kind, self.sets["now"].kind)
        self.waiting.append(self.keeper.begin(str(self.settings.beside), opened, -1, given))

    def step(self, question: StudioQuestion) -> dict[str, Any]:
        """Score for a moment; tell what is done, and whether anything is left."""
        doing, self.doing = self.doing, None
        still = 0.0
        if doing is not None:
            doing.step(STEP)  # where this fails, nothing is left to do
            still = doing.standing_still
            if doing.is_complete:
                self._keep(doing.boards())
            else:
                self.doing = doing
                if doing.is_due():
                    self._show(doing.boards())
        elif self.waiting:
            other = self.waiting.pop(0)
            other.step(STEP)
            still = other.standing_still
            if other.is_complete:
                self.sets["beside"] = other.boards()
            else:
                self.waiting.insert(0, other)
        return {"is_done": self.doing is None and not self.waiting, "still": still}

    def _show(self, boards: BoardSet) -> None:
        self._shown = boards
        self._movements.clear()

    def _keep(self, boards: BoardSet) -> None:
        old = self.sets.get("now")
        if old is not None:
            self.sets["edit"] = old
        self.sets["now"] = boards
        self.sets.setdefault("opened", boards)
        self._show(boards)

    # Looking

    def board(self, question: StudioQuestion) -> ScoreBoard | None:
        """Return the board of the task that a question is about, None if nothing is scored yet."""
        return None if self._shown is None else self._shown.board(question.get("task"))

    def against(self, question: StudioQuestion) -> BoardSet | None:
        """Return the board set that the shown one is compared with, None if it is not there."""
        name = question.get("against")
        if name not in _AGAINST:
            return None
        is_partial = self._shown is not None and not self._shown.is_complete
        if name == "edit" and is_partial:
            return self.sets.get("now")  # the text before is still the last one that is complete
        found = self.sets.get(str(name))
        return found if self._is_beside(found) else None

    def _is_beside(self, other: BoardSet | None) -> bool:
        """Return whether the shown board set can be compared with another one."""
        shown = self._shown
        return shown is not None and other is not None and other is not shown and other.kind == shown.kind

    def old_board(self, question: StudioQuestion, board: ScoreBoard) -> ScoreBoard | None:
        """Return the board that one of the shown ones is compared with, None if there is none of its task."""
        old = self.against(question)
        return None if old is None else old.boards.get(board.name)

    def movement(self, question: StudioQuestion, new: ScoreBoard | None) -> Movement | None:
        """Return how the records of a shown board moved from the one that a question names, None without one."""
        old = None if new is None else self.old_board(question, new)
        if old is None or new is None:
            return None
        name = str(question["against"]), new.name
        known = self._movements.get(name)
        if known is None or known[0] is not old or known[1] is not new:
            known = old, new, Movement.between(old, new)
            self._movements[name] = known
        return known[2]

    def state(self, question: StudioQuestion) -> dict[str, Any]:
        """Return what is being scored, and what is shown: its figures, distribution, and how records moved."""
        doing = self.doing or (self.waiting[0] if self.waiting else None)
        limit = self.settings.limit
        found: dict[str, Any] = {"problem": self.problem, "has_more": self.keeper.has_more, "limit": limit}
        found["files"] = [
            {"path": path, "tasks": self.files.get(path, []), "is_broken": path in self.broken}
            for path in dict.fromkeys((*self.files, *self.broken))
        ]
        if doing is not None:
            found["doing"] = {"name": doing.name, "version": doing.version, **doing.progress()}
        shown = self._shown
        if shown is None:
            return found
        found |= {
            "version": shown.version,
            "kind": shown.kind,
            "is_complete": shown.is_complete,
            "boards": [name for name in _AGAINST if self._is_beside(self.sets.get(name))],
            "beside": self.settings.beside,
        }
        board = self.board(question)
        if board is not None:
            found |= self._of_board(question, board)
        if shown.kind == "suite":
            found["suite"] = self._of_suite(question, shown, board)
        return found

    def _of_board(self, question: StudioQuestion, board: ScoreBoard) -> dict[str, Any]:
        """Return the part of a state that is about one board."""
        task, moved, old = board.task, self.movement(question, board), self.old_board(question, board)
        found = {
            "records": len(board.held),
            "done": len(board),
            "noun": board.held.noun,
            "is_whole": board.held.is_whole,
            "fields": list(board.fields)[: looking.MOST_FIELDS],
            "counts": sorted(board.counts),
            "figures": looking.figures_shown(board.summary),
            "details": looking.details_shown(board.summary, {} if old is None else old.summary),
            "distribution": looking.distribution(board),
            "threshold": looking.usual_threshold(board),
            "has_pass": task is not None and task.spec.data.get("pass") is not None,
            "asks_judge": task is not None and task.asks_judge,
            "meaning": "" if task is None else str(task.signature),
            "labels": [list(path) for path in label_paths(board.held.records[:_LABELS_SEEN])] if board.summary else [],
        }
        if moved is not None and old is not None:
            found["movement"] = {**moved.counts(), "figures": looking.figure_values(old.summary)}
        return found

    def _of_suite(self, question: StudioQuestion, shown: BoardSet, board: ScoreBoard | None) -> dict[str, Any]:
        """Return the part of a state that is about a suite: its figures, and each of its tasks."""
        old = self.against(question)
        moved = {name: self.movement(question, one) for name, one in shown.boards.items()} if old is not None else {}
        return {
            "task": None if board is None else board.name,
            "figures": looking.figures_shown(shown.summary),
            "before": {} if old is None else looking.figure_values(old.summary),
            "tasks": looking.tasks_shown(shown, old, moved),
        }

    def report(self, question: StudioQuestion) -> dict[str, Any]:
        """Return what a run's report has of a board beside figures and groups: tables of metrics, and plots."""
        board = self.board(question)
        return {"blocks": [] if board is None or not board.summary else report_data(board.summary)}

    def rows(self, question: StudioQuestion) -> dict[str, Any]:
        """Return a page of the rows that a question asks for, and how many there are."""
        board = self.board(question)
        if board is None or self._shown is None:
            return {"total": 0, "rows": []}
        moved = self.movement(question, board)
        places = looking.chosen_rows(board, moved, question)
        start = max(0, int(question.get("offset", 0)))
        size = min(looking.MOST_ROWS, max(1, int(question.get("limit", 50))))
        shown = looking.rows_shown(board, moved, places[start : start + size].tolist())
        return {"total": len(places), "of": len(board), "offset": start, "rows": shown, "version": self._shown.version}

    def cut(self, question: StudioQuestion) -> dict[str, Any]:
        """Return what passes at a threshold, and what is right about it by the labels at a path."""
        board = self.board(question)
        if board is None:
            return {}
        path, labels = question.get("label"), None
        if isinstance(path, list) and path and board.held.records:
            key = (id(board.held), tuple(map(str, path)))
            if self._labels[0] != key:
                self._labels = key, truths(board.held.records, [str(part) for part in path])
            labels = self._labels[1]
        return looking.cut_at(board, float(question["threshold"]), labels)

    def record(self, question: StudioQuestion) -> dict[str, Any]:
        """Return the story of a record, with what differs from the story that the other spec tells of it."""
        board, at = self.board(question), int(question["row"])
        if board is None or self._shown is None or not 0 <= at < len(board) or board.task is None:
            return {"problem": "this record is not here any more"}
        full, old = bool(question.get("full")), self.old_board(question, board)
        judge = Unasked()
        with judge.instead():
            now = board.held.story(board.task, at, full)
            found = board.held.told(now, self._before(board, old, at, full))
        found |= {"row": at, "id": looking.short_text(board.held.ids[at]), "version": self._shown.version}
        found["pictures"] = board.held.pictures(at)
        if board.task.asks_judge:
            found["questions"] = shown_questions(judge.questions)
        if old is not None and old.task is None:
            found["note"] = "what the run beside was made of can't be read here, so only its scores are compared"
        return found

    @staticmethod
    def _before(board: ScoreBoard, old: ScoreBoard | None, at: int, full: bool) -> Any:
        if old is None or old.task is None or type(old.held) is not type(board.held):
            return None
        place = int(board.places_in(old)[at])
        try:
            return None if place < 0 else old.held.story(old.task, place, full)
        except InputError:  # the other spec does not score it
            return None

    def ask_judge(self, question: StudioQuestion) -> dict[str, Any]:
        """Ask the judge of the environment about one record, and return the story with its answers."""
        board, at = self.board(question), int(question["row"])
        if board is None or self._shown is None or not 0 <= at < len(board) or board.task is None:
            return {"problem": "this record is not here any more"}
        with questions_of(board.task):
            now = board.held.story(board.task, at, bool(question.get("full")))
        about = {"row": at, "id": looking.short_text(board.held.ids[at]), "version": self._shown.version}
        return {**board.held.told(now, None), **about}


def _why(error: Exception) -> str:
    """Return the message of an error, by its first lines if it has many."""
    if isinstance(error, SpecError):
        return _first(one.message for one in error.diagnostics)
    return _first(str(error.args[0] if isinstance(error, InputError) and error.args else error).split("\n"))


def _first(lines: Iterable[str]) -> str:
    """Return the first of some lines, and how many more there are."""
    found = [safe_line(line) for line in lines]
    more = [f"… and {len(found) - _MOST_LINES} more"] if len(found) > _MOST_LINES else []
    return "\n".join([*found[:_MOST_LINES], *more])


def _errors(error: SpecError) -> list[Diagnostic]:
    return [one for one in error.diagnostics if one.severity == "error"]


def _elsewhere(error: SpecError, shown: str) -> str | None:
    """Return the errors that stand in no place of the shown file, where nobody would see them."""
    names = {shown, os.path.normpath(shown)}  # a suite's messages name its tasks by the latter
    found = [one for one in _errors(error) if one.span is None or one.span.source.name not in names]
    return _first(map(str, found)) if found else None


def _check_kind(beside: str, kind: str | None, now: str) -> None:
    """Check that what is beside is of the kind that is edited; None is of a run that is no suite's."""
    if (kind or now) != now or (kind is None and now == "suite"):
        names = {"rows": "a task over records", "table": "a task over a data set as a whole", "suite": "a suite"}
        other = names.get(str(kind), "no suite")
        raise InputError(f"{beside} is {other}, and what is edited is {names[now]}: they have nothing in common")


_ANSWERS: Mapping[str, Callable[[StudioDesk, StudioQuestion], Any]] = {
    "begin": StudioDesk.begin,
    "beside": StudioDesk.open_beside,
    "step": StudioDesk.step,
    "state": StudioDesk.state,
    "rows": StudioDesk.rows,
    "report": StudioDesk.report,
    "cut": StudioDesk.cut,
    "record": StudioDesk.record,
    "judge": StudioDesk.ask_judge,
}


def make_desk(settings: StudioSettings) -> Callable[[bytes], str]:
    """Return the function that the child process calls for each question of the page."""
    desk = StudioDesk(settings)

    def answer(question: bytes) -> str:
        asked = json.loads(question)
        try:
            # Of a click on one record the judge is asked; nothing else may.
            with nullcontext() if asked["ask"] == "judge" else Unasked().instead():
                found = desk.answer(asked)
        except (InputError, SpecError) as error:
            found = {"problem": _why(error)}
        except Exception as error:  # a mistake of ours, which must not end what goes on
            found = {"problem": f"this is a bug in scoring: {describe_error(error)}"}
        return json.dumps(found, default=str)

    return answer
