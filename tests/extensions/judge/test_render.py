"""Text as a picture: the shape is there, the size is bounded, the same text is the same bytes."""

from __future__ import annotations

import io

import pytest

from scoring.extensions.judge.programs.render import text_picture
from scoring.result import Unscored

image_module = pytest.importorskip("PIL.Image")


def pixels(text: str) -> list[list[int]]:
    with image_module.open(io.BytesIO(text_picture(text).data)) as image:
        width, height = image.size
        data = image.tobytes()
        return [list(data[row * width : (row + 1) * width]) for row in range(height)]


def test_letters_stand_in_their_columns() -> None:
    rows = pixels("#\n #\n  #")
    dark = {(row // 22, column // 12) for row, line in enumerate(rows) for column, dot in enumerate(line) if dot < 128}
    lines = sorted({row for row, _ in dark})
    assert len(lines) >= 3
    first = min(column for row, column in dark if row == lines[0])
    last = max(column for row, column in dark if row == lines[-1])
    assert last - first >= 2, "the third line is two columns further right"


def test_the_same_text_is_the_same_bytes() -> None:
    assert text_picture("a\tb").data == text_picture("a   b").data
    assert text_picture("a").data != text_picture("b").data


def test_letters_without_a_glyph_are_boxes() -> None:
    assert text_picture("█").data == text_picture("日").data


@pytest.mark.parametrize("text", ["", "   \n ", "x" * 401, "x\n" * 401])
def test_what_can_not_be_drawn_is_unscored(text: str) -> None:
    with pytest.raises(Unscored):
        text_picture(text)
