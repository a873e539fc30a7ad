"""The page of a run: self-contained, and inert whatever the data holds."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.extensions.pages.records import ShownRecords, lowest
from scoring.report.document import Document
from scoring.report.of.summary import summary_document
from scoring.report.render import render
from tests.support.golden import REPOSITORY
from tests.unit.engine.fake import FakeTask, run_records

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e\ud800</td>'
SPECS = REPOSITORY / "specs"

Capture = pytest.CaptureFixture[str]


class Tags(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes.update(name for name, _ in attrs)


def page(records: list[dict[str, object]]) -> str:
    run = run_records(FakeTask(), records)
    responses = {place: record["response"] for place, record in enumerate(records)}
    shown = ShownRecords(run.records, lowest(run.records), responses, list(run.summary["by"]))
    return render(Document((*summary_document(run.summary).blocks, *shown.table())), "html")


def test_hostile_data_adds_no_tag_and_no_attribute() -> None:
    tame, hostile = Tags(), Tags()
    long = "x\n" * 40
    tame.feed(page([{"id": "a", "response": long, "reference": long + "x", "kind": "k"}]))
    hostile.feed(page([{"id": HOSTILE, "response": HOSTILE, "reference": HOSTILE + "x", "kind": HOSTILE}]))
    assert set(hostile.names) <= set(tame.names)
    assert hostile.attributes <= tame.attributes
    assert "\x1b" not in page([{"id": HOSTILE, "response": HOSTILE, "kind": HOSTILE}])


def test_the_page_needs_nothing_from_outside() -> None:
    text = page([{"id": "a", "response": "x", "reference": "x"}])
    assert "http://" not in text
    assert "https://" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"\son\w+=", text)


def test_the_lowest_scores_come_first_and_are_bounded() -> None:
    records: list[dict[str, object]] = [{"id": f"good{n}", "response": "x", "reference": "x"} for n in range(600)]
    text = page([*records, {"id": "worst", "response": "boom"}])
    assert "500 of 601" in text
    assert text.index("worst") < text.index("good0")


def test_a_long_response_is_cut_and_says_so() -> None:
    text = page([{"id": "a", "response": "y" * 10_000, "reference": "x"}])
    assert "y" * 10_000 in text
    text = page([{"id": "a", "response": "y" * 30_000, "reference": "x"}])
    assert "y… (30,000 characters)" in text
    assert "y" * 20_001 not in text


def test_a_raw_response_keeps_its_lines() -> None:
    assert "<code>no\n  answer\\x1b</code>" in page([{"id": "a", "response": "no\n  answer\x1b", "reference": "x"}])


def test_the_page_of_a_run_shows_what_was_parsed_and_the_response_that_was_not(tmp_path: Path) -> None:
    """Figures do without either, so a run keeps what was parsed only for a page, and reads responses again."""
    folder = tmp_path / "run"
    given = [f"{SPECS}/quickstart/invoices.yaml", f"{SPECS}/quickstart/invoices.jsonl", "-o", str(folder), "--html"]
    assert main(["score", *given]) == 0
    shown = (folder / "report.html").read_text("utf-8")
    assert "{&quot;vendor&quot;:" in shown
    assert "<code>I am sorry, the scan is too blurry to read.</code>" in shown
    assert re.search(r'<a href="#rows-\d+" data-pick="\d+">receipt</a>', shown)


def test_the_page_of_a_suite_links_its_tasks_to_their_records(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "run"
    example = SPECS / "examples" / "suite"
    assert main(["score", f"{example}/suite.yaml", f"{example}/predictions.jsonl", "-o", str(folder), "--html"]) == 0
    shown = (folder / "report.html").read_text("utf-8")
    assert re.search(r'<a href="#rows-\d+" data-pick="\d+">desk/booking</a>', shown)
    assert re.search(r'<a href="#rows-\d+" data-pick="\d+">people x word</a>', shown)
    assert re.search(r'<a href="#rows-\d+" data-pick="\d+">short</a>', shown)
    assert "11 of" not in shown
    again = ["--results", f"{folder}/task_results.json", "-o", f"{folder}2", "--html"]
    assert main(["score", f"{example}/suite.yaml", *again]) == 0
    recomputed = (tmp_path / "run2" / "report.html").read_text("utf-8")
    assert re.search(r'<a href="#rows-\d+" data-pick="\d+">people x word</a>', recomputed)
    assert ">desk/booking</a>" not in recomputed


def test_the_page_of_a_data_set(tmp_path: Path) -> None:
    shutil.copytree(SPECS / "examples" / "detection", tmp_path / "data")
    folder = tmp_path / "run"
    assert main(["score", str(tmp_path / "data" / "task.yaml"), "-o", str(folder), "--html"]) == 0
    shown = (folder / "report.html").read_text("utf-8")
    assert "<h1>street/boxes 1.0.0</h1>" in shown
    assert "AP_large" in shown


@pytest.mark.parametrize(
    "command",
    [
        ["score", "invoices.yaml", "invoices.jsonl"],
        ["compare", "one", "two"],
        ["audit", "invoices.yaml", "invoices.jsonl"],
        ["verify", "one"],
        ["explain", "invoices.yaml", "invoices.jsonl"],
        ["explain", "zero_below"],
        ["explain", "anls@1:docvqa"],
        ["list"],
        ["list", "packs"],
        ["list", "anls"],
    ],
    ids=" ".join,
)
def test_every_result_has_every_form(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("invoices.yaml", "invoices.jsonl"):
        shutil.copy(SPECS / "quickstart" / name, name)
    if command[-1] in ("one", "two"):
        for name, limit in (("one", "8"), ("two", "9")):
            assert main(["score", "invoices.yaml", "invoices.jsonl", "-o", name, "--limit", limit]) == 0
    capsys.readouterr()
    assert main([*command, "--as", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    assert main([*command, "--as", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("# ")
    assert main([*command, "--json"]) == 0
    json.loads(capsys.readouterr().out)
