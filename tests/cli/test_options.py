"""Options are declared once: what a command passes on is made from the parameters of the function that it calls."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from scoring.api.commands import import_command, own_commands
from scoring.api.parameters import VerbParameter, parameters_of
from scoring.cli.arguments import DECLARED
from scoring.cli.options import Verb, VerbArgument

# Arguments that a command declares by hand although its function has a parameter of that name, and why.
BY_HAND = {
    "audit data": "a file here, and data in any form in Python",
    "bundle with_data": "the flag says the opposite, --no-data",
    "explain data": "a file here, and data in any form in Python",
    "score data": "a file here, and data in any form in Python",
    "score spec": "a task or a suite here, and also one that is loaded in Python",
    "verify run": "here it may be a pack, too, whose signature is checked by another function",
}
COMMANDS = sorted(own_commands())


class Made:
    """The parser of a command, the arguments that were made from parameters, and the names of the others."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        place, _ = own_commands()[name]
        import_command(place)
        self.arguments: list[VerbArgument] = []
        add = VerbArgument.__call__

        def noted(argument: VerbArgument, parser: Any) -> None:
            self.arguments.append(argument)
            add(argument, parser)

        monkeypatch.setattr(VerbArgument, "__call__", noted)
        parser = argparse.ArgumentParser()
        DECLARED[name].configure(parser)
        self.parameters: dict[str, VerbParameter] = {}
        for argument in self.arguments:
            for parameter in parameters_of(argument.verb.place).values():
                prefix = f"{argument.verb.prefix}_" if argument.verb.prefix else ""
                self.parameters[f"{prefix}{parameter.name}"] = parameter
        names = {f"{one.verb.prefix}_{one.name}" if one.verb.prefix else one.name for one in self.arguments}
        self.by_hand = {action.dest for action in parser._actions} - names


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_function_declares_no_command_declares_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Made(name, monkeypatch)
    again = {f"{name} {one}" for one in made.by_hand & made.parameters.keys()}
    assert again == {one for one in BY_HAND if one.startswith(f"{name} ")}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_a_meaning_of_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for argument in Made(name, monkeypatch).arguments:
        found = parameters_of(argument.verb.place)[argument.name]
        assert found.summary, f"the docstring of {argument.verb.place} says nothing of `{argument.name}`"
        assert not {"help", "default"} & argument.settings.keys() or argument.settings.get("default", "") in (
            None,
            [],
            "",
        )


def parser_of(place: str, *names: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(exit_on_error=False)
    for argument in Verb(place)(*names):
        argument(parser)
    return parser


def test_types_defaults_and_bounds_are_those_of_the_function() -> None:
    parser = parser_of("scoring.api.specs:check", "specs", "locked", "frozen")
    assert parser.parse_args(["a", "b", "--frozen"]).specs == ["a", "b"]
    parser = parser_of("scoring.api.evaluating:evaluate", "processes", "limit", "references", "force")
    found = parser.parse_args(["--limit", "7", "--force"])
    assert vars(found) == {"processes": 1, "limit": 7, "references": None, "force": True}
    with pytest.raises(argparse.ArgumentError, match="1 or more"):
        parser.parse_args(["--processes", "0"])


def test_choices_and_lists_are_those_of_the_function() -> None:
    parser = parser_of("scoring.api.evaluating:evaluate", "by", "state", "locked", "references")
    assert parser.parse_args(["--by", "a", "--by", "b"]).by == ["a", "b"]
    assert "state" not in parser.parse_args([])  # the function knows its default
    assert parser.parse_args(["--locked"]).locked is True
    assert parser.parse_args([]).locked is None
    with pytest.raises(argparse.ArgumentError, match="invalid choice"):
        parser.parse_args(["--state", "some"])
    with pytest.raises(argparse.ArgumentError, match="found an empty text"):
        parser.parse_args(["--references", ""])


def test_the_help_is_the_first_sentence_of_the_meaning() -> None:
    text = " ".join(parser_of("scoring.api.specs:check", "specs", "only_specs").format_help().split())
    assert "--only-specs leave out files that don't declare a `kind` of spec, and folders of installed" in text
    assert "A folder without specs" not in text


def test_a_parameter_that_is_not_there_is_named() -> None:
    with pytest.raises(
        LookupError, match=r"`scoring.api.specs:check` has no parameter `fixes`: there are specs, dialect"
    ):
        parser_of("scoring.api.specs:check", "fixes")
