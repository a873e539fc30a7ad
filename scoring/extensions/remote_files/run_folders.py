"""Run folders at addresses (`s3://bucket/runs/x`): written locally, then moved there as a whole, the manifest last."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from scoring.data.address import hidden, hide_credentials
from scoring.engine.runs.folder import MANIFEST, OWN_FILES, PART_FILE, PLOT, SCORES, SIGNATURE, RunFolder
from scoring.engine.runs.lock import LOCK, still_writes, this_process, written_by
from scoring.errors import InputError
from scoring.extensions.remote_files.stores import filesystem


class StoredLock:
    """A lock on a run folder at an address, made of a lock file, since remote stores have no locks: the file's content
    states who has it, and is checked repeatedly.

    Args:
        store: The fsspec file system of the address.
        place: The path of the folder in the store.
        name: The address as shown in messages.
    """

    def __init__(self, store: Any, place: str, name: str) -> None:
        self._store, self._place, self._name = store, place, name
        self._own: dict[str, Any] = {}

    @property
    def was_moving(self) -> bool:
        """Whether the run that last had the lock has ended while it moved its files here, so that the folder is
        incomplete."""
        holder = self._holder()
        return bool(holder.get("moving")) and not still_writes(holder)

    def take(self) -> None:
        """Take the lock for this run, also from a process of this machine that no longer exists.

        Raises:
            InputError: when another process writes to the folder; the message names it.
        """
        holder = self._holder()
        if still_writes(holder):
            raise self._busy(holder)
        self._own = {**this_process(), "run": os.urandom(16).hex(), "moving": bool(holder.get("moving"))}
        self._write()
        self.check()

    def check(self, moving: bool = False) -> None:
        """Check that this run still has the lock; with ``moving``, also record that it now moves its files.

        Raises:
            InputError: when another process has taken the lock in the meantime; the message names it.
        """
        found = self._holder()
        if found != self._own:
            raise self._busy(found)
        if moving:
            self._own["moving"] = True
            self._write()

    def release(self) -> None:
        """Release the lock, and remove the folder if it is empty."""
        if self._own and self._holder() == self._own:
            self._store.rm_file(f"{self._place}/{LOCK}")
            with contextlib.suppress(OSError):  # in stores where folders exist as such
                if not self._store.ls(self._place):
                    self._store.rmdir(self._place)

    def leave(self) -> None:
        """Record in the lock that this run has ended after moving only some of its files, so that a later run may
        replace them."""
        self._own["left"] = True
        with contextlib.suppress(OSError):
            self._write()

    def _write(self) -> None:
        self._store.makedirs(self._place, exist_ok=True)
        self._store.pipe_file(f"{self._place}/{LOCK}", json.dumps(self._own).encode())

    def _holder(self) -> dict[str, Any]:
        try:
            self._store.invalidate_cache()
            found = json.loads(self._store.cat_file(f"{self._place}/{LOCK}"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _busy(self, holder: Mapping[str, Any]) -> InputError:
        gone = f"if that process is gone, remove {self._name}/{LOCK}"
        return InputError(f"{written_by(self._name, holder)}, or choose another folder; {gone}")


class StoredFolder(RunFolder):
    """A run folder at an address, which a run writes in a local folder that is moved there at the end; use it as a
    context manager.

    Raises:
        InputError: when it is not empty and ``force`` is not given, or contains files that no run has written.
    """

    is_resumable = False

    def __init__(self, address: str, force: bool = False) -> None:
        self._address, self._replaces = address, force
        self._store, self._place = filesystem(address)
        self._there = StoredLock(self._store, self._place, hide_credentials(address))
        self._check_free()
        self._near = TemporaryDirectory()
        super().__init__(Path(self._near.name) / "run")

    def _check_free(self) -> None:
        existing = self._existing()
        # Files left by a run that was interrupted while moving its files may be replaced.
        if not existing or self._there.was_moving:
            return
        if not self._replaces:
            raise InputError(f"{hide_credentials(self._address)} is not empty; choose another folder or add --force")
        if MANIFEST not in existing:
            address = hide_credentials(self._address)
            raise InputError(f"{address} belongs to no run: there is no {MANIFEST} in it; choose another folder")

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
        existing = self._existing()
        older = {name for name in existing - {SCORES, *names} if name in OWN_FILES or PLOT.fullmatch(name)}
        for name in (*sorted(existing & {MANIFEST, SIGNATURE}), *sorted(older - {MANIFEST, SIGNATURE})):
            self._store.rm_file(f"{self._place}/{name}")
        for name, path in _files(self._store, self._place) if SCORES in existing else ():
            if name.startswith(f"{SCORES}/") and PART_FILE.fullmatch(name.removeprefix(f"{SCORES}/")):
                self._store.rm_file(path)
        for folder in dict.fromkeys(f"{self._place}/{name}".rpartition("/")[0] for name in names):
            self._store.makedirs(folder, exist_ok=True)
        for name in names:
            if name == MANIFEST:
                self._there.check()
            self._store.put_file(str(self.path / name), f"{self._place}/{name}")

    def _existing(self) -> set[str]:
        """Return the names of the files and folders that are at the address now, except the lock."""
        try:
            found = self._store.ls(self._place, detail=False)
        except FileNotFoundError:
            return set()
        return {_last(str(path)) for path in found} - {LOCK}


@contextmanager
def downloaded_folder(name: str) -> Iterator[Path]:
    """Download a run folder from the address `name` into a temporary folder, and yield its path, valid within the
    block."""
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


def _files(store: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield the name, relative to the folder, and the full path of each file of the run folder at the path `place` of a
    store."""
    for path in map(str, store.ls(place, detail=False)):
        name = _last(path)
        if name == SCORES:
            yield from ((f"{SCORES}/{_last(part)}", part) for part in map(str, store.ls(path, detail=False)))
        else:
            yield name, path


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
