"""Suggestions for names that are wrong here but right elsewhere: steps in a formula, dotted steps, options of other
tools.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from scoring.diagnostics.words import plain_name
from scoring.lang import formula as tree
from scoring.lang.formula_printer import print_formula
from scoring.lang.words import is_name
from scoring.registry import registry

_LONGEST = 200


def of_steps(formula: tree.Formula, known: Collection[str]) -> str:
    """Return the pipeline to write in place of a formula whose names are scorers, not ``known`` fields; "" for any
    other formula.

    Examples:
        >>> from scoring.lang.parser import parse_formula
        >>> of_steps(parse_formula("0.5 * levenshtein + 0.5 * equal"), ())
        'combine("0.5 * levenshtein + 0.5 * equal", levenshtein=levenshtein, equal=equal)'
        >>> of_steps(parse_formula("equal or levenshtein"), ())
        'any_of(equal, levenshtein)'
        >>> of_steps(parse_formula("lower(prediction) == lower(reference)"), ())
        'lower | equal'
    """
    if isinstance(formula, tree.Compare) and formula.op == "==" and not known:
        sides = (formula.a, formula.b)
        functions = {one.name for one in sides if isinstance(one, tree.Function) and registry.knows(one.name)}
        if len(functions) == 1 and all(isinstance(one, tree.Function) for one in sides):
            return f"{functions.pop()} | equal"
    parts = [*tree.walk_formula(formula)]
    names = list(dict.fromkeys(part.name for part in parts if isinstance(part, tree.Field)))
    scorers = [name for name in names if _scores(name)]
    if known or not scorers or scorers != names or any(isinstance(part, tree.Text) for part in parts):
        return ""
    if isinstance(formula, tree.BoolOp):
        step = "all_of" if formula.op == "and" else "any_of"
        return f"{step}({', '.join(names)})" if all(isinstance(one, tree.Field) for one in formula.items) else ""
    if isinstance(formula, tree.Compare) and formula.op == ">=" and isinstance(formula.b, tree.Number):
        return f"{names[0]} | at_least({formula.b.value!r})" if isinstance(formula.a, tree.Field) else ""
    if isinstance(formula, tree.Unary) and formula.op == "not":
        return f'combine("1 - {names[0]}", {names[0]}={names[0]})' if isinstance(formula.x, tree.Field) else ""
    keywords = "".join(f", {name}={name}" for name in names)
    return f'combine("{print_formula(formula)}"{keywords})'


def suggested_pipeline(name: str, *, metric: bool = False) -> str:
    """Return what to write for another tool's name of a step or ``metric``, or for steps joined by dots; "" for others.

    Examples:
        >>> suggested_pipeline("lower.equal"), suggested_pipeline("json.loads"), suggested_pipeline("house.equal")
        ('lower | equal', 'json', '')
    """
    parts = [] if metric else name.split(".")
    others = registry.other_names("steps") if len(parts) > 1 else {}
    steps = [part if registry.knows(part) else others.get(part.lower(), "") for part in parts]
    if len(parts) > 1 and all(steps):
        return " | ".join(steps)
    table, known = (_table()["metrics"], registry.metric) if metric else (_table()["steps"], registry.get)
    found = (str(text) for other, text in table.items() if plain_name(other) == plain_name(name))
    return next((one for one in found if all(known(step.partition("(")[0]) for step in one.split(" | "))), "")


def of_field(name: str, known: Collection[str]) -> str:
    """Return advice for a name in a formula that is no ``known`` field, such as "response"; "" if there is none.

    Examples:
        >>> of_field("response", ())
        'the answer is `prediction` here, and what a record holds `record.name`: write `prediction`'
    """
    for word in ("prediction", "reference"):
        if name.lower() in _table()["words"][word]:
            side = "answer" if word == "prediction" else "right answer"
            return f"the {side} is `{word}` here, and what a record holds `record.name`: write `{word}`"
    return "" if known else f"what a record holds is written with its place: `record.{name}`"


def of_parameter(name: str) -> str:
    """Return advice for a parameter that functions of other libraries have, such as "flags"; "" if there is none.

    Examples:
        >>> of_parameter("flags")[:12]
        'write `(?i)`'
    """
    return str(_table()["parameters"].get(name.lower(), ""))


def is_word_for(part: str, name: str) -> bool:
    """Tell whether `name` is another tool's name for `part`, which is "response" or "reference".

    Examples:
        >>> is_word_for("reference", "target"), is_word_for("response", "target")
        (True, False)
        >>> is_word_for("response", "model_output"), is_word_for("reference", "goldAnswer")
        (True, True)
    """
    words = _table()["words"]
    known = {"response": {*words["prediction"], "prediction"}, "reference": {*words["reference"], "reference"}}
    if any(name.lower() in owner for owner in known.values()):
        return name.lower() in known.get(part, ())
    parts = [one.lower() for one in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name[:_LONGEST])]
    owners = (owner for one in parts for owner in known if one in known[owner])
    return next(owners, "") == part and parts[-1] not in ("id", "type", "kind", "length")


def is_word_for_step(name: str) -> bool:
    """Tell whether other tools use this key to name a step, such as `type` in `type: equal`."""
    return name.lower() in _table()["words"]["step"]


def of_path(path: str) -> str:
    """Return a path of another tool's syntax as a JMESPath; other texts are returned unchanged.

    Examples:
        >>> of_path("$.output.text"), of_path("{{ output }}"), of_path("choices.0.message"), of_path("a['b']")
        ('output.text', 'output', 'choices[0].message', 'a.b')
    """
    if len(path) > _LONGEST:
        return path
    for row in _table()["paths"]:
        path = re.sub(row["pattern"], row["by"], path)
    return path


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("suggestions.toml").read_text("utf-8"))


def _scores(name: str) -> bool:
    known = registry.get(name) if is_name(name) else None
    return known is not None and known.kind == "comparator"
