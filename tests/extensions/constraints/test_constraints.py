"""What a text must hold, and what a poem must be."""

from __future__ import annotations

import pytest

pytest.importorskip("pronouncing", reason="the extra `poetry` is not installed")
pytest.importorskip("punkt", reason="the extra `poetry` is not installed")

from scoring.extensions.constraints.checks import has_length, meets_constraints, occurrences, singular
from scoring.extensions.poetry.verse import (
    has_acrostic,
    has_alliteration,
    has_meter,
    has_rhyme_scheme,
    has_syllables,
    line_counts,
    pronunciations,
)
from scoring.result import Unscored

HAIKU = "An old silent pond\nA frog jumps into the pond\nSplash! Silence again."


@pytest.mark.parametrize(("plural", "one"), [
    ("cats", "cat"), ("mice", "mouse"), ("leaves", "leaf"), ("puppies", "puppy"), ("boxes", "box"),
    ("glasses", "glass"),
    ("houses", "house"), ("sizes", "size"), ("women", "woman"), ("firemen", "fireman"), ("bus", "bus"),
    ("buses", "bus"),
    ("glass", "glass"), ("his", "his"), ("is", "is"), ("potatoes", "potato"), ("wolves", "wolf"), ("gloves", "glove"),
    ("children", "child"), ("series", "series"), ("quizzes", "quiz"), ("matches", "match"), ("dishes", "dish"),
])  # fmt: skip
def test_the_singular_of_a_noun(plural: str, one: str) -> None:
    assert singular(plural) == one


@pytest.mark.parametrize(("text", "words", "times"), [
    ("Dogs! A dog's bone; **dog**", ["dog"], 3), ("hotdogs", ["dog"], 0), ("a polar bear", ["polar bears"], 1),
    ("polar ice bear", ["polar bear"], 0), ("it’s a cat’s tail", ["cat"], 1), ("", ["cat"], 0), ("cat", ["", " "], 0),
    ("cat kitten", ["cat", "kitten", "cats"], 2),
])  # fmt: skip
def test_how_often_words_stand_in_a_text(text: str, words: list[str], times: int) -> None:
    assert occurrences(text, words) == times


@pytest.mark.parametrize(("constraints", "text", "score"), [
    ({"contain": "[cat, kitten]"}, "Kittens play.", 1), ({"contain": ""}, "", 1),
    ({"contain1": "[cat]", "contain2": "[dog]"}, "a cat", 0),
    ({"contain##times": "[cat]##2"}, "cat, cats", 1), ({"contain##times": "[cat]##0"}, "dog", 1),
    ({"contain##position": "[cat]##2"}, "A dog. A cat.", 1), ({"contain##position": "[cat]##9"}, "A cat.", 0),
    ({"contain##position_only": "[cat]##1"}, "A cat. A cat.", 0),
    ({"contain##position_only": "[cat]##1"}, "A cat. A dog.", 1),
    ({"contain_only": "[[polar bear], [fox]]"}, "a polar bear", 1), ({"contain_only": "[[fox], [cat]]"}, "fox, cat", 0),
    ({"length": "<3"}, "one two", 1), ({"length": ">=3"}, "one two", 0), ({"length": "=2"}, "one two", 1),
    ({"length": "<0"}, "", 0),
    ({"acrostic": "cat"}, "Can\nAll\nTell", 1), ({"acrostic": "ca t"}, "Can\nAll\n\nTell", 1),
    ({"acrostic_alliteration": "ca"}, "Cold cat\nAll animals", 1),
    ({"acrostic_alliteration": "ca"}, "Cold dog\nAll animals", 0),
    ({"syllables": "575"}, HAIKU, 1), ({"rhyming_scheme": "aa"}, "a night\na light", 1),
    ({"poetry_meter": "iambic"}, "the old below it", 0),
])  # fmt: skip
def test_constraints_as_data(constraints: dict[str, str], text: str, score: float) -> None:
    assert meets_constraints(text, None, constraints=constraints) == score


@pytest.mark.parametrize("constraints", [
    {}, {"colour": "red"}, {"contain": 3}, {"contain": "[]"}, {"contain##times": "[cat]"}, {"length": "five"},
    {"poetry_meter": "waltz"}, {"syllables": "abc"},
])  # fmt: skip
def test_a_constraint_nobody_can_read_is_no_zero(constraints: dict[str, object]) -> None:
    with pytest.raises(Unscored):
        meets_constraints("text", None, constraints=constraints)


@pytest.mark.parametrize(("word", "counts"), [
    ("pierces", {1, 2}), ("flits", {1}), ("jumped", {1}), ("wanted", {2}), ("o'er", {2}), ("'neath", {1}),
    ("fiery", {2, 3}),
    ("kitty's", {2}), ("glimmered", {2}), ("blorptastic", set()), ("hour", {1, 2}),
])  # fmt: skip
def test_syllables_of_a_word(word: str, counts: set[int]) -> None:
    assert line_counts([word]) == counts


def test_any_pronunciation_counts() -> None:
    assert len(pronunciations("read")) == 2
    assert has_rhyme_scheme("I read\nin bed", None, scheme="aa") == 1
    assert has_rhyme_scheme("I read\na reed", None, scheme="aa") == 1


@pytest.mark.parametrize(("poem", "pattern", "score"), [
    (HAIKU, "575", 1), (HAIKU, "576", 0), (HAIKU, "57", 0), (HAIKU, "[4,6][7][5]", 1), (HAIKU + "\n\nPond", "575 1", 1),
    ("a blorptastic day", "5", 0), ("a well-known hill", "4", 1),
])  # fmt: skip
def test_syllables_of_lines(poem: str, pattern: str, score: float) -> None:
    assert has_syllables(poem, None, pattern=pattern) == score


@pytest.mark.parametrize(("poem", "scheme", "loose", "score"), [
    ("night\nday\nlight\nplay", "abab", False, 1), ("night\nlight\nday\nplay", "abab", False, 0),
    ("night\nlight\n\nday\nplay", "aa bb", False, 1), ("night\nlight", "ab", False, 0),
    ("purple\nmaple", "aa", False, 0),
    ("purple\nmaple", "aa", True, 1), ("night\nblorp", "ab", False, 0), ("“the night”\n*the light*", "aa", False, 1),
])  # fmt: skip
def test_rhyme_schemes(poem: str, scheme: str, loose: bool, score: float) -> None:
    assert has_rhyme_scheme(poem, None, scheme=scheme, loose=loose) == score


@pytest.mark.parametrize(("line", "meter", "score"), [
    ("because the winter light returned", "iambic", 1), ("running through the winter light", "iambic", 0),
    ("running through the winter", "trochaic", 1), ("the middle of the night", "anapestic", 0),
    ("wandering animal", "dactylic", 1), ("", "iambic", 0), ("blorp the cat", "iambic", 0),
])  # fmt: skip
def test_meter(line: str, meter: str, score: float) -> None:
    assert has_meter(line, None, meter=meter) == score  # type: ignore[arg-type]


def test_acrostics() -> None:
    assert has_acrostic("“Can\n*All*\nTell", None, word="CAT") == 1
    assert has_alliteration("", None) == 0


def test_a_length_needs_a_bound() -> None:
    with pytest.raises(Unscored):
        has_length("text", None)
    assert has_length("well-known don't", None, least=2, most=2) == 1
