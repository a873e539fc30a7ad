"""A step on the reference that never runs is told at its place; one that runs anywhere is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.api.specs import check

HEAD = "kind: task\nname: a/b\nversion: 1.0.0\n"
PACK = "kind: pack\nname: a/p\nversion: 1.0.0\nscorers:\n"
PASSES_A = 'matches("a")'


def found(folder: Path, text: str) -> list[str]:
    """Return what `check` says of unused steps in a file of the given text, with the text at each place."""
    path = folder / "spec.yaml"
    path.write_text(text)
    findings = check(path).findings
    assert {one.id for one in findings} <= {"unused-step"}
    return [f"{one.span.text if one.span else ''}: {one.message}" for one in findings]


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        (
            "score: sides(reference=number | value_of(record.x)) | equal\n",
            "number: `number` has no effect: `value_of` replaces the reference after it",
        ),
        (
            "score: sides(reference=record.y | lower) | sides(reference=record.x) | equal\n",
            "record.y | lower: `record.y | lower` has no effect: `record.x` replaces the reference after it",
        ),
        (
            f"score: sides(reference=lower) | any_of({PASSES_A}, {PASSES_A})\n",
            "lower: `lower` has no effect: `any_of` does not look at the reference",
        ),
        (
            "score: any_of(sides(reference=strip | value_of(record.x)) | equal, equal)\n",
            "strip: `strip` has no effect: `value_of` replaces the reference after it",
        ),
        (
            "fields: {x: sides(reference=norm | value_of(record.x)) | equal, y: norm | equal}\n"
            "parsers: {norm: lower | strip}\n",
            "norm: `norm` has no effect: `value_of` replaces the reference after it",
        ),
        (
            f"parse: sides(reference=number)\nscore: {PASSES_A}\n",
            "number: `number` has no effect: no field looks at the reference",
        ),
        (
            "parse: sides(reference=number)\nscore: sides(reference=record.x) | equal\n",
            "number: `number` has no effect: no field looks at the reference",
        ),
    ],
)
def test_a_step_that_never_runs_is_told(rest: str, told: str, tmp_path: Path) -> None:
    assert found(tmp_path, HEAD + rest) == [told]


@pytest.mark.parametrize(
    "rest",
    [
        "score: sides(reference=value_of(record.x) | number) | equal\n",
        "score: sides(prediction=number | value_of(record.x)) | equal\n",
        f"score: lower | {PASSES_A}\n",
        "score: lower | sides(reference=value_of(record.x)) | equal\n",
        f"score: sides(reference=lower) | any_of({PASSES_A}, equal)\n",
        f"fields: {{x: to_both | {PASSES_A}, y: equal}}\nparsers: {{to_both: lower | strip}}\n",
        "score: equal\nparse: sides(reference=number | value_of(record.x))\n",
        f"parse: sides(reference=lower)\nfields: {{x: equal, y: '{PASSES_A}'}}\n",
    ],
)
def test_a_step_that_runs_anywhere_is_not_told(rest: str, tmp_path: Path) -> None:
    assert found(tmp_path, HEAD + rest) == []


def test_a_definition_that_takes_a_scorer_is_not_judged_by_its_default(tmp_path: Path) -> None:
    taking = f"score: sides(reference=strip) | test, params: {{test: {{type: pipeline, default: '{PASSES_A}'}}}}"
    assert found(tmp_path, PACK + f"  near: {{{taking}, doc: Near.}}\n") == []


def test_a_definition_of_a_pack_is_told(tmp_path: Path) -> None:
    whole = f"  near: {{score: 'sides(reference=strip) | {PASSES_A}', doc: Near.}}\n"
    assert found(tmp_path, PACK + whole) == ["strip: `strip` has no effect: `matches` does not look at the reference"]


def test_a_step_of_an_imported_pack_is_told_where_it_is_called(tmp_path: Path) -> None:
    pack = PACK.replace("scorers", "parsers") + "  norm: {parse: lower | strip, doc: Lower.}\n"
    (tmp_path / "p.yaml").write_text(pack)
    called = f"imports: {{p: ./p.yaml}}\nscore: sides(reference=p.norm) | {PASSES_A}\n"
    told = "p.norm: `p.norm` has no effect: `matches` does not look at the reference"
    assert found(tmp_path, HEAD + called) == [told]
