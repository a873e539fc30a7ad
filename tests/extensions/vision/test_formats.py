"""Data sets in every format of data, compressed or not."""

from __future__ import annotations

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.support.formats import PACK, delimited, general_formats
from tests.unit.cli.test_formats import FOUND, SCORES, TRUTHS, World

Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=[(kind, packed) for kind in general_formats() for packed in PACK], ids="".join)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(tmp_path, *request.param)


def test_a_data_set(world: World) -> None:
    truths, scores = world.data("t", TRUTHS), world.data("p", SCORES)
    summary = world.score(str(world.folder / "labels.yaml"), scores, "--references", truths)
    assert summary["keys"]["label"]["metrics"][0]["value"] == 0.5
    assert world.read_of("predictions") == FOUND.get(world.kind)


def test_a_data_set_comes_through_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    world = World(tmp_path, "csv", "")
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(delimited(SCORES, ";"))))
    truths = world.data("t", TRUTHS)
    labels = str(tmp_path / "labels.yaml")
    assert main(["score", labels, "-", "--references", truths, "--input-format", "csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keys"]["label"]["metrics"][0]["value"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["labels.yaml"], "--input-format is of a file that is given, not of the files that the spec names"),
        (["labels.yaml", "tasks"], "--input-format is of a file that is given, not of the folder tasks"),
    ],
)
def test_a_format_said_of_what_has_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: list[str], message: str
) -> None:
    World(tmp_path, "csv", "")
    monkeypatch.chdir(tmp_path)
    assert main(["score", *arguments, "--input-format", "csv"]) == 2
    assert message in capsys.readouterr().err
