"""The signature names everything that can change a number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.compiler.identity.signature import Recipe, Signature, recipe, signature_line


def made_of(expression: str) -> Recipe:
    return recipe("t", "", [scoring.scorer(expression).program])


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [("lower | equal", set()), ("levenshtein", {"rapidfuzz"}), ("any_of(equal, levenshtein)", {"rapidfuzz"})],
)
def test_libraries_are_those_of_the_steps(expression: str, wanted: set[str]) -> None:
    assert set(made_of(expression).libraries()) == wanted


def test_the_line_has_two_parts() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "version": "2.0.0",
        "imports": {"m": "megabench@1"},
        "score": "m.simple_str_match",
    }
    task = scoring.load(spec)
    line = task.signature
    assert re.fullmatch(
        r"t@2\.0\.0\|meaning:[0-9a-f]{16}\|seed:0\|packs:megabench 1\.0\.0\|env:scoring [\d.]+, python \d\.\d+.*", line
    )
    assert line == f"t@2.0.0|meaning:{line.meaning}|packs:megabench 1.0.0|env:{line.env}"
    assert task.seeded(7).signature.meaning == line.meaning.replace("seed:0", "seed:7")


def test_another_release_of_a_library_is_another_environment_and_the_same_meaning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "levenshtein"})
    before = task.signature
    monkeypatch.setattr("scoring.compiler.identity.signature.library_version", lambda name: "99.1.2")
    after = task.signature
    assert (after.meaning, "rapidfuzz 99.1" in after.env) == (before.meaning, True)
    assert before.env != after.env


def test_an_expression_with_bars_is_a_label_like_any_other() -> None:
    line = scoring.scorer('replace(old="|meaning:0", new="|env:none") | equal').signature
    assert line.env.startswith("scoring ")
    assert re.fullmatch(r"[0-9a-f]{16}\|seed:0", line.meaning)


@pytest.mark.parametrize("line", ["", "t", "t@1|spec:00|seed:0", "|", "t|meaning"])
def test_a_line_of_before_or_of_others_has_no_parts(line: str) -> None:
    assert (Signature(line).meaning, Signature(line).env) == ("", "")


def test_another_spec_is_another_signature() -> None:
    one = scoring.load({"kind": "task", "name": "t", "score": "lower | equal"}).signature
    other = scoring.load({"kind": "task", "name": "t", "score": "upper | equal"}).signature
    assert one != other


def test_two_packs_of_one_name_are_both_named(tmp_path: Path) -> None:
    for folder, version in (("a", "1.0.0"), ("b", "2.0.0")):
        (tmp_path / folder).mkdir()
        pack = f"kind: pack\nname: house\nversion: {version}\nscorers: {{same: lower | equal}}\n"
        (tmp_path / folder / "house.yaml").write_text(pack)
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: t\nimports: {a: ./a/house.yaml, b: ./b/house.yaml}\nscore: any_of(a.same, b.same)\n"
    )
    signature = scoring.load(tmp_path / "task.yaml").signature
    assert "|packs:house 1.0.0, house 2.0.0|" in signature


SEPARATORS = ["|", ",", ", ", ":", "@", "%", "%7C", "%7c", '"', " ", "|meaning:", "|env:"]
STEERING = ["\n", "\r\n", "\u2028", "\x85", "\x1b", "\u202e", "\ud800"]
TEXTS = st.lists(st.sampled_from([*SEPARATORS, *STEERING, "a", "0", "7C"]), max_size=5).map("".join)
LISTS = st.lists(TEXTS, min_size=1, max_size=3)
PARTS = st.dictionaries(st.sampled_from(["judge", "seed", "packs", "env"]), TEXTS | LISTS)


@given(TEXTS, TEXTS, PARTS, PARTS)
def test_no_text_in_a_signature_can_stand_for_another_part(
    label: str, other_label: str, parts: dict[str, str | list[str]], others: dict[str, str | list[str]]
) -> None:
    line = signature_line(label, {"meaning": "00", **parts})
    assert list(line.parts) == ["task", "meaning", *parts]
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", line)
    assert all(len(line.parts[name].split(", ")) == len(held) for name, held in parts.items() if isinstance(held, list))
    if list(parts) == list(others) and (label, parts) != (other_label, others):
        same_kinds = all(isinstance(parts[name], list) == isinstance(others[name], list) for name in parts)
        assert not same_kinds or line != signature_line(other_label, {"meaning": "00", **others})


def test_an_expression_over_several_lines_has_a_signature_on_one() -> None:
    assert scoring.scorer("lower |\n equal").signature.startswith("lower |%0A equal@0|meaning:")
