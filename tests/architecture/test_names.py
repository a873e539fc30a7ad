"""No benchmark's name outside its pack: what only one benchmark does is a plug-in, what many do has a name of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.test_layers import PACKAGE

NAMES = re.compile(
    r"megabench|mega-bench|mmesgbench|(?<![a-z])anls(?![a-z])|docvqa|valor|(?<![a-z])coco(?![a-z])", re.IGNORECASE
)
TEXTS = {".py", ".md", ".yaml", ".lark", ".js", ".css"}
_SOURCE = re.compile(r"^( *)Source:\n(?:\1 +.*\n|\n)+", re.MULTILINE)

# Words that may stand in general files, by place, each with its reason.
ALLOWED: list[tuple[str, str, str]] = [
    ("registry/index.py", r".*", "generated: where our own plug-ins are"),
    ("diagnostics/catalog/", r"(megabench|anls)@", "values that users write: pages import packs that everyone has"),
    ("", r"coco_101", "a value that users write: an interpolation of precision"),
    (
        "",
        r"scoring\.data\.sets\.coco\w*|\w*_(of|as)_coco|read_coco",
        "COCO is a file format here, read for any benchmark",
    ),
    ("data/sets/", r"coco", "COCO is a file format here, read for any benchmark"),
    ("vision/geometry/", r"coco", "COCO is an encoding of masks here, a form that data have"),
]


def files() -> list[Path]:
    found = (path for path in PACKAGE.rglob("*") if path.suffix in TEXTS)
    return sorted(
        path for path in found if not {"_data", "packs", "__pycache__"} & set(path.relative_to(PACKAGE).parts)
    )


def offences(name: str, text: str) -> Iterator[str]:
    """The lines that name a benchmark, sections on sources and words that users write left aside."""
    bare = _SOURCE.sub(lambda section: "\n" * section[0].count("\n"), text)
    for place, word, _ in ALLOWED:
        if name.startswith(place):
            bare = re.sub(word, "", bare, flags=re.IGNORECASE)
    for number, line in enumerate(bare.splitlines(), start=1):
        if NAMES.search(line):
            yield f"{name}:{number}: {line.strip()}"


def test_no_benchmark_is_named_outside_its_pack() -> None:
    found = [
        offence
        for path in files()
        for offence in offences(str(path.relative_to(PACKAGE)), path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_sources_may_name_what_they_cite() -> None:
    doc = '    """Compare.\n\n    Source:\n        MEGA-Bench, its code.\n    """\n    # as in COCO\n'
    assert list(offences("x.py", doc)) == ["x.py:6: # as in COCO"]
