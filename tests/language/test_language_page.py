"""The language reference: every block of it is read by the parser, and is canonical where it is one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scoring
from scoring.diagnostics.source import Source
from scoring.format.read_yaml import read_yaml
from scoring.lang.formula_printer import print_formula
from scoring.lang.from_data import from_data
from scoring.lang.parser import parse_formula, parse_pipeline
from scoring.lang.printer import print_pipeline

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def blocks(kind: str) -> list[str]:
    found = [text.strip() for mark, text in BLOCKS if mark == kind]
    assert found
    return found


def test_every_block_is_of_a_kind_that_is_read() -> None:
    assert {mark for mark, _ in BLOCKS} == {"pipeline", "formula", "data", "yaml"}


@pytest.mark.parametrize("text", blocks("pipeline"))
def test_pipelines(text: str) -> None:
    tree = parse_pipeline(text)
    assert text in (print_pipeline(tree), print_pipeline(tree, 100), print_pipeline(tree).replace(" | ", "\n| "))


@pytest.mark.parametrize("text", blocks("formula"))
def test_formulas(text: str) -> None:
    assert print_formula(parse_formula(text)) == text


@pytest.mark.parametrize("text", blocks("yaml"))
def test_excerpts_of_tasks(tmp_path: Path, text: str) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(f"kind: task\nname: page\n{text}\n", "utf-8")
    assert scoring.load(path).warnings == ()


def test_data_form_is_the_pipeline_after_it() -> None:
    (data,) = blocks("data")
    following = BLOCKS[[mark for mark, _ in BLOCKS].index("data") + 1][1]
    tree = from_data(read_yaml(Source("data", data)), lambda name, parameter: False)
    assert tree == parse_pipeline(following)


def test_values_of_the_table_are_values() -> None:
    table = PAGE.split("| value | written | notes |")[1].split("\n\n")[0]
    written = [value for row in table.splitlines()[2:] for value in re.findall(r"`((?:[^`])+)`", row.split(" | ")[1])]
    assert len(written) > 10
    for value in written:
        parse_pipeline(f"f({value.replace(chr(92) + '|', '|')})")
