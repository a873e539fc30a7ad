"""Read a run folder, and check whether every file and the manifest itself still are as the run wrote them.

A seal involves no key, so changes by someone who also recomputes all digests are not detected here, only by scoring
again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from scoring.compiler.identity.signature import Signature
from scoring.data.address import hide_credentials, is_address
from scoring.data.file import InputFile
from scoring.data.json_read import parse
from scoring.data.json_write import dumps_pretty
from scoring.data.os_errors import telling
from scoring.data.plain_files import open_plain, read_plain
from scoring.data.rows.batch import id_text
from scoring.engine.runs.folder import (
    MANIFEST,
    MOST_TEXTS,
    PART_FILE,
    SCORES,
    SIGNATURE,
    SUMMARY,
    TASK_RESULTS,
    TEXTS,
    UNFINISHED,
)
from scoring.engine.runs.lock import LOCK
from scoring.engine.runs.manifest import SEAL, holds
from scoring.errors import InputError
from scoring.ranges import GREATEST
from scoring.registry.extension import service
from scoring.values import is_number

FORMATS = {"data": "input_format", "references": "reference_format"}
"""The setting that gives the format of each argument of a run."""
# The keys, with types, that a manifest must have for a run to be compared and scored again.
_MANIFEST: Mapping[str, type] = {"signature": str, "seed": int, "inputs": list, "settings": dict, "versions": dict}
SETTINGS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("spec", "data", *FORMATS.values(), "dialect", "state"), str),
    "references": (str, list),
    **dict.fromkeys(("tasks", "attributes", "results"), str),
    "limit": int,
    "part": bool,
    "by": list,
    "judge": dict,
    "locked": dict,
}
"""The settings that a run may have, with their types."""
_WITHIN: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "settings": SETTINGS,
    "digests": {"packs": dict},
    "spec": {"primitives": list, "libraries": dict, "tasks": dict, "packs": dict},
    "task": {},
    "suite": {},
    "files": {},
    "records": {},
}
"""Optional entries of a manifest, with the types of their values."""
_INPUT: Mapping[str, type] = {"role": str, "name": str, "kind": str, "sha256": str}
_TASK: Mapping[str, type] = {"name": str, "attributes": dict}
_MAPPINGS: Mapping[str, type] = dict.fromkeys(("attributes", "values", "read"), dict)
_RECORD: Mapping[str, type] = {"where": str, "status": str, "fields": dict}

MOST_SIGNATURE = 4_000
"""Maximum size of a signature file in bytes."""

SEALED_FROM = 2
"""The first manifest format that contains the digests of all files."""

ODD = "not a plain file"
"""The value used in place of a digest for a device or a pipe, which is never read."""

MOST = 100_000
"""Maximum number of files of a folder that are examined; a run never writes more."""


class StoredRun(Struct, frozen=True):
    """A finished run as stored in its folder.

    Args:
        name: The folder as the user named it.
        manifest: The run's manifest.
        summary: The run's summary.
        records: The lines of its scores by a key that is unique in the run: the id, in a suite preceded by the task's
            name, with a number if it repeats. Empty for a suite that was computed from task results.
        tasks: The attributes of each task of a suite.
        layout: The layout of its scores, ``jsonl`` or ``parquet``.
        files: The digest of every file of its folder.
        broken: The ways in which the folder is not as it was written, a line each.
        signed: The content of its signature file, cut off just above the maximum size; None if there is no such file.
        texts: The content of the file with the texts of its spec and packs; None if there is no such file.
    """

    name: str
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    records: Mapping[str, Mapping[str, Any]]
    tasks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    layout: str = "jsonl"
    files: Mapping[str, str] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    signed: bytes | None = None
    texts: bytes | None = None

    @property
    def signature(self) -> Signature:
        """The signature of the run."""
        return Signature(self.manifest["signature"])

    def means(self, other: StoredRun) -> dict[str, tuple[str, str]]:
        """Return the parts of the signatures that show that the scores of two runs don't mean the same: the name of
        each part that differs, with its values in this run and in `other`; seeds don't count.

        Older runs, whose signatures have no part `meaning`, are compared by the digests of their files.
        """
        one, two = self.signature.parts, other.signature.parts
        names: Iterable[str] = ("task", "meaning", "packs", "primitives", "judge")
        if "meaning" not in one or "meaning" not in two:
            one, two = self._files(), other._files()
            names = sorted({*one, *two})
        elif all(one.get(name) == two.get(name) for name in ("meaning", "judge")):
            return {}
        pairs = {name: (one.get(name, "absent"), two.get(name, "absent")) for name in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def _files(self) -> dict[str, str]:
        digests = self.manifest.get("digests") or {}
        found = {
            "spec": digests.get("spec"),
            **(digests.get("packs") or {}),
            "judge": self.signature.parts.get("judge"),
        }
        return {name: str(value)[:40] for name, value in found.items()}

    def scores(self) -> dict[str, float | None]:
        """Return the score of each record by its key; None for a record without a score that counts in a mean."""
        return {key: score_of(data) for key, data in self.records.items()}


def read_run(name: str | Path) -> StoredRun:
    """Return the run that is stored in a folder, given the folder's path or address.

    Raises:
        InputError: when it contains no complete run.
    """
    if not isinstance(name, str | Path):
        raise InputError(f"a run is read from its folder, whose path is a text, not a `{type(name).__name__}`")
    name = str(name)
    with local_folder(name) as folder:
        return _read(hide_credentials(name), folder)


def _read(name: str, folder: Path) -> StoredRun:
    if os.path.isfile(folder):
        made = f"from a bundle, `scoring verify {name} -o FOLDER` makes one"
        if not name.endswith(".zip"):
            made = f"from records, `scoring score SPEC {name} -o FOLDER` makes one"
        raise InputError(f"{name} is a file, not the folder of a run; {made}")
    if not os.path.isfile(folder / MANIFEST):
        why = f"holds no finished run: there is no {MANIFEST}" if os.path.isdir(folder) else "is not there"
        why += f"; `scoring score SPEC DATA -o {name}` makes one"
        raise InputError(f"{name} {why}")
    with telling(f"can't read the run in {name}", (OSError, ValueError)):
        text = read_plain(folder / MANIFEST).decode("utf-8")
        manifest, digests = parse(text), digests_of(folder)
        if ODD in digests.values():
            raise ValueError(f"{next(name for name, what in digests.items() if what == ODD)} is {ODD}")
        summary = parse(read_plain(folder / SUMMARY))
        files = _files(folder, manifest)
        records = _keyed(line for path in files for line in _lines(path))
        tasks, signed = _task_attributes(folder / TASK_RESULTS), signature_file(folder / SIGNATURE)
        texts = read_plain(folder / TEXTS, MOST_TEXTS) if (folder / TEXTS).is_file() else None
    _check(name, manifest, summary)
    layout = "parquet" if any(path.suffix == ".parquet" for path in files) else "jsonl"
    return StoredRun(
        name, manifest, summary, records, tasks, layout, digests, tuple(broken(manifest, text, digests)), signed, texts
    )


def signature_file(path: Path) -> bytes | None:
    """Return the content of a signature file, cut off just above the maximum size; None if there is no such file.

    Raises:
        OSError: when it can't be read.
    """
    try:
        with open_plain(path) as file:
            return file.read(MOST_SIGNATURE + 1)
    except FileNotFoundError:
        return None


def _check(name: str, manifest: Any, summary: Any) -> None:
    """Check that a manifest and a summary have the form that runs write.

    Raise InputError with the name of the run, `name`, otherwise.
    """
    if not _has(manifest, _MANIFEST) or not all(_has(entry, _INPUT) for entry in manifest["inputs"]):
        raise InputError(f"can't read the run in {name}: {MANIFEST} is not one of a run")
    odd = next((part for part, kinds in _WITHIN.items() if not _may_have(manifest.get(part), kinds)), None)
    if odd is None and not all(_may_have(entry, {"read": dict}) for entry in manifest["inputs"]):
        odd = "inputs"
    if odd is None and not all(isinstance(path, str) for path in manifest["settings"].get("by") or ()):
        odd = "settings"
    spec = (manifest.get("spec") or {}) if odd is None else {}
    if not all(isinstance(version, str) for version in manifest["versions"].values()):
        odd = "versions"
    if not all(isinstance(one, dict) for one in (*(spec.get("primitives") or ()), *(spec.get("packs") or {}).values())):
        odd = "spec"
    if odd is not None:
        raise InputError(f"can't read the run in {name}: `{odd}` of its {MANIFEST} is not that of a run")
    if not isinstance(summary, dict):
        raise InputError(f"can't read the run in {name}: {SUMMARY} holds no object")


def _has(data: Any, kinds: Mapping[str, type]) -> bool:
    return isinstance(data, dict) and all(isinstance(data.get(key), kind) for key, kind in kinds.items())


def _may_have(data: Any, kinds: Mapping[str, type | tuple[type, ...]]) -> bool:
    values = {} if data is None else data
    return isinstance(values, dict) and all(
        values.get(key) is None or isinstance(values[key], kind) for key, kind in kinds.items()
    )


def _task_attributes(path: Path) -> dict[str, Mapping[str, Any]]:
    rows = parse(read_plain(path)) if path.is_file() else []
    if not isinstance(rows, list) or not all(_has(row, _TASK) for row in rows):
        raise ValueError(f"{path.name} is not one of a run")
    return {row["name"]: row["attributes"] for row in rows}


def _files(folder: Path, manifest: Any) -> list[Path]:
    """Return the paths of the files with a run's scores: at most one, or one for each part of a run written in parts.

    Raise ValueError if the file of a part is missing or its digest is not that in the manifest."""
    parts = _parts(manifest if isinstance(manifest, dict) else {})
    if not parts:
        return [path for name in ("scores.parquet", "scores.jsonl") if (path := folder / name).is_file()][:1]
    if not all(map(PART_FILE.fullmatch, parts)):
        raise ValueError(f"{MANIFEST} is not one of a run")
    files = [folder / SCORES / name for name in parts]
    for path in files:
        if not path.is_file():
            raise ValueError(f"{SCORES}/{path.name} is not there")
        if InputFile(str(path), kind="file").sha256() != parts[path.name]:
            raise ValueError(f"{SCORES}/{path.name} is not what was written")
    for path in (folder / SCORES).iterdir():
        if path.name not in parts:
            raise ValueError(f"{SCORES}/{path.name} is not one of its parts")
    return files


def _parts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the digest of each file of scores of a run that was written in parts, by the file's name; empty for other
    runs.

    Older manifests, without `files`, have them in `digests`.
    """
    files, digests = (
        digest_map if isinstance(digest_map := manifest.get(name), dict) else {} for name in ("files", "digests")
    )
    parts = {name.removeprefix(f"{SCORES}/"): value for name, value in files.items() if name.startswith(f"{SCORES}/")}
    before = digests.get(SCORES)
    if before is not None and not isinstance(before, dict):
        raise ValueError(f"{MANIFEST} is not one of a run")
    return parts or before or {}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix != ".parquet":
        with open_plain(path) as lines:
            yield from map(parse, lines)
        return
    yield from service("parquet-scores", path.name).stored_records(path)


