"""The site in a real browser: from a disk, and served with the box in which definitions run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.reference.search import search
from scoring.extensions.site.gather import SiteReader
from scoring.extensions.site.pages import findable
from scoring.extensions.site.tasks import all_sections
from scoring.extensions.site.verbs import serve
from tests.support.browser import Browser, needs_chromium
from tests.support.golden import REPOSITORY

pytestmark = needs_chromium
SPECS = [REPOSITORY / "specs" / name for name in ("anls", "cookbook", "quickstart")]
QUESTIONS = (
    "word error rate",
    "wer",
    "WER",
    "exact match",
    "exact_match",
    "levenstein",
    "levenshtien distance",
    "summarization",
    "boxed answers of mathematics",
    "ndcg",
    "intersection over union",
    "how near are two texts",
    "f1",
    "docvqa",
    "anls docvqa",
    "multiple choice letters",
    "bleu",
    "Straße",
    "corelation",
    "pass at k",
    "the",
    "zzzzzz",
    "a|b(c)",
    "json schema",
    "caption",
)
BOX = "document.getElementById('anls').querySelector('details.try')"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    scoring.site.build(SPECS, folder)
    return folder


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def browser(started: Browser) -> Browser:
    started.problems.clear()
    started.requests.clear()
    started.resize(1280, 900)
    return started


def looked_for(browser: Browser, words: str) -> list[str]:
    """What the box lists for some words, after they were typed with the keyboard alone."""
    browser.press("/")
    browser.wait_for("document.activeElement.id === 'search-words'")
    browser.write(words)
    browser.wait_for("document.querySelectorAll('#search-found [role=option]').length")
    found: list[str] = browser.evaluate(
        "Array.from(document.querySelectorAll('#search-found [role=option]'), (one) => one.firstChild.textContent)"
    )
    return found


def test_the_search_finds_wer_with_the_keyboard_alone_from_a_disk(browser: Browser, site: Path) -> None:
    browser.open(site.joinpath("index.html").as_uri())
    assert looked_for(browser, "wer")[0] == "edit_rate"
    names = browser.evaluate("document.getElementById('search-found').textContent")
    assert "wer 1.0.0" in names
    browser.press("ArrowDown")
    chosen = browser.evaluate("document.querySelector('[aria-selected=true]').dataset.target")
    browser.press("Enter")
    browser.wait_for(f"location.href.endsWith({json.dumps(chosen)}) && !!document.querySelector('h1')")
    assert browser.problems == []
    assert {address.partition(":")[0] for address in browser.requests} <= {"file", "data"}


def test_the_script_ranks_as_the_command_line_does(browser: Browser, site: Path) -> None:
    made = SiteReader([str(one) for one in SPECS])
    things = [thing for thing, _ in findable(made, all_sections(made))]
    browser.open(site.joinpath("index.html").as_uri())
    browser.evaluate("document.getElementById('search-words').focus()")
    browser.wait_for("globalThis.scoringIndex")
    for asked in QUESTIONS:
        told = browser.evaluate(f"new Finder(scoringIndex).find({json.dumps(asked)}).map((one) => one.name)")
        assert told == [one["name"] for one in search(asked, things)], asked


def test_a_name_in_an_expression_leads_to_what_it_means(browser: Browser, site: Path) -> None:
    browser.open(site.joinpath("packs", "anls-1.0.0.html").as_uri())
    browser.evaluate("document.querySelector('#anls .expression a.x-primitive').click()")
    browser.wait_for("location.pathname.endsWith('/primitives/any_reference.html') && !!document.querySelector('h1')")
    assert browser.evaluate("document.querySelector('h1').textContent").startswith("any_reference")
    assert browser.problems == []


def test_a_part_that_is_folded_is_opened_by_its_address(browser: Browser, site: Path) -> None:
    browser.open(site.joinpath("packs", "anls-1.0.0.html").as_uri() + "#docvqa")
    top = browser.evaluate("document.getElementById('docvqa').getBoundingClientRect().top")
    assert 0 <= top < 200, "the header hides nothing of it"


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(
    "page",
    [
        "index.html",
        "packs.html",
        "primitives.html",
        "packs/anls-1.0.0.html",
        "tasks/ifeval-1.0.0.html",
        "tasks/quickstart-invoices-1.0.0.html",
        "primitives/edit_rate.html",
    ],
)
def test_no_page_is_wider_than_its_window(browser: Browser, site: Path, page: str, width: int) -> None:
    browser.resize(width, 800)
    browser.open(site.joinpath(page).as_uri())
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.problems == []


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_from_what_they_stand_on(browser: Browser, site: Path, dark: bool) -> None:
    browser.resize(1280, 900, dark=dark)
    browser.open(site.joinpath("packs", "anls-1.0.0.html").as_uri())
    least = browser.evaluate(CONTRAST)
    assert least >= 4.5, "as WCAG AA asks of small text"


CONTRAST = """
(() => {
  const light = ([r, g, b]) => {
    const share = (one) => one / 255;
    const even = (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map(share).map(even);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const read = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const found = read(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  let least = 21;
  for (const node of document.querySelectorAll("main *, header *, footer")) {
    if (!Array.from(node.childNodes).some((one) => one.nodeType === 3 && one.textContent.trim())) continue;
    const [a, b] = [light(read(getComputedStyle(node).color)), light(behind(node))];
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()
"""


def test_without_scripts_a_page_is_whole(browser: Browser, site: Path) -> None:
    browser.without_scripts()
    try:
        browser.open(site.joinpath("packs", "anls-1.0.0.html").as_uri())
    finally:
        browser.without_scripts(False)
    assert browser.evaluate("document.querySelectorAll('.example[open], .example').length") > 10
    assert browser.evaluate("document.querySelectorAll('input').length") == 0, "no box that does nothing"


def run_box(browser: Browser, fields: dict[str, str]) -> str:
    """Fill the box of a definition, run it, and give what it then says."""
    browser.wait_for(f"!{BOX}.hidden")
    script = "".join(f"form.elements[{json.dumps(name)}].value = {json.dumps(text)};" for name, text in fields.items())
    browser.evaluate(
        f"{{ {BOX}.open = true; const form = {BOX}.querySelector('form'); {script} form.requestSubmit(); }}"
    )
    done = f"!/^(running …)?$/.test({BOX}.querySelector('.result').textContent)"
    browser.wait_for(done)
    told: str = browser.evaluate(f"{BOX}.querySelector('.result').textContent")
    return told


def test_the_box_of_a_served_site_scores_a_pair_and_underlines_mistakes(browser: Browser) -> None:
    with serve(SPECS[0]) as server:
        browser.open(server.address.replace("index.html", "packs/anls-1.0.0.html"))
        filled = browser.evaluate(f"({BOX}.hidden, {BOX}.querySelector('[name=prediction]').value)")
        assert filled == "hello", "the first example stands there"
        told = run_box(browser, {"prediction": "harbor", "reference": '["harbour"]', "reference as": "json"})
        assert told.startswith("0.857")
        assert "levenshtein" in told
        told = run_box(browser, {"param threshold": "0.1"})
        assert told.startswith("0.0")
        wrong = f"Array.from({BOX}.querySelectorAll('.wrong'), (one) => one.textContent)"
        assert "nothing is called `lowr`" in run_box(browser, {"expression": "lowr | equal"})
        assert browser.evaluate(wrong) == ["lowr"]
        assert "not JSON" in run_box(browser, {"expression": "lower | equal", "reference": '["a",]'})
        assert browser.evaluate(wrong) == ["]"]
        assert "at most 1" in run_box(browser, {"expression": "", "reference": '["a"]', "param threshold": "7"})
        assert browser.evaluate(wrong) == ["1 - threshold"]
        assert browser.problems == []
        assert {address.partition("/packs")[0] for address in browser.requests if "/packs" in address} == {
            server.address.removesuffix("/index.html")
        }
        assert all(one.startswith(("http://127.0.0.1:", "data:")) for one in browser.requests)


HOSTILE = '"><script>globalThis.hostile = 1</script><img src=x onerror="globalThis.hostile = 1">'


def hostile_pack(folder: Path) -> Path:
    data: dict[str, Any] = {
        "kind": "pack",
        "name": "close",
        "version": "1.0.0",
        "doc": HOSTILE,
        "scorers": {
            "anls": {
                "doc": f"`{HOSTILE}` [x](javascript:globalThis.hostile=1)",
                "params": {"word": HOSTILE},
                "score": 'any_of(equal, replace(old=word, new="") | equal)',
                "source": "javascript:globalThis.hostile=1",
                "examples": [[HOSTILE, HOSTILE, 1]],
            }
        },
    }
    path = folder / "pack.yaml"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_nothing_of_a_hostile_pack_runs(browser: Browser, tmp_path: Path) -> None:
    path = hostile_pack(tmp_path)
    scoring.site.build(path, tmp_path / "site")
    for page in ("index.html", "packs.html", "packs/close-1.0.0.html"):
        browser.open((tmp_path / "site" / page).as_uri())
        looked_for(browser, "script")
        assert browser.evaluate("globalThis.hostile") is None
    with serve(path) as server:
        browser.open(server.address.replace("index.html", "packs/close-1.0.0.html"))
        told = run_box(browser, {"prediction": HOSTILE, "prediction as": "text"})
        assert told.startswith("1")
        assert HOSTILE[:20] in told
        assert "script" in run_box(browser, {"expression": f"equal | {HOSTILE}"})
        assert browser.evaluate("globalThis.hostile") is None
    assert browser.problems == []


def test_a_page_of_the_web_can_ask_for_nothing(browser: Browser, tmp_path: Path) -> None:
    with serve(hostile_pack(tmp_path)) as server, serve(hostile_pack(tmp_path)) as other:
        browser.open(other.address)
        blocked = browser.evaluate(f"fetch({json.dumps(server.address)}).then(() => 'read', () => 'blocked')")
        assert blocked == "blocked"
    assert browser.problems, "the browser says why"
