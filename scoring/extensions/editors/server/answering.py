"""The child process of the language server: it keeps the open texts and answers questions about them, one by one.

Questions and answers are lines of JSON. A question that takes too long, or too much memory, costs this process alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from scoring import processes
from scoring.extensions.editors.server import advice, looks, naming
from scoring.extensions.editors.server.specs import OpenSpec
from scoring.extensions.editors.server.texts import EditedText
from scoring.extensions.editors.uses import step_uses

Answerer: TypeAlias = Callable[["OpenTextsDesk", OpenSpec, Mapping[str, Any]], Any]
MOST_MEMORY = 2_000_000_000
_FIRST = "/first.yaml"
_SOUND = "kind: task\nname: x\nscore: lower | equal\nmetrics: [mean]\n"
FIRST_QUESTIONS: Mapping[str, tuple[str, tuple[tuple[str, int, int], ...]]] = {
    "sound": (_SOUND, (("findings", 0, 0),)),
    "findings": (_SOUND.replace("equal", "eqal"), (("findings", 0, 0),)),
    "complete": (_SOUND, (("complete", 2, 8), ("complete", 2, 16), ("hover", 2, 8), ("hover", 3, 12))),
}
"""Usual first questions: a text, and questions about places of it, each with its line and column."""


class OpenTextsDesk:
    """The open texts of an editor, and the answers to questions about them."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self.folders: tuple[Path, ...] = ()
        self.texts: dict[Path, str] = {}
        self._specs: dict[Path, OpenSpec] = {}

    @property
    def workspace(self) -> naming.Workspace:
        """The files that may be looked through."""
        return naming.Workspace(self.folders, self.texts)

    def answer(self, question: Mapping[str, Any]) -> Any:
        """Return the answer to a question, which may bring changed texts; {"refused": reason} if it has none."""
        if question["ask"] == "prepare":
            return prepare_for(question["usual"])
        self.encoding = question.get("encoding", self.encoding)
        if "folders" in question:
            self.folders = tuple(map(Path, question["folders"]))
        if changes := question.get("texts"):
            for name, text in changes.items():
                if text is None:
                    self.texts.pop(Path(name), None)
                else:
                    self.texts[Path(name)] = text
            self._specs.clear()  # any of them may import any other
        if question.get("forget"):
            self._specs.clear()
        path = Path(question["path"])
        if path not in self.texts:
            return None
        if path not in self._specs:
            others = {one: text for one, text in self.texts.items() if one != path}
            self._specs[path] = OpenSpec(path, EditedText(self.texts[path], self.encoding), others)
        try:
            return ANSWERS[question["ask"]](self, self._specs[path], question)
        except naming.NotRenamed as refused:
            return {"refused": str(refused)}


def prepare_for(usual: str) -> None:
    """Import and read what usual questions need, a word of `FIRST_QUESTIONS`, so that nobody waits for it."""
    text, questions = FIRST_QUESTIONS[usual]
    for ask, line, column in questions:
        place = {"line": line, "character": column}
        OpenTextsDesk().answer({"ask": ask, "path": _FIRST, "texts": {_FIRST: text}, "position": place})


def _at(spec: OpenSpec, question: Mapping[str, Any]) -> int:
    return spec.edited.offset(question["position"])


def _between(spec: OpenSpec, question: Mapping[str, Any]) -> tuple[int, int]:
    first, last = sorted(spec.edited.offset(question["range"][side]) for side in ("start", "end"))
    return first, last


def _prepared(desk: OpenTextsDesk, spec: OpenSpec, question: Mapping[str, Any]) -> Any:
    mark = naming.renamable(spec, _at(spec, question), desk.workspace)
    return {"range": spec.edited.range(mark.start, mark.end), "placeholder": mark.name}


def _read(desk: OpenTextsDesk, spec: OpenSpec, question: Mapping[str, Any]) -> None:
    step_uses(spec.names)  # by which completions are ordered; what an expression uses is kept until it changes


def _lenses(desk: OpenTextsDesk, spec: OpenSpec, question: Mapping[str, Any]) -> Any:
    from scoring.extensions.editors.server.trying import lenses

    return lenses(spec)


def _value(desk: OpenTextsDesk, spec: OpenSpec, question: Mapping[str, Any]) -> Any:
    from scoring.extensions.editors.server.trying import value_in_example

    return value_in_example(spec, question["of"])


ANSWERS: Mapping[str, Answerer] = {
    "findings": lambda desk, spec, question: advice.lsp_findings(spec),
    "actions": lambda desk, spec, question: advice.code_actions(spec, *_between(spec, question), question["only"]),
    "fix-all": lambda desk, spec, question: advice.fixed_whole(spec),
    "format": lambda desk, spec, question: advice.formatted(spec),
    "read": _read,
    "complete": lambda desk, spec, question: advice.completion_items(spec, _at(spec, question)),
    "hover": lambda desk, spec, question: advice.hover(spec, _at(spec, question)),
    "tokens": lambda desk, spec, question: looks.semantic_tokens(spec),
    "folding": lambda desk, spec, question: looks.folding_ranges(spec),
    "symbols": lambda desk, spec, question: looks.document_symbols(spec),
    "hints": lambda desk, spec, question: looks.inlay_hints(spec, *_between(spec, question)),
    "definition": lambda desk, spec, question: naming.definition_of(spec, _at(spec, question), desk.workspace),
    "references": lambda desk, spec, question: naming.references_to(
        spec, _at(spec, question), desk.workspace, declared=question["declared"]
    ),
    "prepare": _prepared,
    "rename": lambda desk, spec, question: naming.renamed(spec, _at(spec, question), question["name"], desk.workspace),
    "lenses": _lenses,
    "value": _value,
}
"""What can be asked, by its word, with the function that answers it."""


def answer_lines(seconds: float, usual: str) -> None:
    """Run as the main function of the child process: answer each line of standard input until it is closed.

    Args:
        seconds: The seconds of a processor after which a question ends the process.
        usual: What is asked most often, a word of `FIRST_QUESTIONS`.
    """
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what anything prints is no answer
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5_000))
    if processes.BOUNDS_MEMORY:
        processes.limit_further_memory(MOST_MEMORY)
    desk = OpenTextsDesk()
    prepare_for(usual)
    with contextlib.suppress(BrokenPipeError):
        _write_whole(answers, b'{"is_ready": true}\n')
        for line in questions:
            processes.end_after(seconds)
            try:
                answer = {"answer": desk.answer(json.loads(line))}
            except Exception as error:  # a mistake of ours, which must not end what goes on
                answer = {"mistake": f"{type(error).__name__}: {error}"[:500]}
            processes.end_after(0)
            _write_whole(answers, json.dumps(answer).encode() + b"\n")


def _write_whole(pipe: Any, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[pipe.write(left) :]
