"""What each primitive makes of inputs that grow: CPU seconds and memory for a response of 540 kB, and the exponents.

Each call is a process of its own with a bound on its CPU time, so one that hangs costs that and is listed. A primitive
is given texts, lists, sets, mappings, numbers and shapes of many forms, whatever it takes; what it refuses costs
nothing and is no finding.

    python benchmarks/growth.py                      # all of them; some minutes
    python benchmarks/growth.py align levenshtein    # these alone
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from math import log2
from typing import Any

import scoring
from scoring.registry import registry

SIZES = (33_750, 135_000, 540_000)
SECONDS, MEGABYTES, NOTABLE, STEEP = 3, 300, 1.0, 1.3
ENOUGH = 4

ARGUMENTS = {
    "above": "0.5", "at_least": "0.5", "more_than": "0.5", "cutoff": "0.5", "closer_than": "0.5",
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
ELSEWHERE = ("judge", "entail", "geocode", "run_tests", "megabench_upstream_place_nearness")
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
    yield "formula", "$" + "x+" * (size // 2 - 2) + "x$"
    yield "boxed", "\\boxed{" * (size // 7)
    yield "fences", "```\n" * (size // 4)
    yield "tags", "<svg>" * (size // 5)
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


def cost(call: Callable[[], Any]) -> tuple[float, float, str] | None:
    """CPU seconds, megabytes and the outcome of a call in a process of its own; None where it took too long."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        try:
            outcome = repr(call())[:120]
        except Exception as error:
            outcome = f"{type(error).__name__}: {str(error)[:100]}"
        took = time.process_time() - began
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        os.write(there, json.dumps([took, more, outcome]).encode())
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as answers:
        found = answers.read()
    os.waitpid(child, 0)
    return tuple(json.loads(found)) if found else None


def measured(role: str, text: str) -> Iterator[tuple[str, list[tuple[float, float, str] | None]]]:
    """The costs of one step for each form of input, by growing size; what is quick at the greatest is left out."""
    ready = scoring.scorer(text) if role == "scorer" else scoring.parser(text)
    run = ready.score if role == "scorer" else lambda value, _: ready.parse(value)
    with suppress(Exception):  # what it loads, it loads once; a step that takes no text says so
        run("一 word", "a word")
    stopped = 0
    for name, (one, other) in cases(SIZES[-1]).items():
        if role == "parser" and name.endswith("short reference"):
            continue
        most = cost(lambda one=one, other=other: run(one, other))
        stopped += most is None
        if stopped > ENOUGH:
            return
        if most is not None and most[0] < 0.2 and most[1] < MEGABYTES / 3:
            continue
        pairs = [cases(size)[name] for size in SIZES[:-1]]
        yield name, [*(cost(lambda pair=pair: run(*pair)) for pair in pairs), most]


def main() -> None:
    """Print a line for each step and form that takes notable work."""
    wanted, steep = sys.argv[1:], 0
    for name, role, text in expressions():
        if wanted and name not in wanted:
            continue
        try:
            for form, costs in measured(role, text):
                seconds = [one[0] if one else None for one in costs]
                first, second = seconds[0], seconds[1]
                exponent = log2(second / first) / 2 if first and second and second > 0.005 else float("nan")
                last = costs[-1]
                is_bad = last is None or last[0] > NOTABLE or last[1] > MEGABYTES or exponent > STEEP
                steep += is_bad
                shown = " ".join("  stopped" if one is None else f"{one:9.3f}" for one in seconds)
                outcome = last[2] if last else ""
                print(f"{'!' if is_bad else ' '} {text[:44]:44} {form[:34]:34} {shown} ^{exponent:4.1f} "
                      f"{last[1] if last else 0:6.0f} MB  {outcome}", flush=True)  # fmt: skip
        except Exception as error:
            print(f"? {text}: {type(error).__name__}: {str(error)[:150]}", flush=True)
    print(f"{steep} are dear or steep")


if __name__ == "__main__":
    main()