class RecordKeys:
    """A generator of unique keys for the records of a run: the id, in a suite preceded by the task's name, with a
    number if it repeats.

    Examples:
        >>> keys = RecordKeys()
        >>> [keys.next(1, "line 1"), keys.next(1, "line 2"), keys.next(None, "line 3"), keys.next(1, "line 1", "chess")]
        ['1', '1 #2', '(line 3)', 'chess/1']
    """

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._used: set[str] = set()

    def next(self, name: Any, where: str, task: str | None = None) -> str:
        """Return the key of the next record, given its id, its position in the input, and its task in a suite."""
        text = id_text(name) or f"({where})"
        if task is not None:  # ids repeat between the tasks of a suite
            text = f"{task}/{text}"
        self._seen[text] = self._seen.get(text, 0) + 1
        key = text if self._seen[text] == 1 else f"{text} #{self._seen[text]}"
        while key in self._used:  # an id that looks like a numbered key of another id
            key = f"{key} #1"
        self._used.add(key)
        return key


def _keyed(lines: Iterator[dict[str, Any]]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    keys = RecordKeys()
    for number, data in enumerate(lines, start=1):
        if not _is_record(data):
            raise ValueError(f"record {number} of its scores is not one of a run")
        found[keys.next(data["id"], data["where"], data.get("task"))] = data
    return found


def _is_record(data: Any) -> bool:
    if not _has(data, _RECORD) or not {"id", "score", "parsed"} <= data.keys():
        return False
    parts = data["fields"].values()
    if not all(_has(part, {"status": str}) and _may_have(part, {"notes": dict}) for part in parts):
        return False
    scores = (part.get("score") for part in (data, *parts))
    is_within = all(abs(score) <= GREATEST for score in scores if isinstance(score, (int, float)))
    weight = data.get("weight")
    return (weight is None or is_number(weight)) and is_within and _may_have(data, _MAPPINGS)


def score_of(part: Mapping[str, Any]) -> float | None:
    """Return the score of a record or a field, given its entry in a line of scores; None if it has none that counts in
    a mean."""
    value: Any = part.get("score")
    return float(value) if is_number(value) and part["status"] != "not_applicable" else None


# ---- checking that nothing was changed


def digests_of(folder: Path) -> dict[str, str]:
    """Return the digest of every file of a run folder by its relative path; in place of a digest, a word such as "a
    link" for anything that is not a regular file."""
    return {path.relative_to(folder).as_posix(): _digest(path) for path in islice(_files_in(folder), MOST)}


def _files_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name == SCORES and path.is_dir() and not path.is_symlink():
            yield from sorted(path.iterdir())
        # The manifest can't list its own signature; the other two may remain of a run that was killed at its very end.
        elif path.name not in (LOCK, UNFINISHED, SIGNATURE):
            yield path


def _digest(path: Path) -> str:
    mode = path.lstat().st_mode
    if not stat.S_ISREG(mode):
        return "a link" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else ODD
    with open_plain(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def broken(manifest: Mapping[str, Any], text: str, files: Mapping[str, str]) -> list[str]:
    """Return a line for each way in which a run folder is not as it was written; empty if there is none, or for an old
    run, whose manifest has no seal (a digest of the manifest's own content).

    Args:
        manifest: The run's manifest.
        text: The text of the manifest's file.
        files: The digest of every file of the folder.
    """
    if type(manifest.get("format")) is int and manifest["format"] < SEALED_FROM and SEAL not in manifest:
        return []
    found = []
    if not holds(manifest):
        found.append(f"{MANIFEST} is not what was written: its seal does not match its content")
    elif dumps_pretty(manifest) != text:
        found.append(f"{MANIFEST} is not what was written: it says the same in other bytes")
    stated = manifest.get("files")
    if not isinstance(stated, dict):
        return [*found, f"{MANIFEST} does not say which files there are"]
    for name in sorted({*stated, *files} - {MANIFEST}):
        if name not in files:
            found.append(f"{name} is not there")
        elif name not in stated:
            found.append(f"{name} is not a file of the run")
        elif files[name] != stated[name]:
            is_digest = len(files[name]) == len(hashlib.sha256().hexdigest())
            found.append(f"{name} is {'not what was written' if is_digest else files[name]}")
    if files.get(MANIFEST) == "a link":
        found.append(f"{MANIFEST} is a link")
    return found


@contextmanager
def local_folder(name: str) -> Iterator[Path]:
    """Yield the local path of a run folder, which is downloaded first if the name is an address."""
    if not is_address(name):
        yield Path(name)
        return
    with service("remote-runs", hide_credentials(name)).downloaded_folder(name) as folder:
        yield folder
