"""The strict reader of JSON text: text that is too deep, too long or not JSON is a one-line error, never a crash."""

from __future__ import annotations

import gc
import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from scoring.depth import DEEPEST, WRITTEN, in_full_depth, nests_too_deep
from scoring.lazy_pattern import lazy_pattern

_MARKS = lazy_pattern(rb'"(?:[^"\\]+|\\.)*+"|[,:\[{]', re.DOTALL)


class NotJson(ValueError):
    """The exception for a text that can't be read as JSON; the message is one line.

    Args:
        message: A description of the problem.
        is_syntax: Whether the text breaks the grammar; otherwise it is too deep, too long, or not UTF-8.
    """

    def __init__(self, message: str, is_syntax: bool = False) -> None:
        super().__init__(message)
        self.is_syntax = is_syntax


def parse(text: bytes | str, *, once: bool = False, constants: list[str] | None = None, levels: int = WRITTEN) -> Any:
    """Return the value of a JSON text, read by Python's own reader, whose whole numbers keep all their digits.

    Args:
        text: The text.
        once: Whether to refuse an object in which a key is repeated; otherwise the last one counts, as is usual.
        constants: A list to which the names of NaN and infinities in the text are added; Python reads them, although
            they are not JSON.
        levels: The deepest nesting that is accepted.

    Raises:
        NotJson: when the text can't be read.

    Examples:
        >>> parse(b'{"id": 1}')
        {'id': 1}
        >>> parse('{"id": 1, "id": 2}', once=True)
        Traceback (most recent call last):
        scoring.data.json_read.NotJson: the key `id` appears twice
        >>> parse("{")
        Traceback (most recent call last):
        scoring.data.json_read.NotJson: not JSON: expecting property name enclosed in double quotes at column 2
    """
    hooks: dict[str, Any] = {"object_pairs_hook": _once} if once else {}
    if constants is not None:
        hooks["parse_constant"] = partial(_collect_constant, constants)
    if nests_too_deep(text, levels):
        raise NotJson(f"nested deeper than {levels} levels")
    try:
        return in_full_depth(partial(json.loads, **hooks), text.decode() if isinstance(text, bytes) else text)
    except json.JSONDecodeError as error:
        from scoring.data.slips import json_syntax_advice

        # A record is one level above the values in it.
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:].removesuffix(' at')} at {_place(error)}"
        raise NotJson(
            "; ".join(filter(None, (message, json_syntax_advice(error, levels == DEEPEST + 1)))), is_syntax=True
        ) from error
    except UnicodeDecodeError as error:
        raise NotJson(not_utf8(error)) from error
    except NotJson:
        raise
    except ValueError as error:
        raise NotJson("a number with more than 4300 digits") from error
    except MemoryError as error:
        raise NotJson("it takes more memory than there is") from error


def check_value_count(text: bytes, most: int) -> None:
    """Raise an exception for a text with too many values, which would take up to forty times its size in memory.

    Args:
        text: The text.
        most: The greatest number of values; keys count, too.

    Raises:
        NotJson: when the text has more values.

    Examples:
        >>> check_value_count(b'{"a": [1, 2]}', 5)
        >>> check_value_count(b'["a,b,c", 1]', 3)
        >>> check_value_count(b"[1,2,3]", 3)
        Traceback (most recent call last):
        scoring.data.json_read.NotJson: more than 3 values; `values` allows 3, SCORING_LIMITS=values=… allows more
    """
    if len(text) < 2 * most:  # each takes at least a character and a separator
        return
    if sum(map(text.count, (b",", b":", b"[", b"{"))) < most:
        return
    # Separators within strings don't count; finding them takes longer than the quick count above, but no memory.
    count = 1
    for token in _MARKS.finditer(text):
        count += len(token[0]) == 1
        if count > most:
            from scoring.data.limits import limit_message

            raise NotJson(limit_message(f"more than {most:,} values", "values", most))


def _collect_constant(constants: list[str], name: str) -> float:
    constants.append(name)
    return float(name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise NotJson(f"the key `{twice:.40}` appears twice")
    return found


def _place(error: json.JSONDecodeError) -> str:
    text = error.doc.rstrip()
    if "\n" in text:
        return f"line {error.lineno}, column {error.colno}"
    return f"column {min(error.pos, len(text)) + 1}"  # an error at the final line end is shown on that line


def parse_document(content: bytes, stored: int = 0) -> Any:
    """Return the value of a whole JSON file, read by the fast reader (orjson) where it is installed.

    The fast reader turns whole numbers beyond 64 bits into floats, so rows are not read by it.

    Args:
        content: The text.
        stored: The stored size of the file in bytes: it may have that many values, or as many as a row if that is more.

    Raises:
        NotJson: when the text can't be read.
    """
    check_document(content, stored)
    content = content.removeprefix(BOM_UTF8)
    with _collection_paused():
        try:
            import orjson
        except ImportError:
            return parse(content)
        try:
            return orjson.loads(content)
        except ValueError:  # NaN is not JSON; Python's reader accepts it, and the check of values names the record
            return parse(content)


def check_document(content: bytes, stored: int) -> None:
    """Raise an exception if the text of a whole file has too many values for its stored size.

    Raises:
        NotJson: when it has.
    """
    from scoring.data.limits import limits

    check_value_count(content, max(limits().values, stored))


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return a message with the position at which a text is not UTF-8."""
    return f"not UTF-8 at byte {error.start + 1}"


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Pause garbage collection in a block that creates many long-lived objects, which it would traverse in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
