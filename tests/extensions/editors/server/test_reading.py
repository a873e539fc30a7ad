"""Check what is read before somebody waits for it: at the start, and when a text is opened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.server.answering import OpenTextsDesk
from scoring.extensions.editors.server.texts import EditedText
from scoring.extensions.editors.server.thinking import NoAnswer, Thinker

SEE = (("findings", 0, 0),)
STEPS = ("lower", "strip", "casefold", "collapse_spaces", "to_text")
FIELDS = "".join(f"  {one}_{two}: {one} | {two} | equal\n" for one in STEPS for two in STEPS if one != two)
TEXT = f"kind: task\nname: reading\nfields:\n{FIELDS}  last: strip | equal\n"


def test_the_expressions_of_a_text_are_read_before_its_first_completion() -> None:
    desk, last = OpenTextsDesk(), len(TEXT.splitlines()) - 1
    assert desk.answer({"ask": "read", "path": "/reading.yaml", "texts": {"/reading.yaml": TEXT}}) is None
    read = step_tree.cache_info().misses
    offered = desk.answer({"ask": "complete", "path": "/reading.yaml", "position": {"line": last, "character": 16}})
    assert "equal" in [one["label"] for one in offered["items"]]
    assert step_tree.cache_info().misses - read < len(STEPS)  # what stands before the place is read, no other field


@pytest.mark.parametrize(
    ("usual", "asked"),
    [("sound", SEE), ("findings", SEE), ("complete", (("complete", 3, 16), ("hover", 3, 6), ("hover", 4, 12)))],
)
def test_a_first_question_imports_nothing_that_was_not_read_at_the_start(
    usual: str, asked: tuple[tuple[str, int, int], ...]
) -> None:
    text = (
        f"kind: task\nname: y\nfields:\n  a: lower | {'eqall' if usual == 'findings' else 'equal'}\nmetrics: [mean]\n"
    )
    code = f"""
import sys
from scoring.extensions.editors.server import answering
desk = answering.OpenTextsDesk()
desk.answer({{"ask": "prepare", "path": "", "usual": {usual!r}}})
before = {{*sys.modules}}
for ask, line, character in {asked!r}:
    question = {{"ask": ask, "path": "/y.yaml", "texts": {{"/y.yaml": {text!r}}}}}
    assert desk.answer({{**question, "position": {{"line": line, "character": character}}}}) is not None
print({{*sys.modules}} - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_what_a_first_mistake_needs_is_read_beside_the_open_texts(tmp_path: Path) -> None:
    thinker, path = Thinker(10.0), tmp_path / "a.yaml"
    question = {"ask": "findings", "path": str(path)}
    try:
        texts = {path: EditedText("kind: task\nname: x\nscore: eqal\n")}
        first = thinker.queue(question, texts, {"encoding": "utf-8"})
        thinker.prepare()
        same = {path: EditedText(texts[path].text, "utf-8")}
        again = [thinker.queue(question, one, {"encoding": "utf-8"}) for one in (same, texts, {})]
        assert [one.result()[0]["code"] for one in (first, *again[:2])] == ["unknown-name"] * 3
        assert (again[2].result(), thinker.starts) == (None, 1)
    finally:
        thinker.close()


class _Child:
    """A process that keeps what it is told, and ends at an odd question."""

    told: ClassVar[list[Any]] = []

    def __init__(self, seconds: float, usual: str) -> None:
        self.told.append(usual)

    def exchange(self, line: bytes) -> Any:
        question = json.loads(line)
        self.told.append((question["ask"], question.get("usual"), question.get("texts")))
        if question["ask"] == "odd":
            raise NoAnswer
        return {"answer": None}

    def stop(self) -> None:
        pass


def test_a_text_is_told_once_and_what_is_usual_from_the_second_process_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.editors.server.thinking._Child", _Child)
    monkeypatch.setattr(_Child, "told", [])
    thinker, path, name = Thinker(1.0, first="sound"), Path("/a.yaml"), str(Path("/a.yaml"))
    for ask, text in (("findings", "x"), ("hover", "x"), ("prepare", ""), ("hover", "x"), ("hover", "y"), ("odd", "y")):
        if ask == "prepare":
            thinker.prepare()
            continue
        answer = thinker.queue({"ask": ask, "path": name}, {path: EditedText(text)}, {})
        assert isinstance(answer.exception(), NoAnswer) == (ask == "odd")
    thinker.queue({"ask": "hover", "path": name}, {path: EditedText("y", "utf-8")}, {}).result()
    thinker.queue({"ask": "hover", "path": name}, {path: EditedText("y")}, {}).result()
    assert _Child.told == [
        *("sound", ("findings", None, {name: "x"}), ("hover", None, None), ("prepare", "findings", None)),
        *(("hover", None, None), ("hover", None, {name: "y"}), ("odd", None, None)),
        *("findings", ("hover", None, {name: "y"}), ("hover", None, {name: "y"})),
    ]
