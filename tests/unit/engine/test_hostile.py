"""Hostile responses cost bounded time and memory, and never end a run; whatever comes out is strict JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.api import load
from scoring.cli.main import main
from scoring.engine.road.evaluate import Options
from tests.support.waiting import cpu_time_below
from tests.unit.engine.fake import run_records

SPEC: dict[str, Any] = {
    "kind": "task",
    "name": "hostile",
    "version": "1.0.0",
    "parse": "json",
    "by": ["kind"],
    "fields": {
        "text": "casefold | levenshtein | zero_below(0.5)",
        "total": "number | within(relative=0.01)",
        "set": "to_set | jaccard",
    },
}
REFERENCE = {"text": "Acme", "total": 3, "set": "[1, 2]"}
MEGABYTE = 1_000_000

RESPONSES: dict[str, Any] = {
    "brackets": "[" * MEGABYTE,
    "braces": '{"' * (MEGABYTE // 2),
    "closing": "}" * MEGABYTE,
    "digits": '{"total": ' + "9" * MEGABYTE + "}",
    "digits as text": json.dumps({"text": "x", "total": "9" * MEGABYTE, "set": "[" + "9" * MEGABYTE + "]"}),
    "exponent": '{"total": 1e999999999, "text": "a", "set": "[1e999999999]"}',
    "surrogates": '{"text": "\\ud800", "total": "\\udfff", "set": "[\\"\\ud800\\"]"}',
    "raw surrogates": "\ud800" * 1000,
    "nan": '{"text": NaN, "total": NaN, "set": [NaN]}',
    "infinity": '{"text": "a", "total": -Infinity, "set": "[inf]"}',
    "deep list": '{"set": ' + "[" * 5000 + "]" * 5000 + "}",
    "deep mapping": '{"a":' * 5000 + "1" + "}" * 5000,
    "deep text": json.dumps({"set": "(" * 5000 + ")" * 5000, "text": "a", "total": 1}),
    "regex bait": '{"text": "' + "a" * 50_000 + '!", "total": "' + "1," * 50_000 + '", "set": "' + " " * 50_000 + 'x"}',
    "backslashes": '{"text": "' + "\\" * 200_001,
    "nul": "\x00" * 1000,
    "long text": json.dumps({"text": "ab" * 50_000, "total": 3, "set": "[1]"}),
    "many keys": json.dumps({str(number): number for number in range(100_000)}),
    "nothing": None,
    "number": 12,
    "list": [1, 2],
    "mapping": {"text": "acme", "total": 3, "set": "[1, 2]"},
}


def records() -> list[dict[str, Any]]:
    return [
        {"id": name, "response": response, "reference": REFERENCE, "kind": "\ud800hostile"}
        for name, response in RESPONSES.items()
    ]


@pytest.mark.parametrize("name", RESPONSES)
def test_each_response_is_scored_or_says_why_in_bounded_time(name: str) -> None:
    task = load(SPEC)
    record = next(one for one in records() if one["id"] == name)
    with cpu_time_below(10):
        result = task.evaluate([record]).records[0]
    assert result.status == "scored" or result.reason


def test_a_run_over_all_of_them_is_written_and_is_the_same_in_two_processes(tmp_path: Path) -> None:
    task = load(SPEC)
    one = run_records(task, records())
    other = run_records(task, records(), options=Options(processes=2, batch_size=3))
    one.write(tmp_path / "one")
    other.write(tmp_path / "other")
    for name in ("scores.jsonl", "summary.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    lines = (tmp_path / "one" / "scores.jsonl").read_bytes().splitlines()
    assert len(lines) == len(RESPONSES)
    assert max(map(len, lines)) < 100_000
    for line in lines:
        json.loads(line, parse_constant=lambda constant: pytest.fail(f"a bare {constant}"))


def check_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> None:
    """Check that the command ends in order, and prints nothing odd."""
    spec, data = tmp_path / "spec.json", tmp_path / "data.jsonl"
    spec.write_text(json.dumps(SPEC))
    data.write_text("".join(json.dumps(record) + "\n" for record in records()))
    assert main(["score", str(spec), str(data), "-o", str(tmp_path / "run"), *more]) == 3
    shown = capsys.readouterr().out
    assert "coverage" in shown
    assert "\x00" not in shown


def test_the_command_line_survives_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_command(tmp_path, capsys)
