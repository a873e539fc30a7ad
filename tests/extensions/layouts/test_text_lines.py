"""Lines of text as records: where lines end, what is not text, and what a `.txt` is taken for."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from scoring.data.file import InputFile
from scoring.data.limits import NAME
from scoring.data.rows.read import read_rows
from scoring.errors import InputError
from scoring.extensions.wide.cutting import cut
from tests.unit.cli.test_formats import ROWS

Capture = pytest.CaptureFixture[str]


def found(content: bytes, kind: str | None = "lines", name: str = "-") -> list[Any]:
    """The records of a file, and the reasons of bad rows."""
    return [row.record or row.reason for row in read_rows(InputFile(name, content, kind))]


def texts(*lines: str) -> list[dict[str, Any]]:
    return [{"id": number, "text": line} for number, line in enumerate(lines, start=1)]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb", ["a", "b"]),
        ("\n\na\n\n", ["", "", "a", ""]),
        ("a\u2028b\x0bc\x0cd\x85e\rf\n", ["a\u2028b\x0bc\x0cd\x85e\rf"]),
        ("\ufeffa\n\ufeffb\n", ["a", "\ufeffb"]),
        (" a \t\n", [" a \t"]),
        ("a word with \0 in it\n", ["a word with \0 in it"]),
    ],
)
def test_line_feeds_alone_end_lines(content: str, lines: list[str]) -> None:
    assert found(content.encode()) == texts(*lines)


def test_a_line_that_is_no_text_is_a_bad_row_and_keeps_its_number() -> None:
    assert found(b"a\nb\xffc\nd\n") == [*texts("a"), "line 2: not UTF-8 at byte 2", {"id": 3, "text": "d"}]
    assert found(b"+2AA-\na\n", "lines,encoding=utf-7") == ["line 1: not text in utf-7", {"id": 2, "text": "a"}]


def test_a_line_that_is_too_long_is_a_bad_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "line=10")
    long = "line 2: a line of 12 bytes; `line` allows 10 bytes, SCORING_LIMITS=line=… allows more"
    assert found(b"1234567890\n" + b"x" * 11 + b"\nc\n") == [*texts("1234567890"), long, {"id": 3, "text": "c"}]


def test_an_encoding_can_be_given() -> None:
    assert found(b"\xe9\n", "lines,encoding=latin-1") == texts("é")
    assert found(b"a\n", "lines,encoding=UTF-8-SIG") == texts("a")
    for name, why in (("utf-16", "it is utf-16, whose lines"), ("base64", "`base64` is not a text encoding")):
        with pytest.raises(InputError, match=why):
            found(b"a\n", f"lines,encoding={name}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nb\n".encode("utf-16"), "it is UTF-16 or UTF-32, whose lines can't be told apart; save it as UTF-8"),
        ("a\nb\nc\nd\n".encode("utf-16-le"), "it is UTF-16-LE without a byte order mark; save it as UTF-8"),
        (bytes(range(256)) * 4, "it is not text, so it is not lines of text; check what wrote it"),
        (b"", "it holds no records"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        found(content)


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_parts_number_lines_as_the_file_does(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffüa\r\n\nb\n\n\ncc".encode())
    file = InputFile(str(path), kind="lines,encoding=utf-8")
    parts = [row for part in cut(file, size) for row in read_rows(InputFile.of(part))]
    assert parts == list(read_rows(file))
    assert [row.record for row in parts] == texts("üa", "", "b", "", "", "cc")


@pytest.mark.parametrize(
    "start", ["The dog, it seems, bit.\n", "[Applause]\n", "{laughs} no\n", "\n\nYes; no\n", "Ja,ja\nNein\n"]
)
def test_a_txt_that_is_text_is_read_as_lines(start: str) -> None:
    assert found(start.encode(), None, "hyp.txt") == texts(*start.removesuffix("\n").split("\n"))
    assert found(gzip.compress(start.encode()), None, "hyp.txt.gz") == found(start.encode())


@pytest.mark.parametrize("start", ['{"id": 1}\n', '\ufeff\n {"id": 1}\n'])
def test_a_txt_of_json_lines_is_read_as_before(start: str) -> None:
    assert found(start.encode(), None, "a.TXT") == [{"id": 1}]


@pytest.mark.parametrize(
    ("content", "kind"),
    [("id,response\n1,a\n", "csv"), ("id\tthe response\n1\ta\n", "csv"), ('[\n{"id": 1}]', "json"), ("{\n", "json")],
)
def test_a_txt_of_another_format_is_refused_as_before(content: str, kind: str) -> None:
    with pytest.raises(InputError, match=f"say `--input-format {kind}`"):
        found(content.encode(), None, "a.txt")


def test_a_guess_is_told_and_a_stated_format_is_not(tmp_path: Path, capsys: Capture) -> None:
    spec, hypotheses, references = tmp_path / "t.yaml", tmp_path / "hyp.txt", tmp_path / "ref.txt"
    spec.write_text(
        ROWS.replace("response: response, reference: gold", "response: prediction.text, reference: reference.text")
    )
    hypotheses.write_text("A\nb\n")
    references.write_text("a\nc\n")
    score = ["score", str(spec), str(hypotheses), "--references", str(references)]
    assert main(score) == 0
    told = capsys.readouterr().err
    assert told.count("is read as plain text, a record for each line (the format `lines`)") == 2
    assert main([*score, "--input-format", "lines", "--reference-format", "lines"]) == 0
    assert capsys.readouterr().err == ""


def test_the_join_tells_what_two_files_lack(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "t.yaml"
    paths = "response: prediction.text, reference: reference.text"
    spec.write_text(ROWS.replace("response: response, reference: gold", paths))
    for name, content in {"2.txt": "a\nb\n", "3.txt": "a\nb\nc\n"}.items():
        (tmp_path / name).write_text(content)
    short, long = str(tmp_path / "2.txt"), str(tmp_path / "3.txt")
    assert main(["score", str(spec), short, "--references", long]) == 0
    assert "input: 1 × reference without prediction, unscored: 3" in capsys.readouterr().out
    assert main(["score", str(spec), long, "--references", short]) == 0
    assert "input: 1 × prediction without reference, left out: 3" in capsys.readouterr().out


def test_a_key_of_both_files_is_told_where_the_spec_does_not_say_whose(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "h.txt").write_text("a\n")
    (tmp_path / "r.txt").write_text("b\n")
    for paths, is_told in (("prediction.text", False), ("text", True)):
        text = ROWS.replace("response: response, reference: gold", f"response: {paths}, reference: reference.text")
        (tmp_path / "t.yaml").write_text(text)
        assert (
            main(["score", str(tmp_path / "t.yaml"), str(tmp_path / "h.txt"), "--references", str(tmp_path / "r.txt")])
            == 0
        )
        assert ("key in both files with different values" in capsys.readouterr().out) is is_told
