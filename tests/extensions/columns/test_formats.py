"""The registry of formats: every format through every reader, what is found about a file, and what it is not."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scoring.data import file_format
from scoring.data.file import InputFile, describe_input, format_again
from scoring.data.file_format import FileFormat
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.errors import InputError
from scoring.registry import plugins
from tests.support.formats import PACK, WRITE, arrow_table, delimited, general_formats, ipc, json_lines, zstd

RECORDS: list[dict[str, Any]] = [{"id": "a", "r": "é, x"}, {"id": "b", "r": "two\nlines; and | one"}]


def records(file: InputFile) -> list[dict[str, Any] | None]:
    return [row.record for row in read_rows(file)]


def piped(content: bytes, kind: str | None = None, name: str = "-") -> InputFile:
    return InputFile(name, content, kind)


WRITTEN: dict[str, Callable[[], bytes]] = {
    **{
        f"a{form.suffixes[0]}": partial(WRITE[form.name], RECORDS)
        for form in general_formats().values()
        if form.name in WRITE
    },
    "b.csv": lambda: delimited(RECORDS, ","),
    "c.csv": lambda: delimited(RECORDS, "\t", "utf-16"),
    "d.csv": lambda: delimited(RECORDS, "|", "utf-8-sig"),
    "b.ndjson": lambda: json_lines(RECORDS),
    "b.feather": lambda: ipc(arrow_table(RECORDS)),
    "b.arrows": lambda: ipc(arrow_table(RECORDS), "new_stream"),
}


def test_each_format_is_written_by_the_tests() -> None:
    missing = general_formats().keys() - WRITE.keys()
    assert not missing, f"say in `WRITE` of tests/support/formats.py how records are written as {sorted(missing)}"


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("name", WRITTEN)
def test_every_format_gives_the_same_records_packed_or_not(tmp_path: Path, name: str, packed: str) -> None:
    path = tmp_path / (name + packed)
    path.write_bytes(PACK[packed](WRITTEN[name]()))
    assert records(InputFile(str(path))) == RECORDS


@pytest.mark.parametrize("kind", sorted(WRITE.keys() & general_formats().keys()))
def test_a_stated_format_overrules_the_name(kind: str) -> None:
    assert records(piped(WRITE[kind](RECORDS), kind, "answers.log")) == RECORDS


@pytest.mark.parametrize(
    ("name", "delimiter", "encoding"),
    [
        ("a.csv", "semicolon", "utf-8"),
        ("b.csv", "comma", "utf-8"),
        ("c.csv", "tab", "utf-16"),
        ("d.csv", "pipe", "utf-8-sig"),
        ("a.tsv", "tab", "utf-8"),
    ],
)
def test_how_a_table_of_text_is_written_is_found_and_stated(name: str, delimiter: str, encoding: str) -> None:
    file = piped(WRITTEN[name](), name=name)
    assert records(file) == RECORDS
    entry = describe_input("records", file)
    assert entry["read"] == {"delimiter": delimiter, "encoding": encoding}
    again = piped(WRITTEN[name](), format_again(entry), name)
    assert records(again) == RECORDS
    assert describe_input("records", again) == entry


def test_what_is_said_about_a_table_of_text_is_not_guessed() -> None:
    content = "id;r\r\n1;é,x\r\n".encode("latin-1")
    assert records(piped(content, "csv,encoding=latin-1,delimiter=semicolon")) == [{"id": "1", "r": "é,x"}]
    assert records(piped(content, "csv,delimiter=;,encoding=cp1252")) == [{"id": "1", "r": "é,x"}]
    assert records(piped(content, "tsv,encoding=latin-1")) == [{"id;r": "1;é,x"}]


def test_a_table_of_wide_text_without_a_mark_is_told_how_to_be_read() -> None:
    content = "id,r\n1,é\n".encode("utf-16-le")
    with pytest.raises(InputError, match="say `--input-format csv,encoding=utf-16-le`"):
        records(piped(content, name="a.csv"))
    assert records(piped(content, "csv,encoding=utf-16-le")) == [{"id": "1", "r": "é"}]


def test_an_empty_cell_is_missing_unless_it_is_said_to_be_text() -> None:
    content = b'id,r,gold:json\n1,,\n2,"","[]"\n'
    assert records(piped(content, "csv")) == [{"id": "1", "r": None, "gold": None}, {"id": "2", "r": None, "gold": []}]
    file = piped(content, "csv,empty=text")
    assert [record and record["r"] for record in records(file)] == ["", ""]
    assert records(piped(content, format_again(describe_input("records", file)))) == records(file)


def test_a_comma_file_stays_one_whatever_its_cells_hold() -> None:
    assert records(piped(b"id,tags\n1,a;b;c\n2,a|b\n", "csv")) == [
        {"id": "1", "tags": "a;b;c"},
        {"id": "2", "tags": "a|b"},
    ]
    assert records(piped(b"id\n1;2\n", "csv")) == [{"id": "1;2"}]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("csv,delimiter=tabs", "`tabs` is not a delimiter; write comma, semicolon, tab, pipe, or one other character"),
        ("csv,encoding=base64", "`base64` is not a text encoding"),
        ("csv,encoding=utf-9", "`utf-9` is not a text encoding"),
        ("csv,quote=x", "`quote` is not a setting of the format `csv`; it has delimiter, encoding, empty"),
        ("csv,empty=null", "an empty cell is no `null`; say `empty=missing` or `empty=text`"),
        ("jsonl,delimiter=tab", "`delimiter` is not a setting of the format `jsonl`; it has none"),
        ("csv,delimiter=", "`delimiter` of the format `csv` has no value; write `delimiter=…`"),
    ],
)
def test_settings_without_effect_are_refused(kind: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        records(piped(b"id,r\n1,2\n", kind))
    assert message in str(error.value)


def test_text_that_is_not_of_its_encoding_ends_the_reading() -> None:
    content = "id,r\n1,x\n".encode("utf-16") + b"\x00"
    with pytest.raises(InputError, match="not utf-16 at byte"):
        records(piped(content, "csv"))


MISTAKEN = {
    "a JSON array called .jsonl": ("a.jsonl", b'[{"id": 1},\n {"id": 2}]', "it is one JSON text", "json"),
    "JSON over several lines called .jsonl": ("a.jsonl", b'{\n  "id": 1\n}\n', "it is one JSON text", "json"),
    "JSON Lines called .json": ("a.json", b'{"id": 1}\n{"id": 2}\n', "it is a record on each line", "jsonl"),
    "JSON Lines called .csv": ("a.csv", b'{"id": 1}\n{"id": 2}\n', "it is a record on each line, not CSV", "jsonl"),
    "JSON called .csv": ("a.csv", b'[{"id": 1}]', "it is JSON, not CSV", "json"),
    "Parquet called .jsonl": ("a.jsonl", b"PAR1\x15\x04PAR1", "it is Parquet", "parquet"),
    "Arrow called .parquet": ("a.parquet", b"ARROW1\0\0ARROW1", "it is Arrow", "arrow"),
    "a spreadsheet": ("a.csv", b"PK\x03\x04rest", "a spreadsheet is (.xlsx); save it as CSV", ""),
    "an old spreadsheet": (
        "a.csv",
        b"\xd0\xcf\x11\xe0rest",
        "an old spreadsheet (.xls), or one with a password; save it as CSV",
        "",
    ),
    "bzip2": ("a.jsonl", b"BZh91AY&SYrest", "it is compressed in another way; use gzip or zstd", ""),
    "a pickle": ("a.jsonl", b"\x80\x04\x95", "it is a pickle; pickles are never read", ""),
    "an array": ("a.jsonl", b"\x93NUMPY\x01", "it is a NumPy array", ""),
    "a database": ("a.jsonl", b"SQLite format 3\0", "it is an SQLite database", ""),
    "a web page": ("a.csv", b"\n<!DOCTYPE html><html>", "it is a web page; check what was downloaded", ""),
    "a PDF": ("a.jsonl", b"%PDF-1.7", "it is a PDF", ""),
    "wide text": ("a.jsonl", '{"id": 1}'.encode("utf-16"), "it is UTF-16 or UTF-32, and JSON is UTF-8", ""),
    "wide text without a mark": ("a.jsonl", '{"id": 1}'.encode("utf-16-le"), "UTF-16-LE without a byte order mark", ""),
    "a picture": ("a.jsonl", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "it is not text, so it is not JSON Lines", ""),
    "nothing": ("a.json", b" \n", "it is empty; check what wrote it", ""),
    "Feather 1": ("a.feather", b"FEA1rest", "it is Feather of version 1", ""),
}


@pytest.mark.parametrize("what", MISTAKEN)
def test_a_file_that_is_not_what_it_is_called_says_what_it_is_and_what_to_do(what: str) -> None:
    name, content, message, meant = MISTAKEN[what]
    if name.endswith((".feather", ".parquet")):
        pytest.importorskip("pyarrow")
    with pytest.raises(InputError) as error:
        records(piped(content, name=name))
    assert message in str(error.value)
    assert f"can't read {name}: " in str(error.value)
    assert f"`--input-format {meant}`, or rename it to *.{meant}" in str(error.value) or not meant


@pytest.mark.parametrize("content", [b"[1]\n{}\n", b'{"id": 1}\n', b" {} \n"])
def test_json_lines_that_only_begin_oddly_are_read(content: bytes) -> None:
    assert records(piped(content))


def test_a_named_pipe_is_read_once_and_still_digested(tmp_path: Path) -> None:
    import os
    import threading

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[b'{"id": 1}\n'])
    writer.start()
    file = InputFile(str(path))
    assert records(file) == [{"id": 1}]
    writer.join()
    assert describe_input("records", file)["bytes"] == 10


def test_zst_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"zst needs pyarrow: pip install 'scoring-dsl\[parquet\]'"):
        records(piped(b"\x28\xb5\x2f\xfd rest"))


def test_broken_zst_is_unreadable_input() -> None:
    with pytest.raises(InputError, match="can't read -: "):
        records(piped(zstd(b'{"id": 1}\n' * 1000)[:-20]))


class Log:
    """A format that another package brings."""

    def __init__(self, **changes: Any) -> None:
        fields: dict[str, Any] = {"name": "log", "title": "a log", "suffixes": (".log",), "rows": self.rows}
        self.form = FileFormat(**{**fields, **changes})

    @staticmethod
    def rows(file: InputFile) -> Iterator[Row]:
        with file.open() as stream:
            yield from (Row(f"line {place}", {"text": line.decode().strip()}) for place, line in enumerate(stream, 1))


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], None]]:
    """Register objects as installed packages would: each is a module's `FORMAT`."""
    entries: list[plugins.PlugIn] = []

    def add(loaded: Any) -> None:
        name = getattr(loaded, "name", "broken")
        module = ModuleType(f"house_{name}")
        if loaded is not None:
            module.FORMAT = loaded  # type: ignore[attr-defined]  # a module of a package that there is not
        monkeypatch.setitem(sys.modules, module.__name__, module)
        entries.append(plugins.PlugIn(name, f"{module.__name__}:FORMAT", "house-tools"))

    monkeypatch.setattr(plugins, "others", lambda group: tuple(entries) if group == file_format.GROUP else ())
    file_format.plugged.cache_clear()
    yield add
    file_format.plugged.cache_clear()


