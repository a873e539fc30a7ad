"""The process behind a studio's page: it holds the records, scores them by what is written, and tells what is shown.

It answers one question at a time, and scores in steps that are questions, too: so who asks decides when an older text
is given up, and a process that takes too long for a step can be ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.api.opening import Opened, open_spec
from scoring.api.sources import GivenData
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_write import plain
from scoring.data.rows.batch import Batch
from scoring.data.rows.report import InputReport
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.layouts.choosing import laid_out
from scoring.extensions.studio import looking
from scoring.extensions.studio.asking import Unasked, questions_of, shown_questions
from scoring.extensions.studio.boards import (
    BoardInProgress,
    HeldRecords,
    Movement,
    ScoreBoard,
    board_of_lines,
    label_paths,
    truths,
)
from scoring.extensions.studio.pictures import pictures_of
from scoring.extensions.studio.stories import compared_trees, story_tree
from scoring.extensions.tracing.limits import within_limits
from scoring.extensions.verification.read import read_run
from scoring.extensions.verification.repeating import spec_of_run
from scoring.format.load import Loader
from scoring.format.model import TaskSpec
from scoring.result import describe_error

STEP = 0.08
"""The seconds of a step of scoring."""
_LABELS_SEEN = 1_000
StudioQuestion: TypeAlias = Mapping[str, Any]
_AGAINST = ("edit", "opened", "beside")


class StudioSettings(Struct, frozen=True):
    """What a studio is opened with.

    Args:
        spec: The path of the spec's file.
        data: The path of the records.
        references: The path of the references that are joined to them by id; None if there are none.
        limit: The most records that are held.
        beside: The path of a second spec, or the folder of a run; None if there is none.
        input_format: The format of the data.
        reference_format: The format of the references.
    """

    spec: str
    data: str
    references: str | None = None
    limit: int = 100_000
    beside: str | None = None
    input_format: str | None = None
    reference_format: str | None = None

    def given(self) -> GivenData:
        """Return the data, not yet opened; one record more than are held, so that it is seen whether there are more."""
        held = self.limit + 1
        return GivenData(
            self.data, self.references, self.input_format, limit=held, reference_format=self.reference_format
        )


class StudioDesk:
    """The records of a studio, and the boards that specs made of them.

    Args:
        settings: What the studio was opened with.
    """

    def __init__(self, settings: StudioSettings) -> None:
        self.settings = settings
        self.boards: dict[str, ScoreBoard] = {}
        self.doing: BoardInProgress | None = None
        self.waiting: list[BoardInProgress] = []
        self.problem: str | None = None
        self.has_more = False
        self._held: dict[Any, HeldRecords] = {}
        self._shown: ScoreBoard | None = None
        self._movements: dict[str, tuple[ScoreBoard, ScoreBoard, Movement]] = {}
        self._labels: tuple[Any, Any] = (None, None)

    def answer(self, question: StudioQuestion) -> Any:
        """Return the answer to a question of the page, as plain data."""
        return _ANSWERS[question["ask"]](self, question)

    # Scoring

    def begin(self, question: StudioQuestion) -> dict[str, Any]:
        """Start to score the records by a text; without effect for one that has mistakes, which others tell."""
        self.problem = None
        try:
            loader = Loader()
            loaded = loader.text(question["text"], Path(self.settings.spec))
            if not isinstance(loaded.spec, TaskSpec) or loaded.spec.records is not None:
                raise InputError("the studio is for tasks over records; `scoring score` runs other specs")
            task, _ = compile_task(loaded, loader)
        except SpecError:
            return {"is_good": False}
        except InputError as error:
            self.problem = safe_line(str(error))
            return {"is_good": False}
        shown = self._shown
        is_same = shown is not None and shown.task is not None and shown.task.signature == task.signature
        try:
            opened, held = self.records(Opened(task, self.settings.spec, Path(self.settings.spec).parent))
        except SpecError as error:
            self.problem = "\n".join(safe_line(one.message) for one in error.diagnostics[:5])
            return {"is_good": False}
        except (InputError, OSError) as error:
            self.problem = safe_line(str(error))
            return {"is_good": False}
        if is_same and shown is not None and shown.summary and shown.task is not None:
            # Nothing that moves a score was written; the figures may be others.
            is_same = shown.task.spec.data == task.spec.data
        if is_same and shown is not None and shown.summary:
            shown.version, self.doing = question["version"], None
            return {"is_good": True}
        self.doing = BoardInProgress("this text", opened.task, held, question["version"])
        return {"is_good": True}

    def records(self, opened: Opened) -> tuple[Opened, HeldRecords]:
        """Return a task as it reads the records, and the records; read anew only if another task reads them otherwise.

        Raises:
            InputError: when they can't be read.
            SpecError: when the task names a path that no record has.
        """
        given = self.settings.given()
        opened, given = laid_out(opened, given)
        task = opened.task
        key = (sorted(task.spec.record.items()), task.spec.answers, task.spec.on_null, sorted(task.columns or ("*",)))
        text = json.dumps(plain(key), default=str)
        held = self._held.get(text)
        if held is None:
            report = InputReport()
            batch = Batch.join([Batch([], [], []), *given.opened().batches(task, report)])
            self.has_more = len(batch) > self.settings.limit
            held = HeldRecords(batch[: self.settings.limit], report)
            kept = {id(board.held) for board in self.boards.values()}
            self._held = {name: one for name, one in self._held.items() if id(one) in kept}
            self._held[text] = held
        return opened, held

    def open_beside(self, question: StudioQuestion) -> dict[str, Any]:
        """Start to score the records by the second spec, or read the scores of the run beside."""
        beside = str(self.settings.beside)
        if (Path(beside) / "manifest.json").is_file():
            stored = read_run(beside)
            opened = spec_of_run(stored)
            held = self.boards["now"].held
            task = opened.task if opened is not None and opened.kind == "rows" else None
            self.boards["beside"] = board_of_lines(beside, held, stored.records, task)
            return {}
        opened, held = self.records(open_spec(beside, task_only=True))
        self.waiting.append(BoardInProgress(beside, opened.task, held, -1))
        return {}

    def step(self, question: StudioQuestion) -> dict[str, Any]:
        """Score for a moment; tell what is done, and whether anything is left."""
        doing, self.doing = self.doing, None
        if doing is not None:
            doing.step(STEP)  # where this fails, nothing is left to do
            if doing.is_complete:
                self._keep(doing.board())
            else:
                self.doing = doing
                if doing.is_due():
                    self._show(doing.board())
        elif self.waiting:
            other = self.waiting[0]
            other.step(STEP)
            if other.is_complete:
                self.boards["beside"] = other.board()
                self.waiting.pop(0)
        return {"is_done": self.doing is None and not self.waiting}

    def _show(self, board: ScoreBoard) -> None:
        self._shown = board
        self._movements.clear()

    def _keep(self, board: ScoreBoard) -> None:
        old = self.boards.get("now")
        if old is not None:
            self.boards["edit"] = old
        self.boards["now"] = board
        self.boards.setdefault("opened", board)
        self._show(board)

    # Looking

    def against(self, question: StudioQuestion) -> ScoreBoard | None:
        """Return the board that the shown one is compared with, None if it is not there."""
        name = question.get("against")
        if name not in _AGAINST:
            return None
        is_partial = self._shown is not None and not self._shown.summary
        if name == "edit" and is_partial:
            return self.boards.get("now")  # the text before is still the last one that is complete
        found = self.boards.get(str(name))
        return None if found is self._shown else found

    def movement(self, question: StudioQuestion) -> Movement | None:
        """Return how the shown records moved from the board that a question names, None without one."""
        old, new = self.against(question), self._shown
        if old is None or new is None:
            return None
        name = str(question["against"])
        known = self._movements.get(name)
        if known is None or known[0] is not old or known[1] is not new:
            known = old, new, Movement.between(old, new)
            self._movements[name] = known
        return known[2]

    def state(self, question: StudioQuestion) -> dict[str, Any]:
        """Return what is being scored, and what is shown: its figures, distribution, and how records moved."""
        doing = self.doing or (self.waiting[0] if self.waiting else None)
        found: dict[str, Any] = {"problem": self.problem, "has_more": self.has_more, "limit": self.settings.limit}
        if doing is not None:
            found["doing"] = {"name": doing.name, "done": doing.done, "of": len(doing.held), "version": doing.version}
        board = self._shown
        if board is None:
            return found
        task = board.task
        found |= {
            "version": board.version,
            "records": len(board.held),
            "done": len(board),
            "is_complete": bool(board.summary),
            "fields": list(board.fields)[: looking.MOST_FIELDS],
            "figures": looking.figures_shown(board),
            "distribution": looking.distribution(board),
            "threshold": looking.usual_threshold(board),
            "has_pass": task is not None and task.spec.data.get("pass") is not None,
            "asks_judge": task is not None and task.asks_judge,
            "meaning": "" if task is None else str(task.signature),
            "boards": [name for name in _AGAINST if name in self.boards and self.boards[name] is not board],
            "beside": self.settings.beside,
        }
        moved, old = self.movement(question), self.against(question)
        if moved is not None and old is not None:
            figures = {one["metric"]: one["value"] for one in looking.figures_shown(old).get("metrics", ())}
            found["movement"] = {**moved.counts(), "figures": figures}
        if board.summary:
            records = board.held.batch.records[:_LABELS_SEEN]
            found["labels"] = [list(path) for path in label_paths(records)]
        return found

    def rows(self, question: StudioQuestion) -> dict[str, Any]:
        """Return a page of the rows that a question asks for, and how many there are."""
        board = self._shown
        if board is None:
            return {"total": 0, "rows": []}
        moved = self.movement(question)
        places = looking.chosen_rows(board, moved, question)
        start = max(0, int(question.get("offset", 0)))
        size = min(looking.MOST_ROWS, max(1, int(question.get("limit", 50))))
        shown = looking.rows_shown(board, moved, places[start : start + size].tolist())
        return {"total": len(places), "of": len(board), "offset": start, "rows": shown, "version": board.version}

    def cut(self, question: StudioQuestion) -> dict[str, Any]:
        """Return what passes at a threshold, and what is right about it by the labels at a path."""
        board = self._shown
        if board is None:
            return {}
        path, labels = question.get("label"), None
        if isinstance(path, list) and path:
            key = (id(board.held), tuple(map(str, path)))
            if self._labels[0] != key:
                self._labels = key, truths(board.held.batch.records, [str(part) for part in path])
            labels = self._labels[1]
        return looking.cut_at(board, float(question["threshold"]), labels)

    def record(self, question: StudioQuestion) -> dict[str, Any]:
        """Return the story of a record, with what differs from the story that the other spec tells of it."""
        board, at = self._shown, int(question["row"])
        if board is None or not 0 <= at < len(board) or board.task is None:
            return {"problem": "this record is not here any more"}
        record, full = board.held.batch.records[at], bool(question.get("full"))
        if record is None or at in board.held.batch.problems:
            return {"problem": f"this record can't be scored: {board.held.batch.problems.get(at)}"}
        old = self.against(question)
        judge = Unasked()
        with judge.instead():
            now = self._tree(board.task, record, full)
            before = self._before(board, old, at, full)
        found = compared_trees(now, before)
        found |= {"row": at, "id": looking.short_text(board.held.ids[at]), "version": board.version}
        found["pictures"] = pictures_of(record, Path(self.settings.data).parent)
        if board.task.asks_judge:
            found["questions"] = shown_questions(judge.questions)
        if old is not None and old.task is None:
            found["note"] = "the run beside carries no spec that can be read here, so only its scores are compared"
        return found

    def _before(self, board: ScoreBoard, old: ScoreBoard | None, at: int, full: bool) -> Any:
        if old is None or old.task is None:
            return None
        place = int(board.places_in(old)[at])
        record = old.held.batch.records[place] if place >= 0 else None
        return None if record is None else self._tree(old.task, record, full)

    @staticmethod
    def _tree(task: CompiledTask, record: Any, full: bool) -> Any:
        with within_limits(full):
            story = task.explain(record)
        return story_tree(story, full=full)

    def ask_judge(self, question: StudioQuestion) -> dict[str, Any]:
        """Ask the judge of the environment about one record, and return the story with its answers."""
        board, at = self._shown, int(question["row"])
        record = None if board is None or not 0 <= at < len(board) else board.held.batch.records[at]
        if board is None or board.task is None or record is None:
            return {"problem": "this record is not here any more"}
        with questions_of(board.task):
            tree = self._tree(board.task, record, bool(question.get("full")))
        return {
            **compared_trees(tree, None),
            "row": at,
            "id": looking.short_text(board.held.ids[at]),
            "version": board.version,
        }


_ANSWERS: Mapping[str, Callable[[StudioDesk, StudioQuestion], Any]] = {
    "begin": StudioDesk.begin,
    "beside": StudioDesk.open_beside,
    "step": StudioDesk.step,
    "state": StudioDesk.state,
    "rows": StudioDesk.rows,
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
            found = {"problem": safe_line(str(error))}
        except Exception as error:  # a mistake of ours, which must not end what goes on
            found = {"problem": f"this is a bug in scoring: {describe_error(error)}"}
        return json.dumps(found, default=str)

    return answer
