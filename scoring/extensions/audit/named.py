"""The audit of all tasks that have a name, each on the example data that are shipped with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scoring.errors import InputError
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.reference.upstream import upstream_facts
from scoring.lazy_pattern import lazy_pattern

ALL_TASKS = "tasks"
"""What is given in place of a spec to audit all tasks by name."""
_LACKS_EXTRA = lazy_pattern(r"needs the extra (`[\w-]+`)")


def audit_all_tasks(audit_of: Callable[[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the audits of all tasks by name as one audit, in which scorers are named ``squad@1 f1``.

    A broken law that is a known fact of the official rule is excepted with it; a fact that the audit does not find is
    idle. A task that needs an extra that is not installed is not tried.

    Args:
        audit_of: Returns the audit of the task in a file on the data in another file, as plain data.

    Examples:
        >>> audit_all_tasks(lambda spec, data: {"scorers": [], "findings": [], "advice": []})["not_tried"]
        []
    """
    found: dict[str, list[Any]] = {"scorers": [], "findings": [], "advice": [], "idle": [], "not_tried": []}
    must: dict[str, None] = {}
    records = 0
    for recipe in (one for kind in recipe_kinds() for one in kind.recipes):
        try:
            one = audit_of(str(recipe.path), str(recipe.path.with_suffix(".jsonl")))
        except InputError as error:
            found["not_tried"].append({"task": recipe.name, "why": _reason(error)})
            continue
        lacking = _LACKS_EXTRA.search(" ".join(row["smallest"]["found"] for row in one["findings"]))
        if lacking is not None:
            found["not_tried"].append({"task": recipe.name, "why": f"it needs the extra {lacking[1]}"})
            continue
        for key, rows in _with_facts(recipe.name, one).items():
            found[key] += rows
        must |= dict.fromkeys(one.get("must_hold", ()))
        records += one.get("records", 0)
    return {**found, "passed": not found["findings"], "must_hold": [*must], "records": records, "tried": records}


def _reason(error: InputError) -> str:
    text = str(error)
    return "it asks a judge" if "judge" in text else "no answer of its records stands beside a reference"


def _with_facts(task: str, audit: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the rows of a task's audit by kind, with the facts of its official rule as exceptions."""
    known = {(fact.scorer, law): fact.says for fact in upstream_facts() if fact.task == task for law in fact.laws}
    broken = {(one["scorer"], one["law"]) for one in audit["findings"]}

    def named(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            if (row["scorer"], row["law"]) not in known:
                yield {**row, "scorer": f"{task} {row['scorer']}"}

    scorers = [
        {
            **scorer,
            "scorer": f"{task} {scorer['scorer']}",
            "laws": [_with_fact(law, known.get((scorer["scorer"], law["law"]))) for law in scorer["laws"]],
        }
        for scorer in audit["scorers"]
    ]
    idle = [
        {"place": f"{task} {scorer}", "law": law, "reason": says}
        for (scorer, law), says in known.items()
        if (scorer, law) not in broken
    ]
    return {
        "scorers": scorers,
        "findings": list(named(audit["findings"])),
        "advice": list(named(audit["advice"])),
        "idle": [*audit.get("idle", ()), *idle],
    }


def _with_fact(law: dict[str, Any], says: str | None) -> dict[str, Any]:
    if says is None or not law["is_broken"]:
        return law
    return {**law, "is_broken": False, "excepted": says}
