"""Properties of runs other than their answers that are not the same, and whether these may affect their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from scoring.data.json_write import digest
from scoring.extensions.verification.read import StoredRun
from scoring.extensions.verification.verification import SIDES

Moves: TypeAlias = Literal["yes", "can", "no"]

KnownReferences: TypeAlias = Mapping[str, str] | str | None
"""A digest of the reference of each record; or the reason why it is unknown; or None if not requested."""

_ANSWERS = "it is what is compared"
_MEANING = "the same numbers come out: it means the same"
_READS = "the rules are the same, but read something else from a record"


def differing_properties(runs: Sequence[StoredRun], references: Sequence[KnownReferences]) -> list[dict[str, Any]]:
    """Return all recorded properties of some runs that are not the same in all of them.

    Args:
        runs: The runs.
        references: For each run, digests of its records' references, None if all runs read the same files, or the
            reason why they could not be read.

    Returns:
        For each, its name (``what``), the ``values`` of the runs, whether it can change scores (``moves``: yes, can,
        no), and ``why``.
    """
    return [
        {"what": what, "values": values, "moves": moves, "why": why}
        for what, values, moves, why in _rows(runs, references)
        if any(value != values[0] for value in values)
    ]


def _rows(
    runs: Sequence[StoredRun], references: Sequence[KnownReferences]
) -> Iterator[tuple[str, list[Any], Moves, str]]:
    def each(read: Callable[[StoredRun], Any]) -> list[Any]:
        return [read(run) for run in runs]

    means = any(runs[0].means(run) for run in runs[1:])
    read = each(lambda run: run.signature.reads or None)
    same: tuple[Moves, str] = ("no", _MEANING)
    if means or any(one != read[0] for one in read):
        same = ("can", "the runs mean different things" if means else _READS)
    yield "folder", each(lambda run: "; ".join(run.broken) or "as it was written"), "yes", "it was changed afterwards"
    yield "task", each(lambda run: run.signature.parts["task"]), *same
    yield "meaning", each(lambda run: run.signature.parts.get("meaning")), "yes", "other rules give other scores"
    yield "reads", read, "can", "something else is read from a record"
    yield "limits", each(lambda run: run.signature.parts.get("limits")), "yes", "other rows count as bad"
    yield "format", each(lambda run: run.signature.parts.get("format")), "yes", "the same file is read as other records"
    yield "judge", each(lambda run: run.signature.parts.get("judge")), "yes", "another judge gives other verdicts"
    yield from _of_spec(runs, same)
    yield "data", [_files(run, ("records", "predictions", "task results")) for run in runs], "yes", _ANSWERS
    yield "references", *_of_references(runs, references)
    settings: dict[str, tuple[Moves, str]] = {
        "limit": ("no", "only records that all runs have are compared"),
        "input_format": ("can", "the same file may be read as other records"),
        "reference_format": ("can", "the same file may be read as other references"),
        "dialect": same,
        "by": ("no", "breakdowns are not part of what is compared"),
        "state": ("no", "scores are the same; intervals of the runs themselves are computed differently"),
    }
    for name, (moves, why) in settings.items():
        yield name.replace("_", " "), [_plain(run.manifest["settings"].get(name)) for run in runs], moves, why
    yield "seed", each(lambda run: run.manifest["seed"]), "no", "it draws the intervals of the runs themselves"
    yield "records", each(lambda run: len(run.records)), "no", "only records that all runs have are compared"
    yield from _of_versions(runs)


def _of_spec(runs: Sequence[StoredRun], same: tuple[Moves, str]) -> Iterator[tuple[str, list[Any], Moves, str]]:
    """Yield rows about the spec, the packs and the primitives that the runs' manifests name; a row has a name, the
    value in each run, whether a difference changes scores, and why.

    Args:
        runs: The runs.
        same: Whether scores can differ if the texts of specs or packs differ, and why.
    """
    yield "spec", [_files(run, ("spec",)) for run in runs], *same
    packs = [dict((run.manifest.get("digests") or {}).get("packs") or {}) for run in runs]
    for name in sorted({name for digests in packs for name in digests}):
        yield f"pack {name}", [_short(digests.get(name)) for digests in packs], *same
    used = [_primitives(run) for run in runs]
    # A primitive that not all runs use already shows in the meanings; one that all use should be the same in all.
    for name in sorted(set.intersection(*(set(primitives) for primitives in used)) if used else ()):
        yield (
            f"primitive {name}",
            [primitives[name][0] for primitives in used],
            "yes",
            "another revision scores differently",
        )
        yield (
            f"plug-in of {name}",
            [primitives[name][1] for primitives in used],
            "can",
            "another release may score differently",
        )


def _primitives(run: StoredRun) -> dict[str, tuple[str, str]]:
    """Return, for each primitive that a run used, its revision, and the release of its distribution if it comes from a
    plug-in."""
    spec = run.manifest.get("spec") or {}
    tasks = (spec.get("tasks") or {}).values()
    found = {}
    for one in (one for entry in (spec, *tasks) for one in entry.get("primitives") or ()):
        release = str(one.get("distribution"))
        own = release.startswith("scoring-dsl@")  # its release is already among the versions
        found[f"{one.get('kind')} {one.get('name')}"] = (f"revision {one.get('revision')}", "" if own else release)
    return found


def _of_references(runs: Sequence[StoredRun], references: Sequence[KnownReferences]) -> tuple[list[Any], Moves, str]:
    """Return the row about references: the files in each run, whether their differences change scores, and in how many
    common records references differ."""
    files = [_files(run, [role for role, side in SIDES.items() if side == "references"]) for run in runs]
    unknown = [why for why in references if isinstance(why, str)]
    known = [digests for digests in references if isinstance(digests, Mapping)]
    if unknown:
        values = [why if isinstance(why, str) else name or "read" for why, name in zip(references, files, strict=True)]
        return values, "can", "it is not known whether records have other references"
    if len(known) < len(runs):
        return files, "yes", "answers are compared with other references"
    common = set.intersection(*(set(digests) for digests in known))
    if not common:
        return files, "no", "no record is in all runs"
    other = sum(any(digests[key] != known[0][key] for digests in known[1:]) for key in common)
    if not other:
        return files, "no", "all records that are compared have the same ones"
    values = [
        name or digest(sorted((key, digests[key]) for key in common))[:8]
        for name, digests in zip(files, known, strict=True)
    ]
    return values, "yes", f"{other} of {len(common)} records in all runs have another reference"


def _of_versions(runs: Sequence[StoredRun]) -> Iterator[tuple[str, list[Any], Moves, str]]:
    """Yield rows about the versions of programs and libraries in the runs: name, version in each run, whether a
    difference changes scores, and why."""
    recorded = [run.manifest["versions"] for run in runs]
    declared = {part.rpartition(" ")[0] for run in runs for part in run.signature.env.split(", ")}
    # A library that only some runs declare is not a difference of versions; their meanings differ.
    for name in sorted(set.intersection(*(set(versions) for versions in recorded))):
        why = "scores are computed with it" if name in declared else "data are read and counted with it"
        yield f"version of {name}", [versions.get(name) for versions in recorded], "can", why
    yield "made with", [_unversioned(run) for run in runs], "can", "scores are computed with it"


def _unversioned(run: StoredRun) -> str | None:
    """Return the entries of the environment in a run's signature, such as the sandbox, that the manifest's versions
    don't include, as text; None if there are none."""
    versions = run.manifest["versions"]
    parts = (part.rpartition(" ") for part in run.signature.env.split(", "))
    own = [
        f"{name} {version}"
        for name, _, version in parts
        if name and not str(versions.get(name, "")).startswith(version)
    ]
    return ", ".join(own) or None


def _files(run: StoredRun, roles: Sequence[str]) -> str | None:
    """Return the names and abbreviated digests of a run's input files that have one of the given roles; None if there
    are none."""
    entries = [entry for entry in run.manifest["inputs"] if entry["role"] in roles]
    return ", ".join(f"{entry['name']} {_short(entry['sha256'])}".strip() for entry in entries) or None


def _short(value: Any) -> str | None:
    return None if value is None else str(value)[:8]


def _plain(value: Any) -> Any:
    return ", ".join(map(str, value)) or None if isinstance(value, list) else value
