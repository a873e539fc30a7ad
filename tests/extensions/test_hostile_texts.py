"""Texts made to be slow to read are read in time that grows with their length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scoring.extensions.geography.geocoder import folded
from scoring.extensions.maths.formulas import boxed, equal_formulas, equal_text_and_formulas
from scoring.packs.megabench_upstream.answer import (
    megabench_upstream_answer_string,
    megabench_upstream_ascii_answer_string,
    megabench_upstream_verbatim_answer_string,
)
from scoring.packs.megabench_upstream.constraints import released_tokens
from scoring.packs.megabench_upstream.fields import megabench_upstream_json
from scoring.packs.megabench_upstream.numbers import megabench_upstream_any_phrase
from scoring.packs.megabench_upstream.places import (
    megabench_upstream_tagged_boxes_iou,
    megabench_upstream_tagged_point_nearness,
)
from scoring.primitives.parsing.json_object import json
from tests.support.cost import grows_with_the_length

_LENGTH = 100_000
READERS: list[Callable[[str], Any]] = [
    boxed,
    json,
    lambda text: equal_text_and_formulas(text, "x"),
    lambda text: equal_formulas(text, "x"),
    folded,
    lambda text: megabench_upstream_tagged_boxes_iou(text, "<box>0, 0, 1, 1</box>"),
    lambda text: megabench_upstream_tagged_point_nearness(text, "<point>0, 0</point>"),
    megabench_upstream_answer_string,
    megabench_upstream_ascii_answer_string,
    megabench_upstream_verbatim_answer_string,
    megabench_upstream_json,
    released_tokens,
    lambda text: megabench_upstream_any_phrase(text, "a" + ",b" * 10_000),
]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        '["',
        "[]",
        "}",
        "\\boxed{",
        "\\(",
        "$",
        "<box>",
        "</box>",
        "<point>",
        "<point>1</point>",
        " ",
        "\n",
        " \n",
        "Answer:",
        "```",
        ". ",
        "'",
        "{[]",
        "[1],",
        "\u0315\u0300\u05ae",
    ],
)
def test_no_text_takes_long(unit: str) -> None:
    text = (unit * _LENGTH)[:_LENGTH]
    for read in READERS:
        grows_with_the_length(read, text, freely=2.0)


def test_a_closed_box_within_many_open_ones_is_found() -> None:
    assert boxed("\\boxed{" * 1_000 + "7}" + "{" * 1_000) == "7"


def test_tags_are_closed_on_their_own_line() -> None:
    assert megabench_upstream_tagged_boxes_iou("<box>0, 0\n, 1, 1</box>", "<box>0, 0, 1, 1</box>") == 0.0
    assert megabench_upstream_tagged_boxes_iou("</box><box>0, 0, 1, 1</box>", "<box>0, 0, 1, 1</box>") == 1.0
