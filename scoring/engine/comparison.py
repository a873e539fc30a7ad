"""Compare two finished runs: whether they may be compared, whether they differ, and which records changed where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.engine.read_run import StoredRun
from scoring.metrics.compare import Comparison, compare

# What may differ between two runs that measure the same thing.
_FREE = ("seed", "scoring")
_MAX_FLIPS = 1000


def differences(first: StoredRun, second: StoredRun) -> list[str]:
    """Why the numbers of two runs do not mean the same thing; empty where they do.

    The parts of the signatures are compared, but for the seed and the version of this program; a pack or a library
    of another version may score the same answer differently.
    """
    one, other = _parts(first.signature), _parts(second.signature)
    return [
        f"{name}: {one.get(name, 'absent')} and {other.get(name, 'absent')}"
        for name in sorted(one.keys() | other.keys())
        if name not in _FREE and one.get(name) != other.get(name)
    ]


def _parts(signature: str) -> dict[str, str]:
    task, *others = signature.split("|")
    pairs = (part.partition(":") for part in others)
    return {"task": task, **{name: value for name, _, value in pairs}}


def compare_runs(first: StoredRun, second: StoredRun, *, seed: int = 0, cluster: str | None = None) -> dict[str, Any]:
    """The comparison as plain data.

    Args:
        first: The run to start from.
        second: The run that may be better.
        seed: The seed of the draws.
        cluster: An attribute whose groups are drawn as a whole (the document of a question, say).
    """
    clusters = _clusters(first, cluster) if cluster is not None else None
    found: Comparison = compare(first.scores(), second.scores(), seed=seed, clusters=clusters)
    data = found.to_json()
    data["significant"] = found.is_significant
    data["runs"] = [_run(first), _run(second)]
    data["not_comparable"] = differences(first, second)
    data["flip_count"] = len(data["flips"])
    data["flips"] = [{**flip, **_where(first, second, flip["id"])} for flip in data["flips"][:_MAX_FLIPS]]
    return data


def _run(run: StoredRun) -> dict[str, Any]:
    return {"name": run.name, "signature": run.signature, "records": len(run.records)}


def _clusters(run: StoredRun, name: str) -> dict[str, Any]:
    return {key: (data.get("attributes") or {}).get(name) for key, data in run.records.items()}


def _where(first: StoredRun, second: StoredRun, key: str) -> dict[str, Any]:
    """Which fields of a record changed, and whether its parsed answer did or only the scoring."""
    before, after = first.records.get(key), second.records.get(key)
    if before is None or after is None:
        return {"fields": {}, "stage": "record"}
    names = [*before["fields"], *(name for name in after["fields"] if name not in before["fields"])]
    changed = {
        name: [_field(before, name), _field(after, name)] for name in names
        if _field(before, name) != _field(after, name)
    }
    return {"fields": changed, "stage": "answer" if before["parsed"] != after["parsed"] else "scoring"}


def _field(data: Mapping[str, Any], name: str) -> Any:
    return data["fields"].get(name, {}).get("score")
