"""Suggest corrections for unknown commands and options: the counterparts of other tools' names, or the nearest of our
own."""

from __future__ import annotations

import argparse
import re
import shlex
import tomllib
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from scoring.diagnostics.suggest import did_you_mean, nearest
from scoring.lazy_pattern import lazy_pattern

_OPTION = lazy_pattern(r"--?[A-Za-z]")
_CHOICE = lazy_pattern(r"(.*?): invalid choice: (.{2,100}) \(choose from (.*)\)", re.DOTALL)  # as argparse says it
_MOST = 200


def unknown_command(name: str, rest: Sequence[str], known: Collection[str]) -> str:
    """Return the error message for an unknown command, with the corrected command line if its meaning can be guessed.

    Args:
        name: The unknown command.
        rest: The arguments after it.
        known: The names of our commands.

    Examples:
        >>> unknown_command("run", ["a.yaml", "b.jsonl"], ["score", "check"])
        'there is no command `run`; write `scoring score a.yaml b.jsonl`'
    """
    if name.startswith("-"):
        return _unknown_global(name, rest, known)
    command = _table()["commands"].get(name.lower())
    head = re.split(r"[-_:]", name)[0]  # of `test-all`
    if command is None and (near := nearest(name, known) or (head if head in known else None)):
        command = f"{near} {{rest}}"
    if command is None and name.endswith((".yaml", ".yml")):
        command = f"score {shlex.quote(name)} {{rest}}" if rest else f"check {shlex.quote(name)}"
    if command is None:
        return f"there is no command `{name}`; `scoring --help` lists them"
    line = " ".join(command.replace("{rest}", shlex.join(rest)).split())
    return f"there is no command `{name}`; write `scoring {line}`"


def _unknown_global(name: str, rest: Sequence[str], known: Collection[str]) -> str:
    """Return the error message for an option before the command, where only --help and --version may stand."""
    place = next((at for at, one in enumerate(rest) if one in known), None)
    if place is not None:
        line = shlex.join([rest[place], *rest[place + 1 :], name, *rest[:place]])
        return f"options stand behind the command; write `scoring {line}`"
    near = nearest(name.lstrip("-"), ("help", "version")) or {"-v": "version", "-?": "help"}.get(name)
    if near is None:
        return f"there is no option `{name}` without a command; `scoring --help` lists the commands"
    return f"there is no option `{name}`; write `scoring --{near}`"


def unknown_choice(message: str) -> str | None:
    """Return an error message of argparse about an invalid choice with the nearest valid one; None for any other.

    Examples:
        >>> unknown_choice("argument --format: invalid choice: 'jsn' (choose from 'text', 'json')")
        "argument --format: there is no 'jsn'; did you mean `json`? There are text and json"
        >>> unknown_choice("argument --part: expected one argument") is None
        True
    """
    found = _CHOICE.fullmatch(message)
    if found is None:
        return None
    choices = [one.strip("'\"") for one in found[3].split(", ")]
    question = did_you_mean(found[2][1:-1], choices)
    listed = " and ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))
    return (
        f"{found[1]}: there is no {found[2]}; {question} There {'is' if len(choices) == 1 else 'are'} {listed}"
        if question
        else None
    )


def unknown_option(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> str | None:
    """Return the error message for the first unknown option, with the corrected command line if its meaning can be
    guessed; None if all options are known.

    Args:
        parser: The parser of the command.
        arguments: The command-line arguments after the command's name.
    """
    known = parser._option_string_actions
    for place, argument in enumerate(arguments):
        if argument == "--":
            return None
        name, sign, value = argument.partition("=")
        if not _OPTION.match(argument) or name in known or (argument[1] != "-" and argument[:2] in known):
            continue
        plain, behind = name.lstrip("-"), list(arguments[place + 1 :])
        setting = value if sign else "".join(behind[:1])
        if plain.lower() in (words := _words_of(parser)):
            rest = behind if sign else behind[1:]
            before = [*arguments[:place], *rest[: words[plain.lower()] - place]]
            line = shlex.join([*before, setting, *rest[len(before) - place :]])
            return f"`{name}` is no option: it stands by its place; write `{parser.prog} {line}`"
        options = _table()["options"]
        whole = f"--{options.get(f'{plain.lower()} {setting}', '')}"
        if whole in known:
            line = shlex.join([*arguments[:place], whole, *(behind if sign else behind[1:])])
            return f"there is no option `{name}`; write `{parser.prog} {line}`"
        theirs = f"--{options.get(plain.lower(), '')}"
        if theirs not in known and (advice := _advice(parser.prog, plain.lower(), theirs)):
            return f"there is no option `{name}`; {advice.replace('{value}', setting or '…')}"
        long = [one.removeprefix("--") for one in known if one.startswith("--")]
        near = theirs.removeprefix("--") if theirs in known else nearest(plain, long)
        if near is None:
            return f"there is no option `{name}`; `{parser.prog} --help` lists them"
        line = shlex.join([*arguments[:place], f"--{near}{sign}{value}", *arguments[place + 1 :]])
        if len(line) > _MOST:
            return f"there is no option `{name}`; write `--{near}`"
        return f"there is no option `{name}`; write `{parser.prog} {line}`"
    return None


def swapped(parser: argparse.ArgumentParser, options: argparse.Namespace, arguments: Sequence[str]) -> str | None:
    """Return the error message for a command line that has the records before the spec; None for any other.

    This is recognised by the second argument, which is a YAML file, while the first is none.

    Args:
        parser: The parser of the command.
        options: The parsed arguments.
        arguments: The command-line arguments after the command's name.
    """
    placed = [one.dest for one in parser._actions if not one.option_strings][:2]
    first, second = (str(getattr(options, name, None) or "") for name in [*placed, "", ""][:2])
    if placed[1:] != ["data"] or not second.endswith(_SPECS) or first.endswith((*_SPECS, ".json")) or "." not in first:
        return None
    line = shlex.join({first: second, second: first}.get(argument, argument) for argument in arguments)
    return f"{second} is a spec, and stands before the records; write `{parser.prog} {line}`"


_SPECS = (".yaml", ".yml")


def _advice(program: str, plain: str, theirs: str) -> str:
    """Return advice on an option that another tool has and this command lacks; "" if there is none.

    ``program`` ends with the command's name, ``plain`` is the option without dashes, and ``theirs`` is the option of
    another of our commands to which it corresponds, or "".
    """
    table, command = _table()["advice"], program.rpartition(" ")[2]
    words = (f"{command} {plain}", f"{command} {theirs.removeprefix('--')}", plain)
    return next((table[word] for word in words if word in table), "")


def _words_of(parser: argparse.ArgumentParser) -> dict[str, int]:
    """Return the position of each positional argument of a parser, by each name that a user may give it."""
    placed = [one for one in parser._actions if not one.option_strings]
    names = [(one.dest, one.dest.removesuffix("s"), str(one.metavar).lower()) for one in placed]
    return {word: place for place, words in enumerate(names) for word in words}


@cache
def _table() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("command_line.toml").read_text("utf-8"))
