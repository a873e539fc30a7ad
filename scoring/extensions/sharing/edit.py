"""Minimal edits of a project file, which keep its comments, order and layout.

Each function changes one entry of the text. Before it returns the new text, it parses it as TOML to check that the
intended change, and no other, was made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.diagnostics.source import Source
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import PackSource, key_places, place_of

_BARE = lazy_pattern(r"[A-Za-z0-9_-]+")
_TEXT = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_VALUE = lazy_pattern(rf"[ \t]*=[ \t]*({_TEXT}|\[(?:[^\]\"'\n]|{_TEXT})*\])")
_ENTRY = lazy_pattern(rf"[^\n]*?=[ \t]*(?:{_TEXT}|\{{(?:[^\"'\n{{}}]|{_TEXT})*\}})[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
PACKS = "packs"


def format_source_entry(source: PackSource) -> str:
    """Return the source of a pack (the place that it comes from) as the TOML value of an entry of a project file.

    Examples:
        >>> (
        ...     format_source_entry(PackSource("git", "https://example.org/a.git", tag="v1")),
        ...     format_source_entry(PackSource("here", version="1")),
        ... )
        ('{ git = "https://example.org/a.git", tag = "v1" }', '"1"')
    """
    value = _value(source)
    if isinstance(value, str):
        return _quoted(value)
    return "{ " + ", ".join(f"{key} = {_quoted(item)}" for key, item in value.items()) + " }"


def _value(source: PackSource) -> Any:
    table = source.table()
    return table["version"] if set(table) == {"version"} else table


def with_pack(text: str, below: Sequence[str], name: str, source: PackSource) -> str:
    """Return the text of a project file with an entry for one more pack, after the last entry of the table `packs`.

    Args:
        text: The text of the project file.
        below: The path of this library's table, such as `("tool", "scoring")`; empty if it is the whole file.
        name: The name of the new entry.
        source: The source of the pack.

    Raises:
        InputError: when the layout of the file requires that a person edits it.

    Examples:
        >>> text = '[packs]  # ours\\na = "1"\\n\\n[store]\\nplace = "shared"\\n'
        >>> print(with_pack(text, (), "b", PackSource("here", version="2")), end="")
        [packs]  # ours
        a = "1"
        b = "2"
        <BLANKLINE>
        [store]
        place = "shared"
    """
    line = f"{name if _BARE.fullmatch(name) else _quoted(name)} = {format_source_entry(source)}"
    table = (*below, PACKS)
    heads = _heads(text)
    start = next((begin for at, begin in heads if at == table), None)
    if start is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        new = f"{text}{gap}[{'.'.join(table)}]\n{line}\n"
    else:
        end = min((begin for _, begin in heads if begin > start), default=len(text))
        # A comment directly above the next table belongs to that table.
        cut = _last_line_of(text, start, end)
        new = f"{text[:cut].rstrip()}\n{line}\n{text[cut:]}"
    wanted = _plain(text)
    _at(wanted, table, make=True)[name] = _value(source)
    return _checked_text(new, wanted, f"[{'.'.join(table)}]\n{line}")


def _heads(text: str) -> list[tuple[tuple[str, ...], int]]:
    """Return the table headers of a TOML text in order, each as the table's keys and the offset at which its line
    begins."""
    found = []
    for at, span in key_places(Source("", text)):
        line = text.rfind("\n", 0, span.start) + 1
        if text[line : span.start].lstrip(" \t").startswith("["):
            found.append((at, line))
    return found


def _last_line_of(text: str, start: int, end: int) -> int:
    """Return the offset after the last line of a section that is neither blank nor a comment; the first line always
    counts.

    Args:
        text: The text of the file.
        start: The offset at which the section begins.
        end: The offset at which it ends.
    """
    cut = at = start
    for number, line in enumerate(text[start:end].split("\n")):
        at = min(at + len(line) + 1, end)
        if number == 0 or (line.strip() and not line.lstrip().startswith("#")):
            cut = at
    return cut


def without_pack(text: str, below: Sequence[str], name: str) -> str:
    """Return the text of a project file without the entry of a pack, and without the table `packs` if it is empty then.

    Args:
        text: The text of the project file.
        below: The path of this library's table, such as `("tool", "scoring")`; empty if it is the whole file.
        name: The name of the entry.

    Raises:
        InputError: when the layout of the file requires that a person edits it.

    Examples:
        >>> without_pack('[packs]\\na = "1"  # first\\nb = "2"\\n', (), "a")
        '[packs]\\nb = "2"\\n'
    """
    at = (*below, PACKS, name)
    heads = _heads(text)
    new = text
    for found, begin in reversed(heads):
        if found[: len(at)] == at:
            end = next((later for _, later in heads if later > begin), len(text))
            new = new[:begin] + new[_last_line_of(text, begin, end) :].lstrip("\n")
    for found, span in reversed(list(key_places(Source("", new)))):
        line = new.rfind("\n", 0, span.start) + 1
        entry = _ENTRY.match(new, line)
        if found[: len(at)] == at and entry is not None:
            new = new[:line] + new[entry.end() :]
    wanted = _plain(text)
    packs = _at(wanted, at[:-1])
    packs.pop(name, None)
    if not packs and _at(_plain(new), at[:-2]).get(PACKS) is None:
        _at(wanted, at[:-2]).pop(PACKS, None)
    return _checked_text(new, wanted, f"take `{name}` out of [{'.'.join(at[:-1])}]")


def replace_entry_value(text: str, below: Sequence[str], name: str, key: str, value: str | list[str]) -> str:
    """Return the text of a project file in which one value in the entry of a pack is changed.

    Args:
        text: The text of the project file.
        below: The path of this library's table, such as `("tool", "scoring")`; empty if it is the whole file.
        name: The name of the entry.
        key: The key to change, such as ``tag``; it is added if it is missing.
        value: The new value.

    Raises:
        InputError: when the layout of the file requires that a person edits it.

    Examples:
        >>> replace_entry_value('[packs]\\na = { git = "x", tag = "v1" } # pinned\\n', (), "a", "tag", "v2")
        '[packs]\\na = { git = "x", tag = "v2" } # pinned\\n'
        >>> replace_entry_value('[packs]\\na = "1"\\nb = {folder = "x"}\\n', (), "a", "version", "2")
        '[packs]\\na = "2"\\nb = {folder = "x"}\\n'
    """
    at = (*below, PACKS, name)
    source = Source("", text)
    wanted = _plain(text)
    entry = _at(wanted, at[:-1])[name]
    if isinstance(entry, str):
        _at(wanted, at[:-1])[name] = value
        span = place_of(source, at)
    else:
        is_there = key in entry
        entry[key] = value
        span = place_of(source, (*at, key) if is_there else at)
        if not is_there:
            return _checked_text(_with_key(text, span.end, key, value), wanted, f"{key} = {_quoted(value)}")
    found = _VALUE.match(text, span.end)
    new = text if found is None else text[: found.start(1)] + _quoted(value) + text[found.end(1) :]
    return _checked_text(new, wanted, f"{key} = {_quoted(value)}")


def _with_key(text: str, end: int, key: str, value: str | list[str]) -> str:
    """Return the text of a project file with one more key and value in the entry of a pack.

    Args:
        text: The text of the file.
        end: The offset after the entry's name: before the inline table, or in the table's header.
        key: The key.
        value: Its value.
    """
    line = text.find("\n", end)
    line = len(text) if line < 0 else line
    bracket = re.match(rf"[ \t]*=[ \t]*\{{(?:[^\"'\n{{}}]|{_TEXT})*\}}", text[end:line])
    if bracket is not None:
        inner = text[end : end + bracket.end() - 1].rstrip()
        return f"{text[:end]}{inner}, {key} = {_quoted(value)} }}{text[end + bracket.end() :]}"
    return f"{text[:line]}\n{key} = {_quoted(value)}{text[line:]}"


def _quoted(text: str | list[str]) -> str:
    return json.dumps(text, ensure_ascii=False)


def _plain(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _at(data: dict[str, Any], keys: Sequence[str], *, make: bool = False) -> dict[str, Any]:
    for key in keys:
        data = data.setdefault(key, {}) if make else data[key]
    return data


def _checked_text(new: str, wanted: Mapping[str, Any], by_hand: str) -> str:
    """Return the edited text of a project file after checking that it parses to the intended data.

    Args:
        new: The new text.
        wanted: The data that it must contain.
        by_hand: The instruction for editing by hand, for the error message.

    Raises:
        InputError: when the text does not parse, or parses to other data.
    """
    try:
        if _plain(new) == wanted:
            return new
    except (ValueError, RecursionError):
        pass
    line = by_hand.replace("\n", " ")
    raise InputError(f"the layout of the project file needs an edit by hand: {line}, then `scoring lock`")
