"""The run folder: `scores.jsonl` (or Parquet), `summary.json` and `manifest.json`, each written whole or not at all.

Files are written to `.unfinished` under names that no other run has, and moved to their place at the end, the manifest
last: a folder with a manifest is a complete run. One run at a time writes into a folder (`scoring.engine.runs.lock`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol
from uuid import uuid4

from scoring.data.json_text import NotJson, parse
from scoring.data.rows.row import InputError
from scoring.data.strict_json import dumps_pretty
from scoring.engine.runs.lock import LOCK, FolderLock
from scoring.engine.runs.manifest import Made, manifest
from scoring.engine.runs.sealed import SealedFile, sealed

MANIFEST = "manifest.json"
SUMMARY = "summary.json"
TASK_RESULTS = "task_results.json"
SCORES = "scores"
"""The folder of the scores that a run in parts leaves as Parquet, a file for each part."""
PART_FILE = re.compile(r"part-(\d{5,12})\.parquet")
OWN_FILES = (
    SCORES,
    "scores.jsonl",
    "scores.parquet",
    TASK_RESULTS,
    "summary_and_keyword_stats.json",
    SUMMARY,
    "report.html",
    MANIFEST,
)
UNFINISHED = ".unfinished"
"""Where a run lies until it is whole."""
_PUBLISHED = "published.json"
_PLOT = re.compile(r"plot_.*\.svg")


class ScoreWriter(Protocol):
    """Takes the records of a run, some at a time, as lines of JSON."""

    def write(self, lines: Sequence[str]) -> None:
        """Write some records."""

    def close(self) -> None:
        """Write what is left."""


class LineWriter:
    """Writes `scores.jsonl`, or has another layout written, and digests the records as lines in their order.

    Args:
        file: Where lines go.
        writer: Where they go in place of the file.
    """

    def __init__(self, file: SealedFile, writer: ScoreWriter | None = None) -> None:
        self._file, self._writer = file, writer
        self._found = hashlib.sha256()
        self._count = 0

    def write(self, lines: Sequence[str]) -> None:
        """Write some records."""
        content = "\n".join([*lines, ""]).encode()
        self._count += len(lines)
        if self._writer is None:
            self._file.write(content)
        else:
            self._found.update(content)
            self._writer.write(lines)

    def close(self) -> None:
        """Write what is left."""
        (self._writer or self._file).close()

    def described(self) -> dict[str, Any]:
        """The records as a manifest tells of them."""
        found = self._file.sha256() if self._writer is None else self._found.hexdigest()
        return {"count": self._count, "sha256": found}


class PartFiles:
    """Writes `scores/part-00001.parquet` and so on, each as whoever scored the part has made it.

    Args:
        path: The folder of the files.
        digests: Gets the digest of each, by its name in the run folder.
    """

    def __init__(self, path: Path, digests: dict[str, str]) -> None:
        self._path, self._digests = path, digests

    def write_part(self, place: int, content: Iterable[bytes]) -> None:
        """Write the file of the part at that place, from 0 on."""
        name = f"part-{place + 1:05d}.parquet"
        with SealedFile(self._path / name) as file:
            for chunk in content:
                file.write(chunk)
        self._digests[f"{SCORES}/{name}"] = file.sha256()


class RunFolder:
    """A run folder that is being written; use it as a context manager.

    Args:
        path: The folder; it may be missing or empty.
        force: Replace an older run in it. Files that are not ours stay.

    Raises:
        InputError: when the folder holds something and ``force`` is not given.
    """

    def __init__(self, path: Path, force: bool = False) -> None:
        self.path = path
        self.work = path / UNFINISHED
        self.digests: dict[str, str] = {}
        self.records: Mapping[str, Any] | None = None
        self._made = not path.exists()
        self._force = force
        self._pending: list[str] = []
        self._own = uuid4().hex
        self._lock = FolderLock(path, str(path))
        check_free(path, force)

    def __enter__(self) -> RunFolder:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.take()
            try:
                check_free(self.path, self._force)  # another run may have come to its end since
                self.work.mkdir(exist_ok=True)
            except BaseException:
                self._lock.release()
                raise
        except OSError as error:
            raise InputError(f"can't make the run folder {self.path}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()  # what is stopped in here keeps what is left, which says what it was about to do
            shutil.rmtree(self.work, ignore_errors=True)
        finally:
            self._lock.release()
        if kind is not None and self._made:
            with contextlib.suppress(OSError):
                self.path.rmdir()

    @contextlib.contextmanager
    def scores(self, layout: str = "jsonl") -> Iterator[ScoreWriter]:
        """The writer of the records, ``jsonl`` or ``parquet``."""
        name = f"{SCORES}.{layout}"
        with SealedFile(self._partial(name)) as file:
            columns: ScoreWriter | None = None
            if layout == "parquet":
                from scoring.engine.runs.parquet_writer import ParquetWriter

                columns = ParquetWriter(file)
            writer = LineWriter(file, columns)
            try:
                yield writer
            finally:
                writer.close()
        self.digests[name], self.records = file.sha256(), writer.described()

    def part_files(self) -> PartFiles:
        """The writer of records that come as files, one for each part."""
        path = self._partial(SCORES)
        path.mkdir()
        return PartFiles(path, self.digests)

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Write one JSON file."""
        self.write_text(name, dumps_pretty(data))

    def write_text(self, name: str, text: str) -> None:
        """Write one text file."""
        content = text.encode()
        self._partial(name).write_bytes(content)
        self.digests[name] = hashlib.sha256(content).hexdigest()

    def _partial(self, name: str) -> Path:
        self._pending.append(name)
        return self._temporary(name)

    def _temporary(self, name: str) -> Path:
        # Whoever believes by mistake that the folder is its own still writes into no file of another run.
        return self.work / f"{name}.{self._own}"

    def _publish(self) -> None:
        self._lock.check()
        # From here on files stand without a manifest: those that are named here are no user's own.
        names = sorted(self._pending, key=lambda name: name == MANIFEST)
        self.write_json(_PUBLISHED, {"names": names})
        os.replace(self._temporary(_PUBLISHED), self.work / _PUBLISHED)
        # The manifest goes first and comes last: whatever is cut off between is not taken for a complete run.
        older = [*(self.path / name for name in OWN_FILES), *self.path.glob("plot_*.svg")]
        older = older if self._force else [self.path / name for name in published(self.path)]
        for path in sorted(older, key=lambda path: path.name != MANIFEST):
            _remove(path)
        for name in names:
            os.replace(self._temporary(name), self.path / name)


