"""Verify that a finished run gives the same results when scored again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.compiler.identity.signature import Signature, escaped_names, packs_in_signature
from scoring.data.address import is_address
from scoring.data.file import InputFile, describe_folder
from scoring.data.json_write import canonical
from scoring.diagnostics.words import listed as in_a_sentence
from scoring.engine.runs.folder import MANIFEST, SCORES, SUMMARY
from scoring.engine.runs.manifest import FORMAT, KEYS
from scoring.errors import InputError
from scoring.extensions.verification.read import FORMATS, SETTINGS, StoredRun
from scoring.version import DISTRIBUTION, VERSION

SIDES = {"records": "data", "predictions": "data", "references": "references", "groundtruth": "references"}
"""The argument of a run by which an input of a role was given."""


def changed_inputs(
    run: StoredRun, place: Callable[[Mapping[str, Any]], str | None], known: Sequence[str] = ()
) -> list[str]:
    """Return a message for each input that is missing or differs from the one that was scored.

    Args:
        run: The run.
        place: Returns the current path of an input, given the manifest's entry about it; None if it was not a file.
        known: The roles of inputs that are not checked, since a bundle contains their content.
    """
    entries = (entry for entry in run.manifest["inputs"] if entry["role"] not in known)
    return [problem for entry in entries if (problem := _changed(entry, place(entry))) is not None]


def is_unknown(entry: Mapping[str, Any], place: str) -> bool:
    """Return True if the digest of an input (the manifest's entry about it) can't be checked against the file at
    `place`, so that only scoring again shows whether it is unchanged.

    This applies to data that was in memory, and to a local copy of a file from an object store, for which the manifest
    contains the store's version identifier instead of a digest.
    """
    return entry["kind"] == "memory" or (entry["sha256"].startswith("store:") and not is_address(place))


def _changed(entry: Mapping[str, Any], place: str | None) -> str | None:
    name, role = entry["name"], entry["role"]
    if place is None:
        came = "came through a pipe" if name == "-" else "were in memory"
        return f"the {role} {came} and were not kept"
    path = Path(place)
    if "…" in place and not path.exists():
        return f"{name} ({role}) was read with credentials, which were not kept"
    shown = name if place.endswith(name) else f"{place}, given for {name}"
    try:
        file = InputFile(place, kind=entry["kind"])
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise FileNotFoundError(name)  # a device is endless, a pipe may never deliver
        if entry["kind"] != "memory" and path.is_dir() != (entry["kind"] == "folder") and file.files[0] is file:
            raise FileNotFoundError(name)
        found = describe_folder(role, path)["sha256"] if entry["kind"] == "folder" else file.sha256(entry["sha256"])
    except (OSError, ValueError, InputError):
        return f"{shown} ({role}) is gone"
    if found != entry["sha256"] and not is_unknown(entry, place):
        return f"{shown} ({role}) is not the file that was scored"
    return None


class Verification(Struct, frozen=True):
    """The differences between a run and the same run scored again.

    Args:
        signature: The two signatures, if they differ in meaning, seed or format; else None.
        versions: Programs and libraries whose versions differ; not a failure on its own.
        records: The keys of records whose line of scores differs.
        summary: The parts of the summary that differ.
        total: Number of records of the run.
        files: Files of the run folder that are not as they were written, or that are now different, a line each.
        manifest: The parts of the manifest, about the target and its inputs, that differ.
        order: Whether the same records were in a different order.
        unknown: Parts of the manifest that runs of this release don't write, a line each: a later format, further keys.
    """

    signature: tuple[str, str] | None
    versions: tuple[str, ...]
    records: tuple[str, ...]
    summary: tuple[str, ...]
    total: int
    files: tuple[str, ...] = ()
    manifest: tuple[str, ...] = ()
    order: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether every file of the folder is as it was written, and scoring again gave the same scores and figures."""
        others = self.signature, self.records, self.summary, self.files, self.manifest, self.order, self.unknown
        return not any(others)


def verify_rescored(stored: StoredRun, again: StoredRun) -> Verification:
    """Return the differences between a run (`stored`) and the run that came out when it was scored again (`again`)."""
    before, now = (
        {**run.manifest["versions"], **{name: run.signature.parts.get(name, "absent") for name in ("limits", "format")}}
        for run in (stored, again)
    )
    means_otherwise = stored.means(again) or stored.manifest["seed"] != again.manifest["seed"]
    means_otherwise = means_otherwise or before["format"] != now["format"]
    records = tuple(
        key
        for key in {**stored.records, **again.records}
        if canonical(stored.records.get(key)) != canonical(again.records.get(key))
    )
    return Verification(
        (stored.signature, again.signature) if means_otherwise else None,
        tuple(
            f"{name} {before.get(name, 'absent')} → {now.get(name, 'absent')}"
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ),
        records,
        tuple(_other_parts(_summary(stored), _summary(again))),
        len(stored.records),
        (*stored.broken, *_other_files(stored, again)),
        # The repeated run took its settings from the stored manifest, even wrong ones, so the manifest must be
        # consistent.
        tuple(_other_parts(_recipe(stored), {**_recipe(again), **_AGREEING})),
        not records and list(stored.records) != list(again.records),
        tuple(_unknown(stored.manifest)),
    )


# Entries that appear twice in a manifest must agree.
_AGREEING = {"label": True, "releases": True, "names": True, "records": True}


def _unknown(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each part of a manifest that this release can't verify: a later format, or keys that this
    release never writes."""
    number = manifest.get("format", 1)
    if type(number) is not int or number not in range(1, FORMAT + 1):
        made = manifest["versions"].get("scoring", "one that it does not name")
        help = f"{FORMAT} is the highest that scoring {VERSION} knows; verify it with the release that wrote it, {made}"
        yield f"its manifest is of format {json.dumps(number):.40}: {help}"
    known = {
        "": (manifest, KEYS),
        "settings.": (manifest["settings"], SETTINGS),
        "records.": (manifest.get("records"), _OF_RECORDS),
    }
    keys = [
        f"{place}{name}" for place, (section, names) in known.items() for name in section or () if name not in names
    ]
    if keys:
        yield f"its manifest has {in_a_sentence(sorted(keys), 'and')}, which no run of scoring {VERSION} has"


_OF_RECORDS = ("count", "sha256")


def _other_parts(stored: Mapping[str, Any], again: Mapping[str, Any]) -> Iterator[str]:
    for part in {**stored, **again}:
        if canonical(stored.get(part)) != canonical(again.get(part)):
            yield part


def _summary(run: StoredRun) -> dict[str, Any]:
    """Return a run's summary for comparison with that of another run: its signature, which names releases that may
    differ, is replaced by whether it equals the manifest's."""
    signature = run.summary.get("signature")
    return {**run.summary, "signature": None if signature is None else signature == run.manifest["signature"]}


def _recipe(run: StoredRun) -> dict[str, Any]:
    """Return the entries of a run's manifest about its target, inputs and settings, without releases and time, and, for
    each entry that the manifest contains twice, whether the two agree."""
    manifest = run.manifest
    line = Signature(manifest["signature"])
    made_with = {"meaning": line.meaning, "env": line.env}
    digests = {name: value for name, value in (manifest.get("digests") or {}).items() if name != SCORES}
    return {
        **{name: manifest.get(name) for name in ("task", "suite", "inputs")},
        "seed": [manifest["seed"], line.parts.get("seed", str(manifest["seed"])) == str(manifest["seed"])],
        "digests": digests,
        "settings": {name: value for name, value in manifest["settings"].items() if name != "judge"},
        "spec": _without_releases(manifest.get("spec") or {}),
        # Entries that appear twice must agree; older runs had signatures of one part.
        **{name: manifest.get(name, value) == value for name, value in made_with.items()},
        "versions": _agree(line.env, manifest["versions"]),
        "label": _is_called(line, manifest),
        "releases": _releases_agree(manifest),
        "names": all(_agrees(entry, manifest["settings"]) for entry in manifest["inputs"]) and _has_all(manifest),
        "records": _counts(run),
    }


def _agrees(entry: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Return True if the name of an input is the path in the run's settings, or is inside the folder in the
    settings."""
    recorded = settings.get(SIDES.get(entry["role"], ""))
    if isinstance(recorded, list):
        return entry["name"] in recorded
    return recorded is None or entry["kind"] == "part" or f"{entry['name']}/".startswith(f"{recorded}/")


def _has_all(manifest: Mapping[str, Any]) -> bool:
    """Return True if the spec, data and references that the manifest's settings name are among the manifest's inputs,
    and the data have the input format that the settings state."""
    settings, sides = manifest["settings"], {SIDES.get(entry["role"]): entry["kind"] for entry in manifest["inputs"]}
    specs = [entry["name"] for entry in manifest["inputs"] if entry["role"] == "spec"]
    if specs and settings.get("spec") not in (None, *specs):
        return False
    recorded = {side: str(settings.get(name) or "").partition(",")[0] for side, name in FORMATS.items()}
    are_read = all(sides.get(side) in (kind, "folder", "part") for side, kind in recorded.items() if kind)
    return are_read and all(side in sides for side in ("data", "references") if settings.get(side))


def _releases_agree(manifest: Mapping[str, Any]) -> bool:
    """Return True if the releases that a manifest's spec names agree with the manifest's versions and signature."""
    spec, versions = manifest.get("spec") or {}, manifest["versions"]
    every = [spec, *(spec.get("tasks") or {}).values()]
    libraries = (pair for one in every for pair in (one.get("libraries") or {}).items())
    releases = {str(made.get("distribution")) for one in every for made in one.get("primitives") or ()}
    own = {f"{DISTRIBUTION}@{versions.get('scoring')}"}
    others = escaped_names(sorted(release.replace("@", " ") for release in releases if not release.startswith(_OURS)))
    parts = Signature(manifest["signature"]).parts
    return (
        all(versions.get(name, "none") == version for name, version in libraries)
        and {release for release in releases if release.startswith(_OURS)} <= own
        and ("meaning" not in parts or parts.get("primitives", "") == others)
    )


_OURS = f"{DISTRIBUTION}@"


def _counts(run: StoredRun) -> bool:
    """Return True if the number and the digest of the lines of scores that the manifest states are those of the folder.

    It is also True for a changed folder, which is reported separately.
    """
    lines, stated = f"{SCORES}.jsonl", run.manifest.get("records")
    return (
        stated is None
        or bool(run.broken)
        or (
            stated.get("count") == len(run.records)
            and stated.get("sha256") == run.files.get(lines, stated.get("sha256"))
        )
    )


def _without_releases(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest's entry about the spec without the versions of the libraries and distributions in it."""
    found = {name: value for name, value in spec.items() if name != "libraries"}
    found["primitives"] = [
        {**one, "distribution": str(one.get("distribution")).partition("@")[0]} for one in spec.get("primitives") or ()
    ]
    tasks = {name: _without_releases(task) for name, task in (spec.get("tasks") or {}).items()}
    return {**found, "tasks": tasks} if tasks else found


def _is_called(line: Signature, manifest: Mapping[str, Any]) -> bool:
    """Return True if the signature (`line`) has the same names and versions of task and packs as the manifest."""
    made, parts = manifest.get("task") or manifest.get("suite") or {}, line.parts
    packs = (manifest.get("spec") or {}).get("packs")
    packs_part = escaped_names(
        packs_in_signature({name: (pack or {}).get("version") for name, pack in (packs or {}).items()})
    )
    label = f"{made.get('name')}@{made.get('version') or '0'}"
    return "meaning" not in parts or (
        parts["task"] == label and (packs is None or parts.get("packs", "") == packs_part)
    )


def _agree(env: str, versions: Mapping[str, Any]) -> bool:
    """Return True if a manifest's versions agree with those in `env`, the environment in its signature, which have only
    the first two numbers."""
    recorded = (part.rpartition(" ")[::2] for part in env.split(", "))
    return all(str(versions[name]).startswith(version) for name, version in recorded if name in versions)


def _other_files(stored: StoredRun, again: StoredRun) -> Iterator[str]:
    """Yield a message for each file of the run folder that differs in the run scored again; nothing if versions differ.
    The manifest, scores and summary, which are compared elsewhere, are skipped."""
    if stored.manifest["versions"] != again.manifest["versions"]:
        return
    for name in sorted({*stored.files, *again.files}):
        if name.startswith(SCORES) or name in (MANIFEST, SUMMARY):
            continue
        if stored.files.get(name) != again.files.get(name):
            yield f"{name} differs from what comes out now"
