"""The documentation as a site: its gallery, and the questions of users, in a real browser.

`SCORING_DOCS_SITE` names a site that was built already, as `.ci/run` does; else it is built here, once.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import io
import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest

from scoring.cli.main import main
from scoring.extensions.reference.cookbook import recipe_kinds
from tests.support.browser import Browser, needs_chromium
from tests.support.golden import REPOSITORY

pytest.importorskip("material", reason="the extra `docs` is not installed")

QUESTIONS = {
    "keys of examples": "which-keys-do-examples-have",
    "unit conversion": "how-do-i-convert-units",
    "two majors of a pack": "how-do-i-use-two-majors-of-a-pack-in-one-spec",
    "repeat after an upgrade": "how-do-i-repeat-a-number-after-an-upgrade",
    "compare another figure": "how-do-i-compare-another-figure-than-the-headline",
    "average over groups": "how-do-i-average-over-groups",
    "fail ci": "how-do-i-fail-a-ci-job-when-a-figure-is-too-low",
    "what does bounded mean": "what-does-bounded-beside-an-interval-mean",
    "number in a sentence": "how-do-i-read-a-number-out-of-a-sentence",
    "weigh two scorers": "how-do-i-weigh-two-scorers-in-one-field",
}
RECIPES = {
    "word error rate": "wer",
    "reading comprehension": "squad-1",
    "grade school math": "gsm8k",
    "image captioning": "coco-captions",
    "named entity recognition": "conll",
}
HOSTILE = (
    "</pre></script><img src=x onerror=FORGED>",
    "</template><script>FORGED</script>",
    "\"'><svg onload=FORGED>",
    "[FORGED](javascript:FORGED) **FORGED** `FORGED",
    "\n\n# FORGED\n\n<b>FORGED</b>\n```\n<i>FORGED</i>",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if built := os.environ.get("SCORING_DOCS_SITE"):
        return Path(built)
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)]
    subprocess.run(command, cwd=REPOSITORY, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        found.resize(1280, 900)
        yield found


class _Page(HTMLParser):
    """The links of an article, the anchors of the page, and the addresses of what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loads: list[str] = []
        self.tags: list[str] = []
        self._is_article = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.anchors.add(given.get("id") or "")
        self._is_article |= tag == "article"
        if tag == "a" and self._is_article:
            self.links.append(given.get("href") or "")
        if tag in ("script", "img", "iframe", "link"):
            self.loads += [given.get("src") or given.get("href") or ""]

    def handle_endtag(self, tag: str) -> None:
        self._is_article &= tag != "article"


def page_of(site: Path, name: str) -> _Page:
    return _Page((site / name / "index.html").read_text("utf-8"))


def test_each_question_and_its_long_page_are_within_two_clicks(site: Path) -> None:
    first = {urldefrag(urljoin("/", link))[0] for link in page_of(site, "").links}
    assert {"/questions/", "/gallery/", "/tutorial/"} <= first
    questions = page_of(site, "questions")
    assert set(QUESTIONS.values()) <= questions.anchors
    longer = {urldefrag(urljoin("/questions/", link))[0] for link in questions.links} - {"/questions/"}
    assert len(longer) >= 7
    assert all((site / link.strip("/") / "index.html").is_file() for link in longer)


def test_blocks_of_code_are_blocks_on_the_site(site: Path) -> None:
    """Fences that Markdown of the site does not take as such would be left as text."""
    pages = [page for page in site.rglob("index.html") if "gallery" not in page.parts]
    assert len(pages) > 60
    assert [page for page in pages if "<p>```" in page.read_text("utf-8")] == []
    assert '<span class="filename">questions.yaml</span>' in (site / "tutorial" / "index.html").read_text("utf-8")


def test_the_gallery_has_a_page_for_each_recipe_and_loads_nothing_from_elsewhere(site: Path) -> None:
    slugs = {recipe.path.stem for kind in recipe_kinds() for recipe in kind.recipes} | {"invoices"}
    listed = {link.strip("/") for link in page_of(site, "gallery").links if not link.startswith(("#", "."))}
    assert listed == slugs
    for slug in slugs:
        text = (site / "gallery" / slug / "index.html").read_text("utf-8")
        page = _Page(text)
        assert not [one for one in page.loads if "//" in one], slug
        assert page.tags.count("textarea") == 1
        assert "Not run where this page was built" not in text, slug
        assert text.count('<details class="gallery-record"') >= 1, slug
    trial = (site / "gallery" / "squad-1" / "index.html").read_text("utf-8")
    assert '<span class="gallery-score">0.5000</span>' in trial
    assert '<span class="name">bag_f1</span>' in trial


