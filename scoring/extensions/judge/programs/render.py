"""Rendering text as a picture, for judges that accept images: ASCII art keeps its shape in a fixed-width font.

Requires Pillow (extra ``render``). The font is the bitmap font included in Pillow, so that the same text gives the
same pixels everywhere; it covers Latin-1 only, other characters are drawn as a box.
"""

from __future__ import annotations

from scoring.extensions.judge.calls import Picture
from scoring.result import Unscored

MAX_LINES = 400
MAX_COLUMNS = 400
_WIDTH, _HEIGHT = 6, 11
_MARGIN = 8
_SCALE = 2


def text_picture(text: str) -> Picture:
    """Return a string as a PNG, black on white, line by line in a fixed-width font.

    Args:
        text: The string; tabs count as four spaces.

    Raises:
        Unscored: when it is empty or larger than 400 lines of 400 characters, or Pillow is not installed.

    Examples:
        >>> text_picture("o-o").data[:4]
        b'\\x89PNG'
    """
    lines = text.expandtabs(4).rstrip().splitlines()
    if not lines:
        raise Unscored("there is nothing to draw")
    columns = max(map(len, lines))
    if len(lines) > MAX_LINES or columns > MAX_COLUMNS:
        raise Unscored(f"{len(lines)} lines of {columns} characters are too large to draw")
    return Picture(_draw(lines, columns))


def _draw(lines: list[str], columns: int) -> bytes:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise Unscored('drawing text needs Pillow: pip install "scoring-dsl[render]"') from None
    import io

    font = ImageFont.load_default_imagefont()
    size = columns * _WIDTH + 2 * _MARGIN, len(lines) * _HEIGHT + 2 * _MARGIN
    image = Image.new("L", size, 255)
    pen = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            left, top = _MARGIN + column * _WIDTH, _MARGIN + row * _HEIGHT
            if ord(letter) >= 256:
                pen.rectangle((left, top + 2, left + _WIDTH - 2, top + _HEIGHT - 2), outline=0)
            elif letter != " ":
                pen.text((left, top), letter, font=font, fill=0)
    out = io.BytesIO()
    image.resize((size[0] * _SCALE, size[1] * _SCALE), Image.Resampling.NEAREST).save(out, "PNG")
    return out.getvalue()
