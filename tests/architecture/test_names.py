"""No benchmark is named outside its pack: what one benchmark does is a plug-in, what many do has a name of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.architecture.source import PACKAGE, hold

NAMES = re.compile(
    r"mega-?bench|mmesgbench|(?<![a-z])anls(?![a-z])|docvqa|valor|(?<![a-z])coco(?![a-z])", re.IGNORECASE
)
TEXTS = {".py", ".md", ".yaml", ".lark", ".js", ".css"}
_SOURCE = re.compile(r"^( *)Source:\n(?:\1 +.*\n|\n)+", re.MULTILINE)

# Words that may stand in general files, by the place, each with its reason.
ALLOWED: list[tuple[str, str, str]] = [
    ("diagnostics/catalog/", r"(megabench|anls|coco)@", "values that users write: pages import packs everyone has"),
    ("extensions/authoring/templates/", r"megabench@", "a value that users write: a starter imports a pack"),
    ("", r"coco_101", "a value that users write: an interpolation of precision"),
    ("extensions/vision/geometry/", r"coco", "an encoding of masks and outlines that data have, whoever scores them"),
]


def texts() -> Iterator[tuple[str, str]]:
    """Every general file by its place in the package."""
    for path in sorted(PACKAGE.rglob("*")):
        place = path.relative_to(PACKAGE)
        if path.suffix in TEXTS and not {"_data", "packs"} & set(place.parts):
            yield place.as_posix(), path.read_text(encoding="utf-8")


def offences(place: str, text: str) -> Iterator[str]:
    """The lines that name a benchmark; what is allowed, and sections that cite sources, are left aside."""
    bare = _SOURCE.sub(lambda section: "\n" * section[0].count("\n"), text)
    for start, word, _ in ALLOWED:
        if place.startswith(start):
            bare = re.sub(word, "", bare, flags=re.IGNORECASE)
    for number, line in enumerate(bare.splitlines(), start=1):
        if NAMES.search(line):
            yield f"scoring/{place}:{number}: {line.strip()}"


def test_no_benchmark_is_named_outside_its_pack() -> None:
    found = {place: list(offences(place, text)) for place, text in texts()}
    law = "what only one benchmark does stands in its pack"
    hold(law, (line for lines in found.values() for line in lines))


def test_sources_may_name_what_they_cite() -> None:
    doc = '    """Compare.\n\n    Source:\n        MEGA-Bench, its code.\n    """\n    # as in COCO\n'
    assert list(offences("x.py", doc)) == ["scoring/x.py:6: # as in COCO"]
