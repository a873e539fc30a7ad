"""What is looked for, what is not tried and says so, and what an author may answer for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

import scoring
from scoring.errors import InputError
from scoring.extensions.sharing.release import comparison_run
from scoring.extensions.sharing.release.comparison_run import Moved, TriedInput
from scoring.extensions.sharing.release.judgement import ReleaseJudgement
from scoring.extensions.sharing.release.smallest import SmallestInput
from tests.extensions.sharing.release.edits import draw_few

HEAD = "kind: pack\nname: close\nversion: {}\nscorers:\n"


def judge(folder: Path, old: str, new: str, version: str = "2.0.0", **how: Any) -> ReleaseJudgement:
    paths = [folder / "old.yaml", folder / "new.yaml"]
    for path, body, said in zip(paths, (old, new), ("1.0.0", version), strict=True):
        path.write_text(HEAD.format(said) + body, encoding="utf-8")
    found = scoring.check(paths[1], against=paths[0], **how).judgement
    assert isinstance(found, ReleaseJudgement)
    return found


SORTED = ("  a: words | sort | bag_f1\n", "  a: words | bag_f1\n")


def test_what_nothing_tells_apart_is_major_and_says_how_much_was_tried(tmp_path: Path) -> None:
    found = judge(tmp_path, *SORTED)
    assert found.to_json()["searched_with"].startswith("hypothesis 6.")
    (reason,) = found.reasons
    assert (reason.part, reason.basis) == ("major", "unproved")
    assert reason.tries > 15_000
    assert f"no counterexample in {reason.tries:,} tries" in reason.text


def test_the_judgement_names_no_search_where_there_was_none(tmp_path: Path) -> None:
    assert judge(tmp_path, "  a: lower | strip | equal\n", "  a: strip | lower | equal\n").searched_with == ""


def test_without_hypothesis_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "scoring.extensions.sharing.release.strategies", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(InputError, match=r"needs the extra `release`: pip install 'scoring-dsl\[release\]'"):
        judge(tmp_path, *SORTED)


def test_an_author_answers_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_few(monkeypatch, 500)
    found = judge(tmp_path, *SORTED, version="1.0.1", accept={"a": "bags have no order"})
    (reason,) = found.reasons
    assert (reason.part, reason.basis, found.suffices) == ("patch", "accepted", True)
    assert "accepted: bags have no order" in reason.text


def test_nobody_answers_for_what_moves(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing about `a` is for the author to decide"):
        judge(tmp_path, "  a: lower | equal\n", "  a: equal\n", accept={"a": "it looks the same"})


def test_inputs_of_the_author_are_tried(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"prediction": "Qx7", "reference": "qX7"}) + "\n")
    hidden = ('  a: matches("^(?!Qx7$)") | scale(by=1)\n', '  a: matches("") | scale(by=1)\n')
    (reason,) = judge(tmp_path, *hidden, data=data).reasons
    assert reason.counterexample is not None
    assert reason.counterexample.origin == "a record"


def test_examples_come_first(tmp_path: Path) -> None:
    body = "  a: {{score: {}, examples: [[Zebra, zebra, {}]]}}\n"
    (reason,) = (
        one
        for one in judge(tmp_path, body.format("lower | equal", 1), body.format("equal", 0)).reasons
        if one.counterexample
    )
    assert reason.counterexample is not None
    assert reason.counterexample.origin == "an example"
    assert str(reason.counterexample) in ("`Z` / `z`: 1.0 → 0.0", "`A` / `a`: 1.0 → 0.0")


def test_settings_are_tried_that_no_default_reaches(tmp_path: Path) -> None:
    body = "  a: {{params: {{loose: false}}, score: 'switch({}, true=equal, false=lower | equal)'}}\n"
    found = judge(tmp_path, body.format("loose"), "  a: {params: {loose: false}, score: lower | equal}\n")
    (reason,) = found.reasons
    assert reason.counterexample is not None
    assert dict(reason.counterexample.settings) == {"loose": True}


NOT_RUN = {"judge_rating": "asks a judge", "sql_equal": "runs programs", "levenshtein": "`rapidfuzz` is not installed"}


@pytest.mark.parametrize("step", NOT_RUN)
def test_what_can_not_be_run_is_compared_by_meaning_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    why = NOT_RUN[step]
    monkeypatch.setattr(comparison_run, "library_version", lambda name: "none")
    found = judge(tmp_path, f"  a: {step}\n", f"  a: {step} | zero_below(0.5)\n")
    (reason,) = found.reasons
    assert (reason.part, reason.basis) == ("major", "meaning")
    assert why in found.untried[0]


@pytest.mark.parametrize("read", ["record.a.b", "context", "context.cases[0].x", "record.a[0]"])
def test_what_definitions_read_of_a_record_is_drawn_or_of_the_examples(tmp_path: Path, read: str) -> None:
    row = "record: {a: {b: Hi}}, context: {cases: [{x: Hi}]}"
    example = f"examples: [{{prediction: hi, reference: hi, {row}, expect: 1}}]"
    body = '  a: {{score: "sides(reference={}) | {}equal", {}}}\n'
    if read == "context":
        body = '  a: {{score: "sides(reference={} | to_text) | {}equal"}}\n'
    found = judge(tmp_path, body.format(read, "lower | ", example), body.format(read, "", example))
    assert found.part == "major"
    assert all(one.basis in ("counterexample", "unproved") for one in found.reasons)


def test_a_long_input_is_made_short(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"prediction": "x" * 50_000, "reference": "X" * 50_000}) + "\n")
    (shown,) = judge(tmp_path, "  a: lower | equal\n", "  a: equal\n", data=data).counterexamples
    assert len(shown.tried_input["prediction"]) == 1


def test_the_last_bit_of_a_score_is_a_move(tmp_path: Path) -> None:
    body = '  a: combine("{}", p=levenshtein, q=indel, r=gestalt)\n'
    found = judge(tmp_path, body.format("(0.1 * p + 0.2 * q) + 0.3 * r"), body.format("0.1 * p + (0.2 * q + 0.3 * r)"))
    (shown,) = found.counterexamples
    assert shown.before.value != shown.after.value
    assert abs(shown.before.value - shown.after.value) < 1e-12
    assert str(shown.before.value) in str(shown)


def test_texts_that_look_alike_are_told_apart(tmp_path: Path) -> None:
    body = '  a: normalize_unicode(form="{}") | equal\n'
    (shown,) = judge(tmp_path, body.format("NFC"), body.format("NFKC")).counterexamples
    assert "\\u" in str(shown) or "\\x" in str(shown)


@pytest.mark.parametrize(("version", "passes"), [("1.0.0", False), ("1.0.1", False), ("1.1.0", False), ("2.0.0", True)])
def test_a_smaller_raise_is_refused(tmp_path: Path, version: str, passes: bool) -> None:
    found = judge(tmp_path, "  a: lower | equal\n", "  a: equal\n", version=version)
    assert (found.suffices, found.needed) == (passes, "2.0.0")


def test_a_broken_version_is_told_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(scoring.SpecError, match="nothing is called `eqal`"):
        judge(tmp_path, "  a: eqal\n", "  a: equal\n")


@pytest.mark.parametrize("depth", [150, 199, 700, 5_000])
def test_values_that_are_nested_deeply_are_tried(tmp_path: Path, depth: int) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"prediction": "' + "[" * depth + "]" * depth + '", "reference": "a"}\n')
    found = judge(tmp_path, "  a: json | equal\n", "  a: literal_list | equal\n", data=data)
    assert found.part == "major"


def test_every_process_tries_and_shows_the_same(tmp_path: Path) -> None:
    judge(tmp_path, "  a: words | to_set | jaccard\n", "  a: lower | words | to_set | jaccard\n")
    code = "import json, scoring; print(json.dumps(scoring.check('new.yaml', against='old.yaml').judgement.to_json()))"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(said) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.yaml", "old.yaml"]  # no cache of hypothesis


def test_no_constants_of_imported_modules_are_drawn() -> None:
    """What a process has imported decides nothing: hypothesis would draw constants of all code outside of packages."""
    seen: set[int] = set()

    class Same:
        def moved(self, inputs: Sequence[TriedInput], /) -> list[Moved]:
            seen.add(len(providers._get_local_constants()))
            return []

    search = SmallestInput("x")
    inputs: Any = st.tuples(st.text(), st.integers())
    assert search.find([Same()], inputs, 60) is None
    assert seen == {0}
    assert len(providers._get_local_constants()) > 0
