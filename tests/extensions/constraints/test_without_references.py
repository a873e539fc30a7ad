"""What a scorer reads decides whether a record needs a reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring

ALONE = "has_length(most=3)"
RECORD = {"id": 1, "response": "a b c"}


def task(**spec: Any) -> Any:
    return scoring.load({"kind": "task", "name": "t", **spec})


@pytest.mark.parametrize(
    ("scorer", "needs"),
    [
        ("equal", True),
        (ALONE, False),
        (f"lower | strip | {ALONE}", False),
        (f"any_of({ALONE}, has_word(words=['b']))", False),
        (f"any_of({ALONE}, equal)", True),
        (f"all_of({ALONE}, lower | any_of({ALONE}, equal))", True),
        (f"all_of(attempt({ALONE}), {ALONE} | invert)", False),
        (f"when(test={ALONE}, then={ALONE}, otherwise=levenshtein)", True),
        (f"switch(on=record.kind, near={ALONE}, far={ALONE})", False),
        (f"switch(on=record.kind, near={ALONE}, far=equal)", True),
        (f"cascade(rule={ALONE}, unsure={ALONE})", False),
        (f"any_reference({ALONE})", True),
        (f"align({ALONE})", True),
        ("sides(reference=value_of(context.answer)) | equal", False),
        ("sides(reference=value_of(reference.answer)) | equal", True),
        ("sides(prediction=lower) | has_word(words=reference)", True),
        ("has_word(words=record.words)", False),
    ],
)
def test_what_is_read_is_known_before_a_record_is(scorer: str, needs: bool) -> None:
    assert task(score=scorer).needs_reference is needs
    assert scoring.scorer(scorer).reads_reference is needs


@pytest.mark.parametrize("scorer", [ALONE, f"lower | strip | {ALONE}", f"any_of(lower | {ALONE}, {ALONE})"])
def test_a_record_without_a_reference_is_scored(scorer: str) -> None:
    found = task(score=scorer)
    assert found.score(RECORD).score == 1.0
    assert [one.score for one in found.score_batch([RECORD, {**RECORD, "response": "a b c d"}])] == [1.0, 0.0]
    assert found.score_parts("a b c").score == 1.0
    assert found.score({**RECORD, "reference": "anything"}).score == 1.0


def test_a_scorer_that_reads_values_of_the_row_needs_the_reference_that_it_compares_with() -> None:
    found = task(score=f"switch(on=record.kind, near={ALONE}, far=equal)")
    assert found.score({**RECORD, "kind": "far"}).reason == "the record has no reference"


def test_the_fields_that_read_a_reference_are_unscored_without_it_and_the_others_are_scored() -> None:
    found = task(parse="json", fields={"short": ALONE, "right": "equal"}, aggregate="short")
    result = found.score({"response": {"short": "a b c", "right": "x"}})
    assert result.score == 1.0
    assert result.fields["right"].reason == "the record has no reference"
    assert [one.score for one in found.score_batch([{"response": {"short": "a b c d", "right": "x"}}])] == [0.0]


def test_a_field_that_reads_no_reference_is_applicable_where_the_reference_lacks_it() -> None:
    found = task(parse="json", fields={"short": ALONE, "right": "equal"})
    result = found.score({"response": {"short": "a b c d", "right": "x"}, "reference": {"right": "x"}})
    assert (result.fields["short"].status, result.score) == ("scored", 0.5)


def test_a_parameter_decides_what_a_packs_scorer_reads(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text(
        "kind: pack\nname: house\nversion: 1.0.0\nscorers:\n"
        "  twice:\n    doc: Both.\n    params: {inner: {type: pipeline, default: equal}}\n"
        f"    score: all_of({ALONE}, inner)\n"
    )
    for inner, needs in ((ALONE, False), ("equal", True)):
        spec = f"kind: task\nname: t\nimports: {{house: ./house.yaml}}\nscore: 'house.twice(inner={inner})'\n"
        (tmp_path / "task.yaml").write_text(spec)
        assert scoring.load(tmp_path / "task.yaml").needs_reference is needs