def published(path: Path) -> list[str]:
    """What a run had moved to its place, or was about to, when it was stopped there."""
    try:
        names = parse((path / UNFINISHED / _PUBLISHED).read_bytes())["names"]
    except (OSError, NotJson, KeyError, TypeError):
        return []
    return [name for name in names if name in OWN_FILES or (isinstance(name, str) and _PLOT.fullmatch(name))]


def _remove(path: Path) -> None:
    """Remove what a run has written, if it is there; of a folder only its own files, and then the folder."""
    if path.is_dir():
        for found in path.iterdir():
            if PART_FILE.fullmatch(found.name):
                found.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def check_free(path: Path, force: bool) -> None:
    """Refuse a folder that holds something, unless told to replace it.

    Raises:
        InputError: when it is a file, not empty and ``force`` is not given, or has files called as ours that no run
            has written.
    """
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file, not a folder")
    # What a run left that was killed is nobody's, unless it was about to end.
    left = {LOCK, UNFINISHED, *(published(path) if not (path / MANIFEST).exists() else ())}
    if not force and path.is_dir() and any(found.name not in left for found in path.iterdir()):
        raise InputError(f"{path} is not empty; choose another folder or add --force")
    # Without a manifest nothing tells them from a user's own, such as the very file that is scored.
    own = [name for name in OWN_FILES if name not in left and (path / name).exists()]
    if own and not (path / MANIFEST).exists():
        raise InputError(f"{path / own[0]} is of no run: there is no {MANIFEST} beside it; choose another folder")
    scores = path / SCORES
    for found in scores.iterdir() if scores.is_dir() else [scores] if scores.exists() else ():
        if not PART_FILE.fullmatch(found.name):
            raise InputError(f"{found} is of no run; move it elsewhere, or choose another folder")


def finish(
    folder: RunFolder,
    kind: Literal["task", "suite"],
    made: Made,
    summary: Mapping[str, Any],
    inputs: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write the summary and the manifest of a run.

    Args:
        folder: The folder that is being written.
        kind: What was run.
        made: The task or the suite.
        summary: Its figures.
        inputs: The files that were read, as the manifest names them.
        settings: What else the run was told, as far as it can change its figures.
    """
    folder.write_json(SUMMARY, summary)
    # Of records that come as files of Parquet nobody here has the lines; their order is that of the files.
    records = {} if folder.records is None else {"records": folder.records}
    held = {**manifest(kind, made, inputs, settings), **records, "files": dict(sorted(folder.digests.items()))}
    folder.write_json(MANIFEST, sealed(held))
