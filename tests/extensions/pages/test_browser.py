"""Pages of runs in a real browser: hostile texts everywhere, and nothing of them is markup, run or asked for."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.extensions.vision.pictures import street
from tests.support.browser import Browser, needs_chromium
from tests.support.golden import REPOSITORY
from tests.support.hostile_texts import HOSTILE_TEXTS

pytestmark = needs_chromium
TEXTS = [text for text in HOSTILE_TEXTS.values() if "\ud800" not in text]
TEXTS += [
    "</svg></style><svg onload=alert(1)>",
    "</title><script>alert(1)</script>",
    "<style>*{display:none}</style>",
    'x" style="background:url(https://evil.example)" onclick=\'alert(1)',
    "data:text/html,<script>alert(1)</script>",
    "<a xlink:href='javascript:alert(1)'>",
    "<image href='https://evil.example/p.svg'>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "</textarea></details></main><iframe srcdoc='<script>alert(1)</script>'>",
    "<base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example'>",
]
KNOWN = re.findall(
    r"\w+",
    """html head meta title style body main script h1 h2 h3 h4 p div span b a table caption thead tbody tr th td code
    pre mark details summary section figure figcaption svg rect text line circle path polyline g image button input
    select option ul li""",
)
HANDLERS = "Array.from(document.querySelectorAll('*')).filter(e => Array.from(e.attributes).some("
HANDLERS += "a => a.name.startsWith('on') || a.name === 'style' || /^(https?|javascript):/i.test(a.value))).length"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a run, a comparison, a leaderboard and a data set of images, with hostile texts everywhere."""
    folder = tmp_path_factory.mktemp("pages")
    spec = {
        "kind": "task",
        "name": "t",
        "doc": " ".join(TEXTS),
        "record": {"id": "id", "response": "answer", "reference": "gold"},
        "fields": {TEXTS[-1]: "levenshtein"},
        "pass": "score >= 0.9",
        "by": ["group"],
        "metrics": ["mean", "f1", 'roc_auc(confidence="sure")', 'ece(confidence="sure")'],
    }
    (folder / "task.json").write_text(json.dumps(spec), "utf-8")
    runs = []
    for shift in range(3):
        rows: list[dict[str, Any]] = [
            {
                "id": f"{text} {place}",
                "answer": text if (place + shift) % 3 else f"{text}{TEXTS[shift]}\n{text}" * 9,
                "gold": text,
                "group": text,
                "sure": place / len(TEXTS),
            }
            for place, text in enumerate(TEXTS)
        ]
        runs.append(scoring.evaluate(folder / "task.json", rows, output=folder / f"run{shift}", html=True))
    found = {"run": folder / "run0" / "report.html"}
    for name, some in (("comparison", runs[:2]), ("leaderboard", runs)):
        found[name] = folder / f"{name}.html"
        found[name].write_text(scoring.compare(*some).text("html"), "utf-8")
    scoring.evaluate(street(folder / "street", TEXTS), output=folder / "images", html=True)
    return {**found, "images": folder / "images" / "report.html"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.mark.parametrize("name", ["run", "comparison", "leaderboard", "images"])
def test_hostile_texts_are_texts_in_a_browser(name: str, pages: dict[str, Path], browser: Browser) -> None:
    browser.problems.clear()
    browser.requests.clear()
    for width, dark in ((1280, False), (420, True)):
        browser.resize(width, 900, dark=dark)
        browser.open(pages[name].as_uri())
        tags = browser.evaluate("Array.from(new Set(Array.from(document.querySelectorAll('*'), e => e.localName)))")
        assert set(tags) <= set(KNOWN)
        assert browser.evaluate(HANDLERS) == 0
        assert browser.evaluate("document.querySelectorAll('script').length") == 1
        assert not browser.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    # What the page's policy refuses, what a script throws, and every dialog is a problem.
    assert browser.problems == []
    assert [one for one in browser.requests if not one.startswith(("file:", "data:image/jpeg;base64,"))] == []


def test_rows_are_cards_on_a_narrow_page(pages: dict[str, Path], browser: Browser) -> None:
    browser.resize(420, 900)
    browser.open(pages["run"].as_uri())
    cell = "document.querySelector('[data-search] tbody td[data-head=score]')"
    assert browser.evaluate(f"getComputedStyle({cell}.parentElement).display") == "block"
    assert browser.evaluate(f"getComputedStyle({cell}, '::before').content") == '"score"'


def test_a_printed_page_fits_its_paper(tmp_path: Path, browser: Browser) -> None:
    sample = REPOSITORY / "specs" / "quickstart" / "invoices"
    scoring.evaluate(sample.with_suffix(".yaml"), sample.with_suffix(".jsonl"), output=tmp_path / "run", html=True)
    browser.as_printed(720)  # Letter without its margins
    browser.open((tmp_path / "run" / "report.html").as_uri())
    assert browser.evaluate("document.documentElement.scrollWidth") <= 720
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    widths = browser.evaluate("[...document.querySelectorAll('[data-head=parsed]')].map((one) => one.offsetWidth)")
    assert min(widths) >= 80, "answers stand letter below letter"
    browser.resize(1280, 900)


def test_passed_and_failed_are_told_apart_and_what_is_left_out_is_counted(
    pages: dict[str, Path], browser: Browser, tmp_path: Path
) -> None:
    browser.resize(1280, 900)
    browser.open(pages["run"].as_uri())
    shown = "Array.from(document.querySelectorAll('[data-search] tbody tr')).filter(row => !row.hidden).length"
    every = browser.evaluate(shown)
    chosen = []
    for value in ("passed", "failed"):
        select = "document.querySelector('select[aria-label=passed]')"
        browser.evaluate(f"{select}.value = '{value}', {select}.dispatchEvent(new Event('input'))")
        chosen.append(browser.evaluate(shown))
    assert sum(chosen) == every == len(TEXTS)
    assert min(chosen) > 0
    rows = [{"id": n, "response": "a", "reference": "b"} for n in range(720)]
    page = scoring.evaluate({"kind": "task", "name": "t", "score": "equal"}, rows).page()
    (tmp_path / "page.html").write_text(page, "utf-8")
    browser.open((tmp_path / "page.html").as_uri())
    assert browser.evaluate("document.querySelector('.tools').textContent").endswith(
        "500 of 500 shown; 220 more are not on this page"
    )


@pytest.mark.skipif("AXE" not in os.environ, reason="AXE names no axe.min.js of the npm package axe-core")
@pytest.mark.parametrize("name", ["run", "comparison", "leaderboard", "images"])
def test_axe_finds_nothing(name: str, pages: dict[str, Path], browser: Browser) -> None:
    script = Path(os.environ["AXE"]).read_text("utf-8")
    browser.bypass_policy()
    for width, dark in ((1280, False), (1280, True), (420, False)):
        browser.resize(width, 900, dark=dark)
        browser.open(pages[name].as_uri())
        browser.evaluate(f"{script};0")
        levels = json.dumps(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
        run = f"axe.run(document, {{runOnly: {levels}}})"
        found = browser.evaluate(f"{run}.then(r => r.violations.map(v => v.id + ' ' + v.nodes[0].html.slice(0, 200)))")
        assert found == [], (width, dark)
    browser.bypass_policy(False)
