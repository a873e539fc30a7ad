"""Edited texts held against texts as UTF-16 units, as an editor keeps them."""

from __future__ import annotations

import random
import re

import pytest

from scoring.extensions.editors.server.texts import EditedText

_PIECES = ("a", "ü", "😀", "\n", "\r\n", "\r", "\u2028", "\x0c", "\x85", "\x0b", "\x1c", "日本", "| lower", "")


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _lines(units: bytes) -> list[tuple[int, int]]:
    """Return where each line of a text in UTF-16 begins and ends, in units, as the protocol defines lines."""
    text = "".join(chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2))
    breaks = [found.span() for found in re.finditer("\r\n|\n|\r", text)]
    return list(zip([0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)], strict=True))


def _spot(units: bytes, rng: random.Random) -> tuple[dict[str, int], int]:
    """Return a position, and the unit that it means; one between two halves of a character is not drawn."""
    lines = _lines(units)
    line = rng.randrange(len(lines))
    start, end = lines[line]
    at = rng.randint(start, end)
    if at < end and 0xDC00 <= units[2 * at] | units[2 * at + 1] << 8 <= 0xDFFF:
        at -= 1
    return {"line": line, "character": at - start}, at


@pytest.mark.parametrize("seed", range(20))
def test_edits_never_drift_from_the_text_of_the_editor(seed: int) -> None:
    rng = random.Random(seed)
    text = EditedText("kind: task\nname: 😀x\r\n")
    units = _units(text.text)
    for _ in range(60):
        (first, start), (last, end) = sorted((_spot(units, rng), _spot(units, rng)), key=lambda one: one[1])
        new = "".join(rng.choices(_PIECES, k=rng.randrange(4)))
        text = text.changed({"range": {"start": first, "end": last}, "text": new})
        units = units[: 2 * start] + _units(new) + units[2 * end :]
        assert _units(text.text) == units
        offset = rng.randint(0, len(text.text))
        assert text.offset(text.position(offset)) == offset or text.text[offset - 1 : offset + 1] == "\r\n"


def test_positions_outside_of_a_text_are_those_of_its_ends() -> None:
    text = EditedText("a😀b\nc")
    found = [text.offset({"line": line, "character": at}) for line, at in ((0, 99), (9, 0), (0, 2), (-1, 3), (1, -1))]
    assert found == [3, 5, 1, 0, 4]


@pytest.mark.parametrize(("encoding", "columns"), [("utf-8", [0, 2, 6]), ("utf-16", [0, 1, 3]), ("utf-32", [0, 1, 2])])
def test_columns_are_counted_as_was_agreed(encoding: str, columns: list[int]) -> None:
    text = EditedText("ü😀b", encoding)
    assert [text.position(at)["character"] for at in range(3)] == columns
    assert [text.offset({"line": 0, "character": at}) for at in columns] == [0, 1, 2]


def test_two_halves_of_a_character_become_one() -> None:
    text = EditedText("x\ud83d").changed({"range": None, "text": "x\ud83d\ude00"})
    assert text.text == "x😀"
    assert EditedText("\ud83d", "utf-8").position(1) == {"line": 0, "character": 3}
