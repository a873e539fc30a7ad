"""MEGA-Bench's and MMESGBench's rules beside the released code, and beside plain Python that does the same here."""

from __future__ import annotations

import json
import logging
import os
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.speed.floors import megabench as hand
from benchmarks.speed.row import (
    Call,
    Peer,
    Row,
    batch,
    drawn,
    imported,
    misread,
    of_pairs,
    records,
    single,
    task,
    text,
    words,
)

PACK = "megabench-upstream@1"
FIELDS = {
    "choice": "exact_str_match",
    "name": "simple_str_match",
    "members": "set_equality",
    "motto": "normalized_similarity_damerau_levenshtein",
    "share": "number_rel_diff_ratio",
}
FIVE = {
    "field_score_function": FIELDS,
    "aggregation": {"function": "mean", "field_weights": dict.fromkeys(FIELDS, 1)},
    "response_parse_function": "json",
}
ANSWERS = task(
    "answers", imports={"bench": "mmesgbench-upstream@1"}, record={"answer_format": "answer_format"},
    score="attempt(bench.answer)",
)  # fmt: skip
SHARES = {"Str": 299, "Int": 207, "Float": 148, "None": 148, "List": 131}
MEGABENCH, MMESGBENCH = "TIGER-AI-Lab/MEGA-Bench", "Zhanglei1103/MMESGBench"
Draw = Callable[[random.Random, int], dict[str, Any]]
Function = Callable[[Any, Any], Any]


def checkout(name: str) -> Path:
    """Where a repository lies."""
    return Path(os.environ["BENCHMARKS_OFFICIAL"]) / name


@cache
def released() -> Any:
    """MEGA-Bench's package of metrics."""
    from benchmarks.released import load_official

    logging.disable(logging.CRITICAL)
    return load_official(str(checkout("MEGA-Bench")))


def five(chance: random.Random, place: int) -> dict[str, Any]:
    """A record of five fields, written as models write them; each is wrong in three of ten."""
    reference = {
        "choice": chance.choice("ABCD"),
        "name": f"{text(chance, 2)} {place}",
        "members": repr(words(chance, chance.randint(2, 5))),
        "motto": text(chance, 4, 9),
        "share": f"{chance.random() * 100:.3f}",
    }
    wrong = {
        "choice": f"{chance.choice('ABCD')}. {text(chance, 1)}", "name": text(chance, 2),
        "members": repr(words(chance, 3)), "motto": text(chance, 6), "share": f"{chance.random() * 100:.2f}",
    }  # fmt: skip
    answer = json.dumps({field: (wrong if chance.random() < 0.3 else reference)[field] for field in FIELDS})
    ways = (answer, f"Answer: {answer}", f"I looked twice.\n```json\n{answer}\n```")
    return {"id": str(place), "response": chance.choice(ways), "reference": reference}


def ours(spec: dict[str, Any], dialect: str | None = None, *, in_batch: bool) -> Call:
    """Ours: a call for each record, or one for all."""

    def ready(folder: Path) -> Callable[[], Any]:
        import scoring

        loaded, rows = scoring.load(spec, dialect=dialect), records(folder)
        return (lambda: loaded.score_batch(rows)) if in_batch else (lambda: [loaded.score(row) for row in rows])

    return Call(ready, lambda results: [result.score for result in results])


def their_five() -> Call:
    """The released flow, without its logs and files."""

    def ready(folder: Path) -> Callable[[], Any]:
        from benchmarks.released import OfficialTask

        score, rows = OfficialTask(released(), FIVE).score, records(folder)
        return lambda: [score(row) for row in rows]

    return Call(ready)


def matched(name: str) -> Call:
    """One released metric."""

    def score() -> Function:
        function: Function = released().MetricType.from_string(name).match
        return function

    return of_pairs(score)


