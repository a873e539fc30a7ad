"""The HTML report: self-contained, and inert whatever the data holds."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.engine.road.run import run_records
from scoring.report.html import html_report
from tests.support.golden import REPOSITORY
from tests.unit.engine.fake import FakeTask

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e'


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
    return html_report(run.summary, run.records)


def test_hostile_data_adds_no_tag_and_no_attribute() -> None:
    tame, hostile = Tags(), Tags()
    tame.feed(page([{"id": "a", "response": "x", "reference": "y", "kind": "k"}]))
    hostile.feed(page([{"id": HOSTILE, "response": HOSTILE, "reference": HOSTILE + "x", "kind": HOSTILE}]))
    assert hostile.names == tame.names
    assert hostile.attributes == tame.attributes
    assert "\x1b" not in page([{"id": HOSTILE, "response": HOSTILE, "kind": HOSTILE}])


def test_the_page_needs_nothing_from_outside() -> None:
    text = page([{"id": "a", "response": "x", "reference": "x"}])
    assert "http://" not in text
    assert "https://" not in text
    assert "default-src 'none'" in text


def test_the_lowest_scores_come_first_and_are_bounded() -> None:
    records: list[dict[str, object]] = [{"id": f"good{n}", "response": "x", "reference": "x"} for n in range(600)]
    text = page([*records, {"id": "worst", "response": "boom"}])
    assert "500 of 601 records" in text
    assert text.index("worst") < text.index("good0")


def test_the_page_of_the_command_shows_what_was_parsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures do without the parsed values, so a run keeps them only when a page is asked for."""
    example = REPOSITORY / "specs" / "quickstart" / "invoices"
    folder = tmp_path / "run"
    given = [f"{example}.yaml", f"{example}.jsonl", "-o", str(folder), "--html"]
    assert main(["score", *given]) == 0
    assert "{&quot;vendor&quot;:" in (folder / "report.html").read_text("utf-8")
