"""All that is shipped and can be given a response, as `scoring list` has it: steps, definitions, recipes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import scoring

ROOT = Path(__file__).resolve().parents[2]
COOKBOOK, PROBES = ROOT / "specs" / "cookbook", ROOT / "tests" / "parity" / "recipes"
ARGUMENTS = {
    "allowed_call": '[{name="f", parameters={}}]', "any_prediction": "levenshtein", "apply_patch": '{"a.txt"="a"}',
    "combine": '"a + b", a=equal, b=levenshtein', "each": "over=record.items, score=levenshtein, join=mean",
    "has_paragraph": 'number=2, of=3, first_word="a"', "has_parts": '"[,;]", 3', "in_case": '"upper"',
    "in_language": '"en"', "matches_schema": '{type="array", items={type="number"}}',
    "named_option": '["blue", "red"]', "nearest_option": '["blue", "red"]', "option_text": '["blue", "red"]',
    "number_is": '"at least", 3', "replace_each": '{a="b", b="cc"}', "value_at": '"k"', "variants": "lower, upper",
    "without": '"a"',
    "align": "levenshtein", "align_grids": "levenshtein",
    "all_of": "equal, contains", "any_of": "equal, contains", "any_reference": "levenshtein",
    "attempt": "equal", "average_of": "equal, contains", "cascade": "rule=equal, unsure=levenshtein",
    "fallback": "number, json", "first_of": "equal, contains", "has_acrostic": '"word"',
    "find": '"a+b"', "find_all": '"a+b|1"', "find_groups": '"(?P<one>a+)b"',
    "has_one_group": '[["a", "b"], ["c"]]', "has_rhyme_scheme": '"ABAB"', "has_syllables": '"5-7-5"',
    "has_word": '["a", "bc"]', "has_word_in_sentence": '["a"], 1', "has_word_times": '["a"], 2',
    "in_any_box": "[[0, 0, 1, 1]]", "is_sure": "equal", "item_at": "0", "keep": "number",
    "map_items": "lower", "map_values": "lower",
    "map_words": '{ab="c", the="a"}', "matches": '"(a|b)+"',
    "match_in_order": "levenshtein", "meets_constraints": '{contain="[cat, kitten]", length="<5"}',
    "ngrams": "3", "per_key": "levenshtein",
    "remove_characters": '"abc"', "replace": '"a", "b"', "replace_pattern": '"a+b", "c"',
    "shape_as": '"polygon"', "sides": "prediction=lower",
    "split_pattern": '"[,b]"', "megabench/strip_end_of_items": '"a"',
    "tree": "levenshtein", "switch": 'on="a", a=equal',
    "under_key": '"k"', "when": "equal, levenshtein", "value_of": "record.answer", "is_true": "record.is_right",
    "codebleu": 'language="python"',
    "remove_categories": '["P"]', "url_parameter": '"q"', "spider/sql_clauses": 'tables={t=["a"]}',
    "megabench_upstream/mean_over_union": "equal", "megabench_upstream/whole_answer": "levenshtein",
    "solves_plan": "record.domain, record.problem", "megabench_upstream/reaches_goal": "record.domain, record.problem",
    "megabench_upstream/constrained_generation": '{contain="[cat, kitten]", length="<5"}',
    "megabench_upstream/tagged_point_in_boxes": "[[0, 0, 1, 1]]",
}  # fmt: skip
# Those that ask a model, a service or a sandbox: their work is done elsewhere.
ELSEWHERE = ("judge", "entail", "geocode", "run_tests", "run_asserts", "bertscore", "comet",
             "megabench_upstream/place_nearness")  # fmt: skip
# Steps of a score, of fields and of records, which are given no text: `many.py` measures the latter two.
OF_NO_TEXT = ("metric", "aggregator", "rescorer")


class Step(NamedTuple):
    """Something that is given a response and a reference; a parser looks at the response alone."""

    name: str
    is_parser: bool
    run: Callable[[Any, Any], Any]


def primitives() -> Iterator[Step]:
    """Yield each primitive that is given texts or values, with arguments where it needs some."""
    for one in (*listed(), *listed("quirks")):
        if one["kind"] in OF_NO_TEXT or any(word in one["name"] for word in ELSEWHERE):
            continue
        name, given = one["name"], ARGUMENTS.get(one["name"])
        inputs, _, output = one["type"].partition(" -> ")
        is_scorer = output == "Score" or one["kind"] == "comparator" or _inputs(inputs) == 2
        yield _step(f"{name}({given})" if given else name, is_scorer)


def _inputs(text: str) -> int:
    """Count the inputs in the type of a primitive, such as 2 in `Text, List[Text]`."""
    depth = commas = 0
    for letter in text:
        depth += (letter in "[({") - (letter in "])}")
        commas += letter == "," and depth == 0
    return commas + 1


def definitions() -> Iterator[Step]:
    """Yield each scorer, parser and transform of the shipped packs, at the defaults of its parameters."""
    for pack in listed("packs"):
        for name in pack["definitions"]:
            for is_scorer in (True, False):
                with suppress(scoring.SpecError):  # another role, or a parameter without a default
                    yield _step(f"{pack['name']}@{pack['version']}:{name}", is_scorer)


def cookbook() -> Iterator[Step]:
    """Yield each recipe that asks no judge and runs no program, given its first record with another response."""
    for spec in sorted(COOKBOOK.glob("*.yaml")):
        probes = [json.loads(line) for line in (PROBES / f"{spec.stem}.jsonl").read_text("utf-8").splitlines()[1:]]
        record = next((probe["record"] for probe in probes if "record" in probe), None)
        asks = any("replies" in probe for probe in probes) or "run_" in spec.read_text("utf-8")
        if record is not None and not asks:
            yield _recipe(spec.stem, scoring.load(spec), record)


def listed(what: str | None = None) -> list[dict[str, Any]]:
    """Return what `scoring list` prints as JSON."""
    found: list[dict[str, Any]] = scoring.specs.listing(what).to_json()
    return found


def _step(text: str, is_scorer: bool) -> Step:
    if is_scorer:
        return Step(text, False, scoring.scorer(text).score)
    parse = scoring.parser(text).parse
    return Step(text, True, lambda value, _: parse(value))


def _recipe(slug: str, task: scoring.Task, record: dict[str, Any]) -> Step:
    return Step(f"cookbook/{slug}", True, lambda value, _: task.score({**record, "response": value}))
