"""Parsers for the answers to two kinds of picture puzzles, in prose or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.json_object import json
from scoring.primitives.parsing.literal import literal_or_itself
from scoring.registry import primitive
from scoring.result import Unparsed

_LONGEST = 50_000
_MARKER = lazy_pattern(r"(?:final )?answer\s*\*{0,2}\s*:", re.IGNORECASE)
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = rf"(\d{{1,3}}|{'|'.join(_WORDS)})"
_ROWS = lazy_pattern(rf"{_NUMBER}\s*rows?\b|\brows?['\"]?\s*(?:is|are|:|=)\s*{_NUMBER}", re.IGNORECASE)
_COLUMNS = lazy_pattern(rf"{_NUMBER}\s*columns?\b|\bcolumns?['\"]?\s*(?:is|are|:|=)\s*{_NUMBER}", re.IGNORECASE)
_GRID = lazy_pattern(rf"{_NUMBER}\s*(?:x|×|by)\s*{_NUMBER}\b", re.IGNORECASE)
_PAIR = lazy_pattern(r"[\[(]\s*(\d{1,3})\s*,\s*(\d{1,3})\s*[\])]")
_PLACE = lazy_pattern(rf"\brow\s*{_NUMBER}\b[^.\n]{{0,30}}?\bcolumn\s*{_NUMBER}\b", re.IGNORECASE)
_VIEWS = lazy_pattern(
    r"['\"]?\b(top[- ]?down|bottom[- ]?up|top|bottom|front|back|rear|left(?:[- ]side)?|right(?:[- ]side)?|side|"
    r"isometric)\b['\"]?(?:\s+view)?\s*(?:is|:|=|->|→|corresponds to|matches)?\s*"
    r"(?:the\s+)?(?:image|option|choice|letter|view)?\s*[\[(]?\s*['\"]?\b([a-h])\b['\"]?",
    re.IGNORECASE,
)


def _said_last(response: str) -> Iterator[str]:
    """Yield the texts to search in turn: what follows the last marker "Answer:", if there is one, then the whole
    response.

    Of a very long response only the end is used.
    """
    text = response[-_LONGEST:]
    markers = [found.end() for found in _MARKER.finditer(text)]
    if markers:
        yield text[markers[-1] :]
    yield text


def _whole(written: object) -> int | None:
    if isinstance(written, bool):
        return None
    if isinstance(written, int):
        return written
    text = str(written).strip().lower()
    return int(text) if text.isdecimal() else _WORDS.index(text) if text in _WORDS else None


def _last(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the numbers in the groups of the last match of a pattern in a text; [] if nothing matches."""
    found = list(pattern.finditer(text))
    numbers = [_whole(group) for group in found[-1].groups() if group] if found else []
    return [number for number in numbers if number is not None]


def _object(response: str) -> Mapping[str, Any]:
    try:
        found = json(response)
    except Unparsed:
        return {}
    return {str(key).strip().lower(): value for key, value in found.items()} if isinstance(found, dict) else {}


def _read(value: Any) -> Any:
    return literal_or_itself(value.strip()) if isinstance(value, str) else value


def _from_object(found: Mapping[str, Any]) -> tuple[int | None, int | None, list[int]]:
    grid = _read(found.get("answer", found))
    sizes = {str(key).lower(): value for key, value in grid.items()} if isinstance(grid, dict) else {}
    index = _read(found.get("index"))
    pair = [_whole(part) for part in index] if isinstance(index, (list, tuple)) and len(index) == 2 else []
    return _whole(sizes.get("rows")), _whole(sizes.get("columns")), [part for part in pair if part is not None]


def _from_prose(text: str) -> tuple[int | None, int | None, list[int]]:
    rows, columns, grid = _last(_ROWS, text), _last(_COLUMNS, text), _last(_GRID, text)
    place = _last(_PLACE, text)
    index = place if len(place) == 2 else _last(_PAIR, text)
    if len(grid) == 2:
        rows, columns = rows or grid[:1], columns or grid[1:]
    return next(iter(rows), None), next(iter(columns), None), index


@primitive
def odd_one_out(response: str, /) -> dict[str, Any]:
    """Extract the size of a grid and the position of the one object that differs, from JSON or prose.

    The result has ``Answer`` with ``rows`` and ``columns``, and ``Index`` as the string ``[row, column]``, in the
    format of the task's references.

    Examples:
        >>> odd_one_out("A grid of 5 rows and six columns; the odd one is in row 4, column 3.")
        {'Answer': {'rows': 5, 'columns': 6}, 'Index': '[4, 3]'}
        >>> odd_one_out("Answer: {'Answer': \\"{'rows': 5, 'columns': 6}\\", 'Index': '[4, 3]'}")
        {'Answer': {'rows': 5, 'columns': 6}, 'Index': '[4, 3]'}

    Raises:
        Unparsed: when neither the size nor the position can be read.

    Source:
        MEGA-Bench metrics README: a custom parser for the `logical_reasoning_find_odd_out_one` task.
    """
    readings = [_from_object(_object(response)), *(_from_prose(text) for text in _said_last(response))]
    rows = next((reading[0] for reading in readings if reading[0] is not None), None)
    columns = next((reading[1] for reading in readings if reading[1] is not None), None)
    index = next((reading[2] for reading in readings if len(reading[2]) == 2), None)
    found: dict[str, Any] = {}
    if rows is not None and columns is not None:
        found["Answer"] = {"rows": rows, "columns": columns}
    if index is not None:
        found["Index"] = f"[{index[0]}, {index[1]}]"
    if not found:
        raise Unparsed("neither rows and columns nor an index")
    return found


def _choice(value: object) -> str | None:
    text = str(value).strip().strip("()[].'\"").lower()
    return text if len(text) == 1 and "a" <= text <= "h" else None


@primitive
def view_choices(response: str, /) -> dict[str, str]:
    """Extract the letter chosen for every view, from JSON or prose; views and letters are in lower case.

    Examples:
        >>> view_choices("Answer: {'top-down': 'C', 'front': 'a'}")
        {'top-down': 'c', 'front': 'a'}
        >>> view_choices("The top-down view is image (c), and the front view: a.")
        {'top-down': 'c', 'front': 'a'}

    Raises:
        Unparsed: when no view has a letter.

    Source:
        MEGA-Bench metrics README: a custom parser for the `logical_reasoning_2D_views_of_3D_shapes` task.
    """
    found = _object(response)
    inner = _read(found.get("answer", found))
    if isinstance(inner, dict):
        chosen = {str(view).strip().lower(): _choice(letter) for view, letter in inner.items()}
        letters = {view: letter for view, letter in chosen.items() if letter is not None}
        if letters:
            return letters
    for text in _said_last(response):
        written = {match[1].lower().replace(" ", "-"): match[2].lower() for match in _VIEWS.finditer(text)}
        if written:
            return written
    raise Unparsed("no view has a letter")