def near(chance: random.Random, place: int) -> dict[str, str]:
    """Two words and a number: right, in capitals, misread, or other ones."""
    gold = f"{text(chance, 2)} {place}"
    answer = (gold, gold.upper(), misread(chance, gold), text(chance, 3))[place % 4]
    return {"response": answer, "reference": gold}


def numbers(chance: random.Random, place: int) -> dict[str, str]:
    """A number, and one that is near."""
    value = chance.uniform(1, 1000) + place
    return {"response": f"{value * chance.uniform(0.9, 1.1):.4f}", "reference": f"{value:.3f}"}


def lists(write: Callable[[list[str]], str]) -> Draw:
    """A list of words and an answer with some of them."""

    def draw(chance: random.Random, place: int) -> dict[str, str]:
        gold = [*words(chance, chance.randint(2, 5)), f"n{place}"]
        answer = [item if chance.random() < 0.8 else text(chance, 1) for item in gold]
        chance.shuffle(answer)
        return {"response": write(answer), "reference": write(gold)}

    return draw


def fenced(chance: random.Random, place: int) -> dict[str, str]:
    """What a program prints, in a fence of the reference."""
    gold = f"{chance.uniform(0, 100):.2f} {place}"
    return {"response": chance.choice((gold, text(chance, 2))), "reference": f"```result\n{gold}\n```"}


def share(chance: random.Random, place: int) -> dict[str, str]:
    """A share, and one that is near."""
    value = chance.random()
    return {"response": f"{value + chance.gauss(0, 0.05):.4f}", "reference": f"{value:.4f}"}


FUZZ, SWAPS = ("rapidfuzz",), imported("rapidfuzz.distance", "DamerauLevenshtein.normalized_similarity")


def metric(
    name: str, draw: Draw, bare: Callable[[], Function], label: str, needs: tuple[str, ...] = (),
    goal: float | None = None,
) -> list[Row]:  # fmt: skip
    """A metric: a call each, and one call, for which the floor may have a goal."""
    rows = []
    for way, call in (("", single(f"{PACK}:{name}")), ("-batch", batch(f"{PACK}:{name}"))):
        work = f"`{name}`, {'one call' if way else 'a call each'}"
        peers = (
            Peer("MEGA-Bench", matched(name), 1, checkout=MEGABENCH),
            Peer("bare function", of_pairs(bare), goal if way else None, needs=needs, is_floor=True),
        )
        rows.append(Row(f"megabench/{label}{way}", work, 5_000, drawn(draw), call, peers))
    return rows


def _text(chance: random.Random, place: int) -> tuple[str, str]:
    reference = text(chance, 1, 5).title()
    if chance.random() < 0.1:
        reference = f"{chance.randint(1900, 2050)}-{chance.randint(10, 12)}"
    return reference, chance.choice((
        f"{reference} ({place})", f"The answer is {reference}", text(chance, 3),
        reference.replace("a", "e") + f" {place}",
    ))  # fmt: skip


def _whole(chance: random.Random, place: int) -> tuple[str, str]:
    return str(place), chance.choice((str(place), f"{place}.0", str(chance.randint(0, 10**6)), f"about {place}"))


def _number(chance: random.Random, place: int) -> tuple[str, str]:
    value = chance.uniform(0, 1000) + place
    other = value * chance.uniform(0.98, 1.02)
    return f"{value:.3f}", chance.choice((f"{value:.3f}%", f"{other:.4f}", f"${value * 2:.2f}", f"{other:.3f} tons"))


def _nothing(chance: random.Random, place: int) -> tuple[str, str]:
    return "Not answerable", chance.choice((f"Not answerable ({place})", f"{text(chance, 1)} {place}"))


def _list(chance: random.Random, place: int) -> tuple[str, str]:
    items = [text(chance, 1, 3) for _ in range(chance.randint(2, 5))]
    answer = [item if chance.random() < 0.6 else f"{item[:-2]} {text(chance, 1)}" for item in items]
    chance.shuffle(answer)
    return repr(items), repr(answer)


PAIRS = {"Str": _text, "Int": _whole, "Float": _number, "None": _nothing, "List": _list}


