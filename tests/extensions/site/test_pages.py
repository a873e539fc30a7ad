"""The static site of all shipped specs: whole, linked, the same each time; and one of a hostile pack."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.api import dumps_pretty
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.site import gather
from tests.diagnostics.test_mutations import PACK, TASK
from tests.extensions.sharing.project.world import pack as locked_pack
from tests.extensions.sharing.project.world import project, written
from tests.extensions.site.pages import SitePage, broken_links, read_site
from tests.support.golden import REPOSITORY
from tests.support.locking import lock_project
from tests.support.mutations import mutated

SPECS = REPOSITORY / "specs"
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e</pre></code>'
HOSTILE_SOURCE = "javascript:alert(1) data:text/html,x https://example.org/\u202e<script> http://a.b/'onclick=1"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, SitePage], dict[str, Any]]:
    """The site of everything that is shipped."""
    folder = tmp_path_factory.mktemp("site") / "all"
    found = scoring.site.build(SPECS, folder)
    return folder, read_site(folder), found.to_json()


Whole = tuple[Path, dict[str, SitePage], dict[str, Any]]


def test_every_page_is_strict_html(whole: Whole) -> None:
    _, pages, _ = whole
    assert {name: page.faults for name, page in pages.items() if page.faults} == {}
    assert all(page.tags.count("h1") == 1 and page.tags.count("main") == 1 for page in pages.values())
    assert all(("html", "lang", "en") in page.attributes for page in pages.values())


def test_every_link_and_anchor_lands(whole: Whole) -> None:
    folder, pages, _ = whole
    assert broken_links(folder, pages) == []
    assert sum(1 for page in pages.values() for _ in page.links) > 5_000


def test_links_are_relative_and_nothing_is_asked_for_elsewhere(whole: Whole) -> None:
    _, pages, _ = whole
    for name, page in pages.items():
        loaded = [value for tag, attribute, value in page.attributes if attribute == "src" or tag == "link"]
        asked = [value for value in loaded if re.match(r"\w+:|/", value) and value not in ("icon", "stylesheet")]
        assert [one for one in asked if one != "data:,"] == [], name
        assert not any(value.startswith("/") for _, value in page.links), name
        assert not any(attribute == "style" or attribute.startswith("on") for _, attribute, _ in page.attributes), name
        policy = next(value for tag, attribute, value in page.attributes if value.startswith("default-src"))
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_it_holds_every_pack_task_and_definition(whole: Whole) -> None:
    _, pages, data = whole
    packs = [path for path in SPECS.rglob("*.yaml") if yaml.safe_load(path.read_text("utf-8"))["kind"] == "pack"]
    assert len(data["packs"]) == len(packs)
    assert data["tasks"] == len([*SPECS.rglob("*.yaml")]) - len(packs)
    page = pages["packs/anls-1.0.0.html"]
    for name in ("anls", "docvqa", "anls_star", "plain_text"):
        assert name in page.anchors
    assert "a score in [0, 1]; more is better" in page.text
    assert "case_sensitive" in page.text
    assert "half of the letters, so exactly at the threshold" in page.text, "the table of dialects"
    assert "imports: {anls: anls@1}" in page.text
    assert any(value.startswith("https://arxiv.org/abs/") for _, value in page.links)


def test_a_definition_shows_its_examples_with_what_they_gave_and_how(whole: Whole) -> None:
    _, pages, _ = whole
    text = " ".join(pages["packs/anls-1.0.0.html"].text.split())
    assert 'prediction "hello" reference ["hallo","world"] → 0.8' in text
    assert "zero_below 0.8000 threshold=0.5 strict=true" in text


def test_names_in_expressions_are_links_to_definitions_and_primitives(whole: Whole) -> None:
    _, pages, _ = whole
    links = {value for _, value in pages["packs/anls-1.0.0.html"].links}
    assert {"../primitives/levenshtein.html", "#anls_star_leaf", "#plain_text", "#anls.0"} <= links
    task = {value for _, value in pages["tasks/wer-1.0.0.html"].links}
    assert {"#value-said", "#value-right", "#field-edits", "../primitives/item_edits.html"} <= task


def test_who_uses_what_is_told_on_both_ends(whole: Whole) -> None:
    _, pages, _ = whole
    users = {value for _, value in pages["primitives/levenshtein.html"].links}
    assert "../packs/anls-1.0.0.html#anls" in users
    assert "../tasks/quickstart-invoices-1.0.0.html" in users
    assert "../tasks/docvqa-1.0.0.html" in {value for _, value in pages["packs/anls-1.0.0.html"].links}


def test_a_primitive_shows_its_parameters_topics_and_other_names(whole: Whole) -> None:
    _, pages, _ = whole
    page = pages["primitives/zero_below.html"]
    assert "Number in the score's range" in page.text
    assert "run when this page was written" in page.text
    assert "index.html#topic-" in " ".join(value for _, value in page.links)


def test_the_same_specs_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        scoring.site.build([SPECS / "quickstart", "rubrics@1"], tmp_path / name)
    one, other = (
        {str(p.relative_to(at)): p.read_bytes() for p in at.rglob("*") if p.is_file()}
        for at in (tmp_path / "one", tmp_path / "other")
    )
    assert one == other
    assert str(tmp_path).encode() not in b"".join(one.values())
    assert str(REPOSITORY).encode() not in b"".join(one.values()), "no path of the machine stands in it"


def pack(name: str = "close", version: str = "1.0.0", **more: Any) -> dict[str, Any]:
    scorer = {"doc": "How near.", "params": {"threshold": 0.8}, "score": "levenshtein | zero_below(threshold)", **more}
    return {"kind": "pack", "name": name, "version": version, "doc": "Near texts.", "scorers": {"close_text": scorer}}


def write(path: Path, data: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_one_of_a_kind_is_counted_in_the_singular(tmp_path: Path) -> None:
    scoring.site.build([write(tmp_path / "close.yaml", pack())], tmp_path / "site")
    assert "1pack" in read_site(tmp_path / "site")["index.html"].text.replace(" ", "")
    assert "1packs" not in read_site(tmp_path / "site")["index.html"].text.replace(" ", "")


def test_versions_say_what_each_moved(tmp_path: Path) -> None:
    write(tmp_path / "1" / "pack.yaml", pack())
    write(tmp_path / "2" / "pack.yaml", pack(version="2.0.0", params={"threshold": 0.5}))
    (tmp_path / "2" / "CHANGELOG.md").write_text("# 2.0.0\n\n- `close_text` takes less.\n", "utf-8")
    scoring.site.build([tmp_path / "1", tmp_path / "2"], tmp_path / "site")
    page = read_site(tmp_path / "site")["packs/close-2.0.0.html"]
    assert "`close_text.threshold` 0.8 → 0.5: scores move".replace("`", "") in page.text
    assert "close_text takes less." in page.text
    assert "../packs/close-1.0.0.html" in {value for _, value in page.links}


def test_what_is_deprecated_is_told_with_its_replacement(tmp_path: Path) -> None:
    data = pack()
    data["scorers"]["old_text"] = {
        "score": "levenshtein | zero_below(0.5)",
        "deprecated": {"for": "close_text(threshold=0.5)", "since": "1.0.0", "why": "One is enough."},
    }
    scoring.site.build(write(tmp_path / "pack.yaml", data), tmp_path / "site")
    page = read_site(tmp_path / "site")["packs/close-1.0.0.html"]
    assert "Deprecated since 1.0.0." in page.text
    assert "close_text(threshold=0.5)" in page.text
    assert "#close_text" in {value for _, value in page.links}


def test_what_a_pack_requires_is_told(tmp_path: Path) -> None:
    scoring.site.build(write(tmp_path / "pack.yaml", {**pack(), "requires": ["numpy>=1"]}), tmp_path / "site")
    assert "requiresnumpy>=1" in read_site(tmp_path / "site")["packs/close-1.0.0.html"].text


def test_a_failing_example_fails_the_build_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "pack.yaml", pack(examples=[["a", "a", 1], ["a", "b", 1]]))
    with pytest.raises(SpecError, match=r"close_text: gave 0\.0, expected 1") as told:
        scoring.site.build(path, tmp_path / "site")
    assert told.value.diagnostics[0].span is not None
    assert not (tmp_path / "site").exists()


def test_a_broken_pack_fails_the_build(tmp_path: Path) -> None:
    path = write(tmp_path / "pack.yaml", pack(score="levenstein"))
    with pytest.raises(SpecError, match="levenstein"):
        scoring.site.build(path, tmp_path / "site")


def test_programs_are_not_run_unless_allowed(tmp_path: Path) -> None:
    data = pack()
    data["scorers"] = {"runs": {"score": "run_tests(cases=reference)", "examples": [["print(1)", [], 1]]}}
    scoring.site.build(write(tmp_path / "pack.yaml", data), tmp_path / "site")
    assert "not run here: it runs programs" in read_site(tmp_path / "site")["packs/close-1.0.0.html"].text


def test_a_hostile_pack_adds_no_tag_and_no_attribute(tmp_path: Path) -> None:
    def site(name: str, text: str, source: str) -> SitePage:
        data = pack(doc=f"{text}\n\n- `{text}`", source=source, examples=[[text, text, 1], [text, "b", 0]])
        data["scorers"]["close_text"]["params"] = {"threshold": {"default": 0.8, "doc": text}, "word": text}
        data["doc"] = text
        path = write(tmp_path / name / "pack.yaml", data)
        (path.parent / "CHANGELOG.md").write_text(f"# {text}\n\n- {text} [x](javascript:alert(1))\n", "utf-8")
        scoring.site.build(path, tmp_path / name / "site")
        return read_site(tmp_path / name / "site")["packs/close-1.0.0.html"]

    tame, hostile = (
        site("tame", "x", "somewhere, https://example.org/ and http://a.b/"),
        site("hostile", HOSTILE, HOSTILE_SOURCE),
    )
    assert hostile.faults == []
    assert hostile.tags == tame.tags
    assert {(tag, name) for tag, name, _ in hostile.attributes} == {(tag, name) for tag, name, _ in tame.attributes}
    assert not any(
        value.strip().lower().startswith(("javascript:", "data:text", "vbscript:")) for _, value in hostile.links
    )
    assert "\x1b" not in hostile.text
    assert "\u202e" not in hostile.text


def test_a_hostile_name_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is not in the required form"):
        scoring.site.build(write(tmp_path / "out.yaml", pack("a/../../../etc/x")), tmp_path / "site")
    names = ["a/etc/x", "A/b", "a-b", "ä.b", "con", "x" * 200]
    paths = [write(tmp_path / str(at) / "pack.yaml", pack(name)) for at, name in enumerate(names)]
    scoring.site.build(paths, tmp_path / "site")
    written = {str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*")}
    assert len([one for one in written if one.startswith("packs/")]) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_./-]+", one) and ".." not in one for one in written)
    assert broken_links(tmp_path / "site", read_site(tmp_path / "site")) == []


def test_an_older_site_is_replaced_and_files_of_others_stay(tmp_path: Path) -> None:
    site = tmp_path / "site"
    scoring.site.build(write(tmp_path / "pack.yaml", pack()), site)
    assert (site / "packs" / "close-1.0.0.html").is_file()
    (site / "mine.txt").write_text("kept", "utf-8")
    scoring.site.build(write(tmp_path / "pack.yaml", pack(version="1.1.0")), site)
    assert not (site / "packs" / "close-1.0.0.html").exists()
    assert (site / "packs" / "close-1.1.0.html").is_file()
    assert (site / "mine.txt").read_text("utf-8") == "kept"


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "pack.yaml", pack())
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "index.html").write_text("theirs", "utf-8")
    with pytest.raises(scoring.InputError, match="holds files that belong to no site"):
        scoring.site.build(path, tmp_path / "theirs")
    assert (tmp_path / "theirs" / "index.html").read_text("utf-8") == "theirs"


@pytest.mark.parametrize("listed", [["../pack.yaml"], ["a/b/c"], ["/etc/passwd"], "x", None, [1], [".."]])
def test_the_list_of_an_older_site_makes_nobody_remove_what_lies_elsewhere(tmp_path: Path, listed: Any) -> None:
    path = write(tmp_path / "pack.yaml", pack())
    site = tmp_path / "site"
    site.mkdir()
    (site / "site.json").write_text(dumps_pretty({"files of scoring site": listed}), "utf-8")
    with pytest.raises(scoring.InputError, match="holds files that belong to no site"):
        scoring.site.build(path, site)
    assert path.is_file()


def test_a_link_in_the_folder_costs_nobody_a_file(tmp_path: Path) -> None:
    path = write(tmp_path / "pack.yaml", pack())
    site, other = tmp_path / "site", tmp_path / "other"
    scoring.site.build(path, site)
    other.mkdir()
    shutil.rmtree(site / "packs")
    (site / "packs").symlink_to(other)
    with pytest.raises(scoring.InputError, match="can't write"):
        scoring.site.build(path, site)
    assert list(other.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"allow": ["network"]}, "'network' is not something that can be allowed"),
        ({"specs": "no-such-pack"}, "there is no pack"),
        ({"specs": []}, "no pack is named"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(scoring.InputError, match=message):
        scoring.site.build(**{"specs": "rubrics@1", "output": tmp_path / "site", **given})


def test_a_locked_pack_is_shown_as_it_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = project(tmp_path)
    lock_project(found)
    written(tmp_path / "shapes" / "pack.yaml", locked_pack("1.1.0", 0.5))
    monkeypatch.chdir(found)
    scoring.site.build(["close", "task.yaml"], tmp_path / "site")
    pages = read_site(tmp_path / "site")
    assert "packs/close-1.0.0.html" in pages
    assert "packs/close-1.1.0.html" not in pages
    assert broken_links(tmp_path / "site", pages) == []


@settings(max_examples=40)
@given(st.sampled_from([PACK, TASK]).flatmap(mutated))
def test_whatever_is_done_to_a_good_spec_its_site_is_whole_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        try:
            path.write_text(text, encoding="utf-8")
            scoring.site.build(path, Path(folder) / "site")
        except (UnicodeEncodeError, SpecError, scoring.InputError):
            return
        pages = read_site(Path(folder) / "site")
        assert [page.faults for page in pages.values() if page.faults] == []


def test_an_example_that_needs_a_missing_library_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather, "library_version", lambda name: "none" if name == "sympy" else "1")
    data = pack()
    data["scorers"] = {
        "same": {"score": "equal_formulas", "examples": [["\\frac{1}{2}", "0.5", 0]]},  # a failure where it is run
        "plain": {"score": "equal", "examples": [["a", "a", 1]]},
    }
    scoring.site.build(write(tmp_path / "pack.yaml", data), tmp_path / "site")
    text = read_site(tmp_path / "site")["packs/close-1.0.0.html"].text
    assert "not run here: it needs `sympy`, which is not installed: pip install 'scoring-dsl[math]'" in text
    assert text.count("not run here") == 1
