"""Schemas, queries, patterns, formulas and programs, beside the library that does only that."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.row import (
    Call,
    Peer,
    Row,
    batch,
    by_hand,
    drawn,
    evaluated,
    of_pairs,
    records,
    single,
    task,
    text,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "age": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
VALID = task(
    "valid", parse='json(accept="any")', on_null="value", score="matches_schema(schema=record.schema)"
)  # fmt: skip
QUERY = "sql_equal(script=record.script)"
QUERIES = task("queries", fields={"right": QUERY})
TESTED = 'run_asserts(tests=record.test, entry_point="add")'
PROGRAMS = task("programs", fields={"passed": TESTED})
Function = Callable[[Any, Any], Any]


def described(chance: random.Random, place: int) -> dict[str, Any]:
    """JSON that keeps to the schema, or breaks it in one place."""
    value: dict[str, Any] = {
        "name": text(chance, 2),
        "age": chance.randint(0, 99),
        "tags": [text(chance, 1), str(place)],
    }
    broken = place % 4
    value |= [{}, {"age": "old"}, {"more": place}, {"tags": ["a", "a"]}][broken]
    return {"id": str(place), "response": json.dumps(value), "reference": "", "schema": SCHEMA}


def validator(make: Callable[[], Callable[[Any], bool]]) -> Call:
    """A validator that was compiled once, over texts that are parsed."""

    def score() -> Function:
        is_valid = make()
        return lambda response, _: is_valid(json.loads(response))

    return of_pairs(score, lambda found: [sum(found) / len(found)])


def jsonschema() -> Callable[[Any], bool]:
    """The Python library."""
    from jsonschema import Draft202012Validator

    is_valid: Callable[[Any], bool] = Draft202012Validator(SCHEMA).is_valid
    return is_valid


def fastjsonschema() -> Callable[[Any], bool]:
    """The one that writes Python."""
    import fastjsonschema

    check = fastjsonschema.compile({"$schema": "http://json-schema.org/draft-07/schema#", **SCHEMA})

    def is_valid(value: Any) -> bool:
        try:
            check(value)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return is_valid


def jsonschema_rs() -> Callable[[Any], bool]:
    """The one in Rust."""
    import jsonschema_rs

    is_valid: Callable[[Any], bool] = jsonschema_rs.validator_for(SCHEMA).is_valid
    return is_valid


def keeps_to_it(value: Any) -> bool:
    """The schema, as a condition."""
    if not isinstance(value, dict) or not value.keys() >= {"name", "age"} or value.keys() - {"name", "age", "tags"}:
        return False
    name, age, tags = value["name"], value["age"], value.get("tags", [])
    return (
        isinstance(name, str) and name != ""
        and isinstance(age, int | float) and not isinstance(age, bool) and age == int(age) and age >= 0
        and isinstance(tags, list) and all(isinstance(tag, str) for tag in tags) and len(set(tags)) == len(tags)
    )  # fmt: skip


def schema_by_hand() -> Callable[[list[dict[str, Any]]], list[float]]:
    """The condition on each answer, where the schema of its record is the one that it was written for."""
    import orjson

    def share(rows: list[dict[str, Any]]) -> list[float]:
        return [sum(row["schema"] == SCHEMA and keeps_to_it(orjson.loads(row["response"])) for row in rows) / len(rows)]

    return share


def queried(questions: int) -> Callable[[random.Random, int], dict[str, Any]]:
    """A query and the right one, over a table that so many questions share."""

    def draw(chance: random.Random, place: int) -> dict[str, Any]:
        own = random.Random(place // questions)
        rows = ", ".join(f"({number}, '{text(own, 1)}', {own.randint(1, 99)})" for number in range(20))
        least = chance.randint(1, 99)
        return {
            "id": str(place),
            "script": f"CREATE TABLE town (id INTEGER, name TEXT, people INTEGER); INSERT INTO town VALUES {rows};",
            "reference": f"SELECT name FROM town WHERE people > {least}",
            "response": f"SELECT name FROM town WHERE people >= {least + place % 2}",
        }

    return draw


def sqlite() -> Call:
    """Both queries in this process, without isolation; rows are compared as bags."""

    def ready(folder: Path) -> Callable[[], Any]:
        import sqlite3
        from collections import Counter

        rows = records(folder)

        def work() -> list[float]:
            right = 0
            for row in rows:
                base = sqlite3.connect(":memory:")
                base.executescript(row["script"])
                one, other = (Counter(base.execute(row[side]).fetchall()) for side in ("response", "reference"))
                right += one == other
                base.close()
            return [right / len(rows)]

        return work

    return Call(ready)


def ended(fewest: int) -> Callable[[random.Random, int], dict[str, str]]:
    """A text of so many words with a number in its last one, or without."""

    def draw(chance: random.Random, place: int) -> dict[str, str]:
        number = f"{chance.randint(1, 9_999)}"
        answer = f"{text(chance, fewest)} {number}" if place % 3 else f"{number} {text(chance, fewest)}"
        return {"response": answer, "reference": number}

    return draw


def matches() -> Function:
    """Whether a text ends in digits."""
    import re

    search = re.compile(r"\d+$").search
    return lambda response, _: 1.0 if search(response) else 0.0


def finds() -> Function:
    """Whether the first number is the right one."""
    import re

    search = re.compile(r"\d+").search

    def score(response: str, reference: str) -> float:
        found, wanted = search(response), search(reference)
        return 1.0 if found and wanted and found[0] == wanted[0] else 0.0

    return score


def replaces() -> Function:
    """Whether the texts are equal once all that is no letter has gone."""
    import re

    plain = re.compile(r"[^a-z]+").sub
    return lambda response, reference: 1.0 if plain("", response) == plain("", reference) else 0.0


def pattern(name: str, expression: str, bare: Callable[[], Function], words: int, size: int) -> list[Row]:
    """A pattern beside `re`: a call each, and one call."""
    peer = Peer("re", of_pairs(bare), 0.5, is_floor=True)
    work = f"`{expression}`, texts of {words} words"
    return [
        Row(f"documents/{name}", f"{work}, a call each", size, drawn(ended(words)), single(expression), (peer,)),
        Row(f"documents/{name}-batch", f"{work}, one call", size, drawn(ended(words)), batch(expression), (peer,)),
    ]


def formula(chance: random.Random, place: int) -> dict[str, Any]:
    """A number, fraction or root between dollar signs, as it is written or in another way."""
    one, other = chance.randint(1, 99), chance.randint(2, 99)
    ways = (rf"\frac{{{one}}}{{{other}}}", rf"\sqrt{{{one}}}", str(one * other), rf"{one}\sqrt{{{other}}}")
    reference = ways[place % 4]
    answer = chance.choice((reference, reference.replace("frac", "dfrac"), reference + " ", str(place)))
    return {"id": str(place), "response": f"The answer is ${answer}$", "reference": reference}


def is_equiv() -> Function:
    """The released rule, over what stands between dollar signs."""
    sys.path.insert(0, str(Path(os.environ["BENCHMARKS_OFFICIAL"]) / "math" / "modeling"))
    from math_equivalence import is_equiv as same  # type: ignore[import-not-found]  # released code

    return lambda response, reference: float(same(response.split("$")[1], reference))


def formulas_by_hand(rows: list[dict[str, Any]]) -> list[float]:
    """The share of formulas that are equal without spaces at the ends and but for the way to write fractions."""
    right = 0
    for row in rows:
        answer = row["response"].split("$", 2)[1]
        right += answer == row["reference"] or answer.strip().replace("dfrac", "frac") == row["reference"]
    return [right / len(rows)]


def program(chance: random.Random, place: int) -> dict[str, Any]:
    """A function that adds, or one that does not always."""
    body = "return a + b" if place % 3 else f"return a + b if a < {chance.randint(5, 50)} else {place}"
    return {
        "id": str(place), "task_id": f"t{place}", "response": f"def add(a, b):\n    {body}\n", "reference": None,
        "test": f"def check(f):\n    assert f(1, {place}) == {place + 1}\n    assert f(60, 1) == 61\n",
    }  # fmt: skip


def interpreters() -> Call:
    """A bare interpreter for each program, without isolation."""

    def ready(folder: Path) -> Callable[[], Any]:
        import subprocess

        rows = records(folder)

        def passes(row: Any) -> bool:
            source = f"{row['response']}\n{row['test']}\ncheck(add)\n"
            return not subprocess.run(
                [sys.executable, "-c", source], capture_output=True, timeout=9, check=False
            ).returncode

        return lambda: [sum(map(passes, rows)) / len(rows)]

    return Call(ready)


def human_eval() -> Call:
    """The released harness, one program after another: a process each, without isolation."""

    def ready(folder: Path) -> Callable[[], Any]:
        sys.path.insert(0, str(Path(os.environ["BENCHMARKS_OFFICIAL"]) / "human-eval"))
        from human_eval.execution import check_correctness  # type: ignore[import-not-found]  # released code

        rows = records(folder)

        def passes(row: Any) -> bool:
            problem = {"task_id": row["id"], "prompt": "", "test": row["test"], "entry_point": "add"}
            return bool(check_correctness(problem, row["response"], 3.0)["passed"])

        return lambda: [sum(map(passes, rows)) / len(rows)]

    return Call(ready)


def schema_peer(name: str, make: Callable[[], Callable[[Any], bool]], goal: float | None) -> Peer:
    """A library of validators."""
    return Peer(name, validator(make), goal, needs=(name,))


def queries(name: str, size: int, questions: int) -> Row:
    """Execution accuracy in the sandbox beside SQLite in this process."""
    work = f"`sql_equal`, {size} pairs of queries, {questions} to a database"
    return Row(
        f"documents/{name}", work, size, drawn(queried(questions)), evaluated(QUERIES),
        (Peer("sqlite3 without isolation", sqlite(), 1, is_floor=True),), by_clock=True,
    )  # fmt: skip


ROWS = [
    Row(
        "documents/json-schema", "`matches_schema`, 5,000 answers, `task.evaluate`", 5_000, drawn(described),
        evaluated(VALID),
        (
            schema_peer("jsonschema", jsonschema, 1), schema_peer("fastjsonschema", fastjsonschema, None),
            schema_peer("jsonschema-rs", jsonschema_rs, 1),
            by_hand(schema_by_hand, None, "orjson"),
        ),
    ),
    queries("sql", 300, 50),
    queries("sql-own", 60, 1),
    *pattern("matches", r'matches(r"\d+$")', matches, 5, 10_000),
    *pattern("matches-200", r'matches(r"\d+$")', matches, 200, 1_000),
    *pattern("find", r'find(r"\d+") | equal', finds, 5, 10_000),
    *pattern("replace", r'replace_pattern(r"[^a-z]+", "") | equal', replaces, 12, 5_000),
    Row(
        "documents/math", "cookbook/math-lm-eval, 5,000 formulas, `task.evaluate`", 5_000, drawn(formula),
        evaluated("cookbook/math-lm-eval.yaml"),
        (
            Peer("the released rule", of_pairs(is_equiv, lambda found: [sum(found) / len(found)]), 1,
                 checkout="hendrycks/math"),
            by_hand(lambda: formulas_by_hand),
        ),
    ),
    Row(
        "documents/programs", "`run_asserts`, 100 programs, in the sandbox", 100, drawn(program), evaluated(PROGRAMS),
        (
            Peer("an interpreter each, no isolation", interpreters(), None, is_floor=True),
            Peer("HumanEval's harness", human_eval(), 1, checkout="openai/human-eval"),
        ),
        by_clock=True, few=1,
    ),
]  # fmt: skip
