"""The content of packs as it is fetched, and writing it to the store of a project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from scoring import system
from scoring.data.output import PARTIAL, OpenFolder
from scoring.data.relative import path_fault
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import shown
from scoring.extensions.sharing.twins import twins
from scoring.project.lock import ProjectLock
from scoring.project.project import Project
from scoring.project.store import MOST_BYTES, MOST_CONTENT, MOST_FILES, PackStore, store_error, tree_digest

_FILE_MODE = 0o444


@dataclass(frozen=True)
class PackContent:
    """The files of one version of a pack.

    Args:
        files: The bytes of the pack's file and of its imported files, by path relative to their common folder.
        entry: The path of the pack's own file among these.
    """

    files: Mapping[str, bytes] = field(repr=False)
    entry: str

    @cached_property
    def digest(self) -> str:
        """The SHA-256 digest of the content: of the sorted paths of its files, each with the digest of the file.

        Examples:
            >>> PackContent({"pack.yaml": b"kind: pack"}, "pack.yaml").digest[:16]
            'f7bdb40befde2ac1'
        """
        return tree_digest(self.files)


def check_content(content: PackContent) -> None:
    """Check that the content of a pack may be written to a store, on any file system and within the limits of size.

    Raises:
        SpecError: project-store, for an invalid path, a missing entry, and for too many files or bytes.
    """
    files = content.files
    for path in files:
        if fault := path_fault(path):
            raise store_error(f"{shown(path)} can't be kept: {fault}", "rename the file in its source")
    pair = twins(files)
    if pair is not None:
        message = f"{shown(pair[0])} and {shown(pair[1])} are one file where case makes no difference"
        raise store_error(message, "rename one of them in its source")
    largest = max(map(len, files.values()), default=0)
    for what, most, is_ in (
        ("files", MOST_FILES, len(files)),
        ("bytes in one file", MOST_BYTES, largest),
        ("bytes", MOST_CONTENT, sum(map(len, files.values()))),
    ):
        if is_ > most:
            raise store_error(f"a pack has {is_:,} {what}; {most:,} may be", "share less in one pack")
    if content.entry not in files:
        raise store_error(f"{shown(content.entry)} is none of the files of its pack", "look at where it comes from")


def keep_content(store: PackStore, content: PackContent) -> None:
    """Write the content of a pack to a store, unless it is there already; a damaged copy in the store is replaced.

    Raises:
        OSError: when it can't be written.
        SpecError: project-store, for paths or sizes that are not allowed.
    """
    check_content(content)
    digest = content.digest
    if store.has(digest):
        try:
            store.read(digest)
            return
        except SpecError:
            pass
    with OpenFolder.made(store.place) as place, place.folder(digest[:2]) as two:
        name = f".scoring-{os.urandom(16).hex()}{PARTIAL}"
        try:
            with two.folder(name) as folder:
                for path, data in content.files.items():
                    _write(folder, PurePosixPath(path).parts, data)
            _put(store, two, name, digest)
        except BaseException:
            two.remove(name)
            raise


def _put(store: PackStore, two: OpenFolder, name: str, digest: str) -> None:
    try:
        two.move(name, two, digest)
    except OSError:  # a folder exists: another process was faster, or it is the damaged one
        try:
            store.read(digest)
        except SpecError:
            two.remove(digest)
            two.move(name, two, digest)
        else:
            two.remove(name)


def clean_store(store: PackStore) -> None:
    """Remove partly written contents, which an interrupted process left, from a store; no other process may write to it
    meanwhile."""
    if not store.place.is_dir():
        return
    with OpenFolder(store.place) as place:
        for name in place.names():
            if len(name) != 2 or not (store.place / name).is_dir() or (store.place / name).is_symlink():
                continue
            with OpenFolder(place.path / name, place) as two:
                for inner in two.names():
                    if inner.startswith(".scoring-") and inner.endswith(PARTIAL):
                        two.remove(inner)


def _write(folder: OpenFolder, parts: tuple[str, ...], data: bytes) -> None:
    if len(parts) > 1:
        with folder.folder(parts[0]) as inner:
            _write(inner, parts[1:], data)
        return
    with folder.create(parts[0]) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        system.set_mode(file.fileno(), _FILE_MODE)


class StoreInMemory(PackStore):
    """A store of pack contents that also finds fetched contents which are in memory and not written to the store
    yet."""

    def __init__(self, store: PackStore, contents: Mapping[str, PackContent]) -> None:
        super().__init__(store.place, store.name)
        self._contents = contents

    def has(self, digest: str) -> bool:
        """Return True if the content with a digest is in memory, or the store has a folder for it."""
        return digest in self._contents or super().has(digest)

    def read(self, digest: str) -> Mapping[str, bytes]:
        """Return the files of the pack content with a given digest, by path: from memory if it is there, else from the
        store."""
        found = self._contents.get(digest)
        return super().read(digest) if found is None else found.files


def with_lock(project: Project, lock: ProjectLock, contents: Mapping[str, PackContent]) -> Project:
    """Return a copy of a project that has another lock, and that also finds pack contents which are not in its store
    yet.

    Args:
        project: The project, which is not changed.
        lock: The lock of the copy.
        contents: The further contents by digest.
    """
    found = Project(project.root, project.path, alone=True)
    found.__dict__.update(file=project.file, lock=lock, store=StoreInMemory(project.store, contents))
    return found
