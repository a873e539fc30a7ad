"""What notebooks display of results, columns and traces: never markup of the data, and never without bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.support.hostile_texts import HOSTILE_TEXTS, controls, tags

MOST_CHARACTERS = 200_000


def _spec(names: list[str]) -> dict[str, Any]:
    return {"kind": "task", "name": "t", "parse": "json", "fields": dict.fromkeys(names, "lower | equal")}


def displays(text: str, fields: int = 2) -> dict[str, str]:
    """The HTML of everything that displays itself, with a text wherever data has one."""
    try:
        scoring.load(_spec([text]))
        name = text
    except SpecError:  # no spec may have a character that can't be printed
        name = "field"
    names = [name, *(f"{name} {number}" for number in range(1, fields))]
    spec = _spec(names)
    response = json.dumps(dict.fromkeys(names, text))
    record = {"id": text, "response": response, "reference": dict.fromkeys(names, f"{text}.")}
    task = scoring.load(spec)
    result = task.score(record)
    failed = task.score({**record, "response": text})
    shown: dict[str, Any] = {
        "task": task,
        "result": result,
        "failed result": failed,
        "trace": result.explain(),
        "failed trace": failed.explain(),
        "explained": scoring.explain(spec, [record]),
        "explained in full": scoring.explain(spec, [record], full=True),
        "columns": task.score_columns([response, text], [record["reference"]] * 2, ids=[text, "b"]),
        "run": scoring.evaluate(spec, [record]),
    }
    found = {name: one._repr_html_() for name, one in shown.items()}
    assert all(found.values())
    return found


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_no_text_of_the_data_becomes_markup(text: str) -> None:
    for name, html in displays(text).items():
        assert tags(html) == [], name
        assert controls(html.replace("\n", "")) == [], name


def test_what_is_large_is_cut_off() -> None:
    found = displays("x" * 50_000)
    found.pop("explained in full")
    for name, html in {**found, **displays("y", fields=300)}.items():
        assert len(html) < MOST_CHARACTERS, name


def test_of_many_answers_the_first_ones_are_shown() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    columns = task.score_columns(["a"] * 50_000, ["a"] * 50_000)
    html = columns._repr_html_() or ""
    assert html.count("<tr>") == 21
    assert "50,000" in html or "50000" in html
    assert columns.table()[49_999]["score"] == 1.0
