"""The signature names everything that can change a number."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.compiler.signature import libraries


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [("lower | equal", set()), ("levenshtein", {"rapidfuzz"}), ("any_of(equal, levenshtein)", {"rapidfuzz"})],
)
def test_libraries_are_found_in_the_steps(expression: str, wanted: set[str]) -> None:
    assert set(libraries([scoring.scorer(expression).program])) == wanted


def test_libraries_are_found_behind_helpers() -> None:
    near = scoring.scorer("megabench-upstream@1:near_str_match").program
    assert {"rapidfuzz", "text_unidecode"} <= set(libraries([near]))
    assert "jieba" in libraries([scoring.scorer("megabench-upstream@1:gleu_cn").program])


def test_the_line_names_task_packs_and_seed() -> None:
    spec = {"kind": "task", "name": "t", "version": "2.0.0", "imports": {"m": "megabench@1"}, "score": "m.set_equality"}
    task = scoring.load(spec)
    assert task.signature.startswith("t@2.0.0|spec:")
    assert "|megabench:1.0.0+" in task.signature
    assert task.signature.endswith("|seed:0")
    assert task.seeded(7).signature.endswith("|seed:7")


def test_another_spec_is_another_signature() -> None:
    one = scoring.load({"kind": "task", "name": "t", "score": "lower | equal"}).signature
    other = scoring.load({"kind": "task", "name": "t", "score": "upper | equal"}).signature
    assert one != other


def test_a_judge_belongs_to_the_signature_of_what_asks_it() -> None:
    from scoring.judge.asking.scripted import ScriptedJudge
    from scoring.judge.protocol import use_judge

    spec = {"kind": "task", "name": "t", "imports": {"m": "megabench@1"}, "score": "m.gpt_4o_as_judge"}
    task = scoring.load(spec)
    with use_judge(ScriptedJudge([])):
        assert "|judge:scripted+" in task.signature
    assert "judge:" not in scoring.load({"kind": "task", "name": "t", "score": "equal"}).signature


def test_a_library_of_a_worker_and_the_sandbox_are_named() -> None:
    assert "sympy" in libraries([scoring.scorer("megabench@1:latex_expr_equality").program])
    task = scoring.load({"kind": "task", "name": "t", "imports": {"m": "megabench@1"}, "score": "m.program_judge"})
    assert "|sandbox:" in task.signature


def test_two_packs_of_one_name_are_both_named(tmp_path: Path) -> None:
    for folder, version in (("a", "1.0.0"), ("b", "2.0.0")):
        (tmp_path / folder).mkdir()
        pack = f"kind: pack\nname: house\nversion: {version}\nscorers: {{same: lower | equal}}\n"
        (tmp_path / folder / "house.yaml").write_text(pack)
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: t\nimports: {a: ./a/house.yaml, b: ./b/house.yaml}\nscore: any_of(a.same, b.same)\n"
    )
    signature = scoring.load(tmp_path / "task.yaml").signature
    assert "|house:1.0.0+" in signature
    assert "|house@2.0.0:2.0.0+" in signature
