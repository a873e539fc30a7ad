"""A store of the content of packs by digest, which keeps fetched content and verifies its digest when it is read."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from scoring import system
from scoring.data.os_errors import refused
from scoring.data.output import PARTIAL, HeldFolder
from scoring.data.relative import MOST_FOLDERS, path_fault, twins
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import shown

MOST_FILES = 100
"""The most files of one pack."""
MOST_BYTES = 8_000_000
"""The most bytes of one file of a pack."""
MOST_CONTENT = 32_000_000
"""The most bytes of all files of one pack."""
_DIGEST = re.compile("[0-9a-f]{64}")
_FILE_MODE = 0o444


def is_digest(text: object) -> bool:
    """Return whether a value is a SHA-256 digest in the form of locks."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


@dataclass(frozen=True)
class PackContent:
    """The files of one version of a pack.

    Args:
        files: The pack's file and the files that it imports by path, by path relative to their common folder.
        entry: The path of the pack's file.
    """

    files: Mapping[str, bytes] = field(repr=False)
    entry: str

    @cached_property
    def digest(self) -> str:
        """The SHA-256 digest of the sorted list of paths and the digests of their files.

        Examples:
            >>> PackContent({"pack.yaml": b"kind: pack"}, "pack.yaml").digest[:16]
            'f7bdb40befde2ac1'
        """
        return tree_digest(self.files)


def tree_digest(files: Mapping[str, bytes]) -> str:
    """Return the digest of files by path, which is the same only for equal trees."""
    listed = [[path, hashlib.sha256(files[path]).hexdigest()] for path in sorted(files)]
    return hashlib.sha256(json.dumps(listed, separators=(",", ":")).encode()).hexdigest()


class PackStore:
    """A folder of pack contents, each in its subfolder ``<first two digits>/<digest>/``."""

    def __init__(self, place: Path, name: str = "") -> None:
        self.place, self.name = place, name or str(place)

    def has(self, digest: str) -> bool:
        """Return whether the store has a subfolder for a digest, without verifying its content."""
        return is_digest(digest) and os.path.lexists(self.place / digest[:2] / digest)

    def read(self, digest: str) -> Mapping[str, bytes]:
        """Return the files of the pack content with a digest, by path, after verifying the digest.

        Raises:
            SpecError: project-store, when they are missing, or have another digest.
        """
        if not is_digest(digest):
            raise _refused(f"{str(digest)!r:.80} is no digest", "bring the lock back that was committed")
        try:
            with (
                HeldFolder(self.place) as place,
                HeldFolder(place.path / digest[:2], place) as two,
                HeldFolder(two.path / digest, two) as folder,
            ):
                files = dict(_Held(partial(self.damaged, digest)).files(folder, ""))
        except FileNotFoundError:
            message = f"{self.name} does not hold `{digest[:12]}…`"
            raise _refused(message, "`scoring lock` fetches what the lock names") from None
        except OSError as error:
            raise self.damaged(digest, refused(error).partition(";")[0]) from None
        if tree_digest(files) != digest:
            raise self.damaged(digest, "its content is not what the digest is of")
        return files

    def damaged(self, digest: str, why: str) -> SpecError:
        """Return the error for content that does not have its digest."""
        message = f"{self.name}/{digest[:2]}/{digest[:12]}… was changed: {why}"
        return _refused(message, "`scoring lock` writes it anew from its source")

    def add(self, content: PackContent) -> None:
        """Store the content of a pack; damaged content with the same digest is replaced.

        Raises:
            OSError: when it can't be written.
            SpecError: project-store, for paths or sizes that are not allowed.
        """
        check_content(content)
        digest = content.digest
        if self.has(digest):
            try:
                self.read(digest)
                return
            except SpecError:
                pass
        with HeldFolder.made(self.place) as place, place.folder(digest[:2]) as two:
            name = f".scoring-{os.urandom(16).hex()}{PARTIAL}"
            try:
                with two.folder(name) as folder:
                    for path, data in content.files.items():
                        _write(folder, PurePosixPath(path).parts, data)
                self._put(two, name, digest)
            except BaseException:
                two.remove(name)
                raise

    def _put(self, two: HeldFolder, name: str, digest: str) -> None:
        try:
            two.move(name, two, digest)
        except OSError:  # a folder exists: another process was faster, or it is the damaged one
            try:
                self.read(digest)
            except SpecError:
                two.remove(digest)
                two.move(name, two, digest)
            else:
                two.remove(name)

    def clean(self) -> None:
        """Remove content that was not written completely; no other process may write to the store meanwhile."""
        if not self.place.is_dir():
            return
        with HeldFolder(self.place) as place:
            for name in place.names():
                if len(name) != 2 or not (self.place / name).is_dir() or (self.place / name).is_symlink():
                    continue
                with HeldFolder(place.path / name, place) as two:
                    for inner in two.names():
                        if inner.startswith(".scoring-") and inner.endswith(PARTIAL):
                            two.remove(inner)


