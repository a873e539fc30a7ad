"""What grows: forms of texts and values of any length, and everything shipped that they can be given to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.registry import registry
from tests.fuzz.targets.packs import members
from tests.support.recipes import recipes

ARGUMENTS = {
    "above": "0.5", "at_least": "0.5", "more_than": "0.5", "cutoff": "0.5", "closer_than": "0.5",
    "allowed_call": '[{name="f", parameters={}}]', "any_prediction": "levenshtein", "apply_patch": '{"a.txt"="a"}',
    "combine": '"a + b", a=equal, b=levenshtein', "each": "over=record.items, score=levenshtein, join=mean",
    "has_paragraph": 'number=2, of=3, first_word="a"', "has_parts": '"[,;]", 3', "in_case": '"upper"',
    "in_language": '"en"', "matches_schema": '{type="array", items={type="number"}}',
    "named_option": '["blue", "red"]', "nearest_option": '["blue", "red"]', "option_text": '["blue", "red"]',
    "number_is": '"at least", 3', "replace_each": '{a="b", b="cc"}', "value_at": '"k"', "variants": "lower, upper",
    "vlmevalkit_upstream_choice": '["blue", "red"]', "without": '"a"',
    "align": "levenshtein", "all_of": "equal, contains", "any_of": "equal, contains", "any_reference": "levenshtein",
    "attempt": "equal", "average_of": "equal, contains", "cascade": "rule=equal, unsure=levenshtein",
    "fallback": "number, json", "first_of": "equal, contains", "has_acrostic": '"word"',
    "find": '"a+b"', "find_all": '"a+b|1"', "find_groups": '"(?P<one>a+)b"',
    "has_one_group": '[["a", "b"], ["c"]]', "has_rhyme_scheme": '"ABAB"', "has_syllables": '"5-7-5"',
    "has_word": '["a", "bc"]', "has_word_in_sentence": '["a"], 1', "has_word_times": '["a"], 2',
    "in_any_box": "[[0, 0, 1, 1]]", "is_sure": "equal", "item": "0", "keep": "number",
    "map_items": "lower", "map_values": "lower",
    "map_words": '{ab="c", the="a"}', "matches": '"(a|b)+"',
    "match_in_order": "levenshtein", "meets_constraints": '{contain="[cat, kitten]", length="<5"}',
    "ngrams": "3", "per_key": "levenshtein",
    "remove_characters": '"abc"', "replace": '"a", "b"', "replace_pattern": '"a+b", "c"',
    "shape_as": '"polygon"', "sides": "prediction=lower",
    "split_pattern": '"[,b]"', "strip_end_of_items": '"a"',
    "tree": "levenshtein", "switch": 'on="a", a=equal',
    "under_key": '"k"', "when": "equal, levenshtein", "value_of": "record.answer",
    "megabench_upstream_mean_over_union": "equal", "megabench_upstream_whole_answer": "levenshtein",
    "solves_plan": "record.domain, record.problem", "megabench_upstream_reaches_goal": "record.domain, record.problem",
    "megabench_upstream_constrained_generation": '{contain="[cat, kitten]", length="<5"}',
    "megabench_upstream_tagged_point_in_boxes": "[[0, 0, 1, 1]]",
}  # fmt: skip
# Those that ask a model, a service or a sandbox, whose work is not their own; what a task's whole list is given to.
ELSEWHERE = ("judge", "entail", "geocode", "run_tests", "run_asserts", "bertscore", "comet",
             "megabench_upstream_place_nearness")  # fmt: skip
_PUDDING = "the quick brown fox jumps over the lazy dog and runs away from 12 angry bears "


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Texts of about so many characters by the name of their form."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(size // 7)]
    yield "one letter", "a" * size
    yield "words", " ".join(words)
    yield "the same word", "ab " * (size // 3)
    yield "letters", "".join(draw.choices("abcdefgh", k=size))
    yield "sentences", ". ".join([_PUDDING.capitalize()] * (size // len(_PUDDING)))
    yield "lines", "\n".join(words)
    yield "digits", "7" * size
    yield "numbers", "1.5, " * (size // 5)
    yield "spaces", " " * size
    yield "newlines", "\n" * size
    yield "commas", "," * size
    yield "dots", "." * size
    yield "minus", "-" * size
    yield "quotes", "\"'" * (size // 2)
    yield "backslashes", "\\" * size
    yield "open", "[" * size
    yield "objects opened", '{"' * (size // 2)
    yield "nested", "[" * (size // 2) + "]" * (size // 2)
    yield "round", "(" * (size // 2) + ")" * (size // 2)
    yield "braces", "{}" * (size // 2)
    yield "list", json.dumps([word[:3] for word in words])[:size]
    yield "list in full", json.dumps(words[: size // 10])
    yield "object", json.dumps({word: word for word in words[: size // 22]})
    yield "list of lists", json.dumps([[0, 0, 1, place % 7] for place in range(size // 14)])
    yield "pairs", str([(draw.random(), draw.random()) for _ in range(size // 44)])
    yield "marks", "a" + "\u0315\u0300\u05ae" * (size // 3)
    yield "ligatures", "\ufdfa" * (size // 3)
    yield "han", "中文分词测试" * (size // 6)
    yield "one han", "中" * size
    yield "rare han", "龘" * size
    yield "formula", "$" + "x+" * (size // 2 - 2) + "x$"
    yield "boxed", "\\boxed{" * (size // 7)
    yield "fences", "```\n" * (size // 4)
    yield "tags", "<svg>" * (size // 5)
    yield "attributes", "<table " + " ".join(f"a{at}=1" for at in range(size // 8)) + "><tr><td>a"
    yield "cells", "<table><tr>" + "<td>a" * (size // 5)
    yield "table", "| a | b |\n" * (size // 10)
    yield "choices", "A. b\n" * (size // 5)
    yield "answers", "the answer is " * (size // 14)
    yield "plan", "(a b)" * (size // 5)
    yield "dollars", "$" * size
    yield "slashes", "1/" * (size // 2)
    yield "signs", "+-" * (size // 2)
    yield "exponent", "1e" + "9" * (size - 2)


def values(size: int) -> Iterator[tuple[str, Any]]:
    """Values of about so many characters, as a parser would make them of a response."""
    draw = random.Random(11)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(size // 10)]
    points = [[draw.random() * 1000, draw.random() * 1000] for _ in range(size // 14)]
    yield "empty texts", [""] * (size // 4)
    yield "words listed", words
    yield "numbers listed", list(range(size // 7))
    yield "words in a set", set(words)
    yield "words by word", dict.fromkeys(words, "b")
    yield "lists of words", [words[at : at + 10] for at in range(0, len(words), 10)]
    yield "boxes", [[x, y, x + 5, y + 5] for x, y in points[: len(points) // 2]]
    yield "points", points
    yield "a long number", 10 ** (size - 1)
    yield "points as a polygon", {"type": "polygon", "points": points}
    yield "numbers as a polygon", [number for point in points for number in point]
    yield "a long text in a list", ["a" * size]
    yield "a few long texts", ["ab" * (size // 16)] * 8


@cache
def cases(size: int) -> dict[str, tuple[Any, Any]]:
    """What a primitive is given: the same form on both sides, shifted a little so that nothing is equal."""
    return {name: (one, other) for name, one, other in _cases(size)}


def _cases(size: int) -> Iterator[tuple[str, Any, Any]]:
    for name, text in texts(size):
        yield name, text, text[3:] + "b" + text[:1]
        yield f"{name}, short reference", text, "the answer"
    for name, value in values(size):
        other: Any = value
        if isinstance(value, list):
            other = [*value[1:], value[0]]
        elif isinstance(value, int):
            other = value + 1
        elif isinstance(value, dict):
            other = dict(reversed(value.items()))
        yield name, value, other


def expressions() -> Iterator[tuple[str, str, str]]:
    """The name, the role and the text of each registered step that stands alone."""
    for name in registry.names():
        primitive = registry.get(name)
        if primitive is None or primitive.kind in ("metric", "aggregator", "rescorer"):
            continue
        if any(name.startswith(word) or word in name for word in ELSEWHERE):
            continue
        given = ARGUMENTS.get(name)
        text = f"{name}({given})" if given else name
        yield name, "parser" if len(primitive.inputs) == 1 and str(primitive.output) != "Score" else "scorer", text


class Step(NamedTuple):
    """Something that is given a response and a reference; a parser looks at the response alone."""

    name: str
    is_parser: bool
    run: Callable[[Any, Any], Any]


def primitives() -> Iterator[Step]:
    """Each registered step that stands alone."""
    for _, role, text in expressions():
        yield _step(text, role)


def definitions() -> Iterator[Step]:
    """Each scorer and parser of the packs that are shipped, at the defaults of its parameters."""
    for role in ("scorer", "parser"):
        for member in members(role):
            with suppress(SpecError):  # it has a parameter without a default
                yield _step(member.address, role)


def cookbook() -> Iterator[Step]:
    """Each recipe that asks no judge and runs no program, given its first record with another response."""
    for recipe in recipes():
        record = next((probe["record"] for probe in recipe.probes if "record" in probe), None)
        asks = any("replies" in probe for probe in recipe.probes) or "run_" in recipe.spec.read_text(encoding="utf-8")
        if record is not None and not asks:
            yield _recipe(recipe.slug, scoring.load(recipe.spec), record)


def _step(text: str, role: str) -> Step:
    if role == "scorer":
        return Step(text, False, scoring.scorer(text).score)
    parse = scoring.parser(text).parse
    return Step(text, True, lambda value, _: parse(value))


def _recipe(slug: str, task: scoring.Task, record: dict[str, Any]) -> Step:
    return Step(f"cookbook/{slug}", True, lambda value, _: task.score({**record, "response": value}))
