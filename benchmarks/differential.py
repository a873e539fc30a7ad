"""megabench-upstream beside the released code on awkward probes, made anew from a seed: how many differ, by family.

    python benchmarks/differential.py --official DIR [--probes N] [--seed S] [--show K] [--family NAME …]

DIR is a checkout of TIGER-AI-Lab/MEGA-Bench with the libraries that its rules need; where its words are looked up
(NLTK's WordNet and Punkt data) is told by NLTK_DATA. Ours is asked through the public interface, the official classes
in the same process. A probe is text built from pieces that rules trip over, or a golden vector with a few characters
changed. Queries on which the released run stops are not counted; what depends on chance is not made.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import scoring  # noqa: E402  # the path is set above
from benchmarks.released import BY_CONTEXT, OfficialTask, Row, load_official, vectors  # noqa: E402
from tests.parity.test_megabench_upstream import same_value  # noqa: E402

PACK = "megabench-upstream"
SPACES = (" ", "\n", "\n\n", "\n\n\n", "\t", "\r\n", "\n \n", "\u00a0", "\x0b", "\u2028", "")
MARKERS = (
    "Answer:", "Answer: ", "answer:", "**Answer:**", "**Answer:", "*Answer:*", "myanswer:", "Answer :", "_Answer:",
    "(Answer:", "AnsAnswer:wer:", "éAnswer:", "Final Answer: ", "",
)  # fmt: skip
PIECES = (
    "B", "50%", "$5", "A, B, C", "(B)", "(B", "A.", "-3.5", "well-known", "**B**", "é", "x = 2", "'B'", '"B"', "'it's'",
    "None", "True", "[1, 2]", "[\"A\", 'b']", "{'a': 1}", '{"a": [1, 2]}', "{}", "[]", "[1, 2", "(1, 2)", "Because.",
    "It follows.", "#", "_", "a,b", "A,\nB", "'a\\nb'", "b'x'", "1e5", "0x1F", "[[1], [2]]", "1j", "nan",
    "(0, 0, 1, 1)", "(0, 0, 1, 0.5)", "The cat", "Qh5#!", "Qh5+", "' a '", "1_000", "1/2", "a_b", "[a, B]",
    "['A', 'b']", "<box>0, 0, 1, 1</box>", "<point>0.1, 0.5</point>", "[[0.1, 0.2]]", "[(0, 0, 1, 1), (0, 0, 1, 0.5)]",
    "90, 45",
)  # fmt: skip
FENCES = ("```", "```python\n", "```json\n", "```\n", "\n```", "````", "```50%```")
JSON_VALUES = (
    '"a"', '"it\'s"', '"x\\"y"', '"[1]"', '"{\\"k\\": 1}"', '"\\\\"', '"C:\\"', '"}"', "1.5", "NaN", "true", "None",
    "'a'", "'it\\'s'", '"\'B\'"', '"\\u00e9"', "a", "[1,]", "{1}", '"\\frac"', '" [1] "', "[1, 2]", '{"b": 1}',
)  # fmt: skip
VERSE = (
    "the a old silent pond frog can’t 'way rustles enthrall unheated love above night bright day way purple maple fire "
    "fiery flower o'er heaven bustles pierces watched wanted unwrapped 'neath 'tis Mary's dogs' kneels quietude syncs "
    "well-known — rhyme time fine moon June be see wings 'round 'mid shimmered ancients wishes un's uned 123 cats "
    "puppies mice wolves boxes was us men geese news shoes glasses physics concatenate Dr. e.g. serves cries"
    " blorptastic"
)
CONSTRAINTS = {
    "contain": ("[cat, puppy]", "wolf", "['mouse', \"fox\"]", "[glass]"), "contain##times": ("[cat]##2", "dog## 1"),
    "contain##position": ("[love]##1", "[wolf, box]##2"), "contain##position_only": ("[moon]##1",),
    "contain_only": ("[[cat, puppy], [wolf]]", "[[well-known], [fox]]"), "length1": ("<5", ">2", "=5", "<x"),
    "acrostic": ("to", "a b"), "acrostic_alliteration": ("t",), "syllables": ("5", "[2, 9][1,12]", "57", "5 7"),
    "rhyming_scheme": ("aa", "ab", "a b"), "poetry_meter": ("iambic", "x"), "colour": ("red",),
}  # fmt: skip
Probe = tuple[str, Row]


class Maker:
    """Probes of every family, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.golden = vectors()

    def text(self) -> str:
        """An answer behind a marker, in a fence, before an explanation; or pieces as they come."""
        pick, chance = self.chance.choice, self.chance.random()
        if chance < 0.5:
            return pick(MARKERS) + pick(SPACES) + pick(PIECES) + pick(SPACES) + pick((*PIECES, "", ""))
        if chance < 0.65:
            return (
                pick(MARKERS) + pick(SPACES) + pick(FENCES) + pick(SPACES) + pick(PIECES) + pick(SPACES) + pick(FENCES)
            )
        return "".join(pick((*SPACES, *MARKERS, *PIECES, *FENCES)) for _ in range(self.chance.randint(0, 8)))

    def json(self, depth: int = 0) -> str:
        """An object or a list as models write it, now and then with a part missing."""
        pick, count = self.chance.choice, self.chance.randint(0, 3)
        if depth > 1 or (depth and self.chance.random() < 0.5):
            return pick(JSON_VALUES)
        values = [self.json(depth + 1) for _ in range(count)]
        if self.chance.random() < 0.3:
            return "[" + pick((", ", ",")).join(values) + pick(("]", "]", "]", ""))
        return (
            "{"
            + ", ".join(pick(('"a"', '"b"', "'c'", "1", "a")) + ": " + value for value in values)
            + pick(("}", "}", "}", ""))
        )

    def changed(self, value: Any) -> Any:
        """A text with a few characters put in or taken out."""
        for _ in range(self.chance.randint(0, 2) if isinstance(value, str) else 0):
            at = self.chance.randint(0, len(value))
            piece = self.chance.choice([*" \n\t,.'\"()[]{}-_aA1:!#+eé\\/$%=", "", "", ""])
            value = value[:at] + piece + value[at + (not piece) :]
        return value

    def parsers(self) -> Iterator[Probe]:
        """Responses for each parser."""
        while True:
            for name in ("answer_string", "ascii_answer_string", "verbatim_answer_string"):
                one_line = self.chance.choice((True, True, False))
                yield name, {"response": self.text(), "args": {"answer_key": "a", "is_single_line_ans": one_line}}
            before = self.chance.choice(("", "Answer: ", "Answer:\n", "see [1] ", "```json\n", "text "))
            after = self.chance.choice(("", "\n```", " (see [2])", " }", "\nAnswer:", "\nAnswer: {'z': 1}"))
            yield "json", {"response": before + self.json() + after, "args": {}}

    def scorers(self) -> Iterator[Probe]:
        """Pairs for each metric: golden ones changed, and pieces."""
        while True:
            for name, rows in self.golden.items():
                row = self.chance.choice(rows)
                response, context = self.changed(row["response"]), row.get("context")
                if context is None and self.chance.random() < 0.4:
                    row = {"reference": self.chance.choice(PIECES)}
                    response = self.chance.choice((*PIECES, self.changed(row["reference"])))
                if not any(
                    isinstance(side, str) and "{'" in side and ":" not in side for side in (response, row["reference"])
                ):
                    yield name, {"response": response, "reference": row["reference"], "context": context}

    def verse(self) -> Iterator[Probe]:
        """Poems and prose under one to three constraints."""
        while True:
            names = self.chance.sample(list(CONSTRAINTS), self.chance.choice((1, 1, 2, 3)))
            lines = [
                " ".join(self.chance.choices(VERSE.split(), k=self.chance.randint(1, 7)))
                for _ in range(self.chance.randint(1, 4))
            ]
            poem = self.chance.choice(("\n", "\n", ". ", "\n\n", ",\n")).join(lines) + self.chance.choice(
                ("", ".", " (a)", "”")
            )
            context = {name: self.chance.choice(CONSTRAINTS[name]) for name in names}
            yield "constrained_generation", {"response": poem, "reference": None, "context": context}

    def queries(self) -> Iterator[Probe]:
        """Whole queries: a parser, fields, weights, auxiliary metrics, and an answer right or wrong."""
        metrics = ("exact_str_match", "set_equality", "jaccard_index", "nbbox_iou_sequence", "positive_int_match")
        pick = self.chance.choice
        while True:
            parser = pick(("json", "json", "answer_string"))
            fields = self.chance.sample("xyz", self.chance.randint(1, 3) if parser == "json" else 1)
            reference = {field: pick(PIECES) for field in fields}
            info: Row = {
                "field_score_function": {field: pick(metrics) for field in fields},
                "aggregation": {
                    "function": pick(("mean", "min")),
                    "field_weights": {name: pick((1, 2, 0.5)) for name in (*fields, "g")},
                },
                "response_parse_function": parser,
            }
            if self.chance.random() < 0.4:
                info["global_aux_metrics"] = {
                    "g": pick(("dict_precision", "dict_jaccard_agg_jaccard", "dict_equality"))
                }
            answer = {field: pick((value, value, pick(PIECES))) for field, value in reference.items()}
            response = pick((json.dumps(answer), repr(answer), "no object")) if parser == "json" else self.text()
            yield "query", {"metrics": info, "response": response, "reference": reference}


