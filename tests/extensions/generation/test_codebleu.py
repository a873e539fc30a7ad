"""CodeBLEU where the official code leaves something open: the extra, bounds, weights, whole data sets."""

from __future__ import annotations

import sys

import pytest

import scoring
from scoring.extensions.generation.code import source
from scoring.extensions.generation.code.codebleu import corpus_codebleu
from scoring.extensions.generation.code.source import StepsLeft, without_comments
from scoring.result import Unscored
from scoring.statistics.rows import Rows

JAVA, PYTHON = (f'codebleu(language="{language}")' for language in ("java", "python"))


def reason(scorer: str, text: str, reference: str = "x = 1") -> str:
    found = scoring.scorer(scorer).score(text, reference)
    assert found.status == "unscored", found
    return str(found.reason)


@pytest.fixture
def grammars() -> None:
    pytest.importorskip("tree_sitter_python", reason="the extra `code` is not installed")
    pytest.importorskip("tree_sitter_java", reason="the extra `code` is not installed")


def test_without_tree_sitter_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    source.parser_of.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert reason(PYTHON, "a") == "CodeBLEU needs the extra `code`: pip install 'scoring-dsl[code]'"


def test_weights_are_four() -> None:
    assert reason('codebleu(language="java", weights=[1.0])', "a") == "CodeBLEU needs 4 weights, not 1"
    with pytest.raises(Unscored, match="4 weights, not 0"):
        corpus_codebleu(Rows.of_scores([1.0], response=["a"], reference=["a"]), language="java", weights=())


def test_weights_bound_the_range() -> None:
    found = scoring.scorer('codebleu(language="java", weights=[1.0, 1.0, -0.5, 0.0])').range
    assert (found.low, found.high) == (-0.5, 2.0)


@pytest.mark.usefixtures("grammars")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x" * 50_001, "a program of more than 50,000 characters is not compared"),
        ("-" * 40_000 + "1", "a program with more than 150 levels of syntax is not compared"),
        ("\\'" * 25_000, "the programs take more than 3,000,000 steps to compare"),
        (
            "".join(f"{' ' * depth}for x{depth} in y:\n" for depth in range(40)) + " " * 40 + "pass",
            "the programs take more than 3,000,000 steps to compare",
        ),
        ("if a:\n  b=1\n" * 4_000, "the programs take more than 3,000,000 steps to compare"),
    ],
)
def test_what_is_too_much_work_is_unscored_with_a_reason(text: str, told: str) -> None:
    assert reason(PYTHON, text) == told
    assert reason(PYTHON, "x = 1", text) == told


@pytest.mark.usefixtures("grammars")
@pytest.mark.parametrize("text", ["", "\x00", "\ud83d = 1", "(" * 20_000, "/*" * 20_000, "é" * 9, "}" * 9])
@pytest.mark.parametrize("scorer", [JAVA, PYTHON])
def test_what_is_no_program_is_scored_without_failing(scorer: str, text: str) -> None:
    for sides in ((text, "x = 1"), ("x = 1", text)):
        assert 0 <= scoring.scorer(scorer).score(*sides).value <= 1


@pytest.mark.usefixtures("grammars")
def test_renamed_variables_flow_alike() -> None:
    flow = scoring.scorer('codebleu(language="python", weights=[0.0, 0.0, 0.0, 1.0])')
    text = "for {0} in {1}:\n    {2} = {0} + {1}\n    {0} = {2} * {1}"
    assert flow.score(text.format("a", "b", "c"), text.format("z", "y", "x")).value == 1
    assert flow.score("pass", "pass").value == 0  # as in the official code


@pytest.mark.usefixtures("grammars")
def test_an_unreadable_response_counts_as_an_empty_one_in_a_data_set() -> None:
    def figure(*texts: object) -> float:
        rows = Rows.of_scores([1.0] * len(texts), response=[*texts], reference=["a = b + c ;"] * len(texts))
        return float(corpus_codebleu(rows, language="java").value() or 0)

    assert figure("a = b + c ;", "x" * 50_001) == figure("a = b + c ;", "") == figure("a = b + c ;", None)
    assert 0 < figure("a = b + c ;", "") < figure("a = b + c ;", "a = b ;") < figure("a = b + c ;") == 1
    rows = Rows.of_scores([1.0], response=["a"], reference=["x" * 50_001])
    found = corpus_codebleu(rows, language="java")
    assert found.value() is None
    assert found.details()["why_not"] == {"a reference can't be compared": 1}


@pytest.mark.parametrize(
    ("text", "left"),
    [("a /* b", "a /* b"), ("/*/ a */ b", "  b"), ("'\\'//' // c", "'\\'//'  "), ("'//\n\n \n/* 1 */x", "' \n x")],
)
def test_comments_are_removed_as_a_pattern_would(text: str, left: str) -> None:
    assert without_comments(text, StepsLeft()) == left