@needs_chromium
def test_the_search_of_the_site_finds_each_question_and_recipe_among_the_first_three(
    address: str, browser: Browser
) -> None:
    browser.open(address)
    pages = dict.fromkeys(QUESTIONS, "questions/") | {words: f"gallery/{slug}/" for words, slug in RECIPES.items()}
    found = {words: looked_for(browser, words)[:3] for words in pages}
    missed = {words: found[words] for words, page in pages.items() if not _holds(found[words], address + page)}
    assert missed == {}


def _holds(links: list[str], page: str) -> bool:
    return any(link.startswith(page) for link in links)


def looked_for(browser: Browser, words: str) -> list[str]:
    """The pages that the site's own search lists for some words, in its order."""
    browser.evaluate(
        f"""(() => {{ const input = document.querySelector("[data-md-component=search-query]");
        document.querySelector(".md-search-result__list").replaceChildren();
        document.querySelector("#__search").checked = true;
        input.focus(); input.value = {json.dumps(words)};
        input.dispatchEvent(new Event("keyup", {{bubbles: true}})); }})()"""
    )
    links = "[...document.querySelectorAll('.md-search-result__item')].map((one) => one.querySelector('a').href)"
    browser.wait_for(f"{links}.length")
    found: list[str] = browser.evaluate(links)
    return found


@needs_chromium
def test_the_box_writes_a_command_that_scores_what_was_edited(
    address: str, browser: Browser, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    browser.problems.clear()
    browser.requests.clear()
    browser.open(f"{address}gallery/squad-1/")
    edited = '{"response": "it\'s </pre><b>Paris</b>", "reference": ["Paris $(false) `x`"]}'
    command = typed(browser, edited)
    first, *lines, last = command.splitlines()
    assert (first, last) == ("scoring explain squad@1 - <<'END'", "END")
    assert lines == [edited]
    shell = f"cat {command.partition(' - ')[2]}\n"
    read = subprocess.run(["sh"], input=shell, capture_output=True, text=True, check=True).stdout
    assert read == edited + "\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(read.encode()), encoding="utf-8"))
    assert main(shlex.split(first.partition(" <<")[0])[1:]) == 0
    assert "Paris $(false)" in capsys.readouterr().out
    assert typed(browser, edited + "\nEND") == ""
    assert "record 2" in browser.evaluate("document.querySelector('.gallery-edit [role=status]').textContent")
    assert browser.evaluate("document.querySelectorAll('.gallery-edit b').length") == 0
    browser.evaluate("document.querySelector('[data-take=all]').click()")
    assert browser.evaluate("document.querySelector('.gallery-edit code').textContent").startswith("scoring score ")
    assert browser.problems == []
    assert [one for one in browser.requests if not one.startswith((address, "data:"))] == []


def typed(browser: Browser, text: str) -> str:
    """The command of the box, after a text was put in."""
    found: str = browser.evaluate(
        f"""(() => {{ const box = document.querySelector(".gallery-edit"), text = box.querySelector("textarea");
        text.value = {json.dumps(text)}; text.dispatchEvent(new Event("input"));
        return box.querySelector("pre code").textContent; }})()"""
    )
    return found


@needs_chromium
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_pages_fit_a_telephone(address: str, browser: Browser, dark: bool) -> None:
    browser.resize(420, 900, dark=dark)
    for page in ("", "questions/", "gallery/", "gallery/invoices/", "gallery/ifeval/"):
        browser.open(address + page)
        assert browser.evaluate("document.documentElement.scrollWidth") <= 420, page
    browser.resize(1280, 900)


def test_texts_of_recipes_never_become_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = hook()
    monkeypatch.setattr(gallery, "ROOT", tmp_path)
    spec = tmp_path / "a.yaml"
    spec.write_text("kind: task\nname: a\nversion: 1.0.0\nscore: casefold | equal\n", "utf-8")
    lines = [json.dumps({"id": text, "response": text, "reference": text}) for text in HOSTILE]
    spec.with_suffix(".jsonl").write_text("\n".join(lines), "utf-8")
    parts = gallery._TEMPLATES.get_template("docs_gallery.jinja").module
    one = gallery.Shown("a", str(spec), "".join(HOSTILE), HOSTILE[0], HOSTILE[2], spec, HOSTILE, (), "", lines)
    box = gallery._tried(one)
    assert len(box["records"]) == gallery.MOST_TRACED
    drawn = _Page("".join(getattr(parts, name)(box) for name in gallery._RUN))
    assert not {"script", "img", "h1"} & set(drawn.tags)
    assert drawn.tags.count("i") == len(HOSTILE)  # the records that the script reads
    markdown = importlib.import_module("markdown")
    page = _Page(markdown.markdown(gallery.page_text(one), extensions=["tables", "toc", "pymdownx.superfences"]))
    assert not {"script", "img", "b", "svg", "strong", "i"} & set(page.tags)
    assert page.tags.count("h1") == 1


def hook() -> ModuleType:
    path = REPOSITORY / ".ci" / "docs_gallery.py"
    spec = importlib.util.spec_from_file_location("docs_gallery_under_test", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found
