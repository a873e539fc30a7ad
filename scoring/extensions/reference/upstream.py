"""Facts about official rules: what they do that the laws of an audit forbid, or that nobody would expect of them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.format.shipped import data_folder


class UpstreamFact(Struct, frozen=True):
    """What an official rule does that the laws of an audit forbid, or that nobody would expect of it.

    Args:
        task: The task by name that repeats the rule.
        scorer: The field or the metric that does it, as an audit names it.
        laws: The laws that it breaks; () if an audit does not find it.
        says: What the rule does, in a sentence.
        record: A minimal record that shows it; empty if a figure is concerned, or no single record shows it.
        records: A small set that shows what a figure does; () if a record is concerned, or no small set shows it.
        score: What the record scores in the field, or as a whole; of a set, the figure.
    """

    task: str
    scorer: str
    laws: tuple[str, ...]
    says: str
    record: Mapping[str, Any]
    records: tuple[Mapping[str, Any], ...]
    score: float | None


@cache
def upstream_facts() -> tuple[UpstreamFact, ...]:
    """Return the shipped facts about official rules; what is said of several tasks or scorers is a fact of each."""
    text = (data_folder("specs") / "cookbook" / "upstream.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["fact"]
    return tuple(
        UpstreamFact(
            task,
            scorer,
            tuple(row["laws"]),
            row["says"],
            row.get("record", {}),
            tuple(row.get("records", ())),
            row.get("score"),
        )
        for row in rows
        for task in _listed(row["task"])
        for scorer in _listed(row["scorer"])
    )


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def facts_section(root: Path) -> str:
    """Return the section of docs/upstream.md that lists the facts, with the sources that the probes in the checkout
    `root` state."""
    slugs = {recipe.name: recipe.path.stem for kind in recipe_kinds() for recipe in kind.recipes}
    lines = ["| task | rule | what it does | record | score | laws |", "|---|---|---|---|---|---|"]
    for fact in upstream_facts():
        probes = root / "tests" / "parity" / "recipes" / f"{slugs[fact.task]}.jsonl"
        with probes.open(encoding="utf-8") as rows:
            source = json.loads(next(rows))["official"]
        shown = fact.record or fact.records
        record = f"`{json.dumps(shown, ensure_ascii=False)}`" if shown else ""
        score = "" if fact.score is None else f"{fact.score:g}"
        laws = ", ".join(fact.laws)
        lines.append(f"| `{fact.task}` {fact.scorer} | {source} | {fact.says} | {record} | {score} | {laws} |")
    return f"{_FACTS.strip()}\n\n" + "\n".join(lines)


_FACTS = """
## What official rules do

`scoring audit tasks` audits all tasks by name on their example data. This is what it finds in the rules of others,
which the tasks repeat as they are: the field or figure, the source with its commit, and a minimal record, or a small
set of them, that was run through that code. What breaks no law was found where the code was run. It says nothing about
how good a benchmark is; who reads a figure should know it.
"""
