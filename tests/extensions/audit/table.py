"""Print which known bugs an audit finds, and how often it blames wrongly: `python -m tests.extensions.audit.table`.

Each bug is audited as a user would: a spec, ten plain records, `scoring.audit`. So are faults that were planted in
sound scorers, and usual scorers that have none; of these, what is found as advice does not count. The last table audits
every shipped pack, task and example that documents what it computes; there, whatever is found is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

import scoring

SPECS = Path(__file__).parents[3] / "specs"
BUGS = Path(__file__).with_name("bugs.yaml")
# What each documented spec is audited on beside its examples.
DOCUMENTED = {
    "megabench/pack.yaml": None,
    "mmesgbench/pack.yaml": None,
    "mmesgbench/task.yaml": "mmesgbench.jsonl",
    "anls/pack.yaml": None,
    "quickstart/invoices.yaml": "../../../specs/quickstart/invoices.jsonl",
    "examples/retrieval/questions.yaml": "../../../specs/examples/retrieval/small.jsonl",
    "examples/detection/task.yaml": None,
}
# Scorers of documented packs that reproduce a released bug under its own name; an alarm is right there.
RELEASED = {"anls/pack.yaml": {"mmesgbench_released"}}
UPSTREAM = ("megabench-upstream/pack.yaml", "mmesgbench-upstream/pack.yaml")


def records_of(answers: list[Any]) -> list[dict[str, Any]]:
    """Ten records, half of them answered rightly."""
    given = [one if place % 2 else answers[place - 1] for place, one in enumerate(answers)]
    return [
        {"id": n, "response": one, "reference": right, "group": n % 3}
        for n, (one, right) in enumerate(zip(given, answers, strict=True))
    ]


def pages() -> list[dict[str, Any]]:
    """Ten questions with the pages that were retrieved for them."""
    return [
        {"id": n, "response": "x", "reference": "x", "retrieved": [n, n + 3, n + 7, n + 20], "relevant": [n + 3]}
        for n in range(10)
    ]


def audited(one: Mapping[str, Any], data: Mapping[str, list[Any]], told: str = "findings") -> dict[str, dict[str, Any]]:
    """The first finding of each law of a spec of the table, or the first piece of ``advice``."""
    keys = ("imports", "parse", "score", "metrics")
    spec = {"kind": "task", "name": "known/bug", **{key: one[key] for key in keys if key in one}}
    records = pages() if one["data"] == "pages" else records_of(data[one["data"]])
    return {finding["law"]: finding for finding in reversed(scoring.audit(spec, records).to_json()[told])}


def found_bugs(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each bug with the laws that found it."""
    for one in table["bugs"]:
        by_law = audited(one, table["data"], "advice" if one.get("advice") else "findings")
        law = next((law for law in one["laws"] if law in by_law), None)
        yield {**one, "found": sorted(by_law), "law": law, "smallest": by_law[law]["smallest"] if law else None}


def blamed(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each careful spec with what is found all the same."""
    for one in table["careful"]:
        yield {**one, "found": [(law, found["smallest"]) for law, found in audited(one, table["data"]).items()]}


def found_planted(planted: Sequence[Mapping[str, Any]], data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each planted fault, and each usual scorer, with the laws that it breaks, but for those of advice."""
    for one in planted:
        by_law = audited(one, data)
        yield {**one, "found": {law: found["smallest"] for law, found in by_law.items()}}


def alarms(names: Any) -> Iterator[dict[str, Any]]:
    """What an audit of each spec finds, and how much it tried."""
    for name in names:
        data = DOCUMENTED.get(name)
        report = scoring.audit(str(SPECS / name), str(Path(__file__).parent / data) if data else None).to_json()
        released = RELEASED.get(name, set())
        found = [(one["scorer"], one["law"]) for one in report["findings"]]
        yield {
            "spec": name,
            "scorers": len(report["scorers"]),
            "laws": sum(law["holds"] is not None for one in report["scorers"] for law in one["laws"]),
            "tried": sum(law["tried"] for one in report["scorers"] for law in one["laws"]),
            "excepted": sum(
                law["excepted"] is not None and law["holds"] is False
                for one in report["scorers"]
                for law in one["laws"]
            ),
            "idle": report["idle"],
            "true_alarms": [one for one in found if one[0] in released],
            "alarms": [one for one in found if one[0] not in released],
        }


def main() -> int:
    """Print the tables; fail where a bug is missed or a documented spec is blamed."""
    import tests.extensions.audit.faulty  # noqa: F401  # registers the faulty primitives in this process alone
    from tests.extensions.audit.held_out import HELD_OUT, SOUND_UNSEEN, UNSEEN
    from tests.extensions.audit.planted import DATA, PLANTED, USUAL

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args().json
    table = yaml.safe_load(BUGS.read_text("utf-8"))
    bugs, careful = list(found_bugs(table)), list(blamed(table))
    given = {**DATA, **UNSEEN}
    planted = list(found_planted([*PLANTED, *HELD_OUT], given))
    usual = list(found_planted([*USUAL, *SOUND_UNSEEN], given))
    documented, upstream = list(alarms(DOCUMENTED)), list(alarms(UPSTREAM))
    if as_json:
        named = {"bugs": bugs, "careful": careful, "planted": planted, "usual": usual}
        print(json.dumps({**named, "documented": documented, "upstream": upstream}))
    else:
        for one in bugs:
            smallest = one["smallest"]
            told = (
                f"{smallest['answer']!r:.34} for {smallest['reference']!r:.24} {smallest['found']:.24}"
                if smallest
                else ""
            )
            print(f"{one['law'] or 'MISSED':16} {one['bug'][:72]:74} {told}")
        print(f"\n{sum(one['law'] is not None for one in bugs)} of {len(bugs)} bugs found")
        print(f"{sum(bool(one['found']) for one in careful)} of {len(careful)} careful specs on the same data blamed\n")
        for one in careful:
            for law, smallest in one["found"]:
                print(f"  {law:12} {one['score']} on {one['data']}: {smallest}")
        for one in planted:
            print(f"{', '.join(one['found']) or 'MISSED':40.40} {one['bug']}")
        print(f"\n{sum(bool(one['found']) for one in planted)} of {len(planted)} planted faults found")
        print(f"{sum(bool(one['found']) for one in usual)} of {len(usual)} usual scorers blamed\n")
        for one in usual:
            for law, smallest in one["found"].items():
                print(f"  {law:12} {one['score']} on {one['data']}: {smallest}")
        print(f"{'':36}scorers   laws  tried  excepted  idle  false alarms")
        for row in documented:
            print(
                f"{row['spec']:36}{row['scorers']:7}{row['laws']:7}{row['tried']:7}{row['excepted']:10}"
                f"{len(row['idle']):6}{len(row['alarms']):14}  {row['alarms'] or ''} {row['idle'] or ''}"
            )
        for row in upstream:
            print(
                f"{row['spec']:36}{row['scorers']:7}{row['laws']:7}{row['tried']:7}: {len(row['alarms'])} laws broken"
            )
    missed = any(one["law"] is None for one in bugs) or any(one["found"] for one in careful)
    missed = missed or sum(not one["found"] for one in planted) > 2 or any(one["found"] for one in usual)
    return int(missed or any(row["alarms"] or row["idle"] for row in documented))


if __name__ == "__main__":
    sys.exit(main())
