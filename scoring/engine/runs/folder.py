"""The run folder: `scores.jsonl` (or Parquet), `summary.json` and `manifest.json`, each written whole or not at all.

Files are written to `.unfinished` under names unique to the run, and moved to their final paths at the end, the
manifest last: a folder with a manifest is a complete run. Only one run at a time can write into a folder
(`scoring.engine.runs.lock`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import dumps, dumps_pretty
from scoring.data.os_errors import telling
from scoring.data.output import OpenFolder, write_whole
from scoring.data.plain_files import open_plain
from scoring.engine.runs.lock import LOCK, FolderLock
from scoring.engine.runs.manifest import Made, SealedFile, holds, manifest, sealed
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.extension import service

MANIFEST = "manifest.json"
SIGNATURE = f"{MANIFEST}.sig"
"""The author's signature of the manifest, and so of all files of the run; the manifest does not list this file."""
SUMMARY = "summary.json"
TASK_RESULTS = "task_results.json"
TEXTS = "texts.json"
"""The texts that the run was compiled from, used to score it again: see `scoring.engine.runs.texts`."""
MOST_TEXTS = 256_000_000
"""Maximum size of that file in bytes."""
SCORES = "scores"
"""The folder in which a run in parts stores its scores as Parquet, one file for each part."""
PART_FILE = lazy_pattern(r"part-(\d{5,12})\.parquet")
OWN_FILES = (
    SCORES,
    "scores.jsonl",
    "scores.parquet",
    TASK_RESULTS,
    "summary_and_keyword_stats.json",
    SUMMARY,
    TEXTS,
    "report.html",
    MANIFEST,
    SIGNATURE,
)
UNFINISHED = ".unfinished"
"""Name of the subfolder that contains a run until it is complete."""
ABOUT, CHECKPOINT, PARTS = "run.json", "checkpoint.json", "parts"
_PUBLISHED, _STAMPS, _TEXTS = "published.json", "stamps", "texts"
_CHUNK = 1 << 20
PLOT = lazy_pattern(r"plot_.*\.svg")


class ScoreWriter(Protocol):
    """A writer for the records of a run, given some at a time as lines of JSON."""

    def write(self, lines: Sequence[str]) -> None:
        """Write some records."""


class ColumnWriter(ScoreWriter, Protocol):
    """A writer of one file of columns, which is complete only when it is closed."""

    def close(self) -> None:
        """Write anything still buffered and close the file."""


class LineWriter:
    """A writer of records as lines, and optionally also as Parquet; computes the digest of the lines in order."""

    def __init__(self, file: SealedFile, columns: ColumnWriter | None = None) -> None:
        self._file, self._columns = file, columns
        self._count = 0

    def write(self, lines: Sequence[str]) -> None:
        """Write some records."""
        self.write_content("\n".join([*lines, ""]).encode(), lines)

    def write_content(self, content: bytes, lines: Sequence[str] | None = None) -> None:
        """Write some records that are already encoded, each with its line feed; ``lines`` are their texts, if known."""
        self._count += content.count(b"\n")
        self._file.write(content)
        if self._columns is not None:
            self._columns.write(lines or content.decode().split("\n")[:-1])

    def close(self) -> None:
        """Write anything still buffered and close the files."""
        self._file.close()
        if self._columns is not None:
            self._columns.close()

    def described(self) -> dict[str, Any]:
        """Return the manifest's entry about the records."""
        return {"count": self._count, "sha256": self._file.sha256()}

    def flushed(self) -> dict[str, Any]:
        """Flush, and return the file, size and digest of the lines written so far."""
        self._file.flush()
        return {"file": self._file.name, "bytes": self._file.tell(), "sha256": self._file.sha256()}


class PartFiles:
    """A writer of `scores/part-00001.parquet` and so on, given the content of each file as made by a worker."""

    def __init__(self, folder: OpenFolder, digests: dict[str, str]) -> None:
        self._folder, self._digests = folder, digests

    def write_part(self, place: int, content: Iterable[bytes]) -> None:
        """Write the file of the part at a position, counted from 0."""
        name = f"part-{place + 1:05d}.parquet"
        with SealedFile(self._folder.create(name), name) as file:
            for chunk in content:
                file.write(chunk)
        self._digests[f"{SCORES}/{name}"] = file.sha256()


