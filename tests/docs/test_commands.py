"""Every command of the documentation is one that the command line takes; those over shipped files are run."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.api.commands import import_command, own_commands
from scoring.cli.arguments import DECLARED
from scoring.cli.console import UsageError
from scoring.cli.main import CommandParser
from tests.cli.transcript import replay, without_versions
from tests.support.golden import REPOSITORY

MISTAKEN = "exit-codes.md"  # a page of mistakes, which has a test of its own
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"(?:\$ )?(?:\S*/)?scoring (?=[a-z])(.*)")
_NOTHING = re.compile(r"…|\.\.\.|\[")
_LEFT_OUT = re.compile("required|expected one argument")


def commands(page: Path) -> Iterator[str]:
    """Yield the commands of a page, in blocks of code and within sentences."""
    text = page.read_text("utf-8")
    for language, body in _FENCED.findall(text):
        if language in ("", "sh", "console", "bash"):
            for line in body.replace("\\\n", " ").splitlines():
                if found := _COMMAND.fullmatch(line.strip()):
                    yield found[1]
    yield from re.findall(r"`scoring ([a-z][^`\n]*)`", _FENCED.sub("", text))


def known(words: list[str]) -> bool:
    """Tell whether the words begin with the name of a command, and not with what a sentence says of one."""
    return bool(words) and words[0] in own_commands()


def parser_of(name: str) -> argparse.ArgumentParser:
    import_command(own_commands()[name][0])
    parser = CommandParser(prog=f"scoring {name}", allow_abbrev=False)
    DECLARED[name].configure(parser)
    return parser


CASES = [
    pytest.param(page.name, command, id=f"{page.name}: {command[:60]}")
    for page in PAGES
    if page.name != MISTAKEN
    for command in dict.fromkeys(commands(page))
    if not _NOTHING.search(command)  # arguments are left out
]


def test_there_are_commands() -> None:
    assert len(CASES) > 100


@pytest.mark.parametrize(("page", "command"), CASES)
def test_each_command_of_a_page_is_one_that_is_taken(page: str, command: str) -> None:
    words = shlex.split(command.partition(" #")[0].partition(" | ")[0].partition(" > ")[0], posix=True)
    assert known(words), f"{page}: there is no command `{words[0]}`"
    refused = ""
    try:
        parser_of(words[0]).parse_args(words[1:])
    except UsageError as error:
        refused = str(error)
    # In a sentence a command is named with the option that it is about, without its value and its files.
    assert not refused or _LEFT_OUT.search(refused), f"{page}: {refused}"


RUN = {
    "audit.md": "scoring audit specs/quickstart/invoices.yaml specs/quickstart/invoices.jsonl",
    "suites.md": "scoring score specs/examples/suite/suite.yaml specs/examples/suite/predictions.jsonl -o runs/desk",
    "tour.md": "scoring explain specs/quickstart/invoices.yaml specs/quickstart/invoices.jsonl --record inv-10",
}


@pytest.mark.parametrize("page", RUN)
def test_a_command_over_shipped_files_prints_what_its_page_shows(page: str, tmp_path: Path) -> None:
    text = (REPOSITORY / "docs" / page).read_text("utf-8")
    assert RUN[page] in text
    shutil.copytree(REPOSITORY / "specs", tmp_path / "specs")
    found = replay(f"$ {RUN[page]}\n", tmp_path)
    assert "[exit" not in found, found
    shown = next((body for _, body in _FENCED.findall(text) if body.startswith(f"$ {RUN[page]}\n")), None)
    if shown is not None:
        assert without_versions(shown) == without_versions(found)
