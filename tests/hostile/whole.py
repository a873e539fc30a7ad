"""Files that are refused as a whole, with what they are and what to do."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hostile.rows import GOOD, around

_ROWS = around(GOOD % 3)
_PACKED = gzip.compress(_ROWS * 2000)


def _zip(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("a.jsonl")
        info.size = len(_ROWS)
        archive.addfile(info, io.BytesIO(_ROWS))
    return stream.getvalue()


def _database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table a (b)")
    connection.commit()
    connection.close()


def _zstd(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyarrow

        path.write_bytes(pyarrow.compress(content, codec="zstd", asbytes=True))

    return write


def _cut_zstd(path: Path) -> None:
    _zstd(_ROWS * 2000)(path)
    path.write_bytes(path.read_bytes()[:-20])


def _pipe(path: Path) -> None:
    """A pipe through which a line without an end comes."""
    os.mkfifo(path)
    # It ends when its reader goes.
    subprocess.Popen(["sh", "-c", 'exec cat /dev/zero > "$0"', str(path)], stderr=subprocess.DEVNULL)


def _endless(path: Path) -> None:
    """Good rows without number in some KB."""
    piece = gzip.compress((GOOD % 1 + b"\n") * 10_000, 9)
    path.write_bytes(piece * 10)


def _packed_list(item: bytes, count: int) -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(gzip.compress(b"[" + (item + b",") * count + item + b"]", 9)), None)[1]


def _row(name: str, file: str, make: Any, says: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "file": file, "make": make, "says": says, **more}


_DOCUMENT = b"[" + b",".join(GOOD % number for number in range(100)) + b"]"

WHOLE: list[dict[str, Any]] = [
    *(_row(f"nothing, called {file}", file, b"", says) for file, says in {
        "a.jsonl": "it holds no records", "a.json": "it is empty", "a.csv": "it is empty", "a.tsv": "it is empty",
        "a.parquet": "can't read", "a.arrow": "can't read", "a.jsonl.gz": "it holds no records",
    }.items()),
    *(_row(f"a zip archive, called {file}", file, _zip({"a.jsonl": _ROWS}), "it is a zip archive")
      for file in ("a.jsonl", "a.json", "a.csv", "a.parquet", "a.arrow", "a.jsonl.gz")),
    _row("an empty zip archive", "a.jsonl", _zip({}), "it is a zip archive"),
    _row("a tar archive", "a.jsonl", _tar(), "it is a tar archive; unpack it"),
    _row("a packed tar archive", "a.jsonl.gz", gzip.compress(_tar()), "it is a tar archive; unpack it"),
    _row("a database", "a.jsonl", _database, "it is an SQLite database"),
    _row("a PDF", "a.jsonl", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "it is a PDF"),
    _row("a web page", "a.jsonl", b"<!DOCTYPE html>\n<html><body>404</body></html>", "it is a web page"),
    _row("a pointer of Git LFS", "a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
         "a pointer of Git LFS, not the file itself; run `git lfs pull`"),
    _row("an image", "a.jsonl", b"\x89PNG\r\n\x1a\n" + bytes(50), "it is not text, so it is not JSON Lines"),
    _row("a pickle", "a.jsonl", b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x05posix", "pickles are never read"),
    _row("an array of NumPy", "a.jsonl", b"\x93NUMPY\x01\0v\0{'descr'", "it is a NumPy array"),
    _row("a program", "a.jsonl", b"\x7fELF\x02\x01\x01" + bytes(50), "it is a program"),
    _row("bzip2", "a.jsonl", b"BZh91AY&SY" + bytes(50), "compressed in another way; use gzip or zstd"),
    _row("xz", "a.jsonl.xz", b"\xfd7zXZ\0\0\x04" + bytes(50), "compressed in another way; use gzip or zstd"),
    _row("7z", "a.jsonl", b"7z\xbc\xaf\x27\x1c" + bytes(50), "compressed in another way; use gzip or zstd"),
    _row("rar", "a.jsonl", b"Rar!\x1a\x07\x01\0" + bytes(50), "compressed in another way; use gzip or zstd"),
    _row("packed twice", "a.jsonl.gz", gzip.compress(gzip.compress(_ROWS)), "it is compressed twice; unpack it once"),
    _row("UTF-16, called JSON Lines", "a.jsonl", _ROWS.decode().encode("utf-16"), "JSON is UTF-8; save it as that"),
    _row("UTF-32, called JSON Lines", "a.jsonl", _ROWS.decode().encode("utf-32"), "JSON is UTF-8; save it as that"),
    _row("UTF-16 without a mark", "a.jsonl", _ROWS.decode().encode("utf-16-le"), "UTF-16-LE without a byte order mark"),
    _row("bytes of all kinds", "a.jsonl", bytes(range(256)) * 20, "can't read"),
    _row("JSON, called JSON Lines", "a.jsonl", _DOCUMENT, "it is one JSON text"),
    _row("JSON Lines, called Parquet", "a.parquet", _ROWS, "can't read"),
    _row("JSON Lines, called Arrow", "a.arrow", _ROWS, "can't read"),
    _row("CSV, called JSON", "a.json", b"id,response\n1,a\n", "not JSON"),
    _row("a gz that is cut off in its head", "a.jsonl.gz", _PACKED[:5], "can't read"),
    _row("a gz that is cut off in the middle", "a.jsonl.gz", _PACKED[: len(_PACKED) // 2], "ended before"),
    _row("a gz that is cut off at its end", "a.jsonl.gz", _PACKED[:-3], "ended before"),
    _row("a gz with a wrong sum", "a.jsonl.gz", _PACKED[:-8] + bytes(8), "CRC check failed"),
    _row("a gz with other bytes behind", "a.jsonl.gz", _PACKED + b"rest of something", "Not a gzipped file"),
    _row("a gz with broken data", "a.jsonl.gz", _PACKED[:200] + bytes(50) + _PACKED[250:], "can't read"),
    _row("a zst that is cut off", "a.jsonl.zst", _cut_zstd, "can't read"),
    _row("a zst with broken data", "a.jsonl.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 500, "can't read"),
    _row("rows that unpack to too much", "a.jsonl.gz", _endless, "`ratio` allows 20", limits="unpacked=2MB,ratio=20"),
    _row("a JSON text that unpacks to too much", "a.json.gz", _packed_list(b"1", 1 << 20),
         "`ratio` allows 100", limits="unpacked=1MB,ratio=100"),
    _row("a JSON text of too many values", "a.json.gz", _packed_list(b"{}", 10 << 20),
         "more than 10,000,000 values; `values` allows 10,000,000", is_bomb=True),
    _row("a JSON text that is too long", "a.json", _DOCUMENT, "into memory as a whole; `whole` allows 1 KB",
         limits="whole=1KB"),
    *(_row(f"JSON that is cut off behind {size} bytes", "a.json", _DOCUMENT[:size], "not JSON")
      for size in (1, 30, 3000)),
    _row("JSON of 100,000 brackets", "a.json", b"[" * 100_000, "can't read"),
    _row("JSON without records", "a.json", b'{"a": 1}', "expected an array of records"),
    _row("JSON that is no UTF-8", "a.json", b'[{"id": "\xff"}]', "not UTF-8 at byte"),
    _row("JSON of spaces", "a.json", b" " * 5000, "it is empty"),
    _row("a repeated header", "a.csv", b"id,response,response\n1,a,a\n", "the column `response` appears twice"),
    _row("a header with too many columns", "a.csv", b",".join(b"c%d" % n for n in range(99)) + b"\n",
         "a header of 99 columns; `columns` allows 50", limits="columns=50"),
    _row("a header that is too long", "a.csv", b"a" * 5000 + b",b\n1,2\n", "the header is a line of 5 KB",
         limits="line=2KB"),
    _row("a header with an open quote", "a.csv", b'id,"response\n1,a\n', "the header opens a quote"),
    _row("an empty header", "a.csv", b"\n1,a,a\n", "it is empty, a CSV file begins with a header"),
    _row("UTF-16 that ends in the middle of a letter", "a.csv", "id,response\n1,a\n".encode("utf-16") + b"\0",
         "not utf-16 at byte"),
    _row("a device without an end", "a.jsonl", lambda path: path.symlink_to("/dev/zero"), "it is a device"),
    _row("a device of chance", "a.csv", lambda path: path.symlink_to("/dev/urandom"), "it is a device"),
    _row("a link to nothing", "a.jsonl", lambda path: path.symlink_to(path.parent / "none"), "there is no such file"),
    _row("a link to itself", "a.jsonl", lambda path: path.symlink_to(path), "can't read"),
    _row("an empty folder", "a.jsonl", lambda path: path.mkdir(), "it is a folder"),
    _row("a pipe without an end", "a.jsonl", _pipe, "into memory as a whole; `whole` allows 50 MB",
         limits="whole=50MB"),
    _row("a limit that is none", "a.jsonl", _ROWS, "there is no limit 'lines'; did you mean `line`?", limits="lines=1"),
    _row("a limit without a size", "a.jsonl", _ROWS, "'much' is not a size for `line`", limits="line=much"),
    _row("a limit of nothing", "a.jsonl", _ROWS, "'0' is not a size for `line`", limits="line=0"),
    _row("a limit that stands twice", "a.jsonl", _ROWS, "`line` is given twice", limits="line=1,line=2"),
]  # fmt: skip