def test_another_package_brings_a_format(install: Callable[[Any], None], tmp_path: Path) -> None:
    install(Log().form)
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    assert records(InputFile(str(tmp_path / "a.log.gz"))) == [{"text": "one"}, {"text": "two"}]
    assert records(piped(b"one\n", "log")) == [{"text": "one"}]
    assert ".log.zst" in set(file_format.suffixes())


@pytest.mark.parametrize(
    ("brought", "name", "message"),
    [
        (Log(name="csv").form, "a.log", "the format `csv` of house-tools has the name of another format"),
        (Log(suffixes=(".csv",)).form, "a.log", "the format `log` claims a suffix of `csv`: .csv"),
        (None, "a.log", "the plug-in `broken` of house-tools can't be loaded: AttributeError"),
        (
            Log(needs=("no_such_module", "log-tools")).form,
            "a.log",
            "a log needs no_such_module: pip install 'log-tools'",
        ),
    ],
)
def test_a_format_that_can_not_be_used_says_why(
    install: Callable[[Any], None], brought: Any, name: str, message: str
) -> None:
    install(brought)
    with pytest.raises(InputError) as error:
        records(piped(b"one\n", name=name))
    assert message in str(error.value)


def test_two_packages_that_claim_one_suffix_are_told_apart_by_the_user(install: Callable[[Any], None]) -> None:
    install(Log().form)
    install(Log(name="trace").form)
    with pytest.raises(InputError, match=r"both `log` and `trace` claim the suffix \.log; say which"):
        records(piped(b"one\n", name="a.log"))
    assert records(piped(b"one\n", "trace", "a.log")) == [{"text": "one"}]


def test_a_broken_package_is_in_nobodys_way_who_does_not_need_it(install: Callable[[Any], None]) -> None:
    install(None)
    assert records(piped(b"id\n1\n", name="a.csv")) == [{"id": "1"}]


def test_packages_are_not_looked_through_for_formats_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    file_format.plugged.cache_clear()
    monkeypatch.setattr(plugins, "others", lambda group: pytest.fail(f"looked through packages for {group}"))
    assert records(piped(b"id\n1\n", name="a.csv")) == [{"id": "1"}]
