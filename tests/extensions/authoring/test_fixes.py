"""Fixes of usual mistakes: each has its finding, its fix, and a file that loads after `check --fix`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.errors import InputError
from scoring.specs import check_text, repair_text
from tests.extensions.authoring.careless_specs import CARELESS
from tests.extensions.authoring.usual_mistakes import USUAL, UsualMistake
from tests.support.golden import REPOSITORY

SHIPPED = sorted((REPOSITORY / "specs").glob("*/*.yaml"))
ROUNDS = 3
STUCK = {"nothing-meant.yaml": ["unknown-parameter", "unknown-name"]}
"""What no fix is known for, since nothing sensible can be meant."""

NINE = """\
# nine mistakes, in structure and in meaning
kind: task
name: nine
verson: 0.1.0
parse: jsn
fields:
  a: {score: lowr | equal, weight: heavy}
  b: lower && equal  # folded
  c: levenshtein | zero_below(treshold=0.5)
aggregate: 0.5 * a + 0.5 * c
on_missing: zeroo
pass: score => 0.5
metrics: [mean, acuracy(0.5)]
"""


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)


def errors(found: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    """The ids of the errors among findings."""
    return tuple(one.id for one in found if one.severity == "error")


@pytest.mark.parametrize("usual", USUAL, ids=[one.broken[-40:] for one in USUAL])
def test_a_usual_mistake_is_mended(usual: UsualMistake) -> None:
    found = check_text(usual.broken, path=usual.file)
    assert errors(found) == usual.ids
    assert any(one.fixes for one in found)
    assert all(fix.title for one in found for fix in one.fixes)
    mended = repair_text(usual.broken, path=usual.file)
    assert mended.after == usual.mended
    assert errors(check_text(usual.mended, path=usual.file)) == ()
    assert mended.fixes


def test_there_are_many_of_them() -> None:
    assert len(USUAL) >= 60
    assert len({one.broken for one in USUAL}) == len(USUAL)


def test_nine_mistakes_give_nine_findings() -> None:
    found = check_text(NINE, path="nine.yaml")
    assert len(errors(found)) == 9, [*map(str, found)]
    left = repair_text(NINE, path="nine.yaml")
    assert [one.message for one in left.findings] == ["expected a number, found the text `heavy`"]
    assert "# folded" in left.after
    assert left.after.startswith("# nine mistakes")


@pytest.mark.parametrize("path", SHIPPED, ids=[str(one.relative_to(REPOSITORY)) for one in SHIPPED])
def test_a_valid_spec_is_unchanged(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not errors(check_text(text, path=path))
    assert repair_text(text, path=path).after == text


_PARTS = st.lists(st.integers(min_value=0, max_value=10_000), min_size=1, max_size=3)
_BASE = (
    USUAL[15].mended + "examples:\n  - {response: a, reference: a, expect: 1}\npass: score >= 0.5\nmetrics: [mean]\n"
)


@settings(max_examples=60, deadline=None)
@given(_PARTS, st.sampled_from(["", "x", "|", "(", '"', ":", " ", "&&", "\n"]))
def test_a_fix_never_makes_more_findings(places: list[int], written: str) -> None:
    text = _BASE
    for place in places:
        at = place % len(text)
        text = text[:at] + written + text[at + 1 :]
    before, repaired = check_text(text), repair_text(text)
    if not errors(before):
        assert repaired.after == text
    elif errors(before)[0].startswith(("syntax-yaml", "yaml-", "duplicate-key")):
        return  # what could not be read may show more once it can
    assert len(errors(repaired.findings)) <= len(errors(before))
    again = repair_text(repaired.after)
    assert again.after == repaired.after


# ---- the command


def test_the_command_mends_files_and_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "z.yaml"
    path.write_bytes(b"kind: task\r\nname: z # mine\r\nscore: lowr && equal\r\n")
    assert main(["check", str(path), "--fix"]) == 0
    assert path.read_bytes() == b"kind: task\r\nname: z # mine\r\nscore: lower | equal\r\n"
    assert "write `lower` for `lowr`" in capsys.readouterr().out


def test_json_says_what_was_fixed_and_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "z.yaml"
    path.write_text("kind: task\nname: z\nscore: eqaul\nmetrics: [frobnicate]\n", encoding="utf-8")
    assert main(["check", str(path), "--fix", "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["fixed"] == [{"file": str(path), "fixes": ["write `equal` for `eqaul`"]}]
    assert [one["id"] for one in shown["diagnostics"]] == ["unknown-name"]


def test_what_is_not_a_file_of_ones_own_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--fix changes files"):
        scoring.check("cookbook/gsm8k-strict", fix=True)
    stored = tmp_path / ".scoring" / "store" / "p.yaml"
    stored.parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / "specs/quickstart/invoices.yaml", stored)
    with pytest.raises(InputError, match="store of fetched packs"):
        scoring.check(stored, fix=True)
    with pytest.raises(InputError, match="holds fast"):
        scoring.check("specs/quickstart/invoices.yaml", fix=True, locked=True)


def test_a_file_that_cannot_be_read_is_left_to_the_check(tmp_path: Path) -> None:
    path = tmp_path / "z.yaml"
    path.write_bytes(b"kind: \xff\n")
    assert [one.id for one in scoring.check(path, fix=True).findings] == ["not-utf-8"]
    assert path.read_bytes() == b"kind: \xff\n"


# ---- the loop of an agent, which knows only `check --format json`


def _applied(text: str, found: list[dict[str, Any]]) -> str:
    """The text after the first fix of each finding, those that overlap left for the next round."""
    edits = [one["fixes"][0] for one in found if one["fixes"]]
    assert all(one["title"] for one in edits)
    places = sorted({(e["location"]["start"]["offset"], e["location"]["end"]["offset"], e["text"]) for e in edits})
    last = len(text) + 1
    for start, end, new in reversed(places):
        if end <= last:
            text, last = text[:start] + new + text[end:], start
    return text


@pytest.mark.parametrize("name", CARELESS)
def test_an_agent_ends_with_a_spec_that_loads(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_text(CARELESS[name], encoding="utf-8")
    for _ in range(ROUNDS):
        main(["check", str(path), "--format", "json"])
        found = json.loads(capsys.readouterr().out)
        path.write_text(_applied(path.read_text(encoding="utf-8"), found["diagnostics"]), encoding="utf-8")
    main(["check", str(path), "--format", "json"])
    left = [one["id"] for one in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert left == STUCK.get(name, []), path.read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8").count("#") == CARELESS[name].count("#")


def test_findings_about_an_imported_pack_stay_where_they_are() -> None:
    """A mended text has places of its own; those of a pack are not among them."""
    record = "record: {id: ) response: output.text, format: {path: answer_format, values: [Text, Number]}}"
    text = f"kind: task\nname: t\nimports: {{text: anls@1}}\n{record}\nscore: text.anls\n"
    found = check_text(text, path=REPOSITORY / "specs" / "quickstart" / "t.yaml")
    names = [one.span.source.name.rpartition("/")[2] for one in found if one.span is not None]
    assert [one.id for one in found] == ["yaml-colon", "unreachable-case"]
    assert names == ["t.yaml", "pack.yaml"]


@pytest.mark.parametrize("name", ["mse", "mape", "mad", "rmsle", "mce", "ace", "dcg", "hmean", "percentile"])
def test_another_figure_of_the_field_is_no_misspelled_name(name: str) -> None:
    text = f"kind: task\nname: z\nscore: equal\nmetrics: [{name}]\n"
    assert not any(fix.is_safe for one in check_text(text) for fix in one.fixes)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("micro_f1", 'f1(average="micro")'),
        ("f1_weighted", 'f1(average="weighted")'),
        ("Macro-F1", "f1"),
        ("qwk", 'cohen_kappa(first="response", second="reference", weights="quadratic")'),
        ("median", "quantile(q=0.5)"),
    ],
)
def test_a_name_that_says_how_the_figure_is_made_becomes_a_call_that_says_so(name: str, call: str) -> None:
    text = f"kind: task\nname: z\nscore: equal\nmetrics: [{name}]\n"
    mended = repair_text(text).after
    assert scoring.load(yaml.safe_load(mended)).metrics[0].text == call
