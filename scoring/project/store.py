"""A store of the content of packs by digest, which verifies the digest when it is read; an extension writes it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from scoring.data.os_errors import refused
from scoring.data.output import OpenFolder
from scoring.data.relative import MOST_FOLDERS, path_fault
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import shown
from scoring.lazy_pattern import lazy_pattern

MOST_FILES = 100
"""The most files of one pack."""
MOST_BYTES = 8_000_000
"""The most bytes of one file of a pack."""
MOST_CONTENT = 32_000_000
"""The most bytes of all files of one pack."""
_DIGEST = lazy_pattern("[0-9a-f]{64}")


def is_digest(text: object) -> bool:
    """Return whether a value is a SHA-256 digest in the form of locks."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


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
            raise store_error(f"{str(digest)!r:.80} is no digest", "bring the lock back that was committed")
        try:
            with (
                OpenFolder(self.place) as place,
                OpenFolder(place.path / digest[:2], place) as two,
                OpenFolder(two.path / digest, two) as folder,
            ):
                files = dict(_StoredFiles(partial(self.damaged, digest)).files(folder, ""))
        except FileNotFoundError:
            message = f"{self.name} does not hold `{digest[:12]}…`"
            raise store_error(message, "`scoring lock` fetches what the lock names") from None
        except OSError as error:
            raise self.damaged(digest, refused(error).partition(";")[0]) from None
        if tree_digest(files) != digest:
            raise self.damaged(digest, "its content is not what the digest is of")
        return files

    def damaged(self, digest: str, why: str) -> SpecError:
        """Return the error for the content of a digest that was changed, with the reason ``why``."""
        message = f"{self.name}/{digest[:2]}/{digest[:12]}… was changed: {why}"
        return store_error(message, "`scoring lock` writes it anew from its source")


class _StoredFiles:
    """A reader of the files of one pack content, which enforces the limits on their number and size."""

    def __init__(self, damaged: Callable[[str], SpecError]) -> None:
        self._damaged = damaged
        self._left_files, self._left_bytes = MOST_FILES, MOST_CONTENT

    def files(self, folder: OpenFolder, below: str) -> Iterator[tuple[str, bytes]]:
        names = folder.names()
        if len(names) > MOST_FILES or below.count("/") >= MOST_FOLDERS:
            raise self._damaged(f"it holds more than {MOST_FILES:,} files, or too many folders")
        for name in sorted(names):
            path = below + name
            status = folder.status(name)
            if stat.S_ISDIR(status.st_mode):
                with OpenFolder(folder.path / name, folder) as inner:
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

    def _data(self, folder: OpenFolder, name: str, path: str) -> bytes:
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


def store_error(message: str, help: str) -> SpecError:
    """Return the error for a store, with a message and help."""
    return SpecError.of("project-store", message, help=help)
