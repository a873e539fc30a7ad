"""docs/suites.md says what is so: its example is the shipped one, its commands and its Python run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.format.read import read_file, read_text
from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "suites.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(REPOSITORY / "specs" / "examples" / "suite", tmp_path / "specs" / "examples" / "suite")
    monkeypatch.chdir(tmp_path)


def blocks(kind: str) -> list[str]:
    found = [text for mark, text in BLOCKS if mark == kind]
    assert found
    return found


def test_the_file_is_the_shipped_example() -> None:
    shown = read_text(blocks("yaml")[0], "page").plain()
    shipped = read_file(REPOSITORY / "specs" / "examples" / "suite" / "suite.yaml").plain()
    assert shown == {key: value for key, value in shipped.items() if key != "doc"}


@pytest.mark.usefixtures("checkout")
def test_the_first_command(capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = blocks("")[0].split()
    assert program == "scoring"
    assert main(arguments) == 0
    assert "written to runs/desk" in capsys.readouterr().out


@pytest.mark.usefixtures("checkout")
def test_the_python() -> None:
    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], "docs/suites.md", "exec"), names)
    run = names["run"]
    assert run.metrics["macro"] == pytest.approx(0.7291666)  # type: ignore[attr-defined]