class RunFolder:
    """A run folder that is being written; use it as a context manager.

    Args:
        path: The folder; it may be missing or empty.
        force: Replace an older run in it. Files that no run writes are kept.

    Raises:
        InputError: when the folder is not empty and ``force`` is not given.
    """

    is_resumable = True
    """Whether an interrupted run can be resumed by the next one."""

    def __init__(self, path: Path, force: bool = False) -> None:
        self.path = path
        self.work = path / UNFINISHED
        self.digests: dict[str, str] = {}
        self.records: Mapping[str, Any] | None = None
        self._made = not path.exists()
        self._force = force
        self._pending: list[str] = []
        self._own = os.urandom(16).hex()
        self._is_clear = False
        self._lock = FolderLock(path, str(path))
        self._open = contextlib.ExitStack()
        self._here: OpenFolder
        self.unfinished: OpenFolder
        """The open folder `.unfinished`, to write into."""
        _check_free(path, force)

    def __enter__(self) -> RunFolder:
        with telling(f"can't create the run folder {self.path}"), contextlib.ExitStack() as opened:
            self._here = opened.enter_context(OpenFolder.made(self.path))
            self._lock.take()
            opened.callback(self._lock.release)
            _check_free(self.path, self._force)  # another run may have finished in the meantime
            self.unfinished = opened.enter_context(self._here.folder(UNFINISHED))
            self._open = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()  # if interrupted in here, `.unfinished` remains, and lists the files to be moved
            if kind is None or (self.is_in_parts is None and not published(self.path)):
                with contextlib.suppress(OSError):
                    self._here.remove(UNFINISHED)
        finally:
            self._open.close()
        if kind is not None and self._made:
            with contextlib.suppress(OSError):
                self.path.rmdir()

    @contextlib.contextmanager
    def scores(self, layout: str = "jsonl") -> Iterator[LineWriter]:
        """Yield the writer of the records, in the layout ``jsonl`` or ``parquet``."""
        name = f"{SCORES}.{layout}"
        with contextlib.ExitStack() as files:
            file = files.enter_context(self._sealed(self._partial(name)))
            writer = LineWriter(file)
            if layout == "parquet":
                # A Parquet file can't be continued, so an interrupted run keeps its lines.
                lines = files.enter_context(self._sealed(self._temporary(f"{SCORES}.jsonl")))
                writer = LineWriter(lines, service("parquet-scores", "--scores parquet").ParquetWriter(file))
            try:
                yield writer
            finally:
                writer.close()
        self.digests[name], self.records = file.sha256(), writer.described()

    def part_files(self) -> PartFiles:
        """Return the writer for records that arrive as files, one for each part."""
        folder = self._open.enter_context(self.unfinished.folder(self._partial(SCORES)))
        return PartFiles(folder, self.digests)

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Write one JSON file."""
        self.write_text(name, dumps_pretty(data))

    def write_text(self, name: str, text: str) -> None:
        """Write one text file."""
        content = text.encode()
        with self.unfinished.create(self._partial(name)) as file:
            file.write(content)
        self.digests[name] = hashlib.sha256(content).hexdigest()

    def begin(self, about: Mapping[str, Any], stamps: Sequence[Any] = (), texts: str = "") -> bool:
        """Register this run, and resume the interrupted run in the folder if it is the same.

        Args:
            about: The properties that must be equal for resuming, by their names in messages.
            stamps: Marks of the input files' state; with ``force``, a run with other stamps is dropped, not resumed.
            texts: The digest of the texts that the run was compiled from; different texts may have the same meaning.

        Returns:
            Whether a run is resumed that was compiled from other texts.

        Raises:
            InputError: when the folder contains a different interrupted run and ``force`` is not given.
        """
        about, stamps = json.loads(dumps([about, stamps]))
        earlier = self._json(ABOUT) or {}
        before, words = earlier.pop(_STAMPS, None), earlier.pop(_TEXTS, None)
        continues = self.is_in_parts is not None
        if continues and earlier != about:
            if not self._force:
                odd = next(name for name in {**about, **earlier} if earlier.get(name) != about.get(name))
                one, two = (found if found or found == 0 else "none" for found in (earlier.get(odd), about.get(odd)))
                why = f"{self.path} holds a stopped run of another {odd}: {one} and now {two}"
                raise InputError(f"{why}; --force drops it, or choose another folder")
            continues = False
        if not continues or (self._force and before != stamps):
            self._clear({_PUBLISHED})
            continues = False
        self._write(ABOUT, {**about, _STAMPS: stamps, _TEXTS: texts})
        return continues and words != texts

    def standing(self) -> Mapping[str, Any] | None:
        """Return the checkpoint of this run, None if there is none or it is damaged."""
        checkpoint = self._json(CHECKPOINT)
        if checkpoint is None or holds(checkpoint) is not True:
            return None
        with contextlib.suppress(OSError, KeyError, TypeError), open_plain(self._lines_of(checkpoint)) as file:
            found, left = hashlib.sha256(), checkpoint["lines"]["bytes"]
            while chunk := file.read(min(_CHUNK, left)):
                found.update(chunk)
                left -= len(chunk)
            if not left and found.hexdigest() == checkpoint["lines"]["sha256"]:
                return checkpoint
        return None

    def standing_lines(self, checkpoint: Mapping[str, Any]) -> Iterator[bytes]:
        """Yield the lines of the records that a checkpoint covers, as bytes, in chunks of whole lines."""
        left = checkpoint["lines"]["bytes"]
        with open_plain(self._lines_of(checkpoint)) as file:
            while left > 0:
                content = file.read(min(_CHUNK, left))
                content += b"" if content.endswith(b"\n") else file.readline()
                left -= len(content)
                yield content

    def keep(self, checkpoint: Mapping[str, Any]) -> None:
        """Save a checkpoint of this run, replacing the previous one."""
        self._lock.check()
        self._write(CHECKPOINT, sealed(checkpoint))
        if not self._is_clear:  # files left by other runs are no longer needed
            self._clear({ABOUT, CHECKPOINT, _PUBLISHED})
            self._is_clear = True

    @property
    def parts(self) -> Path | None:
        """The folder with finished parts of a run that is scored in parts, None if there are none; see `parts_of`."""
        found = (path.parent for path in self.work.glob(f"{PARTS}.*/part-*.json"))
        return next((path for path in found if path.suffix[1:].isdecimal()), None)

    def parts_of(self, size: int) -> Path:
        """Return the folder in which parts of a given size in bytes are kept until the run is complete."""
        return self.work / f"{PARTS}.{size}"

    @property
    def is_in_parts(self) -> bool | None:
        """Whether the progress stored of this run consists of parts; None if nothing is stored."""
        if self.parts is not None:
            return True
        return None if self._json(CHECKPOINT) is None else False

    def _lines_of(self, checkpoint: Mapping[str, Any]) -> Path:
        place = self.work / Path(checkpoint["lines"]["file"]).name
        # If the run was interrupted while publishing, its lines are already at their final path.
        return place if place.exists() else self.path / f"{SCORES}.jsonl"

    def _json(self, name: str) -> dict[str, Any] | None:
        try:
            with self.unfinished.open(name) as file:
                found = parse(file.read())
        except (OSError, NotJson):
            return None
        return found if isinstance(found, dict) else None

    def _write(self, name: str, data: Mapping[str, Any]) -> None:
        write_whole(self.unfinished, name, dumps(data).encode())

    def _clear(self, kept: set[str]) -> None:
        """Remove everything in `.unfinished` that is neither named in ``kept`` nor a file of this run."""
        for name in self.unfinished.names():
            if name not in kept and not name.endswith(self._own):
                self.unfinished.remove(name)

    def _sealed(self, name: str) -> SealedFile:
        return SealedFile(self.unfinished.create(name), name)

    def _partial(self, name: str) -> str:
        self._pending.append(name)
        return self._temporary(name)

    def _temporary(self, name: str) -> str:
        # Even a run that wrongly assumes to own the folder does not write into another run's files.
        return f"{name}.{self._own}"

    def _publish(self) -> None:
        self._lock.check()
        # From here on there are files without a manifest; this list tells them from a user's own files.
        names = sorted(self._pending, key=lambda name: name == MANIFEST)
        self._write(_PUBLISHED, {"names": names})
        # The manifest is removed first and added last, so that an interruption never leaves an apparently complete run.
        older = published(self.path)
        if self._force:
            older = [*OWN_FILES, *filter(PLOT.fullmatch, self._here.names())]
        for name in sorted(older, key=lambda name: name != MANIFEST):
            _remove(self._here, name)
        for name in names:
            self.unfinished.move(self._temporary(name), self._here, name)


def published(path: Path) -> list[str]:
    """Return the files that a run had moved to their final paths, or was about to move, when it was interrupted."""
    try:
        with open_plain(path / UNFINISHED / _PUBLISHED) as file:
            names = parse(file.read())["names"]
    except (OSError, NotJson, KeyError, TypeError):
        return []
    return [name for name in names if name in OWN_FILES or (isinstance(name, str) and PLOT.fullmatch(name))]


def _remove(folder: OpenFolder, name: str) -> None:
    """Remove a file that runs write, if it exists; of the scores folder, the part files, then the folder itself."""
    if name != SCORES or not _is_folder(folder.path / name):
        folder.remove_file(name)
        return
    with OpenFolder(folder.path / name, folder) as inner:
        for found in filter(PART_FILE.fullmatch, inner.names()):
            inner.remove_file(found)
    folder.remove_folder(name)


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder and not a link to one, whose content must not be removed."""
    return path.is_dir() and not path.is_symlink()


