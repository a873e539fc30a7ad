"""Instructions about the form of a text: counts, parts, letters, languages, JSON."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import scoring


@pytest.mark.parametrize(
    ("pipeline", "text", "score"),
    [
        ('words | length | number_is("at least", 2)', "one two", 1.0),
        ('words | length | number_is("less than", 2)', "one two", 0.0),
        ('words | length | number_is("at most", 2)', "one two", 1.0),
        ('words | length | number_is("more than", 2)', "one two", 0.0),
        ("words | length | number_is(to=2)", "one two", 1.0),
        (r'has_parts(r"\s?\*\*\*\s?", 2)', "A *** B", 1.0),
        (r'has_parts(r"\s?\*\*\*\s?", 2)', "*** A *** B ***", 1.0),
        (r'has_parts(r"\s?\*\*\*\s?", 2)', "A *** *** B", 0.0),
        (r'has_parts(r"\s?\*\*\*\s?", 1)', "", 0.0),
        (r'has_parts(r"\s?\*\*\*\s?", 0)', "", 1.0),
        (r'has_parts(r"\*{6}", 2, different=true)', "A ****** A", 0.0),
        ('has_paragraph(2, 2, "two")', "One.\n\n'Two', he said", 1.0),
        ('has_paragraph(2, 2, "two")', "One.\n\n\n\nTwo", 0.0),
        ('has_paragraph(3, 2, "two")', "One.\n\nTwo", 0.0),
        ('has_paragraph(1, 1, "x")', "", 0.0),
        ('in_case("upper")', "ÉTÉ 7", 1.0),
        ('in_case("lower")', "Été", 0.0),
        ('in_case("upper")', "7", 0.0),
        ("is_json", '{"a": [1, "x"]}', 1.0),
        ("is_json", "{a: 1}", 0.0),
        ("is_json", "NaN", 0.0),
        ("is_json(constants=true)", "[NaN, -Infinity]", 1.0),
        ("is_json", "1" * 5000, 0.0),
        ("sentences | length | number_is(to=3)", "Dr. Fox came. He sat! . ", 1.0),
        ("capital_words | length | number_is(to=3)", "I SAW the U.S. flag.", 1.0),
        ('in_language("de")', "Das ist ein kurzer Satz, den jeder versteht.", 1.0),
        ('in_language("en", undetected=1)', "12 + 3", 1.0),
        ('in_language("en")', "12 + 3", 0.0),
        ('find_all(["b", "a"]) | join("") | sides(reference=value_of("baa")) | equal', "aba", 1.0),
        ('find_all("c", around="(?i)[{}]") | length | number_is(to=2)', "c C", 1.0),
        ('sides(prediction=variants(lower, upper)) | any_prediction(equal)', "Tea", 1.0),
    ],
)  # fmt: skip
def test_scores(pipeline: str, text: str, score: float) -> None:
    assert scoring.scorer(pipeline).score(text, "TEA").value == score


def task_of(score: str) -> scoring.Task:
    return scoring.load({"kind": "task", "name": "t", "record": {"args": "args"}, "score": score})


@pytest.mark.parametrize(
    ("score", "args", "reason"),
    [
        ("words | length | number_is(record.args.how, 3)", {"how": "about"}, "`number_is` does not know"),
        ("words | length | number_is(to=record.args.n)", {"n": "3"}, "`to` of `number_is` takes Number"),
        ('matches(record.args.word, around=r"\\b{}\\b")', {"word": "c**"}, "this is no pattern: multiple repeat"),
        ("has_parts(record.args.by, 2)", {"by": "("}, "this is no pattern: missing )"),
        ("is_json", {}, "the JSON of the text is nested too deeply to be read"),
        ("language | equal", {}, "the language of this text can't be detected: it has too few letters"),
        ("value_of(record.args.a) | zip_items(n=record.args.b) | to_text | contains", {"a": ["x"], "b": []},
         "lists of different lengths don't stand side by side"),
        ("any_prediction(equal)", {}, "there is no prediction to compare"),
    ],
)  # fmt: skip
def test_what_can_not_be_scored_says_why(score: str, args: dict[str, Any], reason: str) -> None:
    response: Any = "[" * 300 if score == "is_json" else [] if score.startswith("any") else "1 2"
    found = task_of(score).score({"id": 1, "response": response, "reference": "x", "args": args}).outcome
    assert found.value is None
    assert (found.reason or "").startswith(reason)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ('matches(record.args.word, around="x")', "`{}` stands for the pattern once in `around`"),
        ('find_all("a", around="({}")', "this is no pattern: missing )"),
        ('find_all(["a", "("])', "this is no pattern: missing )"),
        ('has_parts("(", 2)', "this is no pattern: missing )"),
        ('words | length | number_is("about", 2)', '`number_is` does not know "about" for `relation`'),
    ],
)
def test_mistakes_are_found_with_the_spec(score: str, message: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        task_of(score)
    assert message in str(refused.value)


def test_lists_stand_side_by_side() -> None:
    pairs = 'sides(prediction=value_of(context.kinds) | zip_items(name="kind", word=context.words)) | equal'
    expected = [{"kind": "has", "word": "tea"}, {"kind": "near", "word": "ten"}]
    context = {"kinds": ["has", "near"], "words": ["tea", "ten"]}
    assert scoring.scorer(pairs).score("x", expected, context=context).value == 1.0


def test_a_language_is_told_alike_whatever_was_told_before() -> None:
    """Given a detector that draws at random, then the same text always gives the same language."""
    compare = scoring.scorer('in_language("no")')
    texts = ["hello world", "Ja, det er en fin dag.", "hva skjer", "pan", "otec matka syn"]
    first = [compare.score(text, None).value for text in texts]
    assert [compare.score(text, None).value for text in reversed(texts)] == first[::-1]


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from scoring.extensions.constraints import form

    form._detectors.cache_clear()
    monkeypatch.setitem(sys.modules, "langdetect.detector_factory", None)
    found = scoring.scorer('in_language("en", undetected=1)').score("text", None)
    assert found.value is None
    assert (
        found.reason
        == "telling a text's language needs the extra `instructions`: pip install 'scoring-dsl[instructions]'"
    )


@pytest.mark.parametrize(
    "text", ["." * 200_000, "a. " * 30_000, " " * 200_000, "A" * 200_000, "a@" * 100_000, '"' * 200_000]
)
@pytest.mark.parametrize("pipeline", ["sentences", "capital_words"])
def test_long_texts_are_parted_in_bounded_time(pipeline: str, text: str) -> None:
    import time

    start = time.process_time()
    scoring.scorer(f'{pipeline} | length | number_is("at least", 0)').score(text, None)
    scoring.scorer('in_language("en")').score(text, None)
    assert time.process_time() - start < 20
