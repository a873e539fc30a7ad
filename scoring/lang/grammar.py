"""The parser that Lark creates from `grammar.lark`.

Creating its tables takes a fifth of a second, so they are stored next to the grammar (`scoring generate` writes them)
and created anew only if they belong to another grammar or another version of Lark. They are JSON, not a pickle, since
loading a pickle may execute code.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import lark
import msgspec
from lark.grammar import Rule
from lark.lexer import TerminalDef

ENTRIES = ("scorer", "computed", "formula", "path")
_GRAMMAR = Path(__file__).with_name("grammar.lark")
_TABLES = Path(__file__).with_name("grammar.json")


@cache
def expression_parser() -> lark.Lark:
    """Return Lark's parser of the language; its `start` is the kind of expression, such as "scorer" or "formula".

    Examples:
        >>> print(expression_parser().parse("lower | equal", start="scorer").data)
        scorer
    """
    stored = _stored()
    is_own = (stored.get("lark"), stored.get("grammar")) == (lark.__version__, _digest())
    return lark.Lark.load(_with_numbers(stored["tables"])) if is_own else made()


def made(*, strict: bool = False) -> lark.Lark:
    """Return Lark's parser, created from the grammar itself instead of the stored tables.

    Args:
        strict: Whether Lark refuses an ambiguous grammar.
    """
    return lark.Lark(
        _GRAMMAR.read_text("utf-8"),
        parser="lalr",
        lexer="contextual",
        start=list(ENTRIES),
        propagate_positions=True,
        maybe_placeholders=False,
        strict=strict,
    )


def tables_text() -> str:
    """Return Lark's tables as the text of `grammar.json`: the stored text if the grammar is unchanged."""
    if _stored().get("grammar") == _digest():
        return _TABLES.read_text("utf-8")
    data, memo = made().memo_serialize([TerminalDef, Rule])
    tables = {"lark": lark.__version__, "grammar": _digest(), "tables": {"data": data, "memo": memo}}
    return json.dumps(tables, separators=(",", ":")) + "\n"


def _digest() -> str:
    return hashlib.sha256(_GRAMMAR.read_bytes()).hexdigest()


def _stored() -> dict[str, Any]:
    """Return the content of `grammar.json`, an empty mapping if it cannot be read."""
    try:
        stored: dict[str, Any] = msgspec.json.decode(_TABLES.read_bytes())
    except (OSError, ValueError):
        return {}
    return stored


def _with_numbers(tables: dict[str, Any]) -> dict[str, Any]:
    """Return Lark's tables with numbers as keys where Lark has numbers, which JSON does not allow."""
    tables["memo"] = _numbered(tables["memo"])
    table = tables["data"]["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {state: _numbered(actions) for state, actions in _numbered(table["states"]).items()}
    return tables


def _numbered(table: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in table.items()}