def _check_free(path: Path, force: bool) -> None:
    """Raise an error if a run must not be written into a folder, because it is not empty or can't be replaced.

    Raises:
        InputError: when the path is a file, the folder is not empty and ``force`` is not given, or it has files that
            have the names of a run's files but were not written by a run, or `.unfinished` is not a folder.
    """
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file, not a folder")
    work = path / UNFINISHED
    if os.path.lexists(work) and not _is_folder(work):
        raise InputError(f"{work} is not the folder of a run; remove it, or choose another folder")
    # Files left by a killed run may be replaced, including those it had already moved to their final paths.
    left = {LOCK, UNFINISHED, *(published(path) if not (path / MANIFEST).exists() else ())}
    if not force and path.is_dir() and any(found.name not in left for found in path.iterdir()):
        raise InputError(f"{path} is not empty; choose another folder or add --force")
    # Without a manifest they can't be told from a user's own files, such as the very file that is scored.
    own = [name for name in OWN_FILES if name not in left and (path / name).exists()]
    if own and not (path / MANIFEST).exists():
        raise InputError(f"{path / own[0]} belongs to no run: there is no {MANIFEST} next to it; choose another folder")
    scores = path / SCORES
    for found in scores.iterdir() if scores.is_dir() else [scores] if scores.exists() else ():
        if not PART_FILE.fullmatch(found.name):
            raise InputError(f"{found} belongs to no run; move it elsewhere, or choose another folder")


def finish(
    folder: RunFolder,
    kind: str,
    made: Made,
    summary: Mapping[str, Any],
    inputs: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write the summary and the manifest of a run.

    Args:
        folder: The folder that is being written.
        kind: ``task``, or the kind of a file that joins tasks, such as ``suite``.
        made: The task or the suite.
        summary: Its summary.
        inputs: The manifest's entries of the files that were read.
        settings: Further settings of the run that can change its figures.
    """
    folder.write_json(SUMMARY, summary)
    # If records arrive as Parquet files, their lines are not available here; their order is that of the files.
    records = {} if folder.records is None else {"records": folder.records}
    content = {**manifest(kind, made, inputs, settings), **records, "files": dict(sorted(folder.digests.items()))}
    folder.write_json(MANIFEST, sealed(content))
