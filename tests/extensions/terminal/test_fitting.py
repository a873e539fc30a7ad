"""What is printed fits its terminal, loses nothing by it, and is what it always was where there is no terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.diagnostics.visible import HOSTILE, width
from tests.extensions.terminal.terminals import in_terminals, uncoloured

ROOT = Path(__file__).parents[3]
QUICKSTART = ROOT / "specs" / "quickstart"
INVOICES = [str(QUICKSTART / "invoices.yaml"), str(QUICKSTART / "invoices.jsonl")]
WIDTHS = (40, 80, 100, 214)
WIDE = "評価日本語🎉" * 12
BAD = f"""\
kind: task
name: wide
description: {WIDE} {WIDE}
score: casefold | to_ascii | drop_articles | levenshtin | zero_below(0.8) | at_least(0.25) | at_least(0.5)
"""
GOOD = "kind: task\nname: wide\nscore: levenshtein\nby: [group]\n"
COMMANDS = {
    "a run": (0, ["score", *INVOICES]),
    "wide characters": (0, ["score", "good.yaml", "wide.jsonl"]),
    "findings": (1, ["check", "bad.yaml"]),
    "a trace": (0, ["explain", *INVOICES]),
    "a list": (0, ["list", "text"]),
    "help": (0, ["--help"]),
    "a remark": (2, ["scor", "a.yaml", "b.jsonl"]),
    "hostile": (0, ["score", "good.yaml", "hostile.jsonl"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("terminal")
    (made / "bad.yaml").write_text(BAD, "utf-8")
    (made / "good.yaml").write_text(GOOD, "utf-8")
    for name, text in (("wide", WIDE), ("hostile", "\x1b[31m\x9b2J\u202eevil\u2066\r\x07 " + WIDE)):
        rows: list[dict[str, str | None]] = [
            {"id": f"{text}{at}", "response": "a", "reference": "ab", "group": text} for at in range(3)
        ]
        rows.append({"id": text, "response": None, "reference": "a", "group": f"{text} {text}"})
        (made / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return made


@pytest.fixture(scope="module")
def seen(folder: Path) -> dict[tuple[str, int], tuple[int, str]]:
    keys = [(name, columns) for name in COMMANDS for columns in WIDTHS]
    return dict(zip(keys, in_terminals([(one, COMMANDS[name][1]) for name, one in keys], folder), strict=True))


@pytest.fixture(scope="module")
def piped(folder: Path) -> dict[str, str]:
    return {name: _piped(words, folder) for name, (_, words) in COMMANDS.items()}


def _piped(words: list[str], folder: Path, **env: str) -> str:
    command = [sys.executable, "-m", "scoring", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **env})
    return done.stdout + done.stderr


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_is_wider_than_the_terminal(
    name: str, columns: int, seen: dict[tuple[str, int], tuple[int, str]]
) -> None:
    code, text = seen[name, columns]
    assert code == COMMANDS[name][0], text
    lines = [line for line in uncoloured(text).split("\n") if width(line) > columns]
    # What is to be copied is not broken: it stands on a line of its own, which the terminal breaks.
    assert [line for line in lines if not re.fullmatch(r"\s*\S*`[^`]+`\S*", line) and " " in line.strip()] == []


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", ["a run", "a trace", "a list", "help", "a remark"])
def test_nothing_is_lost_by_it(
    name: str, columns: int, seen: dict[tuple[str, int], tuple[int, str]], piped: dict[str, str]
) -> None:
    text = re.sub(r"[\s│]", "", uncoloured(seen[name, columns][1]))
    words = re.findall(r"[\w.%]+(?!\w*…)", piped[name])
    assert {word for word in words if len(word) < 12 and word not in text} == set()


def test_a_part_of_a_table_says_of_what_its_interval_is(seen: dict[tuple[str, int], tuple[int, str]]) -> None:
    assert re.search(r"by doc_type +pass_rate 95%\ninvoice +\[", uncoloured(seen["a run", 40][1]))


def test_carets_stand_under_the_mistake_in_a_narrow_terminal(seen: dict[tuple[str, int], tuple[int, str]]) -> None:
    lines = uncoloured(seen["findings", 40][1]).split("\n")
    place = next(at for at, line in enumerate(lines) if "levenshtin" in line and "|" in line)
    start = lines[place].index("levenshtin")
    assert lines[place + 1][start:].rstrip() == "^" * len("levenshtin")
    assert lines[place + 2].replace("|", " ").split() == ["did", "you", "mean", "`levenshtein`?"]


def test_a_wide_terminal_shows_more_of_a_text(
    seen: dict[tuple[str, int], tuple[int, str]], piped: dict[str, str]
) -> None:
    assert piped["a list"].count("…") > uncoloured(seen["a list", 214][1]).count("…")


def test_neither_controls_nor_marks_of_direction_reach_the_terminal(
    seen: dict[tuple[str, int], tuple[int, str]],
) -> None:
    for columns in WIDTHS:
        text = seen["hostile", columns][1]
        assert not re.search(r"\x1b\[(?!0m|1m|2m|3[1-3]m)", text)
        assert HOSTILE.findall(uncoloured(text).replace("\n", "")) == []


def test_no_color_is_kept(folder: Path) -> None:
    for code, text in in_terminals([(40, words) for _, words in COMMANDS.values()], folder, NO_COLOR="1"):
        assert code in (0, 1, 2)
        assert "\x1b" not in text


def test_a_pipe_has_no_width(folder: Path, piped: dict[str, str]) -> None:
    for name in ("a run", "findings"):
        assert _piped(COMMANDS[name][1], folder, COLUMNS="40") == piped[name]
        assert max(map(width, piped[name].split("\n"))) > 80
