"""The cases of `tests.support.host_cases` as engines of tables read them, and where each engine has their parts."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from scoring.errors import InputError
from tests.support.host_cases import CASES, Answers, HostCase, host_case

FORMS: tuple[tuple[str, Answers], ...] = tuple(
    (name, answers) for name in CASES for answers in ("texts", "messages", "mixed")
)
"""Each case with each form of answers."""


def made(name: str, answers: Answers, folder: Path) -> HostCase:
    """A case, scored already by `scoring score`."""
    case = host_case(name, folder, answers)
    with redirect_stdout(io.StringIO()):
        assert len(case.lines) == 200
    return case


def columns_of(case: HostCase) -> tuple[str, str]:
    """Where SQL finds the response and the reference of a case."""
    return ("output.text", "gold") if case.name == "invoices" else ("response", "reference")


def held(case: HostCase, added: dict[str, list[Any]]) -> None:
    """Hold the columns that an engine was given to the lines that `scoring score` wrote."""
    case.check(added["score"])
    assert added["status"] == [line["status"] for line in case.lines]
    assert added["reason"] == [line.get("reason") for line in case.lines]
    assert added["passed"] == [line.get("passed") for line in case.lines]
    for name in case.lines[0]["fields"]:
        column = added[f"field.{name}"] if f"field.{name}" in added else added[name]
        assert column == [line["fields"][name]["score"] for line in case.lines], name


def right_or_refused(case: HostCase, score: Callable[[], dict[str, list[Any]]], why: str | None) -> None:
    """Hold the columns of an engine to `scoring score`; with a reason, the engine has to refuse by it."""
    with case.replaying():
        if why is None:
            held(case, score())
        else:
            with pytest.raises(InputError, match=why):
                score()


def mixed_places(case: HostCase, answers: Answers) -> Iterator[str]:
    """The parts of a case that have values of several types."""
    if answers == "mixed":
        yield "response"
    if case.name == "landmark":
        yield "reference.city"
