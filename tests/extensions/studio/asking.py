"""A studio that tests ask as its page does."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import pytest

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


IMAGES = """\
kind: task
name: demo/street
imports: {valor: valor@1}
records: detection
groundtruth: records.jsonl
settings: {pictures: images, worst_score: 0.3}
by: [weather]
metrics: [valor.ap, valor.detection_confusion, valor.detection_curve]
"""
SUITE = """\
kind: suite
name: demo/places
tasks: tasks
metrics: [macro, micro]
"""


def write_images(folder: Path) -> Path:
    """A data set of 12 images: cars that are found, taken for trucks, missed; and trucks where nothing is."""
    images = pytest.importorskip("PIL.Image")
    (folder / "images").mkdir(parents=True)
    lines = []
    for number in range(12):
        image = images.new("RGB", (160, 120), (90 + 10 * number, 120, 150))
        image.paste((200, 60, 40), (20, 20, 60, 60))
        image.save(folder / "images" / f"{number}.png")
        truths = [{"label": "car", "bbox": [20, 20, 40, 40]}]
        found = [[("car", 0.9)], [("truck", 0.8)], [], [("car", 0.4), ("truck", 0.35)]][number % 4]
        boxes = ([22, 21, 40, 40], [90, 60, 40, 40])
        predictions = [
            {"label": label, "bbox": box, "score": score} for (label, score), box in zip(found, boxes, strict=False)
        ]
        about = {"id": f"i{number:02}", "file_name": f"{number}.png", "width": 160, "height": 120}
        lines.append(
            {**about, "weather": ["sun", "rain"][number % 2], "groundtruth": truths, "predictions": predictions}
        )
    (folder / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "street.yaml").write_text(IMAGES, encoding="utf-8")
    return folder / "street.yaml"


def write_suite(folder: Path) -> tuple[Path, Path]:
    """A suite of two tasks, and a file with the records of both: 24 towns as `write_files` has them, and 6 sums."""
    (folder / "tasks").mkdir(parents=True)
    spec, data = write_files(folder)
    spec.rename(folder / "tasks" / "towns.yaml")
    sums = "kind: task\nname: demo/sums\nrecord: {reference: gold}\nscore: number | equal\nmetrics: [mean]\n"
    (folder / "tasks" / "sums.yaml").write_text(sums, encoding="utf-8")
    rows = [{"task": "demo/towns", **json.loads(line)} for line in data.read_text("utf-8").splitlines()]
    rows += [{"task": "demo/sums", "id": n, "response": str(n // 2), "gold": n % 3} for n in range(6)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return folder / "suite.yaml", data


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


def typed(spec: Path, text: str, version: int) -> dict[str, Any]:
    """Return the message of the server to the desk about a text that was typed."""
    return {"ask": "begin", "texts": {str(spec): text}, "shown": str(spec), "version": version}


def written(studio: StudioServer, text: str, against: str = "edit", file: int = 0) -> Any:
    """The state after a text of one of the files was typed and scored."""
    version = asked(studio, "edit", text=text, file=file)["version"]
    found = settled(studio, against)
    assert found["version"] == version, found
    return found