@cache
def scorer(name: str) -> scoring.Scorer:
    """Ours, by the official name."""
    return scoring.scorer(f"{PACK}@1:{name}")


def same_number(found: Any, wanted: Any) -> bool:
    """Whether an outcome of ours is the released number, which is -1 where there is nothing to score."""
    number = -1 if found.status == "not_applicable" else found.value
    if number is None or wanted != wanted:
        return number is not None and number != number
    return bool(abs(number - wanted) <= 1e-9)


def same_parse(peer: Any, name: str, row: Row) -> bool:
    """Whether both parsers give the same value, or both none."""
    found, wanted = None, None
    with contextlib.suppress(Exception):  # what stops the released run is an answer that can't be read here
        wanted = peer.ResponseParseType.from_string(name).parse(row["response"], **row["args"])
    with contextlib.suppress(Exception):
        found = scoring.parser(f"{PACK}@1:{name}", **row["args"]).parse(row["response"])
    return same_value(found, wanted)


def same_score(peer: Any, name: str, row: Row) -> bool:
    """Whether both metrics give the same number."""
    second = row["context"] if name in BY_CONTEXT else row["reference"]
    third = [{"task_name": "task"}] if name == "symbolic_planning_test" else []
    wanted = peer.MetricType.from_string(name).match(row["response"], second, *third)
    found = scorer(name).score(row["response"], row["reference"], context=row.get("context"))
    return same_number(found, wanted[0] if isinstance(wanted, tuple) else wanted)


