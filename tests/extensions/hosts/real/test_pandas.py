"""`frame.scoring.score` with the real pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pandas = pytest.importorskip("pandas")

from tests.extensions.hosts.real.table_cases import FORMS, held, made  # noqa: E402
from tests.support.host_cases import Answers  # noqa: E402


def listed(frame: Any) -> dict[str, list[Any]]:
    """The columns of a frame as lists, None for what pandas has as missing."""
    return {name: [None if one is pandas.NA or one != one else one for one in frame[name].tolist()] for name in frame}


@pytest.mark.parametrize(("name", "answers"), FORMS)
def test_every_record_is_as_by_the_command(name: str, answers: Answers, tmp_path: Path) -> None:
    case = made(name, answers, tmp_path)
    frame = pandas.read_json(case.data, lines=True, dtype=False)
    with case.replaying():
        found = frame.scoring.score(case.spec)
    held(case, listed(found[[name for name in found if name not in frame]]))
    mean = found["score"].mean()
    if not any(line["score"] is None for line in case.lines) and name != "judged":
        assert abs(mean - case.headline) < 1e-15


def test_parts_are_named_and_the_frame_stays_as_it_was() -> None:
    frame = pandas.DataFrame({"answer": ["Rome", None], "gold": ["rome", "rome"], 3: [1, 2]}, index=[7, 7])
    task = {"kind": "task", "name": "t", "score": "lower | equal", "pass": "score == 1"}
    found = frame.scoring.score(task, response="answer", reference="gold")
    assert list(found.index) == [7, 7]
    assert list(found.columns) == ["answer", "gold", 3, "score", "status", "reason", "passed", "field.answer"]
    assert list(frame.columns) == ["answer", "gold", 3]
    assert [str(kind) for kind in found.dtypes[3:]] == ["float64", "string", "string", "boolean", "float64"]
    assert listed(found)["score"] == [1.0, None]
    assert found[found["passed"]]["answer"].tolist() == ["Rome"]
