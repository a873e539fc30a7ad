"""`scoring judge-cache`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from scoring.extensions.judge.asking.cache import JudgeCache, call_key
from scoring.extensions.judge.protocol import Message, Question, Reply, Usage

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def cache(tmp_path: Path) -> str:
    path = tmp_path / "judge.db"
    held = JudgeCache(path)
    for number, model in enumerate(["small", "small", "large\x1b[31m"]):
        question = Question((Message("user", (f"question {number}",)),), prompt="abcdef0123456789", inputs=str(number))
        reply = Reply(f"answer {number}", Usage(10, 2), model)
        held.put(call_key(model, {}, question), model, {}, question, reply)
    held.close()
    return str(path)


def test_list(cache: str, capsys: Capture) -> None:
    assert main(["judge-cache", "list", cache]) == 0
    header, first, second = capsys.readouterr().out.splitlines()
    assert header.split()[:3] == ["model", "prompt", "calls"]
    assert first.split()[:5] == ["small", "abcdef012345", "2", "20", "4"]
    assert second.startswith("large\\x1b[31m")
    assert main(["judge-cache", "list", cache, "--json"]) == 0
    assert [group["calls"] for group in json.loads(capsys.readouterr().out)] == [2, 1]


def test_prune_drops_what_fits_and_nothing_else(cache: str, capsys: Capture) -> None:
    assert main(["judge-cache", "prune", cache, "--model", "small", "--older-than", "1"]) == 0
    assert main(["judge-cache", "prune", cache, "--model", "small", "--prompt", "abc"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"0 calls dropped from {cache}", f"2 calls dropped from {cache}"]
    assert main(["judge-cache", "prune", cache]) == 2
    assert "name the calls to drop" in capsys.readouterr().err


def test_an_export_can_be_imported_elsewhere(
    cache: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, other = str(tmp_path / "calls.jsonl"), str(tmp_path / "other.db")
    assert main(["judge-cache", "export", cache, lines]) == 0
    assert main(["judge-cache", "import", other, lines]) == 0
    assert main(["judge-cache", "import", other, lines]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"3 calls written to {lines}",
        f"3 new calls in {other}",
        f"0 new calls in {other}",
    ]
    assert main(["judge-cache", "export", other]) == 0
    shown = capsys.readouterr().out
    assert shown == Path(lines).read_text()
    monkeypatch.setattr("sys.stdin", io.StringIO(shown))
    assert main(["judge-cache", "import", str(tmp_path / "third.db")]) == 0


def test_from_python_a_file_without_a_name_is_called_what_it_stands_for(cache: str) -> None:
    with pytest.raises(scoring.InputError, match=r"^can't write \.: file exists; choose another name$"):
        scoring.judges.export_calls(cache, "")
    with pytest.raises(scoring.InputError, match=r"^can't read \.: is a directory; name a file$"):
        scoring.judges.import_calls(cache, "")


def test_refusals(cache: str, tmp_path: Path, capsys: Capture) -> None:
    text = tmp_path / "text.txt"
    text.write_text("no database, but more than a hundred characters long " * 4)
    for given in (
        ["list", str(tmp_path / "none.db")],
        ["list", str(text)],
        ["prune", str(text), "--model", "m"],
        ["import", cache, str(text)],
        ["export", cache, str(text)],
    ):
        assert main(["judge-cache", *given]) == 2
        assert "bug" not in capsys.readouterr().err
    assert text.read_text().startswith("no database")
    assert not (tmp_path / "none.db").exists()
