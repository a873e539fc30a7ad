"""The tree of files of a source: the size of every file, and the bytes of those that are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from scoring.data.relative import path_fault
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_CONTENT

Entry: TypeAlias = int | str
"""The size of a file; or what is there instead, such as `a symbolic link`."""


class SourceTree:
    """The files in one state of a source of packs; this base class has all of them in memory.

    Args:
        where: The name of the source in messages, without credentials.
        entries: For each path the size of a file, or a description of what it is if it is no regular file.
        contents: The bytes of the files that may be read, by path.
    """

    def __init__(self, where: str, entries: Mapping[str, Entry], contents: Mapping[str, bytes]) -> None:
        self.where, self._entries, self._contents = where, dict(entries), dict(contents)

    def entry(self, path: str) -> Entry | None:
        """Return the size of the file at a path, or a description of what it is if it is no regular file; None for a
        folder or nothing.

        Raises:
            InputError: when the source can't be read.
        """
        return self._entries.get(path)

    def below(self, folder: str) -> Mapping[str, Entry]:
        """Return the entry (see `entry`) of each file below a folder ("" for the root), by its path from the root.

        Raises:
            InputError: when the folder can't be listed, or has too many files.
        """
        return {path: entry for path, entry in self._entries.items() if is_below(path, folder)}

    def content(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of the files at some paths, which `read_tree_files` has checked before.

        Raises:
            InputError: when a file can't be read.
        """
        return {path: self._contents[path] for path in paths}


def tree_in_memory(where: str, contents: Mapping[str, bytes]) -> SourceTree:
    """Return a tree of files that are in memory, given their bytes by path.

    Args:
        where: The name of the source in messages.
        contents: The bytes by path.
    """
    return SourceTree(where, {path: len(data) for path, data in contents.items()}, contents)


def read_tree_files(tree: SourceTree, paths: Iterable[str]) -> Mapping[str, bytes]:
    """Return the bytes of the files at some paths of a tree, by path, after checking the paths and sizes.

    Raises:
        InputError: when a path leads out of the tree, or a file is missing, not regular or too large.
    """
    wanted = list(dict.fromkeys(paths))
    total = sum(_size(tree, path) for path in wanted)
    if total > MOST_CONTENT:
        raise InputError(f"{tree.where}: its packs have {total:,} bytes; at most {MOST_CONTENT:,} are read")
    found = tree.content(wanted)
    for path in wanted:
        if len(found[path]) > MOST_BYTES:
            raise file_too_large_error(tree.where, path, len(found[path]))
    return found


def read_if_there(tree: SourceTree, path: str) -> bytes | None:
    """Return the bytes of the file at a path of a tree; None if there is no regular file."""
    return read_tree_files(tree, [path])[path] if isinstance(tree.entry(path), int) else None


def is_below(path: str, folder: str) -> bool:
    """Return True if a path is inside a folder, at any depth; every path is inside the root, "".

    Examples:
        >>> is_below("a/b", "a"), is_below("ab", "a"), is_below("a", "")
        (True, False, True)
    """
    return not folder or path.startswith(folder + "/")


def _size(tree: SourceTree, path: str) -> int:
    """Return the size of the file at a path of a tree, after checking that a pack may consist of such a file.

    Raises:
        InputError: when the path leads out of the tree, or the file is missing, not regular or too large.
    """
    where = tree.where
    if fault := path_fault(path):
        raise InputError(f"{where}: {shown(path)} can't be used: {fault}")
    entry = tree.entry(path)
    if entry is None:
        raise InputError(f"{where}: there is no file {shown(path)}")
    if isinstance(entry, str):
        raise InputError(f"{where}: {shown(path)} is {entry}; packs are plain files")
    if entry > MOST_BYTES:
        raise file_too_large_error(where, path, entry)
    return entry


def file_too_large_error(where: str, path: str, size: int) -> InputError:
    """Return the error for a file of a pack with too many bytes.

    Args:
        where: The name of the source in messages.
        path: The path of the file.
        size: Its number of bytes.
    """
    return InputError(f"{where}: {shown(path)} has {size:,} bytes; a file of a pack has at most {MOST_BYTES:,}")
