"""Read JSON with positions, by a separate scanner, because JSON is not a safe subset of what YAML readers accept."""

from __future__ import annotations

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostics, Label, SpecError
from scoring.diagnostics.source import Source, Span
from scoring.format.limits import LIMITS, STARTER, ReadLimits, check_characters, too_deep, too_many_values
from scoring.format.nodes import Scalar, SpecNode
from scoring.lazy_pattern import lazy_pattern

_SPACE = lazy_pattern(r"[ \t\n\r]*")
_NUMBER = lazy_pattern(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = lazy_pattern(r"[-+.\w]+")
_SINGLE_QUOTED = lazy_pattern(r"'([^'\"\\\n]*)'")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
# The spellings of these words in other languages.
_OTHER_SPELLINGS = {
    **dict.fromkeys(("True", "TRUE", "yes"), "true"),
    **dict.fromkeys(("False", "FALSE", "no"), "false"),
    **dict.fromkeys(("None", "NULL", "undefined", "nil"), "null"),
}


def read_json(source: Source | str, limits: ReadLimits = LIMITS) -> SpecNode:
    """Return the root node of a JSON text, with the location of every value.

    Raises:
        SpecError: syntax-json, duplicate-key, number-not-finite, too-large, too-deep …

    Examples:
        >>> node = read_json('{"a": [1, 2.5]}')
        >>> node.plain(), str(node["a"][1].span)
        ({'a': [1, 2.5]}, '<json>:1:11')
    """
    source = Source("<json>", source) if isinstance(source, str) else source
    return _Scanner(source, limits).read()


def read_data(data: Any, name: str = "<data>") -> SpecNode:
    """Return plain Python data as nodes with locations, those in its JSON text.

    Raises:
        SpecError: not-json-data, when JSON can't represent it, and the errors of `read_json`.

    Examples:
        >>> read_data({"kind": "task", "by": ("a", "b")}).plain()
        {'kind': 'task', 'by': ['a', 'b']}
    """
    try:
        text = json.dumps(data, indent=2, ensure_ascii=False, default=_refuse)
        _check_keys(data)
    except (TypeError, ValueError, RecursionError) as error:
        reason = "it is too deep" if isinstance(error, RecursionError) else str(error)
        raise SpecError.of(
            "not-json-data",
            f"the data can't be written as JSON: {reason}",
            help="use only texts, numbers, true, false, null, lists and mappings whose keys are texts",
        ) from None
    return read_json(Source(name, text))


def _refuse(value: object) -> Any:
    raise TypeError(f"a value of type {type(value).__name__}")


def _check_keys(data: Any) -> None:
    """Raise TypeError for keys that are not text, since `json.dumps` silently turns the key 1 into "1"."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, str):
                    raise TypeError(f"the key {key!r} is not a text")
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)


class _Scanner:
    """A scanner that turns a JSON text into nodes in one pass; its recursion is bounded by the depth limit."""

    def __init__(self, source: Source, limits: ReadLimits) -> None:
        self.source, self.text, self.limits = source, source.text, limits
        self.found = Diagnostics()
        self.count = 0

    def read(self) -> SpecNode:
        place = self.skip(check_characters(self.source, self.limits))
        if place == len(self.text):
            raise SpecError.of("empty-file", "the file is empty", self.span(place, place), help=STARTER)
        node, place = self.value(place, 0, None)
        place = self.skip(place)
        if place < len(self.text):
            raise self.syntax("the text continues after its value", place, "nothing may follow here")
        self.found.raise_errors()
        return node

    def value(self, place: int, depth: int, key: Span | None) -> tuple[SpecNode, int]:
        self.count += 1
        if self.count > self.limits.nodes:
            raise too_many_values(self.source, place, self.limits)
        opener = self.text[place : place + 1]
        if opener == '"':
            value, end = self.string(place)
            return SpecNode(value, self.span(place, end), key, "json"), end
        if opener in ("{", "["):
            if depth >= self.limits.depth:
                raise too_deep(self.source, place, self.limits)
            return self.mapping(place, depth + 1, key) if opener == "{" else self.list(place, depth + 1, key)
        scalar, end = self.scalar(place)
        return SpecNode(scalar, self.span(place, end), key), end

    def mapping(self, start: int, depth: int, key: Span | None) -> tuple[SpecNode, int]:
        entries: dict[str, SpecNode] = {}
        place = self.skip(start + 1)
        while self.text[place : place + 1] != "}":
            if self.text[place : place + 1] != '"':
                raise self.no_key(place, start)
            name, end = self.string(place)
            key_span = self.span(place, end)
            place = self.skip(end)
            if self.text[place : place + 1] != ":":
                raise self.expected("`:` after the key", place)
            node, place = self.value(self.skip(place + 1), depth, key_span)
            first = entries.setdefault(name, node)
            if first is not node:
                message = f"the key `{name}` appears twice in one mapping"
                others = [Label(first.key_span, "first here")]
                self.found.error("duplicate-key", message, key_span, "again here", secondary=others)
            place = self.separator(place, "}", start)
        return SpecNode(entries, self.span(start, place + 1), key, "mapping"), place + 1

    def list(self, start: int, depth: int, key: Span | None) -> tuple[SpecNode, int]:
        items: list[SpecNode] = []
        place = self.skip(start + 1)
        while self.text[place : place + 1] != "]":
            node, place = self.value(place, depth, None)
            items.append(node)
            place = self.separator(place, "]", start)
        return SpecNode(items, self.span(start, place + 1), key, "list"), place + 1

    def separator(self, place: int, closer: str, start: int) -> int:
        """Return the offset of the next value, after a comma, or that of `closer`, the bracket that closes `start`."""
        place = self.skip(place)
        found = self.text[place : place + 1]
        if found == closer:
            return place
        if found != ",":
            raise self.expected(f"`,` or `{closer}`", place, Label(self.span(start, start + 1), "opened here"))
        after = self.skip(place + 1)
        if self.text[after : after + 1] == closer:
            message, comma = "there is a comma after the last value", self.span(place, place + 1)
            raise self.syntax(message, place, "JSON has no trailing comma", help="remove the comma", over=comma)
        return after

    def string(self, place: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, place + 1, True)
        except json.JSONDecodeError as error:
            raise self.bad_string(error, place) from None
        lone = _SURROGATE.search(value)
        if lone:
            self.found.error(
                "lone-surrogate",
                f"the escape `\\u{ord(lone.group()):04x}` is half a character",
                self.span(place, end),
                "in this text",
                note="characters beyond U+FFFF take two escapes, a high one and a low one",
            )
        return value, end

    def bad_string(self, error: json.JSONDecodeError, place: int) -> SpecError:
        if error.msg.startswith("Unterminated"):
            return self.syntax("this text is never closed", place, 'no `"` follows')
        if error.msg.startswith("Invalid control"):
            return self.syntax(
                "a text continues past the end of its line",
                error.pos,
                "line break or control character",
                help="write `\\n` for a line break and `\\t` for a tab",
            )
        return self.syntax(
            "a backslash does not begin a JSON escape",
            error.pos,
            "write `\\\\` for a backslash",
            note='the escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX',
        )

    def scalar(self, place: int) -> tuple[Scalar, int]:
        number, found = _NUMBER.match(self.text, place), _WORD.match(self.text, place)
        word = found.group() if found else ""
        if number and number.group() == word:
            return self.number(number), number.end()
        if word in _WORDS:
            return _WORDS[word], place + len(word)
        raise self.no_value(place, word)

    def number(self, match: re.Match[str]) -> int | float:
        written, span = match.group(), self.span(*match.span())
        if len(written) > self.limits.digits:
            raise SpecError.of("number-too-long", f"a number of {len(written):,} characters", span)
        if match.group(1) is None and match.group(2) is None:
            return int(written)
        value = float(written)
        if math.isinf(value):
            self.found.error("number-not-finite", f"`{written}` is too large for a number", span)
        return value

    def no_value(self, place: int, word: str) -> SpecError:
        span = self.span(place, place + len(word))
        if word.lstrip("+-") in ("NaN", "Infinity", "nan", "inf"):
            return SpecError.of("number-not-finite", f"`{word}` is not a number that a spec can use", span)
        if word in _OTHER_SPELLINGS:
            plain = _OTHER_SPELLINGS[word]
            return self.syntax(f"`{word}` is not a word of JSON", place, f"write `{plain}`", len(word), meant=plain)
        if word[:1].isdigit() or (word[:1] in "+-." and word[1:2].isdigit()):
            return self.syntax(
                f"`{word}` is not a JSON number",
                place,
                "",
                len(word),
                note="no leading zero or `+`, digits on both sides of the point",
            )
        if word:
            return self.syntax(
                f"the text `{word}` has no quotes", place, f'write `"{word}"`', len(word), meant=f'"{word}"'
            )
        return self.expected("a value", place)

    def no_key(self, place: int, start: int) -> SpecError:
        word = _WORD.match(self.text, place)
        if word:
            name = word.group()
            return self.syntax(
                f"the key `{name}` has no quotes", place, f'write `"{name}"`', len(name), meant=f'"{name}"'
            )
        return self.expected("a key or `}`", place, Label(self.span(start, start + 1), "opened here"))

    def expected(self, what: str, place: int, opened: Label | None = None) -> SpecError:
        found = self.text[place : place + 1]
        if found == "'":
            text = _SINGLE_QUOTED.match(self.text, place)
            meant, width = (json.dumps(text[1], ensure_ascii=False), len(text[0])) if text else ("", 1)
            label = 'JSON texts are written in `"`'
            return self.syntax("a text is in single quotes", place, label, width, meant=meant)
        if self.text.startswith(("//", "/*", "#"), place):
            return self.syntax("JSON has no comments", place, "remove it", help="YAML has comments: `# like this`")
        words = f"found `{found}`" if found else "the text ends here"
        end = len(self.text[:place].rstrip())
        lacking = self.span(end, end) if what.startswith("`,`") and found in ('"', "{", "[") else None
        meant = "," if lacking else ""
        return self.syntax(f"expected {what}, {words}", place, secondary=opened, meant=meant, over=lacking)

    def syntax(
        self,
        message: str,
        place: int,
        label: str = "",
        width: int = 1,
        *,
        help: str = "",
        note: str = "",
        secondary: Label | None = None,
        meant: str = "",
        over: Span | None = None,
    ) -> SpecError:
        from scoring.diagnostics.meant import Meant

        span = self.span(place, min(place + width, len(self.text)))
        self.found.error(
            "syntax-json",
            message,
            span,
            label,
            secondary=[secondary] if secondary else [],
            help=help,
            note=note,
            meant=[Meant(over or span, meant, is_source=True)] if meant or over else [],
        )
        return SpecError(self.found)

    def skip(self, place: int) -> int:
        match = _SPACE.match(self.text, place)
        return match.end() if match else place

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)
