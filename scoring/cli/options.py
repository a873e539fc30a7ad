"""Options of commands made from the parameters of the public functions that the commands call.

A parameter is declared once, where Python reads it: its type, default, choices and bounds in the signature, its meaning
in the docstring. A command says which parameters it takes, under which flags, and with what placeholder they are shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from scoring.cli.values import file_name, whole

if TYPE_CHECKING:
    from scoring.api import VerbParameter

# What stands for the value of a parameter in help texts, by the parameter's name; by its type for others.
_METAVARS = {
    "address": "ADDRESS",
    "cluster": "ATTRIBUTE",
    "by": "PATH",
    "confidence": "LEVEL",
    "input_format": "FORMAT",
    "output": "FOLDER",
    "part": "N/OF",
    "parts": "FOLDER",
    "record": "ID",
    "reference_format": "FORMAT",
    "root": "FOLDER",
    "strata": "ATTRIBUTE",
    "tasks": "PATH",
    "timeout": "SECONDS",
    "url": "URL",
    "version": "RANGE",
}


class DialectNames:
    """The names of all dialects of other tools' task files, looked up only when the option is used or shown."""

    def __iter__(self) -> Iterator[str]:
        from scoring.api.locked import dialect_names

        return dialect_names()


# Parameters of which the signature does not say what is taken.
_CHOICES = {"dialect": DialectNames()}


class Verb(Struct, frozen=True):
    """A public function, or a class of options, whose parameters become arguments of a command.

    Args:
        place: Its location, as `module:name`; it is imported when a parser is made.
        prefix: The word before the names of its parameters in flags, such as ``judge`` in ``--judge-url``.
    """

    place: str
    prefix: str = ""

    def __call__(self, *names: str) -> tuple[VerbArgument, ...]:
        """Return the arguments for the parameters with these names, with flags made of the names (`--max-rows`)."""
        return tuple(VerbArgument(self, name) for name in names)

    def option(self, name: str, *flags: str, **settings: Any) -> VerbArgument:
        """Return the argument for the parameter `name` with other flags; `settings` replace those of `add_argument`."""
        return VerbArgument(self, name, flags, settings)


class VerbArgument(Struct, frozen=True):
    """An argument of a command that sets a parameter of a public function; call it to add it to a parser."""

    verb: Verb
    name: str
    flags: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def __call__(self, parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
        """Add the argument to a parser or to a group of its arguments."""
        from scoring.api import parameters_of

        known = parameters_of(self.verb.place)
        if self.name not in known:
            raise LookupError(f"`{self.verb.place}` has no parameter `{self.name}`: there are {', '.join(known)}")
        found = known[self.name]
        if found.is_positional and not self.flags and not self.verb.prefix:
            parser.add_argument(self.name, **{**_positional(found), **self.settings})
            return
        name = f"{self.verb.prefix}_{self.name}" if self.verb.prefix else self.name
        flags = self.flags or (f"--{name.replace('_', '-')}",)
        required = {"required": True} if found.is_required else {}
        parser.add_argument(*flags, **{"dest": name, **required, **_optional(found), **self.settings})


def _positional(found: VerbParameter) -> dict[str, Any]:
    """Return the settings of `add_argument` for a parameter that is an argument without a flag."""
    arity = ("+" if found.is_required else "*") if found.is_many else (None if found.is_required else "?")
    metavar = _METAVARS.get(found.name, found.name.upper().removesuffix("S" if found.is_many else ""))
    settings: dict[str, Any] = {"metavar": metavar, "help": _help(found), **({"nargs": arity} if arity else {})}
    return {**settings, **_value(found)}


def _optional(found: VerbParameter) -> dict[str, Any]:
    """Return the settings of `add_argument` for a parameter that is an argument with a flag."""
    settings: dict[str, Any] = {"help": _help(found)}
    if "bool" in found.kinds:
        if "None" in found.kinds:
            return {**settings, "action": "store_const", "const": True}
        return {**settings, "action": "store_true"}
    if found.is_many or found.kinds == ("Mapping", "None"):
        settings |= {"help": f"{_help(found)}; can be given several times", "action": "append", "default": []}
        return {**settings, "metavar": _metavar(found), **_value(found)}
    if found.default is None and "None" not in found.kinds and found.kinds:
        settings["default"] = argparse.SUPPRESS  # the function has a default that its signature does not show
    elif found.default not in (None, ""):
        settings |= {"help": f"{_help(found)} (default: {found.default})", "default": found.default}
    metavar = {} if found.choices else {"metavar": _metavar(found)}
    return {**settings, **metavar, **_value(found)}


def _help(found: VerbParameter) -> str:
    """Return the help text of a parameter for argparse, with its percent signs doubled."""
    summary = found.summary.replace("%", "%%")
    return f"{summary}: %(choices)s" if found.name in _CHOICES else summary


def _value(found: VerbParameter) -> dict[str, Any]:
    """Return the settings of `add_argument` that say how a parameter's text is converted, and what it may be."""
    if found.choices or found.name in _CHOICES:
        return {"choices": found.choices or _CHOICES[found.name]}
    if found.is_many:
        return {}
    if "str" not in found.kinds and found.least is not None:
        return {"type": partial(whole, least=found.least)}
    if "float" in found.kinds:
        return {"type": float}
    return {"type": file_name} if _is_path(found) else {}


def _is_path(found: VerbParameter) -> bool:
    """Return whether a parameter takes the name of a file or folder; also true if it accepts data of any form."""
    return not found.kinds or bool({"Path", "Names", "SpecSource"} & {*found.kinds})


def _metavar(found: VerbParameter) -> str:
    if found.name in _METAVARS:
        return _METAVARS[found.name]
    if _is_path(found):
        return "FILE"
    return "N" if "int" in found.kinds else "X" if "float" in found.kinds else "NAME"
