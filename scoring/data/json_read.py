"""The only reader of JSON text: too deep, too long or invalid JSON gives an error of one short line, never a crash."""

from __future__ import annotations

import gc
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from scoring.depth import DEEPEST, WRITTEN, in_full_depth, nests_too_deep

BOM = b"\xef\xbb\xbf"
_MARKS = re.compile(rb'"(?:[^"\\]+|\\.)*+"|[,:\[{]', re.DOTALL)


class NotJson(ValueError):
    """A text that can't be read as JSON; the message is one line.

    Args:
        message: What is wrong.
        is_syntax: Whether the text breaks the grammar; otherwise it is too deep, too long, or no UTF-8.
    """

    def __init__(self, message: str, is_syntax: bool = False) -> None:
        super().__init__(message)
        self.is_syntax = is_syntax


def parse(text: bytes | str, *, once: bool = False, constants: list[str] | None = None, levels: int = WRITTEN) -> Any:
    """Return the value of a JSON text. Python's reader alone is used: its numbers have all their digits.

    Args:
        text: The text.
        once: Refuse an object in which a key stands twice; otherwise the last one counts, as is usual.
        constants: Told of NaN and the infinities that stand in the text, which Python reads and JSON does not have.
        levels: How deep it may be nested.

    Raises:
        NotJson: when it has none.

    Examples:
        >>> parse(b'{"id": 1}')
        {'id': 1}
        >>> parse('{"id": 1, "id": 2}', once=True)
        Traceback (most recent call last):
        scoring.data.json_read.NotJson: the key `id` stands twice
        >>> parse("{")
        Traceback (most recent call last):
        scoring.data.json_read.NotJson: not JSON: expecting property name enclosed in double quotes at column 2
    """
    hooks: dict[str, Any] = {"object_pairs_hook": _once} if once else {}
    if constants is not None:
        hooks["parse_constant"] = partial(_told, constants)
    if nests_too_deep(text, levels):
        raise NotJson(f"nested deeper than {levels} levels")
    try:
        return in_full_depth(partial(json.loads, **hooks), text.decode() if isinstance(text, bytes) else text)
    except json.JSONDecodeError as error:
        from scoring.data.slips import advice

        # A record is a level above the values that it holds.
        said = f"not JSON: {error.msg[:1].lower()}{error.msg[1:].removesuffix(' at')} at {_place(error)}"
        raise NotJson("; ".join(filter(None, (said, advice(error, levels == DEEPEST + 1)))), is_syntax=True) from error
    except UnicodeDecodeError as error:
        raise NotJson(not_utf8(error)) from error
    except NotJson:
        raise
    except ValueError as error:
        raise NotJson("a number with more than 4300 digits") from error
    except MemoryError as error:
        raise NotJson("it takes more memory than there is") from error


def check_values(text: bytes, most: int) -> None:
    """Refuse a text with too many values before they take memory, which may be forty times the size of the text.

    Args:
        text: The text.
        most: How many values it may have; names of values count, too.

    Raises:
        NotJson: when it has more.

    Examples:
        >>> check_values(b'{"a": [1, 2]}', 5)
        >>> check_values(b'["a,b,c", 1]', 3)
        >>> check_values(b"[1,2,3]", 3)
        Traceback (most recent call last):
        scoring.data.json_read.NotJson: more than 3 values; `values` allows 3, SCORING_LIMITS=values=… more
    """
    if len(text) < 2 * most:  # each takes a letter and a mark
        return
    if sum(map(text.count, (b",", b":", b"[", b"{"))) < most:
        return
    # Marks within strings are none; to tell them takes longer than to count, but no memory.
    count = 1
    for token in _MARKS.finditer(text):
        count += len(token[0]) == 1
        if count > most:
            from scoring.data.limits import beyond

            raise NotJson(beyond(f"more than {most:,} values", "values", most))


def _told(constants: list[str], name: str) -> float:
    constants.append(name)
    return float(name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise NotJson(f"the key `{twice:.40}` stands twice")
    return found


def _place(error: json.JSONDecodeError) -> str:
    text = error.doc.rstrip()
    if "\n" in text:
        return f"line {error.lineno}, column {error.colno}"
    return f"column {min(error.pos, len(text)) + 1}"  # the end of a line is no line of its own


def parse_document(content: bytes, stored: int = 0) -> Any:
    """Return the value of a whole file, by the fast reader where it is installed.

    The fast reader makes a whole number beyond 64 bits a float, so rows are not read by it.

    Args:
        content: The text.
        stored: How many bytes are stored of it: so many values it may have, if those are more than a row may have.

    Raises:
        NotJson: when it has none.
    """
    check_document(content, stored)
    content = content.removeprefix(BOM)
    with _collection_paused():
        try:
            import orjson
        except ImportError:
            return parse(content)
        try:
            return orjson.loads(content)
        except ValueError:  # NaN is not JSON; Python's reader takes it, and the check of values names the record
            return parse(content)


def check_document(content: bytes, stored: int) -> None:
    """Refuse the text of a whole file that has more values than are read.

    Raises:
        NotJson: when it does.
    """
    from scoring.data.limits import limits

    check_values(content, max(limits().values, stored))


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return the position at which a text is not valid UTF-8, in words."""
    return f"not UTF-8 at byte {error.start + 1}"


@contextmanager
def _collection_paused() -> Iterator[None]:
    """No garbage collection while many objects are made that all stay: it would look at each of them in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
