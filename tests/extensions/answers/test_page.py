"""The page on extractors: each row of each table is run, and each extractor has a column."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import scoring
from scoring.format.read_yaml import read_yaml

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/extractors.md").read_text("utf-8")
CHOICES = ["red", "blue", "green"]
_CODE = re.compile(r"(`+)(.*?)\1(?!`)")
_CELLS = re.compile(r"(?<!\\)\|")


def rows() -> Iterator[tuple[str, str, str]]:
    """Each answer of each table: the extractor, the response, and what the page says that it gives."""
    extractors: list[str] = []
    for line in PAGE.splitlines():
        if not line.startswith("|"):
            extractors = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1]]
        codes = [found[2] if (found := _CODE.fullmatch(cell)) else cell for cell in cells]
        if cells[0] == "response":
            extractors = codes[1:]
        elif not cells[0].startswith("---"):
            assert len(codes) == len(extractors) + 1, line
            yield from ((extractor, codes[0], answer) for extractor, answer in zip(extractors, codes[1:], strict=True))


ROWS = list(rows())


def given(extractor: str, response: str) -> str:
    """What an extractor gives as the page writes it: JSON, or a dash."""
    task = scoring.load(
        {
            "kind": "task",
            "name": "page/row",
            "imports": {"extract": "answer-extraction@1"},
            "record": {"choices": "choices"},
            "parse": extractor,
            "score": "equal",
        }
    )
    story = task.explain({"id": 1, "response": response, "reference": "", "choices": CHOICES})
    last = story["parse"][-1]
    return "–" if "error" in last else json.dumps(last["value"], ensure_ascii=False)


@pytest.mark.parametrize(("extractor", "response", "answer"), ROWS)
def test_an_extractor_gives_what_the_page_says(extractor: str, response: str, answer: str) -> None:
    assert given(extractor, json.loads(response)) == answer


def test_every_extractor_of_the_pack_has_a_column() -> None:
    source = (ROOT / "specs/answer-extraction/pack.yaml").read_text("utf-8")
    pack = {f"extract.{name}" for name in read_yaml(source)["transforms"].plain()}
    shown = {extractor.partition("(")[0] for extractor, _, _ in ROWS}
    assert pack <= shown
    assert shown - pack == {
        "boxed", "choice_letter", "final_answer", "find_number", "in_tags", "named_option", "nearest_option",
        "option_text", "mmesgbench/short_answer", "unfence",
    }  # fmt: skip
