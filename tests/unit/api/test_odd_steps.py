"""Steps of a package that misbehave: a slow one changes no order, and a score beyond its range is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.forked import Nursery, nursery

STEPS = '''
import time

from scoring.registry import batch, primitive
from scoring.result import Outcome
from scoring.values import Score


@primitive
def slow_first(prediction: str, reference: str, /) -> Score:
    """Score an answer by its number; that of the first takes longer than all others together.

    Examples:
        >>> slow_first("1", "1")
        1.0
    """
    if prediction == "0":
        time.sleep(0.5)
    return float(int(prediction) % 2)


@primitive
def as_said(prediction: str, reference: str, /) -> Score:
    """Give the score that an answer says, whatever it is.

    Examples:
        >>> as_said("1", "1")
        1.0
    """
    return float(prediction)


@primitive
def as_said_in_columns(prediction: str, reference: str, /) -> Score:
    """The same, of whole columns at once.

    Examples:
        >>> as_said_in_columns("1", "1")
        1.0
    """
    return float(prediction)


@primitive
def without_a_value(prediction: str, reference: str, /) -> Score:
    """Say of an empty answer that it has no score: once as it should be, once with the reason for a status.

    Examples:
        >>> without_a_value("1", "1")
        1.0
    """
    if prediction:
        return 1.0 if prediction == reference else Outcome.unparsed("no number was found")
    return Outcome("unparsed", "no number was found")


@primitive
def marked(prediction: str, reference: str, /) -> Score:
    """Say of an empty answer that nothing applies, with the number that stands for it.

    Examples:
        >>> marked("1", "1")
        1.0
    """
    return 1.0 if prediction else Outcome(-1.0, "not_applicable", "nothing applies")


@batch(as_said_in_columns)
def _(predictions: list[str], references: list[str]) -> list[float]:
    return [float(one) for one in predictions]
'''


PROGRAM = "import sys; from scoring.cli.main import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a package is installed whose steps misbehave."""
    place = tmp_path_factory.mktemp("site")
    info = place / "acme_odd-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-odd\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scoring.primitives]\nacme = acme_odd\n")
    (place / "acme_odd.py").write_text(STEPS)
    return place


@pytest.fixture(scope="module")
def installed(site: Path) -> Iterator[Nursery]:
    """Processes that have the package."""
    with nursery(site) as found:
        yield found


Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def lines_of(installed: Nursery, tmp_path: Path) -> Run:
    """What the command line writes of a run."""

    def lines(score: str, answers: list[str], *more: str, piped: bool = False) -> list[dict[str, Any]]:
        (tmp_path / "task.yaml").write_text(f"kind: task\nname: t\nversion: 1.0.0\nscore: {score}\n")
        records = [{"id": f"r{place}", "response": answer, "reference": "1"} for place, answer in enumerate(answers)]
        (tmp_path / "data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        data = "-" if piped else "data.jsonl"
        program = f"import os; os.dup2(os.open('data.jsonl', os.O_RDONLY), 0); {PROGRAM}" if piped else PROGRAM
        done = installed.begin(program, ["score", "task.yaml", data, "-o", "out", *more], tmp_path)
        assert done.wait() == 0, done.said()
        return [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text("utf-8").splitlines()]

    return lines


@pytest.mark.parametrize("piped", [False, True])  # a file is cut into parts, what comes through a pipe is not
def test_records_stay_in_their_order_though_the_first_is_scored_last(lines_of: Run, piped: bool) -> None:
    answers = [str(place) for place in range(12)]
    lines = lines_of("acme/slow_first", answers, "--processes", "3", "--batch-size", "1", piped=piped)
    assert [(line["id"], line["score"]) for line in lines] == [(f"r{place}", float(place % 2)) for place in range(12)]


@pytest.mark.parametrize("step", ["as_said", "as_said_in_columns"])
@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ("acme/{}", [1.0, None, None, 0.5, None, None, None]),
        ("acme/{} | at_least(0.5)", [1.0, None, None, 1.0, None, None, None]),
        ("split(';') | align(acme/{}, by='optimal')", [1.0, None, None, 0.5, None, None, None]),
    ],
)
def test_a_score_beyond_its_range_is_no_score(
    lines_of: Run, tmp_path: Path, step: str, score: str, expected: list[float | None]
) -> None:
    answers = ["1", "1.5", "-0.25", "0.5", "inf", "nan", "7"]
    lines = lines_of(score.format(step), answers, "--min-coverage", "0")
    assert [line["score"] for line in lines] == expected
    assert [line["status"] for line in lines].count("unscored") == 5
    assert "1.5 lies outside [0, 1]" in lines[1]["reason"]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert (summary["metrics"][0]["value"], summary["coverage"]) == ((1.0 + expected[3]) / 2, 2 / 7)  # type: ignore[operator]


@pytest.mark.parametrize(("answer", "status"), [("1.5", "unscored"), ("-0.5", "unscored"), ("0.25", "scored")])
def test_a_column_of_scores_is_held_to_either_end(lines_of: Run, answer: str, status: str) -> None:
    step = "acme/as_said_in_columns | at_least(0.5)"
    lines = lines_of(step, ["1", answer, "0.75"], "--min-coverage", "0")
    assert [line["status"] for line in lines] == ["scored", status, "scored"]


@pytest.mark.parametrize("answers", [["1", ""], ["1", "", "2", ""]])
def test_an_outcome_that_a_step_returns_keeps_its_status_reason_and_mark(lines_of: Run, answers: list[str]) -> None:
    last = lines_of("acme/marked", answers, "--min-coverage", "0")[-1]
    assert last["status"] == "not_applicable"
    assert (last["fields"]["answer"]["reason"], last["fields"]["answer"]["score"]) == ("nothing applies", -1.0)


def test_an_outcome_of_a_status_that_is_none_fails_for_its_record_alone(lines_of: Run) -> None:
    """It was a traceback, and "a bug in scoring"."""
    found = lines_of("acme/without_a_value", ["1", "", "2"], "--min-coverage", "0")
    assert [line["status"] for line in found] == ["scored", "unscored", "unparsed"]
    assert "an outcome has no status 'no number was found'" in found[1]["reason"]
