"""The server of tools, asked by the client of the official SDK over standard input and output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scoring.extensions.agents.inputs import MOST_RECORDS, MOST_TEXT, TOOLS
from tests.support.golden import REPOSITORY

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent, TextResourceContents

SPEC = "kind: task\nname: t\nversion: 1.0.0\nscore: casefold | equal\nmetrics: [mean]\n"
EXAMPLES = "examples:\n  - {response: A, reference: a, expect: 1}\n  - {response: b, reference: a, expect: 1}\n"
PROGRAM = "kind: task\nname: t\nversion: 1.0.0\nscore: run_tests(cases=context.cases)\n"
RECORD = {"id": "q", "response": "Paris", "reference": "paris"}


@dataclass(frozen=True)
class Session:
    """A client of the SDK that is connected with a server, asked without waiting in between."""

    portal: BlockingPortal
    client: Client
    folder: Path

    def call(self, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """The answer of a tool, which is the same as text and as data."""
        found = self.portal.call(self.client.call_tool, name, inputs)
        answer: dict[str, Any] = found.structured_content
        assert found.is_error == ("error" in answer)
        (content,) = found.content
        assert isinstance(content, TextContent)
        assert json.loads(content.text) == answer
        return answer


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A server that was started as an agent's host does, in a folder with specs beside a secret."""
    outside = tmp_path_factory.mktemp("agent")
    (outside / "secret.yaml").write_text("kind: pack\nname: secret\nversion: 1.0.0\nscorers: {s: equal}\n")
    home = outside / "home"
    (home / "inner").mkdir(parents=True)
    (home / "inner" / "task.yaml").write_text(SPEC + EXAMPLES)
    (home / "notes.txt").write_text("nothing")
    (home / "link.yaml").symlink_to(outside / "secret.yaml")
    environment = {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])}
    command = StdioServerParameters(command=sys.executable, args=["-m", "scoring", "mcp"], cwd=home, env=environment)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(command)) as client:
        yield Session(portal, client, home)


def test_an_agent_writes_a_spec(session: Session) -> None:
    tool = session.call
    assert {one.name for one in session.portal.call(session.client.list_tools).tools} == set(TOOLS)
    (skill,) = session.portal.call(session.client.list_resources).resources
    page = session.portal.call(session.client.read_resource, str(skill.uri))
    (content,) = page.contents
    assert isinstance(content, TextResourceContents)
    assert content.text.startswith("---\nname: scoring\n")

    found = tool("list", {"about": "word error rate"})
    assert "edit_rate" in found["text"]
    broken = SPEC.replace("casefold | equal", "casefold && eqaul")
    found = tool("check", {"text": broken})
    assert not found["passed"]
    assert found["findings"][0]["fixes"]
    assert found["mended"] == SPEC
    assert found["left"] == []
    assert tool("check", {"path": "inner/task.yaml"})["passed"]

    tried = tool("score", {"text": SPEC + EXAMPLES})
    assert (tried["examples"], tried["passed"]) == (2, False)
    assert "gave 0.0, expected 1" in tried["findings"][0]["message"]
    scored = tool("score", {"path": "inner/task.yaml", "records": [RECORD, {**RECORD, "response": "Rome"}]})
    assert [one["score"] for one in scored["records"]] == [1.0, 0.0]
    assert scored["metrics"][0]["value"] == 0.5

    assert "threshold" in tool("explain", {"name": "zero_below"})["text"]
    assert '"paris"' in tool("explain", {"text": SPEC, "records": [RECORD]})["text"]
    assert "unknown" in tool("explain", {"name": "unknown-name"})["text"]


def test_nothing_leads_out_of_the_folder(session: Session) -> None:
    secret = session.folder.parent / "secret.yaml"
    imported = SPEC.replace("score:", "imports: {{x: {}}}\nscore:")
    tool = session.call
    for path in ("../secret.yaml", str(secret), "link.yaml", "inner/../../secret.yaml"):
        assert "is not below the folder" in tool("check", {"path": path})["error"], path
    for path in ("notes.txt", "/etc/passwd", "https://example.org/task.yaml", "gone.yaml", "inner", "a\0.yaml"):
        assert tool("check", {"path": path})["error"], path
    for way in ("../secret.yaml", str(secret), "./link.yaml"):
        found = tool("check", {"text": imported.format(way)})
        assert not found["passed"], way
        assert "scorers" not in json.dumps(found)
        found = tool("score", {"text": imported.format(way), "records": [RECORD]})
        assert "findings" in found, way
    found = tool("explain", {"name": f"{secret}:s"})
    assert "reads only files below" in json.dumps(found)


def test_nothing_is_run_or_asked(session: Session) -> None:
    tool = session.call
    record = {**RECORD, "context": {"cases": []}}
    found = tool("score", {"text": PROGRAM, "records": [record]})
    assert "runs programs, which this server does not" in found["error"]
    found = tool("explain", {"text": PROGRAM, "records": [record]})
    assert "runs programs" in found["error"]
    judged = SPEC.replace("casefold | equal", "judge_rating")
    assert "asks a judge" in tool("score", {"text": judged, "records": [record]})["error"]
    stated = PROGRAM + "examples:\n  - {response: a, context: {cases: []}, expect: 1}\n"
    found = tool("score", {"text": stated})
    assert found["left_out"] == ["it runs programs, which this server does not"]
    assert sorted(path.name for path in session.folder.iterdir()) == ["inner", "link.yaml", "notes.txt"]


def test_every_mistake_is_an_answer(session: Session) -> None:
    tool = session.call
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("chekc", {}, "there is no tool"),
        ("check", {}, "takes one of"),
        ("check", {"text": SPEC, "path": "a.yaml"}, "takes one of"),
        ("check", {"text": 5}, "is a text"),
        ("check", {"txt": SPEC}, "did you mean `text`"),
        ("check", {"text": ""}, "may have 1 to"),
        ("check", {"text": "x" * (MOST_TEXT + 1)}, "may have 1 to"),
        ("score", {"text": SPEC, "records": {}}, "is a list"),
        ("score", {"text": SPEC, "records": [1]}, "each a mapping"),
        ("score", {"text": SPEC, "records": [RECORD] * (MOST_RECORDS + 1)}, "may have 1 to"),
        ("score", {"text": SPEC, "records": [{"response": "x" * 3_000_000}]}, "the inputs have"),
        ("score", {"text": SPEC}, "states no examples"),
        ("score", {"text": "kind: task\nname: t\nscore: eqaul\n", "records": [RECORD]}, "the spec has errors"),
        ("score", {"text": "kind: pack\nname: p\nversion: 1.0.0\nscorers: {s: equal}\n", "records": [RECORD]}, "pack"),
        ("explain", {"text": SPEC}, "`records` is missing"),
        ("explain", {"name": "equal", "records": [RECORD]}, "in place of `name`"),
        ("explain", {"name": "nothing-at-all"}, "nothing is called"),
        ("list", {"what": "nonsense"}, "there is no pack"),
    ]
    for name, inputs, why in wrong:
        found = tool(name, inputs)
        assert why in found["error"], (name, found)
    deep: Any = "a"
    for _ in range(190):
        deep = [deep]
    found = tool("score", {"text": SPEC, "records": [{**RECORD, "response": deep}]})
    assert found["records"][0]["score"] is None
    slow = SPEC.replace("casefold | equal", 'matches(r"(a+)+$")')
    found = tool("score", {"text": slow, "records": [{"response": "a" * 60 + "b", "reference": ""}]})
    assert "error" in found or found["records"][0]["status"] in ("scored", "unscored")
    assert tool("check", {"text": SPEC})["passed"]  # and it goes on