def same_query(peer: Any, name: str, row: Row) -> bool | None:
    """Whether the query scores the same; None where the released run stops."""
    try:
        wanted = OfficialTask(peer, row["metrics"]).score(row)
    except Exception:
        return None
    task = scoring.load(row["metrics"], dialect=PACK)
    found = task.score({"id": 1, "response": row["response"], "reference": row["reference"]})
    return same_number(found.outcome, wanted)


FAMILIES: dict[str, Callable[[Any, str, Row], bool | None]] = {
    "parsers": same_parse, "scorers": same_score, "verse": same_score, "queries": same_query,
}  # fmt: skip


def main() -> None:
    """Print a line for each name, and the first probes that differ."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--official", metavar="DIR", help="a checkout of TIGER-AI-Lab/MEGA-Bench")
    options.add_argument("--probes", type=int, default=4_000, help="of each family")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", type=int, default=3, help="how many differences of a name are printed")
    options.add_argument("--family", action="append", choices=FAMILIES, help="only this one; may be given again")
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    peer = load_official(given.official)
    if peer is None:
        return
    maker = Maker(given.seed)
    for family in given.family or FAMILIES:
        counts: dict[str, list[int]] = {}
        for (name, row), _ in zip(getattr(maker, family)(), range(given.probes), strict=False):
            with contextlib.redirect_stdout(io.StringIO()):
                same = FAMILIES[family](peer, name, row)
            count = counts.setdefault(name, [0, 0, 0])
            count[0 if same is not None else 2] += 1
            count[1] += same is False
            if same is False and count[1] <= given.show:
                print(f"  {name}: {row!r}")
        for name, (probes, differ, stops) in sorted(counts.items()):
            print(
                f"{family:8} {name:42} {probes:6} probes {differ:5} differ"
                + (f" {stops:5} stop the official run" if stops else "")
            )


if __name__ == "__main__":
    main()
