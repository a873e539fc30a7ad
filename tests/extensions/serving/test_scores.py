"""What a service answers is what `scoring score` says, record for record, with the same meaning and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.serving.verbs import scoring_service
from scoring.result import MISSING
from tests.extensions.serving.asking import asked
from tests.support.host_cases import CASES, HostCase, host_case

OF_RUNS = ("where", "attributes")
"""What a run folder adds to each result."""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, HostCase]:
    return {name: host_case(name, tmp_path_factory.mktemp(name)) for name in CASES}


@pytest.fixture(scope="module")
def all_port(cases: dict[str, HostCase]) -> Iterator[int]:
    """The port of a service of all three tasks, whose judge is replayed."""
    specs = [case.spec for case in cases.values()]
    with cases["judged"].replaying(), scoring_service(specs, port=0, processes=1, seconds=20) as service:
        yield service.port


@pytest.mark.parametrize("name", CASES)
def test_two_hundred_records_are_equal(cases: dict[str, HostCase], all_port: int, name: str) -> None:
    case = cases[name]
    lines = [{name: value for name, value in line.items() if name not in OF_RUNS} for line in case.lines]
    path = next(one["score"] for one in asked(all_port, "/tasks")[2]["tasks"] if _meaning(one) == case.meaning)
    rows = [{"record": one.whole} for one in case.records]
    _, _, whole = asked(all_port, path, {"rows": rows})
    assert whole["results"] == lines
    assert _meaning(whole) == case.meaning
    case.check([result["score"] for result in whole["results"]])
    _, _, found = asked(all_port, path, {"rows": [_parts(one) for one in case.records]})
    same = ("id", "score", "status", "reason", "passed")
    assert [[one.get(name) for name in same] for one in found["results"]] == [
        [one.get(name) for name in same] for one in lines
    ]
    assert found["counted"] == sum(line["score"] is not None for line in lines)
    for row, line in list(zip(rows, lines, strict=True))[::20]:
        status, _, one = asked(all_port, path, row)
        assert (status, one) == (200, {**line, "task": whole["task"], "meaning": whole["meaning"]})


def _meaning(reply: dict[str, Any]) -> str:
    """The meaning in a reply, which has the form of `manifest.json`, as a part of a signature."""
    return f"meaning:{reply['meaning'].split('|')[0]}"


def _parts(one: Any) -> dict[str, Any]:
    reference = {} if one.reference is MISSING else {"reference": one.reference}
    return {"response": one.response, "id": one.id, **reference}


def test_a_task_is_asked_for_by_its_name(port: int, towns: Path) -> None:
    _, _, listed = asked(port, "/tasks")
    assert [one["task"] for one in listed["tasks"]] == ["demo/towns", "demo/rewarded", "quickstart/invoices"]
    assert listed["tasks"][0]["signature"] == str(scoring.load(towns).signature)
    said = '{"town": "Rome", "zip": 1}'
    status, _, found = asked(
        port, listed["tasks"][0]["score"], {"record": {"response": said, "gold": {"town": "rome"}}}
    )
    assert (status, found["task"], found["fields"]["town"]["score"]) == (200, "demo/towns", 1.0)
    status, _, found = asked(port, "/score", {"response": said})
    assert (status, found["error"]) == (
        404,
        "there are several tasks: ask /tasks/NAME/score, of demo/towns, demo/rewarded, quickstart/invoices",
    )
    status, _, found = asked(port, "/tasks/paris/score", {"response": said})
    assert (status, found["error"]) == (
        404,
        "there is no task `paris`, but demo/towns, demo/rewarded, quickstart/invoices",
    )


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [
        ('{"town": "rome", "zip": 1}', "scored", None),
        ("no answer", "unparsed", "town: no JSON object in the response (9 characters)"),
        (None, "unscored", "town: the record has no response"),
    ],
)
def test_what_has_no_score_says_why(port: int, response: Any, status: str, reason: str | None) -> None:
    body = {"response": response, "reference": {"town": "Rome", "zip": 1}, "id": 7}
    code, _, found = asked(port, "/tasks/demo/towns/score", body)
    assert (code, found["id"], found["status"], found.get("reason")) == (200, 7, status, reason)
    assert (found["score"] is not None) == (status == "scored")


def test_references_may_be_json_as_text(port: int) -> None:
    row = {"response": '{"town": "rome", "zip": 1}', "reference": '{"town": "Rome", "zip": 1}'}
    path = "/tasks/demo/towns/score"
    assert asked(port, f"{path}?references_as=json", row)[2]["score"] == 1.0
    assert asked(port, path, row)[2]["score"] is None
    status, _, found = asked(port, f"{path}?references_as=json", {"rows": [row, {**row, "reference": 1}]})
    assert status == 422
    assert found["error"].startswith("rows[1]: ")


def test_chat_messages_are_a_response(port: int) -> None:
    chat = [{"role": "assistant", "content": '{"town": "rome", "zip": 1}'}]
    body = {"response": chat, "reference": {"town": "Rome", "zip": 1}}
    assert asked(port, "/tasks/demo/towns/score", body)[2]["score"] == 1.0
