"""Deprecated definitions and packs: what importers are told, and what `fmt --fix` writes."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.extensions.authoring.writing import apply_fixes

PACK = """\
kind: pack
name: close
version: 1.2.0
imports: {words: ./words.yaml}
scorers:
  close_text:
    score: lower | levenshtein | zero_below(threshold)
    params: {threshold: 0.8}
    doc: How close two texts are.
  near:
    score: lower | levenshtein | zero_below(at)
    params: {at: 0.8}
    deprecated: {for: close_text(threshold=at), since: 1.2.0, why: Two names for one rule.}
  exact:
    score: lower | equal
    deprecated: {for: casefold | equal, since: 1.1.0}
  tidied:
    score: how | equal
    params: {how: {type: pipeline, default: strip}}
    deprecated: {for: how | casefold | equal, since: 1.2.0}
  bare:
    score: words.plain | equal
    deprecated: {for: words.plain | equal, since: 1.2.0}
  sized:
    score: has_length(most=size)
    params: {size: 3}
    deprecated: {for: has_length(most=values.limit), since: 1.2.0}
transforms:
  clean:
    transform: lower | strip
    deprecated: {for: strip | lower, since: 1.2.0}
values:
  limit: reference | length
"""
WORDS = "kind: pack\nname: words\nversion: 1.0.0\ntransforms:\n  plain: lower | strip\n"
HEAD = "kind: task\nname: demo\nversion: 1.0.0\nedition: 2027\nimports: {c: ./close.yaml}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "close.yaml").write_text(PACK, encoding="utf-8")
    (tmp_path / "words.yaml").write_text(WORDS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(text: str, name: str = "t.yaml") -> tuple[Diagnostic, ...]:
    """What is found in a spec that is written into the current folder."""
    Path(name).write_text(text, encoding="utf-8")
    return scoring.check(name).findings


def fixed(text: str, name: str = "t.yaml", *, unsafe_fixes: bool = False) -> str:
    """The file as `fmt --fix` writes it."""
    Path(name).write_text(text, encoding="utf-8")
    scoring.specs.fmt(name, fix=True, unsafe_fixes=unsafe_fixes)
    return Path(name).read_text(encoding="utf-8")


def test_an_importer_is_told_what_to_write(folder: Path) -> None:
    (found,) = findings(HEAD + "score: strip | c.near(0.9)\n")
    assert (found.id, found.severity) == ("deprecated-use", "warning")
    assert found.message == "`c.near` is deprecated since `close` 1.2.0"
    assert found.primary.text == "write `c.close_text(threshold=0.9)`"
    assert found.help == ("`scoring fmt --fix t.yaml` writes it; no score moves",)
    assert found.note == ("Two names for one rule.",)
    assert scoring.check("t.yaml").passed


def test_the_pack_itself_is_told_nothing(folder: Path) -> None:
    own = PACK + "aggregates:\n  both: {aggregate: mean}\n"
    assert findings(own.replace("  exact:\n    score: lower", "  exact:\n    score: clean"), "close.yaml") == ()


def test_who_uses_what_uses_it_is_told_nothing(folder: Path) -> None:
    (folder / "house.yaml").write_text(
        "kind: pack\nname: house\nversion: 1.0.0\nimports: {c: ./close.yaml}\nscorers:\n  mine: c.near\n"
    )
    assert [one.id for one in scoring.check("house.yaml").findings] == ["deprecated-use"]
    assert findings(HEAD.replace("c: ./close", "h: ./house") + "score: h.mine\n") == ()


def test_an_editor_gets_the_change_as_a_place_and_a_text(folder: Path) -> None:
    text = HEAD + "fields:\n  a: \"c.near(0.9) | zero_below(0.1)\"  # a comment\n  b: {score: 'c.near', weight: 2}\n"
    found = findings(text)
    data = json.loads(json.dumps(scoring.check("t.yaml").to_json()))
    fixes = [one["fixes"][0] for one in data["diagnostics"]]
    assert [(fix["text"], fix["safe"]) for fix in fixes] == [
        ("c.close_text(threshold=0.9)", True),
        ("c.close_text", True),
    ]
    for fix, written in zip(fixes, ("c.near(0.9)", "c.near"), strict=True):
        place = fix["location"]
        assert text[place["start"]["offset"] : place["end"]["offset"]] == written
    after = apply_fixes(text, [fix for one in found for fix in one.fixes])
    assert findings(after) == ()


def test_comments_layout_and_quotes_stay(folder: Path) -> None:
    text = HEAD + (
        "scorers:\n"
        "  mine:\n"
        "    score: any_of(c.near(lim), c.near)  # first\n"
        "    params: {lim: 0.5}\n"
        "fields:\n"
        "  # second\n"
        "  a: mine\n"
        "  b: {score: c.clean | equal, weight: 2}   # third\n"
        "  c: |\n"
        "    strip\n"
        "    | c.near(at=0.7)\n"
    )
    wanted = text.replace("c.near(lim), c.near)", "c.close_text(threshold=lim), c.close_text)")
    wanted = wanted.replace("c.near(at=0.7)", "c.close_text(threshold=0.7)")
    assert fixed(text) == wanted
    assert fixed(text, unsafe_fixes=True) == wanted.replace("c.clean | equal", "strip | lower | equal")


def test_scores_stay_the_same_where_a_fix_is_safe(folder: Path) -> None:
    text = HEAD + "fields:\n  a: c.near(0.9)\n  b: [strip, {c.near: {at: 0.4}}]\n"
    assert findings(text)
    before = scoring.load("t.yaml")
    fixed(text)
    after = scoring.load("t.yaml")
    assert before.signature.partition("|")[2] == after.signature.partition("|")[2]
    assert scoring.check("t.yaml").findings == ()


def test_where_scores_can_move_it_is_left_and_said(folder: Path) -> None:
    text = HEAD + "score: c.exact\n"
    (found,) = findings(text)
    assert found.help == ("scores can move by it; `scoring fmt --fix --unsafe-fixes t.yaml` writes it all the same",)
    left = scoring.specs.fmt("t.yaml", fix=True)
    assert (left.changes, [one.id for one in left.findings]) == ((), ["deprecated-use"])
    assert fixed(text, unsafe_fixes=True) == HEAD + "score: casefold | equal\n"


def test_what_can_not_be_written_is_said_with_the_reason(folder: Path) -> None:
    (bare,) = findings(HEAD + "score: c.bare\n")
    assert bare.help == ("replace it by hand: it needs an import of `words`",)
    assert bare.primary.text == "`close` says `words.plain | equal`"
    (sized,) = findings(HEAD + "score: c.sized\n")
    assert sized.help == ("replace it by hand: it reads `values.limit` of the pack",)
    (hidden,) = findings(HEAD + "scorers:\n  casefold: casefold | equal\nfields: {a: c.exact, b: casefold}\n")
    assert hidden.help == ("replace it by hand: `casefold` is something else in this file",)
    assert fixed(HEAD + "score: c.bare\n") == HEAD + "score: c.bare\n"


def test_what_the_pack_imports_is_written_with_the_alias_of_here(folder: Path) -> None:
    head = HEAD.replace("{c: ./close.yaml}", "{c: ./close.yaml, w: ./words.yaml}")
    assert fixed(head + "score: c.bare\n") == head + "score: w.plain | equal\n"


def test_an_argument_that_is_an_expression_is_written_out(folder: Path) -> None:
    (found,) = findings(HEAD + "score: c.tidied(how=lower | strip)\n")
    assert found.primary.text == "write `lower | strip | casefold | equal`"
    assert found.help[0].startswith("scores can move by it")
    (found,) = findings(HEAD + "score: c.tidied\n")
    assert found.primary.text == "write `strip | casefold | equal`"


def test_calls_within_calls_are_all_replaced(folder: Path) -> None:
    text = HEAD + "score: any_of(c.near(0.9), all_of(c.near, sides(prediction=c.clean) | c.near(0.1)))\n"
    wanted = (
        "score: any_of(c.close_text(threshold=0.9), all_of(c.close_text, sides(prediction=strip | lower)"
        " | c.close_text(threshold=0.1)))\n"
    )
    assert fixed(text, unsafe_fixes=True) == HEAD + wanted


def test_a_file_in_json_is_fixed_too(folder: Path) -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "edition": 2027,
        "imports": {"c": "./close.yaml"},
        "fields": {"a": "c.near(0.9)", "b": "equal"},
    }
    after = fixed(json.dumps(spec, indent=1), "t.json")
    assert after == json.dumps(spec, indent=1).replace("c.near(0.9)", "c.close_text(threshold=0.9)")


def test_check_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.yaml").write_text(HEAD + "score: c.near\n")
    assert main(["fmt", "--fix", "--check", "t.yaml"]) == 1
    assert capsys.readouterr().out == "would format t.yaml (1 fix)\n"
    assert Path("t.yaml").read_text() == HEAD + "score: c.near\n"
    assert main(["fmt", "--fix", "t.yaml"]) == 0
    assert main(["fmt", "--fix", "--check", "t.yaml"]) == 0


def test_unsafe_fixes_alone_are_refused(folder: Path) -> None:
    with pytest.raises(scoring.InputError, match="add --fix"):
        scoring.specs.fmt("close.yaml", unsafe_fixes=True)


def test_what_stands_in_the_place_of_something_is_checked(folder: Path) -> None:
    def ids(old: str, new: str) -> list[str]:
        return [f"{one.id}: {one.message}" for one in findings(PACK.replace(old, new), "close.yaml")]

    assert ids("for: casefold | equal", "for: near") == [
        "bad-value: `near` is deprecated itself, so it stands in the place of nothing"
    ]
    assert ids("for: casefold | equal", "for: casefold") == ["no-score: this pipeline ends in Text, not in a score"]
    assert ids("for: close_text(threshold=at)", "for: close_txt(threshold=at)")[0].startswith("unknown-name")
    assert ids("for: close_text(threshold=at)", "for: close_text(thresholds=at)")[0].startswith("unknown-parameter")
    assert ids("since: 1.1.0", "since: soon")[0].startswith("bad-text")
    assert ids("for: casefold | equal, since: 1.1.0", "for: casefold | equal")[0].startswith("missing-key")


def test_a_deprecated_pack_is_exchanged_in_the_import(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = "kind: pack\nname: old\nversion: 1.0.0\ndeprecated: {for: anls@1, since: 1.0.0, why: It moved.}\nscorers:\n"
    (folder / "old.yaml").write_text(old + "  anls: equal\n")
    text = "kind: task\nname: t\nedition: 2027\nimports: {o: ./old.yaml}  # mine\nscore: o.anls\n"
    (found,) = findings(text)
    assert found.message == "the pack `old` is deprecated since 1.0.0"
    assert found.primary.text == "import `anls@1`"
    assert found.help[0].startswith("scores can move by it")
    assert fixed(text) == text
    assert fixed(text, unsafe_fixes=True) == text.replace("./old.yaml", "anls@1")
    (folder / "old.yaml").write_text(old + "  gone: equal\n")
    (found,) = findings(text.replace("o.anls", "o.gone"))
    assert found.help == ("replace it by hand: `anls@1` has no `gone` of that kind",)
    (folder / "old.yaml").write_text(old.replace("anls@1", "nowhere@1") + "  gone: equal\n")
    (found,) = findings(text.replace("o.anls", "o.gone"))
    assert found.help[0].startswith("replace it by hand: no pack is called `nowhere`")


def test_a_pack_can_not_stand_in_its_own_place(folder: Path) -> None:
    text = "kind: pack\nname: old\nversion: 1.0.0\ndeprecated: {for: old@1, since: 1.0.0}\nscorers: {a: equal}\n"
    assert [one.id for one in findings(text, "old.yaml")] == ["bad-value"]
    assert findings(text.replace("old@1", "old@2"), "old.yaml") == ()


def test_a_judge_program_may_be_deprecated(folder: Path) -> None:
    judge = (
        "kind: pack\nname: j\nversion: 1.0.0\nscorers: {plain: equal}\njudges:\n"
        "  old:\n    inputs: {response: prediction}\n    prompt: Say how good it is.\n"
        "    reply: {json: {type: object, required: [n], properties: {n: {type: number}}}}\n"
        "    gives: {n: n}\n    score: n\n    deprecated: {for: plain, since: 1.0.0}\n"
    )
    assert findings(judge, "j.yaml") == ()
    (found,) = findings("kind: task\nname: t\nimports: {j: ./j.yaml}\nscore: j.old\n")
    assert found.primary.text == "write `j.plain`"
    assert [one.id for one in findings(judge.replace("since: 1.0.0", "sinse: 1.0.0"), "j.yaml")] == ["bad-judge"]


def test_code_hosts_are_given_the_fix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.yaml").write_text(HEAD + "fields: {a: c.near, b: c.exact}\n")
    main(["check", "t.yaml", "--format", "sarif"])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (change,) = (one["fixes"][0]["artifactChanges"][0] for one in results if "fixes" in one)
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"] == {"text": "c.close_text"}
    assert replacement["deletedRegion"] == {"startLine": 6, "startColumn": 13, "endLine": 6, "endColumn": 19}


def test_a_file_of_many_uses_is_fixed_in_bounded_steps(folder: Path) -> None:
    fields = "".join(f"  f{number}: c.near(0.{number}5)\n" for number in range(10, 99))
    padding = "# " + "x" * 30_000 + "\n"
    text = f"{HEAD}{padding}fields:\n{fields}"
    told = [one.help[0] for one in findings(text)]
    assert len(told) == 89
    assert sum("there are too many" in one for one in told) > 0
    assert fixed(text) == text.replace("c.near(", "c.close_text(threshold=")


@settings(max_examples=10, deadline=None)
@given(
    least=st.floats(0, 1).map(lambda number: round(number, 3)), pair=st.tuples(st.text(max_size=6), st.text(max_size=6))
)
def test_what_is_written_scores_as_what_was_written(least: float, pair: tuple[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        Path("close.yaml").write_text(PACK, encoding="utf-8")
        Path("words.yaml").write_text(WORDS, encoding="utf-8")
        (found,) = findings(f"{HEAD}score: strip | c.near({least / 1000})\n")
        before = scoring.load("t.yaml").score({"response": pair[0], "reference": pair[1]})
        assert found.fixes[0].is_safe
        scoring.specs.fmt("t.yaml", fix=True)
        assert scoring.load("t.yaml").score({"response": pair[0], "reference": pair[1]}) == before