class HeldStore(PackStore):
    """A store combined with fetched contents that are in memory and not written yet."""

    def __init__(self, store: PackStore, held: Mapping[str, PackContent]) -> None:
        super().__init__(store.place, store.name)
        self._contents = held

    def has(self, digest: str) -> bool:
        """Return whether the content with a digest is in memory, or the store has a subfolder for it."""
        return digest in self._contents or super().has(digest)

    def read(self, digest: str) -> Mapping[str, bytes]:
        """Return the files of the pack content with a digest, by path, from memory or else from the store."""
        found = self._contents.get(digest)
        return super().read(digest) if found is None else found.files


def check_content(content: PackContent) -> None:
    """Raise an exception for content that can't be stored.

    Raises:
        SpecError: project-store, for an invalid path, a missing entry, and for too many files or bytes.
    """
    files = content.files
    for path in files:
        if fault := path_fault(path):
            raise _refused(f"{shown(path)} can't be kept: {fault}", "rename the file in its source")
    pair = twins(files)
    if pair is not None:
        message = f"{shown(pair[0])} and {shown(pair[1])} are one file where case makes no difference"
        raise _refused(message, "rename one of them in its source")
    largest = max(map(len, files.values()), default=0)
    for what, most, is_ in (
        ("files", MOST_FILES, len(files)),
        ("bytes in one file", MOST_BYTES, largest),
        ("bytes", MOST_CONTENT, sum(map(len, files.values()))),
    ):
        if is_ > most:
            raise _refused(f"a pack has {is_:,} {what}; {most:,} may be", "share less in one pack")
    if content.entry not in files:
        raise _refused(f"{shown(content.entry)} is none of the files of its pack", "look at where it comes from")


def _write(folder: HeldFolder, parts: tuple[str, ...], data: bytes) -> None:
    if len(parts) > 1:
        with folder.folder(parts[0]) as inner:
            _write(inner, parts[1:], data)
        return
    with folder.create(parts[0]) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        system.set_mode(file.fileno(), _FILE_MODE)


class _Held:
    """A reader of the files of one content, which enforces the limits."""

    def __init__(self, damaged: Callable[[str], SpecError]) -> None:
        self._damaged = damaged
        self._left_files, self._left_bytes = MOST_FILES, MOST_CONTENT

    def files(self, folder: HeldFolder, below: str) -> Iterator[tuple[str, bytes]]:
        names = folder.names()
        if len(names) > MOST_FILES or below.count("/") >= MOST_FOLDERS:
            raise self._damaged(f"it holds more than {MOST_FILES:,} files, or too many folders")
        for name in sorted(names):
            path = below + name
            status = folder.status(name)
            if stat.S_ISDIR(status.st_mode):
                with HeldFolder(folder.path / name, folder) as inner:
                    if not inner.names():
                        raise self._damaged(f"{shown(path)} is an empty folder")
                    yield from self.files(inner, f"{path}/")
            elif not stat.S_ISREG(status.st_mode):
                what = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "no plain file"
                raise self._damaged(f"{shown(path)} is {what}")
            elif path_fault(path):
                raise self._damaged(f"{shown(path)}: {path_fault(path)}")
            else:
                yield path, self._data(folder, name, path)

    def _data(self, folder: HeldFolder, name: str, path: str) -> bytes:
        most = min(MOST_BYTES, self._left_bytes)
        with folder.open(name) as file:
            data = file.read(most + 1)
        self._left_files -= 1
        self._left_bytes -= len(data)
        if len(data) > most or self._left_files < 0:
            raise self._damaged(
                f"{shown(path)} is too much: a pack has at most {MOST_FILES} files, "
                f"{MOST_BYTES:,} bytes in one and {MOST_CONTENT:,} in all"
            )
        return data


def _refused(message: str, help: str) -> SpecError:
    return SpecError.of("project-store", message, help=help)
