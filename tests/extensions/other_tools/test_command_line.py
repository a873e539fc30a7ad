"""Commands and options of other tools: each line that is told stands for a command and options that there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from scoring.cli.main import CommandParser, main
from scoring.extensions.other_tools import command_line
from scoring.registry.plugins import COMMANDS

TABLE = tomllib.loads(Path(command_line.__file__).with_name("command_line.toml").read_text("utf-8"))


def options_of_all() -> set[str]:
    from scoring.cli.main import _command

    found: set[str] = set()
    for name in COMMANDS:
        parser = CommandParser(prog=name)
        _command(name, COMMANDS[name][0]).configure(parser)
        found |= {one.removeprefix("--") for one in parser._option_string_actions}
    return found


@pytest.mark.parametrize(("theirs", "ours"), TABLE["commands"].items())
def test_a_command_of_others_is_one_of_ours(theirs: str, ours: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert theirs not in COMMANDS
    assert ours.split()[0] in {*COMMANDS, "--version", "{rest}"}
    assert main([theirs, "a.yaml"]) == 2
    assert f"write `scoring {ours.replace('{rest}', 'a.yaml')}`" in capsys.readouterr().err


@pytest.mark.parametrize(("theirs", "ours"), TABLE["options"].items())
def test_an_option_of_others_is_one_of_ours(theirs: str, ours: str) -> None:
    assert ours in options_of_all()


@pytest.mark.parametrize(("theirs", "advice"), TABLE["advice"].items())
def test_what_does_for_an_option_that_stands_for_none_is_there(theirs: str, advice: str) -> None:
    assert theirs.split()[-1] not in {*options_of_all(), *TABLE["options"]} or theirs.split()[0] in COMMANDS
    line = re.findall(r"`([^`]+)`", advice)[-1]
    assert line.startswith(("scoring explain SPEC DATA", "--json", "metrics: ["))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "--data", "b.jsonl", "a.yaml"], "write `scoring score a.yaml b.jsonl`"),
        (["score", "--spec=a.yaml", "b.jsonl"], "write `scoring score a.yaml b.jsonl`"),
        (["score", "a.yaml", "--data", "b.jsonl", "--limit", "3"], "write `scoring score a.yaml b.jsonl --limit 3`"),
        (["score", "a.yaml", "b.jsonl", "-f", "json"], "write `scoring score a.yaml b.jsonl --json`"),
        (["check", "a.yaml", "-f", "json"], "write `scoring check a.yaml --format json`"),
        (["score", "a.yaml", "b.jsonl", "--metric=f1"], "metrics stand in the spec: `metrics: [f1]`"),
        (["explain", "b.jsonl", "a.yaml", "--json"], "write `scoring explain a.yaml b.jsonl --json`"),
        (["test-all", "a.yaml"], "there is no command `test-all`; write `scoring test a.yaml`"),
        (["score", "a.yaml", "b.jsonl", "-o", "out.csv"], "expected a folder, found the file out.csv; write `-o out`"),
        (
            ["score", "a.yaml", "b.jsonl", "--out", "r"],
            "there is no option `--out`; write `scoring score a.yaml b.jsonl --output r`",
        ),
        (["score", "--limt=3", "a.yaml"], "there is no option `--limt`; write `scoring score --limit=3 a.yaml`"),
        (["score", "a.yaml", "--", "--out"], "`a.yaml` can't be read"),  # behind `--` is a file
        (["check"], "the following arguments are required: SPEC; write `scoring check SPEC [SPEC ...]`"),
        (["score", "a.yaml", "--processes", "auto"], "expected a whole number, 1 or more, such as 4, found 'auto'"),
        (["score", "a.yaml", "--min-coverage", "90"], "expected a share, from 0 to 1, found '90'; write 0.9"),
    ],
)
def test_an_option_that_there_is_not_ends_with_the_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) in (1, 2)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["score", "a", "b", "--format", "jsn"], "did you mean `json`?"),
        (["score", "a", "b", "--as", "htlm"], "did you mean `html`?"),
        (["judge", "agreemnt"], "did you mean `agreement`?"),
        (["judge-cache", "lst"], "did you mean `list`?"),
        (["score", "a", "b", "--format", "zzz"], "invalid choice: 'zzz' (choose from"),
        (["--verison"], "write `scoring --version`"),
        (["-v"], "write `scoring --version`"),
        (["--hlep"], "write `scoring --help`"),
        (["--quiet"], "there is no option `--quiet` without a command"),
        (["--format", "json", "check", "a b.yaml"], "write `scoring check 'a b.yaml' --format json`"),
        (["new", "sute", "desk.yaml"], "write `scoring new suite desk.yaml`"),
        (["new", "taks", "t.yaml"], "write `scoring new task t.yaml`"),
    ],
    ids=" ".join,
)
def test_a_mistyped_word_is_followed_by_the_right_one(
    words: list[str], wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert wanted in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_with_a_letter_too_few_is_known_again(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    from scoring.cli.main import _command

    parser = CommandParser(prog=name)
    _command(name, COMMANDS[name][0]).configure(parser)
    known = [one for one in parser._option_string_actions if one.startswith("--") and len(one) > 6]
    for option in known:
        wrong = option[:4] + option[5:]
        if wrong in parser._option_string_actions or wrong.removeprefix("--") in TABLE["options"]:
            continue
        assert main([name, wrong]) == 2
        assert f"there is no option `{wrong}`; write `scoring {name} {option}" in capsys.readouterr().err
    mistyped = name[:1] + name[2:]
    if len(name) > 3 and mistyped not in {*COMMANDS, *TABLE["commands"]}:
        assert main([mistyped]) == 2
        assert f"write `scoring {name}`" in capsys.readouterr().err
