"""Files of text with bad rows between good ones: the good ones are scored, whatever stands between them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

GOOD = b'{"id": "%d", "response": "a", "reference": "a"}'
FEW = "line=2KB,values=200,cell=1KB,columns=50"


def around(line: bytes) -> bytes:
    """Two good lines with another between them."""
    return b"\n".join([GOOD % 1, line, GOOD % 2, b""])


def long_line(path: Path, megabytes: int) -> None:
    """Good lines around one of so many megabytes, packed; the pieces of it are packed once."""
    piece = gzip.compress(b"a" * (1 << 20), 9)
    head, tail = b'\n{"id": "3", "response": "', b'", "reference": "a"}\n'
    parts = [GOOD % 1 + head, *[b""] * megabytes, tail + GOOD % 2 + b"\n"]
    path.write_bytes(b"".join(gzip.compress(part) if part else piece for part in parts))


def _line(name: str, line: bytes, says: str, **more: Any) -> dict[str, Any]:
    return {"name": f"JSON Lines: {name}", "file": "a.jsonl", "make": around(line), "says": says,
            "scored": 2, "bad": 1, **more}  # fmt: skip


def _cells(name: str, row: bytes, says: str, *, scored: int = 2, bad: int = 1, file: str = "a.csv", **more: Any) -> Any:
    text = b"\n".join([b"id,response,reference", b"1,a,a", row, b"2,a,a", b""])
    if file.endswith(".tsv"):
        text = text.replace(b",", b"\t")
    return {"name": f"{'TSV' if file.endswith('.tsv') else 'CSV'}: {name}", "file": file, "make": text, "says": says,
            "scored": scored, "bad": bad, **more}  # fmt: skip


_RECORD = b'{"id": "3", "response": %s, "reference": "a"}'
_BIG = json.dumps({"id": "3", "response": "a" * 5000, "reference": "a"}).encode()

ROWS: list[dict[str, Any]] = [
    _line("a record that is cut off", b'{"id": "3", "resp', "not JSON"),
    _line("a NUL byte", _RECORD % b'"a\x00"', "not JSON"),
    _line("nothing but NUL bytes", b"\x00" * 500, "not JSON"),
    _line("bytes that are no UTF-8", _RECORD % b'"\xff\xfe"', "not UTF-8 at byte"),
    _line("a lone surrogate in bytes", _RECORD % b'"\xed\xa0\x80"', "not UTF-8 at byte"),
    _line("a lone surrogate as an escape", _RECORD % b'"\\ud800"', "", scored=3, bad=0),
    _line("NaN", _RECORD % b"NaN", "nan_values"),
    _line("an endless float", _RECORD % b"1e999999999", "", scored=2),
    _line("a number of 5,000 digits", _RECORD % (b"9" * 5000), "more than 4300 digits", limits="line=1MB"),
    _line("a number beyond 64 bits", _RECORD % (b"9" * 30), "", scored=2),
    _line("a key that stands twice", b'{"id": "3", "id": "4", "response": "a", "reference": "a"}', "appears twice"),
    _line("100,000 brackets", _RECORD % (b"[" * 100_000), "nested deeper"),
    _line("100,000 objects in each other", _RECORD % (b'{"a":' * 100_000), "nested deeper"),
    _line("a list", b"[1, 2]", "found a list"),
    _line("a number", b"12", "found a number"),
    _line("a text", b'"a"', "found a text"),
    _line("null", b"null", "found null"),
    _line("single quotes", b"{'id': 3}", "not JSON"),
    _line("a comment", b"// nothing", "not JSON"),
    _line("a comma behind the last key", b'{"id": "3",}', "not JSON"),
    _line("a byte order mark in the middle", b"\xef\xbb\xbf" + GOOD % 3, "not JSON"),
    _line("two records on a line", GOOD % 3 + GOOD % 4, "not JSON"),
    _line("a line that is too long", _BIG, "a line of 5.05 KB; `line` allows 2 KB, SCORING_LIMITS=line=… allows more",
          limits=FEW),
    _line("too many values", _RECORD % (b"[" + b"1," * 300 + b"1]"), "more than 200 values", limits=FEW),
    _line("too many keys", b"{" + b",".join(b'"%d":1' % n for n in range(150)) + b"}", "more than 200 values",
          limits=FEW),
    _line("commas in a text are no values", _RECORD % (b'"' + b"," * 900 + b'"'), "", scored=3, bad=0, limits=FEW),
    {"name": "JSON Lines: the last line is too long and has no end", "file": "a.jsonl", "says": "`line` allows 2 KB",
     "make": around(GOOD % 3) + _BIG, "scored": 3, "bad": 1, "limits": FEW},
    {"name": "JSON Lines: a line that is too long, in four processes", "file": "a.jsonl", "says": "`line` allows 2 KB",
     "make": around(_BIG), "scored": 2, "bad": 1, "limits": FEW, "arguments": ("--processes", "4")},
    {"name": "JSON Lines: line ends of old Macs", "file": "a.jsonl", "make": (GOOD % 1 + b"\r" + GOOD % 2 + b"\r"),
     "says": "not JSON", "scored": 0, "bad": 1},
    {"name": "JSON Lines: line ends of Windows", "file": "a.jsonl", "make": around(GOOD % 3).replace(b"\n", b"\r\n"),
     "scored": 3},
    {"name": "JSON Lines: a byte order mark", "file": "a.jsonl", "scored": 3,
     "make": b"\xef\xbb\xbf" + around(GOOD % 3)},
    {"name": "JSON Lines: a line of 300 MB", "file": "a.jsonl.gz", "make": lambda path: long_line(path, 300),
     "says": "a line of 315 MB; `line` allows 128 MB", "scored": 2, "bad": 1, "is_bomb": True},
    {"name": "JSON Lines: a line of 1 GiB in 1 MB", "file": "a.jsonl.gz", "make": lambda path: long_line(path, 1 << 10),
     "says": "a line of 1.07 GB; `line` allows 128 MB", "scored": 2, "bad": 1, "is_bomb": True},
    {"name": "JSON: a key that stands twice", "file": "a.json", "says": "appears twice", "scored": 2, "bad": 1,
     "make": b"[" + b",".join([GOOD % 1, b'{"id": 3, "id": 4}', GOOD % 2]) + b"]"},
    {"name": "JSON: a record that is no object", "file": "a.json", "says": "found a number", "scored": 2, "bad": 1,
     "make": b"[" + b",".join([GOOD % 1, b"3", GOOD % 2]) + b"]"},
    {"name": "JSON: 5,000 brackets in a record", "file": "a.json", "says": "nested deeper", "scored": 2, "bad": 1,
     "make": b"[" + b",".join([GOOD % 1, b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", GOOD % 2]) + b"]"},
    {"name": "JSON: NaN", "file": "a.json", "says": "nan_values", "scored": 2, "bad": 1,
     "make": b"[" + b",".join([GOOD % 1, _RECORD % b"NaN", GOOD % 2]) + b"]"},
    _cells("too few cells", b"3,a", "2 cells, but the header has 3"),
    _cells("too many cells", b"3,a,a,a", "4 cells, but the header has 3"),
    _cells("bytes that are no UTF-8", b"3,\xff,a", "not UTF-8"),
    _cells("a NUL byte", b"3,a\x00,a", "", scored=3, bad=0),
    _cells("a quote that is never closed", b'3,"a,a', "opens a quote that is never closed", scored=1),
    _cells("a cell that is too long", b"3," + b"a" * 1500 + b",a", "`cell` allows 1 KB", limits=FEW),
    _cells("a row that is too long", b"3," + b"a," * 1500 + b"a", "a line of 3 KB; `line` allows 2 KB", limits=FEW),
    _cells("a row of many lines that is too long", b'3,"' + b'a\n","' * 1000, "`line` allows 2 KB", limits="line=2KB",
           scored=2, bad=601),
    _cells("a quote that is never closed, longer than a cell", b'3,"' + b"a\n" * 600 + b'4,a,a', "`cell` allows 1 KB",
           limits=FEW, scored=3, bad=100),
    _cells("line ends of old Macs", b"3,a,a\r4,a,a", "", scored=4, bad=0),
    _cells("too few cells", b"3,a", "2 cells, but the header has 3", file="a.tsv"),
    _cells("a cell that is too long", b"3," + b"a" * 1500 + b",a", "`cell` allows 1 KB", file="a.tsv", limits=FEW),
    {"name": "CSV: a cell with JSON that is none", "file": "a.csv", "says": "column `reference:json`: not JSON",
     "make": b'id,response,reference:json\n1,a,"""a"""\n3,a,[1\n2,a,"""a"""\n', "scored": 2, "bad": 1},
    {"name": "CSV: UTF-16", "file": "a.csv", "scored": 2,
     "make": "id,response,reference\n1,a,a\n2,a,a\n".encode("utf-16")},
    {"name": "CSV: UTF-32", "file": "a.csv", "scored": 2,
     "make": "id,response,reference\n1,a,a\n2,a,a\n".encode("utf-32")},
    {"name": "CSV: 40,000 columns", "file": "a.csv", "scored": 3,
     "make": b"\n".join([b"id,response,reference" + b"".join(b",c%d" % n for n in range(40_000)),
                         *[b"%d,a,a" % row + b",1" * 40_000 for row in range(3)], b""])},
]  # fmt: skip
