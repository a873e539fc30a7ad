"""A studio that tests ask as its page does."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

from scoring.extensions.studio.server import StudioServer
from tests.support.waiting import wait_until

SPEC = """\
kind: task
name: demo/towns
record: {reference: gold}
score: strip | casefold | levenshtein | zero_below(0.5)
pass: score >= 0.9
metrics: [mean, pass_rate]
by: [country]
"""
TOWNS = ["Ghent", "Basel", "Turin", "Lyon", "Porto", "Graz"]


def write_files(folder: Path) -> tuple[Path, Path]:
    """A spec, and 24 records: right, nearly right, and wrong answers, with a person's label."""
    rows = []
    for number in range(24):
        gold = TOWNS[number % 6]
        answer = [gold, f" {gold.upper()}", f"{gold[:-1]}e", "I do not know"][number % 4]
        row = {"id": f"q{number:02}", "response": answer, "gold": gold, "country": "abc"[number % 3]}
        rows.append({**row, "seen": {"right": number % 4 < 2}})
    (folder / "towns.yaml").write_text(SPEC, encoding="utf-8")
    (folder / "towns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "towns.yaml", folder / "towns.jsonl"


def request(
    studio: StudioServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """What the server answers to one request."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=120)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def asked(studio: StudioServer, ask: str, **question: Any) -> Any:
    """The answer to a question of the page."""
    own = {"Origin": f"http://127.0.0.1:{studio.port}", "Content_Type": "application/json"}
    text = json.dumps({"ask": ask, **question}).encode()
    status, _, body = request(studio, "POST", f"/{studio.key}/ask", text, **own)
    assert status == 200, body
    return json.loads(body)


def settled(studio: StudioServer, against: str = "edit") -> Any:
    """The state once nothing is scored any more."""
    found: dict[str, Any] = {}

    def is_settled() -> bool:
        found.update({"was": asked(studio, "state", against=against)})
        return not found["was"]["is_working"]

    wait_until(is_settled)
    return found["was"]


def written(studio: StudioServer, text: str, against: str = "edit") -> Any:
    """The state after a text was typed and scored."""
    version = asked(studio, "edit", text=text)["version"]
    found = settled(studio, against)
    assert found["version"] == version, found
    return found
