"""Commands and options that nobody knows: what others call ours, the nearest of ours, and the whole line to write."""

from __future__ import annotations

import argparse
import re
import shlex
import tomllib
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from scoring.diagnostics.suggest import nearest

_OPTION = re.compile(r"--?[A-Za-z]")
_MOST = 200


def unknown_command(name: str, rest: Sequence[str], known: Collection[str]) -> str:
    """Return what is wrong with a command that there is not, and the line that was meant.

    Examples:
        >>> unknown_command("run", ["a.yaml", "b.jsonl"], ["score", "check"])
        'there is no command `run`; write `scoring score a.yaml b.jsonl`'
    """
    meant = _table()["commands"].get(name.lower())
    if meant is None and (near := nearest(name, known)) is not None:
        meant = f"{near} {{rest}}"
    if meant is None and name.endswith((".yaml", ".yml")):
        meant = f"score {shlex.quote(name)} {{rest}}" if rest else f"check {shlex.quote(name)}"
    if meant is None:
        return f"there is no command `{name}`; `scoring --help` lists them"
    said = " ".join(meant.replace("{rest}", shlex.join(rest)).split())
    return f"there is no command `{name}`; write `scoring {said}`"


def unknown_option(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> str | None:
    """Return what is wrong with the first option that a command does not have, and the line that was meant.

    Args:
        parser: That of the command.
        arguments: What was written behind it.
    """
    known = parser._option_string_actions
    for place, given in enumerate(arguments):
        if given == "--":
            return None
        name, sign, value = given.partition("=")
        if not _OPTION.match(given) or name in known or (given[1] != "-" and given[:2] in known):
            continue
        plain = name.lstrip("-")
        if plain.lower() in _words_of(parser):
            line = shlex.join([*arguments[:place], *([value] if sign else []), *arguments[place + 1 :]])
            return f"`{name}` is no option: it stands by its place; write `{parser.prog} {line}`"
        theirs = f"--{_table()['options'].get(plain.lower(), '')}"
        long = [one.removeprefix("--") for one in known if one.startswith("--")]
        near = theirs.removeprefix("--") if theirs in known else nearest(plain, long)
        if near is None:
            return f"there is no option `{name}`; `{parser.prog} --help` lists them"
        line = shlex.join([*arguments[:place], f"--{near}{sign}{value}", *arguments[place + 1 :]])
        if len(line) > _MOST:
            return f"there is no option `{name}`; write `--{near}`"
        return f"there is no option `{name}`; write `{parser.prog} {line}`"
    return None


def _words_of(parser: argparse.ArgumentParser) -> set[str]:
    """What the arguments are called that stand by their places."""
    placed = [one for one in parser._actions if not one.option_strings]
    return {word for one in placed for word in (one.dest, one.dest.removesuffix("s"), str(one.metavar).lower())}


@cache
def _table() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("foreign.toml").read_text("utf-8"))
