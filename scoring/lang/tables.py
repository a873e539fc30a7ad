"""The parser's tables, committed, so that no start waits for the grammar to be worked out.

Building an LALR parser costs up to a quarter of a second, most of it for checks that hold once and for all; reading its
tables costs three milliseconds. They serve the release of Lark that wrote them and the grammar they were made of; any
other Lark, or an edited grammar, builds the parser anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import lark

FILE = Path(__file__).with_name("grammar.json")


def tables_text(build: Callable[[], lark.Lark], grammar: str) -> str:
    """The file of the parser's tables: as it stands while it is of this grammar, since states have no fixed numbers.

    Args:
        build: What builds the parser of the grammar.
        grammar: The grammar's text.
    """
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    if _held().get("grammar") == _made_of(grammar)["grammar"]:
        return FILE.read_text("utf-8")
    data, memo = build().memo_serialize([TerminalDef, Rule])
    return json.dumps({**_made_of(grammar), "data": data, "memo": memo}, separators=(",", ":"), sort_keys=True) + "\n"


def from_tables(grammar: str) -> lark.Lark | None:
    """The parser of the committed tables, None where they are not those of this grammar and this Lark."""
    import lark

    held = _held()
    if {name: held.get(name) for name in ("lark", "grammar")} != _made_of(grammar):
        return None
    table = held["data"]["parser"]["parser"]
    # JSON has no numbers as keys; the automaton's states and tokens are numbers.
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {state: _numbered(row) for state, row in _numbered(table["states"]).items()}
    # The way in of Lark's own standalone parsers; its public one reads pickles only.
    parser: lark.Lark = lark.Lark._load_from_dict(held["data"], _numbered(held["memo"]))  # type: ignore[no-untyped-call]
    return parser


def _held() -> dict[str, Any]:
    """The committed file, empty where it is missing or broken."""
    try:
        found = json.loads(FILE.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _made_of(grammar: str) -> dict[str, str]:
    import lark

    return {"lark": ".".join(lark.__version__.split(".")[:2]), "grammar": hashlib.sha256(grammar.encode()).hexdigest()}


def _numbered(held: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in held.items()}
