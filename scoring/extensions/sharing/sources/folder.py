"""Sources of packs on this machine: folders, files, and the packs shipped with this library."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from scoring.data.os_errors import refused, telling
from scoring.data.output import OpenFolder
from scoring.data.plain_files import real_path
from scoring.data.relative import MOST_FOLDERS
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.content import Candidate, find_releases_in_tree
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_FILES
from scoring.extensions.sharing.sources.tree import Entry, SourceTree, file_too_large_error
from scoring.format import locate
from scoring.format.shipped import data_folder
from scoring.version import VERSION

# Folders that are never part of what somebody shares, and may be large.
_LEFT_OUT = {"__pycache__", "node_modules"}


class FolderTree(SourceTree):
    """The files below a folder; symbolic links are not followed, and folders whose name begins with a dot are left
    out."""

    def __init__(self, root: Path, where: str) -> None:
        super().__init__(where, {}, {})
        self.root = root

    def entry(self, path: str) -> Entry | None:
        """Return the size of the file at a path, or a description of what it is if it is no regular file; None for a
        folder or nothing."""
        parts = PurePosixPath(path).parts
        found: os.stat_result | None = None
        try:
            for end in range(1, len(parts) + 1):
                found = os.lstat(self.root.joinpath(*parts[:end]))
                if stat.S_ISLNK(found.st_mode):
                    break
        except (OSError, ValueError):
            return None
        return None if found is None or stat.S_ISDIR(found.st_mode) else _entry(found)

    def below(self, folder: str) -> Mapping[str, Entry]:
        """Return, by path, the size of each file below a folder, or a description of what it is if it is no regular
        file."""
        return dict(self._walked(folder))

    def _walked(self, top: str) -> Iterator[tuple[str, Entry]]:
        waiting, seen = [top], 0
        while waiting:
            folder = waiting.pop()
            if folder.count("/") >= MOST_FOLDERS - 1:
                continue  # a pack's path can't be that deep
            with telling(f"{self.where} can't be read"), os.scandir(self.root / folder) as inside:
                for one in inside:
                    seen += 1
                    if seen > MOST_FILES:
                        raise InputError(
                            f"{self.where} has more than {MOST_FILES:,} files; name the folder of the pack"
                        )
                    path = f"{folder}/{one.name}" if folder else one.name
                    if not one.is_dir(follow_symlinks=False):
                        yield path, _entry(one.stat(follow_symlinks=False))
                    elif not one.name.startswith(".") and one.name not in _LEFT_OUT:
                        waiting.append(path)

    def content(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of the files at some paths; folders are opened one by one, so that no symbolic link is
        followed."""
        return {path: self._read(path) for path in paths}

    def _read(self, path: str) -> bytes:
        *folders, name = PurePosixPath(path).parts
        try:
            with ExitStack() as opened:
                folder = opened.enter_context(OpenFolder(self.root))
                for below in folders:
                    folder = opened.enter_context(OpenFolder(folder.path / below, folder))
                with folder.open(name) as file:
                    data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise InputError(f"{self.where}: {shown(path)} can't be read: {refused(error)}") from error
        if len(data) > MOST_BYTES:
            raise file_too_large_error(self.where, path, len(data))
        return data


def _entry(found: os.stat_result) -> Entry:
    if stat.S_ISREG(found.st_mode):
        return found.st_size
    return "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a plain file"


class FolderSource:
    """A source of packs that is a folder or a file on this machine, named by a user."""

    is_local = True

    def __init__(self, path: Path, where: str) -> None:
        self.path, self.where = path, where

    def releases(self) -> Sequence[Candidate]:
        """Return a release for every pack file below the folder; of a file, its only release.

        Raises:
            InputError: when the path does not exist or contains no pack.
        """
        root, below = real_path(self.path), ""
        if not root.exists():
            raise InputError(f"there is no {shown(self.where)}; check the path, or `scoring remove` the pack")
        if not root.is_dir():
            root, below = root.parent, root.name
        return find_releases_in_tree(FolderTree(root, self.where), below)

    def sibling(self, folder: str, place: str) -> FolderSource:
        """Raise an InputError: a project file in a source must not make this library read further folders of the
        user's machine."""
        raise InputError(
            f"the project file of {self.where} names the folder {shown(folder)}, which is read only where your own "
            "project file names it; add it there"
        )


class ShippedSource:
    """A source of the versions of one pack that are shipped with this library."""

    is_local = True

    def __init__(self, name: str) -> None:
        self.name, self.where = name, f"scoring {VERSION}"

    def releases(self) -> Sequence[Candidate]:
        """Return every shipped version of the pack.

        Raises:
            InputError: when no such pack is shipped.
        """
        known = locate.bundled_packs()
        folder = data_folder("specs")
        if self.name not in known:
            hint = did_you_mean(self.name, sorted(known), "`scoring list packs` shows what is")
            raise InputError(f"no pack {shown(self.name)} is shipped or installed; {hint}")
        tree = FolderTree(folder, self.where)
        paths = [path.relative_to(folder).as_posix() for path in known[self.name]]
        return [one for path in paths for one in find_releases_in_tree(tree, path, VERSION)]

    def sibling(self, folder: str, place: str) -> ShippedSource:
        """Raise an InputError: shipped packs can't refer to other folders."""
        raise InputError(f"{self.where} names no folder {shown(folder)}")
