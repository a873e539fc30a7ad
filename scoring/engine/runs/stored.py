"""Run folders at addresses (`s3://bucket/runs/x`): written locally, then moved there as a whole, the manifest last.

Also checks, for every run folder, that the run does not overwrite its inputs, nor write into a folder that it reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from scoring.data.address import filesystem, hidden, hide_credentials, is_address
from scoring.data.plain_files import walked
from scoring.engine.runs.folder import MANIFEST, OWN_FILES, PART_FILE, PLOT, SCORES, SIGNATURE, UNFINISHED, RunFolder
from scoring.engine.runs.lock import LOCK, StoredLock
from scoring.errors import InputError


class StoredFolder(RunFolder):
    """A run folder at an address; use it as a context manager.

    Raises:
        InputError: when it is not empty and ``force`` is not given, or contains files that no run has written.
    """

    goes_on = False

    def __init__(self, address: str, force: bool = False) -> None:
        self._address, self._replaces = address, force
        self._store, self._place = filesystem(address)
        self._there = StoredLock(self._store, self._place, hide_credentials(address))
        self._check_free()
        self._near = TemporaryDirectory()
        super().__init__(Path(self._near.name) / "run")

    def _check_free(self) -> None:
        held = self._held()
        # Files left by a run that was interrupted while moving its files may be replaced.
        if not held or self._there.was_moving:
            return
        if not self._replaces:
            raise InputError(f"{hide_credentials(self._address)} is not empty; choose another folder or add --force")
        if MANIFEST not in held:
            given = hide_credentials(self._address)
            raise InputError(f"{given} belongs to no run: there is no {MANIFEST} in it; choose another folder")

    def __enter__(self) -> StoredFolder:
        try:
            self._there.take()
            try:
                super().__enter__()
            except BaseException:
                self._there.release()
                raise
        except BaseException as error:
            self._near.cleanup()
            if isinstance(error, OSError):
                raise self._unwritten(error) from None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with self._near:
                super().__exit__(kind, error, trace)
                if kind is None:
                    self._move()
            self._there.release()
        except OSError as failed:
            self._there.leave()
            raise self._unwritten(failed) from None

    def _unwritten(self, error: OSError) -> InputError:
        why = hidden(" ".join(str(error).split()), self._address)
        return InputError(f"can't write {hide_credentials(self._address)}: {why}")

    def _move(self) -> None:
        files = (path.relative_to(self.path).as_posix() for path in self.path.rglob("*") if path.is_file())
        names = sorted(files, key=lambda name: (name == MANIFEST, name))
        self._there.check(moving=True)
        # The manifest is removed first and added last, so that an interruption never leaves an apparently complete run.
        held = self._held()
        older = {name for name in held - {SCORES, *names} if name in OWN_FILES or PLOT.fullmatch(name)}
        for name in (*sorted(held & {MANIFEST, SIGNATURE}), *sorted(older - {MANIFEST, SIGNATURE})):
            self._store.rm_file(f"{self._place}/{name}")
        for name, path in _files(self._store, self._place) if SCORES in held else ():
            if name.startswith(f"{SCORES}/") and PART_FILE.fullmatch(name.removeprefix(f"{SCORES}/")):
                self._store.rm_file(path)
        for folder in dict.fromkeys(f"{self._place}/{name}".rpartition("/")[0] for name in names):
            self._store.makedirs(folder, exist_ok=True)
        for name in names:
            if name == MANIFEST:
                self._there.check()
            self._store.put_file(str(self.path / name), f"{self._place}/{name}")

    def _held(self) -> set[str]:
        """Return the names of the files and folders that are at the address now, except the lock."""
        try:
            found = self._store.ls(self._place, detail=False)
        except FileNotFoundError:
            return set()
        return {_last(str(path)) for path in found} - {LOCK}


def run_folder(path: str | Path, force: bool = False) -> RunFolder:
    """Return the folder for writing a run to a path or an address.

    Raises:
        InputError: when it must not be written to; see `RunFolder`.
    """
    if not is_address(str(path)):
        return RunFolder(Path(path), force)
    if str(path).startswith("file:"):  # a local path after all, for which links must be checked
        return RunFolder(Path(filesystem(str(path))[1]), force)
    return StoredFolder(str(path), force)


def _files(store: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a run at an address as pairs of the relative name and the full path."""
    for path in map(str, store.ls(place, detail=False)):
        name = _last(path)
        if name == SCORES:
            yield from ((f"{SCORES}/{_last(part)}", part) for part in map(str, store.ls(path, detail=False)))
        else:
            yield name, path


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


@contextmanager
def local_folder(name: str) -> Iterator[Path]:
    """Yield the local path of a run folder, which is downloaded first if the name is an address."""
    if not is_address(name):
        yield Path(name)
        return
    store, place = filesystem(name)
    with TemporaryDirectory() as folder:
        try:
            for name, path in _files(store, place):
                if name == LOCK:
                    continue
                Path(folder, name).parent.mkdir(exist_ok=True)
                store.get_file(path, f"{folder}/{name}")
        except OSError as error:
            raise InputError(
                f"can't read {hide_credentials(name)}: {hidden(' '.join(str(error).split()), name)}"
            ) from None
        yield Path(folder)


# ---- files that a run must not overwrite

_NAMES = frozenset(name.casefold() for name in (*OWN_FILES, UNFINISHED, LOCK))


def refuse_inputs(folder: RunFolder, paths: Iterable[str | Path | None]) -> None:
    """Raise an error if the run would overwrite a file that it reads, or its folder is inside a folder that it reads.

    Hard and symbolic links to a file count as that file.

    Raises:
        InputError: naming the file or folder.
    """
    path = folder.path
    own = {_identity(one): one for one in _own_files(path)} if path.is_dir() else {}
    above = {_identity(one) for one in (path, *path.absolute().parents)}
    for read in (Path(one) for one in paths if one is not None):
        found = _identity(read)
        if found is None:
            if read.name.casefold() in _NAMES and _identity(read.parent) in (_identity(path) or "",):
                raise InputError(f"{read} has the name of a file of the run in {path}; choose another name for it")
        elif found in own:
            same = "" if str(own[found]) == str(read) else f" ({own[found]} is the same file)"
            raise InputError(f"--force would replace {read}{same}, which the run reads; choose another folder")
        elif found in above and read.is_dir():
            why = "the next run would read what this one wrote"
            raise InputError(f"the run folder {path} is in {read}, which the run reads: {why}; choose one next to it")


def _own_files(folder: Path) -> Iterator[Path]:
    """Yield the paths in a run folder that a run may overwrite or remove."""
    for path in folder.iterdir():
        if path.name in (SCORES, UNFINISHED) and path.is_dir():
            yield from walked(path, lambda *_: None)
        elif path.name.casefold() in _NAMES or PLOT.fullmatch(path.name):
            yield path


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file, which is the same for all its names; None if there is no such file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
