"""The whole command, from a file to figures with intervals, against the least that reading and comparing cost."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Command, Peer, Row, by_script, drawn, misread, scored, task, text, words, write_lines

EDITS = "lower | collapse_spaces | levenshtein"
FIELDS = {"exact": "lower | collapse_spaces | equal", "near": f"{EDITS} | zero_below(0.5, strict=true)"}
SHORT = task(
    "short", metrics=["mean", 'mean(field="exact")'],
    fields=FIELDS,
)  # fmt: skip
FIVE = task("five", parse="json", fields={key: {"score": EDITS} for key in "abcde"})
INVOICES = task(
    "invoices", parse="json",
    fields={
        "vendor": "casefold | levenshtein | zero_below(0.8)",
        "total": {"score": "number | within(relative=0.01)", "weight": 2},
        "lines": 'align(per_key(to_text | casefold | levenshtein | zero_below(0.5)), by="optimal")',
    },
)  # fmt: skip
TREE = task("tree", imports={"anls": "anls@1"}, parse="json", score="anls.anls_star")
Draw = Callable[[random.Random, int], Any]


def short(chance: random.Random, place: int) -> dict[str, str]:
    """A short answer: right, misspelt, or wrong."""
    gold = f"{text(chance, 3)} {place}"
    given = (gold, gold.replace("a", "o", chance.randint(1, 3)).title(), text(chance, 3))
    return {"id": f"q{place}", "response": chance.choices(given, (4, 4, 2))[0], "reference": gold}


def five(chance: random.Random, place: int) -> dict[str, Any]:
    """Five texts as JSON, some misread."""
    gold = {key: text(chance, 2, 4) for key in "abcde"}
    answer = {key: misread(chance, value).title() for key, value in gold.items()}
    return {"id": f"q{place}", "response": json.dumps(answer), "reference": gold}


def invoice(chance: random.Random, place: int) -> dict[str, Any]:
    """An invoice of five to ten lines, and what a model read of it, lines shuffled."""
    lines = [
        {
            "item": text(chance, 2),
            "quantity": str(chance.randint(1, 99)),
            "price": f"{chance.randint(100, 99999) / 100}",
        }
        for _ in range(chance.randint(5, 10))
    ]
    found = [{key: misread(chance, value) for key, value in line.items()} for line in lines]
    chance.shuffle(found)
    gold = {"vendor": text(chance, 3), "total": chance.randint(10, 100_000) / 10, "lines": lines}
    answer = {"vendor": misread(chance, gold["vendor"]), "total": gold["total"], "lines": found}
    return {"id": f"q{place}", "response": json.dumps(answer), "reference": gold}


def tree(chance: random.Random, place: int) -> dict[str, Any]:
    """A tree of forty texts, some below a list whose items keep their order."""
    gold = {word + str(number): text(chance, 2) for number, word in enumerate(words(chance, 36))}
    gold |= {"items": [text(chance, 2) for _ in range(4)]}  # type: ignore[dict-item]
    answer = {
        key: misread(chance, value) if isinstance(value, str) else [misread(chance, one) for one in value]
        for key, value in gold.items()
    }
    return {"id": f"q{place}", "response": json.dumps(answer), "reference": gold}


def task_and(spec: dict[str, Any], draw: Draw) -> Callable[[Path, int, int], None]:
    """Write the task beside its records."""
    write = drawn(draw)

    def prepare(folder: Path, size: int, seed: int) -> None:
        (folder / "task.json").write_text(json.dumps(spec))
        write(folder, size, seed)

    return prepare


def suite(folder: Path, size: int, seed: int) -> None:
    """Five hundred and five tasks of one to five texts in JSON, and records of all of them by turns."""
    chance, tasks = random.Random(seed), min(505, size)
    (folder / "task.json").write_text(
        json.dumps({"kind": "suite", "name": "many", "version": "1.0.0", "tasks": "./tasks"})
    )
    (folder / "tasks").mkdir()
    for number in range(tasks):
        fields = {key: {"score": EDITS} for key in "abcde"[: 1 + number % 5]}
        spec = task(f"t{number}", parse="json", fields=fields)
        (folder / "tasks" / f"t{number}.yaml").write_text(json.dumps(spec))
    rows = []
    for place in range(size):
        number = place % tasks
        row = five(chance, place)
        row["reference"] = {key: row["reference"][key] for key in "abcde"[: 1 + number % 5]}
        rows.append({"task": f"t{number}", **row})
    write_lines(folder / "records.jsonl", rows)


def floor(kind: str) -> Command:
    """The least, as a program: orjson, texts in columns, rapidfuzz."""
    return by_script("road.py", kind, "{folder}/records.jsonl")


def beside_floor(name: str, work: str, size: int, spec: dict[str, Any], draw: Draw) -> Row:
    """The command beside its floor, of which it may take three times as much."""
    kind = spec["name"]
    needs = ("rapidfuzz", "orjson", "scipy") if kind == "invoices" else ("rapidfuzz", "orjson")
    peer = Peer("orjson, rapidfuzz", floor(kind), goal=1 / 3, needs=needs, is_floor=True)
    return Row(f"road/{name}", work, size, task_and(spec, draw), scored(), (peer,))


ROWS = [
    beside_floor("simple-100k", "100,000 short answers: equal, edit similarity", 100_000, SHORT, short),
    beside_floor("simple-1m", "1,000,000 short answers", 1_000_000, SHORT, short),
    beside_floor("five-fields-50k", "50,000 JSON answers of five texts", 50_000, FIVE, five),
    beside_floor("invoices-20k", "20,000 invoices of 5 to 10 lines, aligned", 20_000, INVOICES, invoice),
    beside_floor("tree-5k", "5,000 trees of 40 texts, ANLS*", 5_000, TREE, tree),
    Row(
        "road/suite-505", "8,080 JSON answers of up to five texts to 505 tasks of a suite", 8_080, suite, scored(),
        (Peer("orjson, rapidfuzz", floor("suite"), needs=("rapidfuzz", "orjson"), is_floor=True),),
    ),
    Row(
        "road/output-100k", "100,000 short answers, with a run folder", 100_000, task_and(SHORT, short),
        scored("-o", "{folder}/run", "--force"), (
            Peer("scoring without -o", scored(), goal=1 / 1.15),
            Peer("orjson, rapidfuzz, lines written", floor("written"), needs=("rapidfuzz", "orjson"), is_floor=True),
        ),
    ),
    Row(
        "road/sums-1m", "1,000,000 short answers, `--state sums`", 1_000_000, task_and(SHORT, short),
        scored("--state", "sums"), (Peer("scoring with exact states", scored(), compares=False),),
    ),
    Row(
        "road/two-processes-1m", "1,000,000 short answers, two processes", 1_000_000, task_and(SHORT, short),
        scored("--processes", "2"), (Peer("scoring, one process", scored(), goal=1.7),), by_clock=True,
    ),
]  # fmt: skip
