"""Programs that run official code: what they load, what they compare, and that each belongs to a recipe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.parity import __main__ as command
from benchmarks.parity import vectors
from benchmarks.parity.code import Code
from benchmarks.parity.primitives import HELD, made_anew, makers
from benchmarks.parity.vectors import PROGRAMS, same
from tests.support.recipes import recipes

OFFICIAL = """
import no_such_library
from .relative import nothing
import re

FLAGS = re.IGNORECASE
broken = no_such_library.value

@no_such_library.register
def left_out(text):
    return text

def score(said, right):
    return float(bool(re.fullmatch(right, said, FLAGS)))

if __name__ == "__main__":
    raise SystemExit("a script that was started")
"""
HEADER = {"official": "owner/name@0000000 eval.py::score", "per": "record", "tolerance": 0, "note": ""}
RECORDS = [({"response": "PARIS", "reference": "paris"}, 1.0), ({"response": "", "reference": "a"}, 0.0)]


@pytest.fixture(name="checkouts")
def _checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a checkout, and vectors of a recipe for which a program is registered."""
    (tmp_path / "owner+name").mkdir()
    (tmp_path / "owner+name" / "eval.py").write_text(OFFICIAL, encoding="utf-8")
    lines = [HEADER, *({"record": record, "score": score} for record, score in RECORDS)]
    lines.append({"record": {"response": 1, "reference": "a"}, "score": None, "reason": "the official code ends"})
    (tmp_path / "sample.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    for module in (vectors, command):
        monkeypatch.setattr(module, "VECTORS", tmp_path)

    def program(code: Code) -> Any:
        names = code.names("owner/name", "eval.py")
        return lambda record: {"score": names.score(record["response"], record["reference"])}

    monkeypatch.setitem(PROGRAMS, "sample", program)
    return tmp_path


def test_what_a_file_needs_not_is_left_out(checkouts: Path) -> None:
    names = Code(checkouts).names("owner/name", "eval.py")
    assert names.score("a", "A") == 1.0
    assert not hasattr(names, "left_out")
    assert not hasattr(names, "broken")


def test_held_vectors_are_those_that_the_code_gives(checkouts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["vectors", str(checkouts), "sample"]) == 0
    assert "3 probes, 0 part" in capsys.readouterr().out


def test_vectors_that_part_fail_and_can_be_written(checkouts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = checkouts / "sample.jsonl"
    right = held.read_text(encoding="utf-8")
    held.write_text(right.replace('"score": 1.0', '"score": 0.5'), encoding="utf-8")
    assert command.main(["vectors", str(checkouts), "sample", "--write"]) == 1
    assert "3 probes, 1 part" in capsys.readouterr().out
    assert held.read_text(encoding="utf-8") == right


def test_a_checkout_that_is_not_there_is_told(
    tmp_path: Path, checkouts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checkouts == tmp_path
    assert command.main(["vectors", str(tmp_path / "nowhere"), "sample"]) == 1
    assert "no checkout of owner/name" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("held", "made", "equal"),
    [
        ({"score": 0.5}, {"score": 0.5 + 1e-12, "fields": {}}, True),
        ({"score": 0.5}, {"score": 0.51}, False),
        ({"score": None}, {"score": 0.0}, False),
        ({"score": 1.0}, {"score": True}, True),
        ({"fields": {"a": 1}}, {"score": 1}, False),
        ({"figures": {"a": 1}}, {"figures": {"b": 1}}, False),
    ],
)
def test_only_what_is_held_is_compared(held: Any, made: Any, equal: bool) -> None:
    assert same(held, made, 1e-9) is equal


def test_vectors_of_primitives_have_makers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"alignments", "tag_schemes"} <= makers().keys()
    assert not [name for name in makers() if not (HELD / f"{name}.jsonl").is_file()]
    text = (HELD / "alignments.jsonl").read_text(encoding="utf-8").rstrip("\n")
    rows = [json.loads(line) for line in text.split("\n")]
    for made, parted in ((rows, 0), ([*rows[:-1], {}], 1), (rows[:-2], 2)):
        monkeypatch.setattr("benchmarks.parity.primitives.makers", lambda made=made: {"alignments": lambda: made})
        assert made_anew("alignments", HELD) == (len(rows), parted)


def test_every_program_is_that_of_a_recipe() -> None:
    command.load_programs()
    assert set(PROGRAMS) <= {recipe.slug for recipe in recipes()}
    assert len(PROGRAMS) >= 50


def test_another_commit_than_the_named_one_is_told(checkouts: Path) -> None:
    folder = checkouts / "owner+name"
    code = Code(checkouts)
    assert code.other("owner/name@0000000 eval.py::score") == ""
    for command_line in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"],
    ):
        subprocess.run(["git", "-C", str(folder), *command_line], check=True)
    assert "(checked out: " in code.other("owner/name@0000000 eval.py::score")
    assert code.other("package 1.0 function") == ""