def answers(only: str | None = None) -> Draw:
    """An answer of one of five kinds, which are as frequent as in the benchmark; half are right or nearly so."""

    def draw(chance: random.Random, place: int) -> dict[str, Any]:
        kind = only or chance.choices(list(SHARES), list(SHARES.values()))[0]
        reference, response = PAIRS[kind](chance, place)
        return {"id": str(place), "answer_format": kind, "response": response, "reference": reference}

    return draw


def their_answers() -> Call:
    """The released function; what it raises counts 0, as in its drivers."""

    def ready(folder: Path) -> Callable[[], Any]:
        sys.path.insert(0, str(checkout("MMESGBench") / "src" / "eval"))
        import eval_score  # type: ignore[import-not-found]  # released code

        eval_score.print = lambda *_: None
        rows = records(folder)

        def score(row: dict[str, Any]) -> float:
            try:
                found: float = eval_score.eval_score(row["reference"], row["response"], row["answer_format"])
            except Exception:
                return 0.0
            return found

        return lambda: [score(row) for row in rows]

    return Call(ready)


def by_hand() -> Call:
    """The rule as these answers need it."""

    def ready(folder: Path) -> Callable[[], Any]:
        score, rows = hand.of_answers(), records(folder)
        return lambda: [score(row) for row in rows]

    return Call(ready)


def answered(name: str, draw: Draw, goal: float | None, *, in_batch: bool = True) -> Row:
    """MMESGBench's rule."""
    work = f"MMESGBench, {name}, 2,000 answers, {'one call' if in_batch else 'a call each'}"
    peers = (
        Peer("MMESGBench", their_answers(), goal, checkout=MMESGBENCH),
        Peer("by hand", by_hand(), needs=("rapidfuzz",), is_floor=True),
    )
    # A hundred of them have all kinds, what each of which needs is imported late.
    call = ours(ANSWERS, in_batch=in_batch)
    return Row(f"megabench/mmesg-{name}", work, 2_000, drawn(draw), call, peers, few=100)


ROWS = [
    *(
        Row(
            f"megabench/five-fields{way}", f"five fields from JSON, 2,000 answers, {how}", 2_000, drawn(five),
            ours(FIVE, "megabench-upstream", in_batch=bool(way)),
            (Peer("MEGA-Bench", their_five(), goal, checkout=MEGABENCH),),
        )
        for way, how, goal in (("", "a call each", 4), ("-batch", "one call", 10))
    ),
    *metric("exact_str_match", near, lambda: lambda one, other: float(one == other), "exact"),
    *metric(
        "exact_str_match_case_insensitive", near, lambda: lambda one, other: float(one.lower() == other.lower()),
        "exact-caseless",
    ),
    *metric(
        "simple_str_match", near, lambda: lambda one, other: float(hand.short(one) == hand.short(other)), "simple"
    ),
    *metric("near_str_match", near, hand.near, "near", FUZZ),
    *metric("normalized_similarity_damerau_levenshtein", near, SWAPS, "swaps", FUZZ, 0.5),
    *metric("number_rel_diff_ratio", numbers, lambda: hand.relative, "relative"),
    *metric("normalized_rmse", share, lambda: hand.windowed, "windowed"),
    *metric(
        "code_result_exact_str_match", fenced, lambda: lambda one, other: float(one == other[10:-4]), "fenced"
    ),
    *metric("set_equality", lists(repr), lambda: hand.same_items, "sets"),
    *metric("jaccard_index_case_insensitive", lists(repr), lambda: hand.shared_items, "jaccard"),
    *metric(
        "str_set_equality_line_break", lists("\n".join),
        lambda: lambda one, other: float(set(one.split("\n")) == set(other.split("\n"))), "lines",
    ),
    answered("all", answers(), 3),
    answered("single", answers(), 1, in_batch=False),
    *(answered(kind.lower(), answers(kind), 1) for kind in PAIRS),
]  # fmt: skip
