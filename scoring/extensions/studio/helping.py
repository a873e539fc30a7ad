"""The process that helps while a text is written, by what the language server knows: findings, fixes, what may come."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoring.extensions.editors.server import advice
from scoring.extensions.editors.server.answering import OpenTextsDesk
from scoring.extensions.editors.server.specs import OpenSpec
from scoring.extensions.editors.server.texts import EditedText
from scoring.lazy_pattern import lazy_pattern
from scoring.result import describe_error

_ESCAPED = lazy_pattern(r"\\([\\*_{}\[\]<>()#!|&~])")
_ASKS = ("complete", "tokens", "format", "fix-all")


def make_helper(_: None) -> Callable[[bytes], str]:
    """Return the function that the child process calls for each question about the text of a file."""
    desk = OpenTextsDesk()

    def answer(packed: bytes) -> str:
        try:
            question = json.loads(packed)
            known = {str(path): text for path, text in desk.texts.items()}
            texts = {path: text for path, text in question["texts"].items() if known.pop(path, None) != text}
            texts |= dict.fromkeys(known)  # they are open no more
            found = _answer(desk, {**question, "texts": texts})
        except Exception as error:  # a mistake of ours, which must not end what goes on
            found = {"problem": f"this is a bug in scoring: {describe_error(error)}"}
        return json.dumps(found)

    return answer


def _answer(desk: OpenTextsDesk, question: Mapping[str, Any]) -> Any:
    if question["ask"] in _ASKS:
        return {"found": desk.answer(question)}
    found = desk.answer(question)
    if question["ask"] != "findings":
        return {"found": None if found is None else _plain_hover(found)}
    path = Path(question["path"])
    others = {one: text for one, text in desk.texts.items() if one != path}
    spec = OpenSpec(path, EditedText(desk.texts[path]), others)
    if not spec.is_spec:
        no_spec = "this is no spec: its first lines state `kind: task`"
        found = [{"range": spec.edited.range(0, 1), "severity": 1, "code": "", "message": no_spec}]
        return {"found": found, "tokens": {"data": []}}
    if found:
        _add_fixes(spec, found)
    return {"found": found, "tokens": desk.answer({"ask": "tokens", "path": str(path)})}


def _add_fixes(spec: OpenSpec, found: list[dict[str, Any]]) -> None:
    """Add to each finding what corrects it, as edits of the text."""
    for action in advice.code_actions(spec, 0, len(spec.text), ["quickfix"]):
        (about,) = action["diagnostics"]
        edits = next(iter(action["edit"]["changes"].values()))
        fix = {"title": action["title"], "edits": edits, "is_safe": action["isPreferred"]}
        for one in found:
            if all(one[name] == about[name] for name in ("range", "code", "message")):
                one.setdefault("fixes", []).append(fix)
                break


def _plain_hover(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands at a place as lines of plain text, the first of them code."""
    lines = found["contents"]["value"].split("\n\n")
    code = lines[0].removeprefix("```text\n").removesuffix("\n```")
    return {"code": code, "lines": [_ESCAPED.sub(r"\1", line) for line in lines[1:]], "range": found["range"]}
