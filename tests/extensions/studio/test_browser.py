"""The studio in a real browser: opened, broken, mended, dragged, compared and saved; hostile texts are never markup."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.extensions.studio import files
from scoring.extensions.studio.verbs import open_studio
from tests.extensions.studio.asking import IMAGES, SPEC, SUITE, TOWNS, write_files, write_images, write_suite
from tests.extensions.vision.pictures import street
from tests.support.browser import Browser, needs_chromium
from tests.support.hostile_texts import HOSTILE_TEXTS

pytestmark = needs_chromium
SETTLED = "!view.dirty && view.state.version === view.version && !view.state.is_working"
ROWS = "Array.from(document.querySelectorAll('#table tbody tr'), (row) => row.querySelector('.open').textContent)"
HANDLERS = "Array.from(document.querySelectorAll('*')).filter(e => Array.from(e.attributes).some("
HANDLERS += "a => a.name.startsWith('on') || /^(https?|javascript):/i.test(a.value))).length"
PICTURES = "document.querySelectorAll('script').length === 3 && !document.querySelector('img, iframe, a[href], base')"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def browser(started: Browser) -> Iterator[Browser]:
    started.problems.clear()
    started.requests.clear()
    started.resize(1400, 900)
    yield started
    # The page asks nothing more, and nobody is asked about what is not saved.
    started.evaluate("typeof view === 'object' && view.files.forEach((one) => { one.saved = one.text; })")
    started.open("about:blank")


def written(browser: Browser, old: str, new: str) -> None:
    """Choose a piece of the text, and write another over it, as somebody does who types."""
    place = f"editor.value.indexOf({json.dumps(old)})"
    browser.evaluate(f"editor.text.focus(); editor.text.setSelectionRange({place}, {place} + {len(old)})")
    browser.write(new)


def chosen(browser: Browser, name: str, value: str) -> None:
    """Give a field of the page a value."""
    field = f"document.getElementById({json.dumps(name)})"
    browser.evaluate(f"{field}.value = {json.dumps(value)}, {field}.dispatchEvent(new Event('input'))")


def pictured(browser: Browser, path: Path) -> None:
    """Keep what the page looks like."""
    path.write_bytes(base64.b64decode(browser.picture()))


def test_a_spec_is_opened_broken_mended_dragged_compared_and_saved(browser: Browser, tmp_path: Path) -> None:
    spec, data = write_files(tmp_path)
    with open_studio(spec, data) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length === 24")
        assert browser.evaluate("editor.value") == SPEC
        assert browser.evaluate("document.querySelector('#paint .macro').textContent") == "strip"
        assert browser.evaluate("document.getElementById('save').disabled")
        pictured(browser, tmp_path / "opened.png")

        written(browser, "casefold", "casefol")
        browser.wait_for("document.querySelectorAll('#findings .fix').length")
        browser.wait_for("!document.getElementById('stale').hidden")
        assert "last good text" in browser.evaluate("document.getElementById('stale').textContent")
        assert browser.evaluate("document.querySelector('#paint .wrong').textContent") == "casefol"
        assert browser.evaluate(f"{ROWS}.length") == 24
        browser.evaluate("document.querySelector('#findings .fix').click()")
        browser.wait_for(f"{SETTLED} && !document.querySelector('#findings li') && editor.value === {json.dumps(SPEC)}")
        assert browser.evaluate("document.getElementById('stale').hidden")

        browser.evaluate("document.querySelectorAll('#table tbody tr')[2].click()")
        browser.wait_for("document.querySelectorAll('#record .tree li').length")
        written(browser, "zero_below(0.5)", "zero_below(0.95)")
        browser.wait_for("/^6 records moved/.test(document.getElementById('moved').textContent)")
        browser.wait_for("!!document.querySelector('#record .moved b')")
        moved = browser.evaluate("document.querySelector('#record .moved b').textContent")
        assert moved == "answer › zero_below"
        chosen(browser, "moving", "down")
        browser.wait_for(f"{ROWS}.length === 6")
        pictured(browser, tmp_path / "moved.png")

        chosen(browser, "threshold", "0.5")
        browser.wait_for("/^50.0% pass: 12 of 24/.test(document.getElementById('cut').textContent)")
        chosen(browser, "label", '["seen","right"]')
        browser.wait_for("/precision 1.000 · recall 1.000/.test(document.getElementById('cut').textContent)")
        browser.evaluate("document.getElementById('write-pass').click()")
        browser.wait_for(f"{SETTLED} && /^pass: score >= 0.5$/m.test(editor.value)")

        chosen(browser, "against", "opened")
        browser.wait_for("/^6 records moved/.test(document.getElementById('moved').textContent)")
        written(browser, "levenshtein", "leven")
        browser.evaluate("editor.offer(false)")
        browser.wait_for("document.querySelectorAll('#offers li').length")
        assert browser.evaluate("document.querySelector('#offers b').textContent") == "levenshtein"
        browser.press("Enter")
        browser.wait_for(f"{SETTLED} && view.errors === 0 && /casefold . levenshtein . zero/.test(editor.value)")

        browser.evaluate("document.getElementById('save').click()")
        browser.wait_for("document.getElementById('save').disabled")
        assert spec.read_text("utf-8") == SPEC.replace("0.5)", "0.95)").replace(">= 0.9", ">= 0.5")
        for width, dark in ((1400, True), (420, False)):
            browser.resize(width, 900, dark=dark)
            assert not browser.evaluate("document.documentElement.scrollWidth > innerWidth")
            pictured(browser, tmp_path / f"{width}.png")
        assert browser.problems == []
        assert {one.split("/")[2] for one in browser.requests if not one.startswith("data:")} == {studio.hosts[0]}


def test_a_data_set_of_images_is_opened_broken_mended_looked_at_and_compared(browser: Browser, tmp_path: Path) -> None:
    with open_studio(write_images(tmp_path / "set")) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length === 12")
        assert browser.evaluate("document.getElementById('records-name').textContent") == "Images"
        assert browser.evaluate("document.getElementById('doing').textContent") == "12 images · saved"
        assert browser.evaluate("document.getElementById('cutting').hidden")
        assert "part of no figure" in browser.evaluate("document.getElementById('whole').textContent")
        browser.wait_for("document.querySelectorAll('#report svg').length === 2")
        pictured(browser, tmp_path / "opened.png")

        written(browser, "worst_score", "worst_scor")
        browser.wait_for("document.querySelectorAll('#findings .fix').length")
        assert "last good text" in browser.evaluate("document.getElementById('stale').textContent")
        browser.evaluate("document.querySelector('#findings .fix').click()")
        browser.wait_for(
            f"{SETTLED} && !document.querySelector('#findings li') && editor.value === {json.dumps(IMAGES)}"
        )

        chosen(browser, "having", "invented")
        browser.wait_for(f"{ROWS}.join() === 'i03,i07,i11'")
        browser.evaluate("document.querySelectorAll('#table tbody tr')[0].click()")
        browser.wait_for("document.querySelectorAll('#record svg .shape').length === 3")
        assert browser.evaluate("document.querySelector('#record image').getAttribute('href').slice(0, 23)") == (
            "data:image/jpeg;base64,"
        )
        pictured(browser, tmp_path / "image.png")

        chosen(browser, "having", "")
        written(browser, "worst_score: 0.3", "worst_score: 0.5")
        browser.wait_for("/^3 images moved: 0 up, 3 down/.test(document.getElementById('moved').textContent)")
        browser.wait_for("document.querySelectorAll('#record .pair svg').length === 2")
        assert browser.evaluate("Array.from(document.querySelectorAll('#record .moved b'), b => b.textContent)") == [
            *("score", "found", "invented", "missed", "score_threshold"),
            *("ground truth › 4", "detection › 3", "detection › 4"),
        ]
        written(browser, "worst_score: 0.5}", "worst_score: 0.5}\nlabel_map: {truck: car}")
        browser.wait_for(f"{SETTLED} && document.querySelector('#figures .change').textContent.startsWith('+')")
        chosen(browser, "against", "opened")
        browser.wait_for("document.querySelector('#details tbody .right:last-child').textContent.startsWith('+')")
        for width, dark in ((1400, True), (420, False)):
            browser.resize(width, 900, dark=dark)
            assert not browser.evaluate("document.documentElement.scrollWidth > innerWidth")
            pictured(browser, tmp_path / f"{width}.png")
        assert browser.problems == []
        assert {one.split("/")[2] for one in browser.requests if not one.startswith("data:")} == {studio.hosts[0]}


def test_a_suite_is_opened_broken_mended_and_its_tasks_are_looked_at(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, data = write_suite(tmp_path / "suite")
    monkeypatch.setattr(files, "PACKAGE", spec.parent / "tasks" / "sums.yaml")
    tasks = "Array.from(document.querySelectorAll('#tasks tbody tr'), row => row.querySelector('.open').textContent)"
    with open_studio(spec, data) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length === 6")
        assert browser.evaluate(tasks) == ["demo/sums", "demo/towns"]
        assert browser.evaluate("document.getElementById('doing').textContent") == "2 tasks · saved"
        pictured(browser, tmp_path / "opened.png")

        written(browser, "macro", "makro")
        browser.wait_for("document.querySelectorAll('#findings .fix').length")
        browser.evaluate("document.querySelector('#findings .fix').click()")
        browser.wait_for(
            f"{SETTLED} && !document.querySelector('#findings li') && editor.value === {json.dumps(SUITE)}"
        )

        browser.evaluate("document.querySelectorAll('#tasks tbody tr')[1].click()")
        browser.wait_for(f"{ROWS}.length === 24")
        assert browser.evaluate("document.getElementById('task-name').textContent") == "Task demo/towns"
        browser.evaluate("document.querySelectorAll('#table tbody tr')[2].click()")
        browser.wait_for("document.querySelectorAll('#record .tree li').length")
        chosen(browser, "threshold", "0.5")
        browser.wait_for("/^75.0% pass: 18 of 24/.test(document.getElementById('cut').textContent)")
        assert browser.evaluate("document.getElementById('write-pass').hidden"), "the text is not the task's"
        assert shown(browser, "file-note") == ""

        task = spec.parent / "tasks" / "towns.yaml"
        task.write_text(SPEC.replace("zero_below(0.5)", "zero_below(0.95)"), "utf-8")
        written(browser, "micro]", "micro]  # read again")
        browser.wait_for("/^6 records of this task moved/.test(document.getElementById('moved').textContent)")
        browser.wait_for("!!document.querySelector('#record .moved b')")
        assert browser.evaluate("document.querySelector('#record .moved b').textContent") == "answer › zero_below"
        browser.evaluate("document.querySelectorAll('#tasks thead button')[4].click()")
        browser.wait_for(f"{tasks}.join() === 'demo/towns,demo/sums'")
        assert browser.evaluate("document.querySelector('#tasks tbody [data-head=change]').className") == "right bad"
        pictured(browser, tmp_path / "moved.png")
        browser.evaluate("document.querySelectorAll('#tasks tbody tr')[1].click()")
        browser.wait_for(f"{ROWS}.length === 6 && document.getElementById('record').hidden")
        browser.evaluate("document.getElementById('edit-task').click()")
        browser.wait_for("/belongs to the installed package/.test(document.getElementById('file-note').textContent)")
        written(browser, "number | equal", "number | equal | invert")
        browser.wait_for("/^6 records of this task moved: 4 up/.test(document.getElementById('moved').textContent)")
        assert browser.evaluate("document.getElementById('save').disabled")
        assert browser.evaluate("document.getElementById('write-pass').hidden"), "the other task's was dragged"
        for width, dark in ((1400, True), (420, False)):
            browser.resize(width, 900, dark=dark)
            assert not browser.evaluate("document.documentElement.scrollWidth > innerWidth")
            pictured(browser, tmp_path / f"{width}.png")
        assert browser.problems == []


def test_a_task_of_a_suite_is_chosen_edited_broken_mended_undone_and_saved(browser: Browser, tmp_path: Path) -> None:
    spec, data = write_suite(tmp_path / "suite")
    task = spec.parent / "tasks" / "towns.yaml"
    figure = "document.querySelector('#suite-figures .figure b').textContent"
    with open_studio(spec, data) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length === 6")
        assert options(browser) == ["suite.yaml", "tasks/sums.yaml", "tasks/towns.yaml"]
        before = browser.evaluate(figure)
        browser.evaluate("document.querySelectorAll('#tasks tbody tr')[1].click()")
        browser.wait_for(f"{ROWS}.length === 24 && {SETTLED}")
        pictured(browser, tmp_path / "chosen.png")
        browser.evaluate("document.getElementById('edit-task').click()")
        browser.wait_for(f"editor.value === {json.dumps(SPEC)} && {SETTLED}")
        assert shown(browser, "task-text") == "Its text is in the editor."
        assert shown(browser, "doing") == "2 tasks · saved"

        written(browser, "zero_below(0.5)", "zero_below(0.95)")
        browser.wait_for("/^6 records of this task moved/.test(document.getElementById('moved').textContent)")
        browser.wait_for(f"{SETTLED} && {figure} < {json.dumps(before)}")
        assert browser.evaluate("document.querySelector('#suite-figures .change').textContent")[0] == "-"
        assert shown(browser, "doing") == "2 tasks · not saved: tasks/towns.yaml"
        assert task.read_text("utf-8") == SPEC
        pictured(browser, tmp_path / "moved.png")

        written(browser, "casefold", "casefol")
        browser.wait_for("document.querySelectorAll('#findings .fix').length")
        browser.wait_for("!document.getElementById('stale').hidden")
        assert shown(browser, "stale") == "These are the results of the last good text: the text has 1 mistake"
        browser.wait_for("document.querySelectorAll('#file option')[2].textContent.includes('has mistakes')")
        pictured(browser, tmp_path / "broken.png")
        chosen(browser, "file", "0")
        browser.wait_for(f"editor.value === {json.dumps(SUITE)} && !view.dirty")
        browser.wait_for("/towns.yaml:4:16/.test(document.getElementById('stale').textContent)")
        pictured(browser, tmp_path / "elsewhere.png")
        written(browser, "micro]", "micro]  # b")
        browser.evaluate("Date.now = () => 0")  # no time passes, however busy the machine is
        for letter in "oth":
            browser.write(letter)
        browser.undo()
        assert browser.evaluate("editor.value") == SUITE.replace("micro]", "micro]  # b"), "letters go together"
        browser.undo()
        browser.undo()
        assert browser.evaluate("editor.value") == SUITE, "and nothing of the other file is undone"
        browser.undo(again=True)
        browser.undo(again=True)
        assert browser.evaluate("editor.value") == SUITE.replace("micro]", "micro]  # both")

        browser.evaluate("document.getElementById('edit-task').click()")
        browser.wait_for("document.querySelectorAll('#findings .fix').length && !view.dirty")
        assert options(browser) == [
            *("suite.yaml · not saved", "tasks/sums.yaml", "tasks/towns.yaml · not saved · has mistakes")
        ]
        browser.evaluate("document.querySelector('#findings .fix').click()")
        strict = SPEC.replace("zero_below(0.5)", "zero_below(0.95)")
        browser.wait_for(
            f"{SETTLED} && !document.querySelector('#findings li') && editor.value === {json.dumps(strict)}"
        )
        browser.undo()
        browser.undo()
        browser.wait_for(f"{SETTLED} && editor.value === {json.dumps(strict)}")
        browser.undo()
        browser.wait_for(f"{SETTLED} && editor.value === {json.dumps(SPEC)} && {figure} === {json.dumps(before)}")
        browser.undo(again=True)
        chosen(browser, "threshold", "0.5")
        browser.wait_for("!document.getElementById('write-pass').hidden")
        browser.evaluate("document.getElementById('write-pass').click()")
        saved = strict.replace("score >= 0.9", "score >= 0.5")
        browser.wait_for(f"{SETTLED} && editor.value === {json.dumps(saved)}")
        for width, dark in ((1400, False), (1400, True), (420, False)):
            browser.resize(width, 900, dark=dark)
            assert not browser.evaluate("document.documentElement.scrollWidth > innerWidth")
            pictured(browser, tmp_path / f"{width}{dark}.png")

        browser.evaluate("document.getElementById('save').click()")
        browser.wait_for("document.getElementById('save').disabled")
        assert (task.read_text("utf-8"), spec.read_text("utf-8")) == (saved, SUITE)
        assert shown(browser, "doing") == "2 tasks · not saved: suite.yaml"
        assert browser.evaluate("!window.dispatchEvent(new Event('beforeunload', {cancelable: true}))")
        task.unlink()
        chosen(browser, "file", "0")
        browser.wait_for(f"{SETTLED} && document.querySelectorAll('#tasks tbody tr').length === 1")
        chosen(browser, "file", "2")
        browser.wait_for("/not there any more/.test(document.getElementById('file-note').textContent)")
        for _ in range(2):
            browser.evaluate("document.getElementById('save').click()")
            browser.wait_for("editor.file.warned || document.getElementById('save').disabled")
        browser.wait_for(f"{SETTLED} && document.querySelectorAll('#tasks tbody tr').length === 2")
        assert task.read_text("utf-8") == saved
        assert browser.problems == []


def shown(browser: Browser, name: str) -> str:
    """The text of a part of the page."""
    return str(browser.evaluate(f"document.getElementById({json.dumps(name)}).textContent"))


def options(browser: Browser) -> list[str]:
    """The files that can be chosen."""
    found: list[str] = browser.evaluate("Array.from(document.querySelectorAll('#file option'), one => one.textContent)")
    return found


@pytest.mark.skipif("AXE" not in os.environ, reason="AXE names no axe.min.js of the npm package axe-core")
@pytest.mark.parametrize("kind", ["task", "suite"])
def test_axe_finds_nothing(kind: str, browser: Browser, tmp_path: Path) -> None:
    levels = json.dumps(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    browser.bypass_policy()
    with open_studio(*(write_files(tmp_path) if kind == "task" else write_suite(tmp_path / "suite"))) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length > 0")
        if kind == "suite":
            browser.evaluate("document.querySelectorAll('#tasks tbody tr')[1].click()")
            browser.wait_for(f"{SETTLED} && {ROWS}.length === 24")
            browser.evaluate("document.getElementById('edit-task').click()")
            browser.wait_for(f"editor.value === {json.dumps(SPEC)} && {SETTLED}")
        browser.evaluate("document.querySelectorAll('#table tbody tr')[2].click()")
        written(browser, "zero_below(0.5)", "zero_below(0.95)")
        browser.wait_for("!!document.querySelector('#record .moved b')")
        written(browser, "casefold", "casefol")
        browser.wait_for("document.querySelectorAll('#findings .fix').length")
        browser.evaluate(f"{Path(os.environ['AXE']).read_text('utf-8')};0")
        for width, dark in ((1400, False), (1400, True), (420, False)):
            browser.resize(width, 900, dark=dark)
            run = f"axe.run(document, {{runOnly: {levels}}})"
            found = browser.evaluate(f"{run}.then(r => r.violations.map(v => v.id + ' ' + v.nodes[0].html))")
            assert found == [], (width, dark)
    browser.bypass_policy(False)


def test_hostile_texts_are_texts_on_the_page(browser: Browser, tmp_path: Path) -> None:
    texts = [text for text in HOSTILE_TEXTS.values() if "\ud800" not in text]
    texts += ['"><script>globalThis.hostile = 1</script><img src=x onerror="globalThis.hostile = 1">', "</title><b>"]
    spec = {
        "kind": "task",
        "name": "t",
        "doc": " ".join(texts),
        "record": {"id": "id", "response": "answer", "reference": "gold"},
        "fields": {texts[-2]: "levenshtein"},
        "by": ["group"],
    }
    rows = [
        {"id": f"{text} {n}", "answer": text, "gold": f"{text} {TOWNS[n % 6]}", "group": text, texts[-2]: n % 2}
        for n, text in enumerate(texts)
    ]
    (tmp_path / "<b>name.json").write_text(json.dumps(spec), "utf-8")
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with open_studio(tmp_path / "<b>name.json", tmp_path / "data.jsonl") as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length > 2")
        browser.evaluate("document.getElementById('next').click()")
        browser.wait_for(f"{ROWS}.length === {len(texts) - 50}")
        browser.evaluate("document.querySelector('#table tbody tr').click()")
        browser.wait_for("document.getElementById('record-body').textContent")
        browser.evaluate("document.getElementById('back').click()")
        browser.wait_for(f"{ROWS}.length === 50")
        for number in range(0, 50, 9):
            browser.evaluate(f"document.querySelectorAll('#table tbody tr')[{number}].click()")
            browser.wait_for("view.told === view.row")
        browser.evaluate("document.getElementById('record-full').click()")
        place = json.dumps('"levenshtein"')
        browser.evaluate(f"editor.value = editor.value.replace({place}, '\"<img src=x onerror=alert(1)>\"'); send()")
        browser.wait_for("document.querySelectorAll('#findings li').length")
        browser.evaluate("document.getElementById('audit').click()")
        browser.wait_for("/mistakes/.test(document.getElementById('audit-told').textContent)")
        assert browser.evaluate("globalThis.hostile") is None
        assert browser.evaluate(HANDLERS) == 0
        assert browser.evaluate(PICTURES)
        assert browser.evaluate("document.querySelectorAll('#table b, #findings b, #groups b').length") == 0
        assert browser.problems == []


def test_hostile_labels_of_images_and_names_of_tasks_are_texts_on_the_page(browser: Browser, tmp_path: Path) -> None:
    texts = [text for text in HOSTILE_TEXTS.values() if "\ud800" not in text][:12]
    texts += [
        '"><script>globalThis.hostile = 1</script><img src=x onerror="globalThis.hostile = 1">',
        "</title></svg><b>",
    ]
    with open_studio(street(tmp_path / "street", texts)) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length === {len(texts)} && !!document.querySelector('#report svg')")
        for number in range(len(texts)):
            browser.evaluate(f"document.querySelectorAll('#table tbody tr')[{number}].click()")
            browser.wait_for("view.told === view.row && !!document.querySelector('#record svg')")
            assert browser.evaluate(PICTURES)
        assert browser.evaluate("document.querySelector('#record svg .tag').textContent").startswith("</title>")
    suite = tmp_path / "suite"
    suite.mkdir()
    names = [f"t{place}{text}" for place, text in enumerate(texts) if "/" not in text and "\x00" not in text]
    lines = [{"name": name, "spec": {"kind": "task", "name": "t", "score": "equal"}} for name in names]
    (suite / "tasks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (suite / "suite.json").write_text(json.dumps({"kind": "suite", "name": "s", "tasks": "tasks.jsonl"}), "utf-8")
    rows = [{"task": name, "id": 1, "response": "a", "reference": name} for name in names]
    (suite / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with open_studio(suite / "suite.json", suite / "data.jsonl") as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && document.querySelectorAll('#tasks tbody tr').length === {len(names)}")
        browser.evaluate("document.querySelectorAll('#tasks tbody tr')[1].click()")
        browser.wait_for("/^Task t/.test(document.getElementById('task-name').textContent)")
        assert "no spec file of its own" in shown(browser, "task-text")
        assert browser.evaluate("document.getElementById('filing').hidden")
        assert browser.evaluate("globalThis.hostile") is None
        assert browser.evaluate(HANDLERS) == 0
        assert browser.evaluate(PICTURES)
    assert browser.problems == []


def test_hostile_names_of_files_are_texts_on_the_page(browser: Browser, tmp_path: Path) -> None:
    texts = [text for text in HOSTILE_TEXTS.values() if not {"/", "\x00", "\ud800"} & {*text}]
    texts += ['"><img src=x onerror="globalThis.hostile = 1">', "<b>"]
    (tmp_path / "tasks").mkdir()
    for number, text in enumerate(texts):
        spec = f"kind: task\nname: t{number}\nscore: equal\n"
        (tmp_path / "tasks" / f"{number:03}{text}.yaml").write_text(spec, "utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, "utf-8")
    (tmp_path / "data.jsonl").write_text('{"task": "t1", "id": 1, "response": "a", "reference": "a"}\n', "utf-8")
    with open_studio(tmp_path / "suite.yaml", tmp_path / "data.jsonl") as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && document.querySelectorAll('#file option').length === {len(texts) + 1}")
        for number in (1, len(texts) - 1, len(texts)):
            chosen(browser, "file", str(number))
            browser.wait_for(f"editor.file.number === {number} && !view.dirty")
            written(browser, "score: equal", "score: equl")
            browser.wait_for("document.querySelectorAll('#findings .fix').length")
        chosen(browser, "file", "0")
        browser.wait_for("!view.dirty && /\\.yaml:3:8/.test(document.getElementById('stale').textContent)")
        assert options(browser)[-1].endswith("<b>.yaml · not saved · has mistakes")
        assert browser.evaluate("document.querySelectorAll('#filing b, #findings b, #stale b').length") == 0
        assert browser.evaluate("globalThis.hostile") is None
        assert browser.evaluate(HANDLERS) == 0
        assert browser.evaluate(PICTURES)
        assert browser.problems == []


def test_a_drawing_is_made_of_known_shapes_alone(browser: Browser, tmp_path: Path) -> None:
    with open_studio(*write_files(tmp_path)) as studio:
        browser.open(studio.address)
        browser.wait_for(f"{SETTLED} && {ROWS}.length === 24")
        script = "<script>globalThis.hostile = 1</script>"
        svg = f"<svg class='chart' onload='globalThis.hostile = 1'>{script}<a href='x'><text>a</text></a>"
        svg += "<image href='http://evil.example/x.png'/><foreignObject><b>b</b></foreignObject><style>* {}</style>"
        svg += "<rect width='1' style='fill: red' onclick='globalThis.hostile = 1'/></svg>"
        found = browser.evaluate(f"drawing({json.dumps(svg)}).innerHTML")
        assert found == '<svg class="chart"><image></image><rect width="1"></rect></svg>'
        assert browser.evaluate("drawing('no drawing').innerHTML") == ""
        assert browser.evaluate("globalThis.hostile") is None
