"""The only module that writes files: atomically, and never through symbolic links.

A folder is kept open while files in it are created, moved and removed, so replacing its path by a link meanwhile has no
effect: the folder that is examined is the folder that is written to. New files are created under unpredictable names,
readable as the process's `umask` allows, and never writable by everybody.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Self, TypeAlias

from scoring import system
from scoring.data.os_errors import refused, telling
from scoring.data.plain_files import plain_file
from scoring.errors import InputError

FILE_MODE, FOLDER_MODE = 0o664, 0o775
PARTIAL = ".partial"
"""The suffix of files that are not completely written yet."""

Content: TypeAlias = bytes | Callable[[BinaryIO], None]


class OpenFolder:
    """A folder that is kept open, so a link put in its place has no effect; if the system can't, its path is used.

    Args:
        path: The folder, which may be reached through links, since the user named it.
        within: The folder that contains the last component of ``path``, which then must not be a link.

    Raises:
        OSError: when it can't be opened, or is not a folder.
    """

    def __init__(self, path: Path, within: OpenFolder | None = None) -> None:
        self.path = path
        self._file: int | None = None
        if system.HOLDS_FOLDERS:
            how = os.O_RDONLY | system.FOLDER | system.AS_IT_IS
            name, at = (path, None) if within is None else within._at(path.name)
            self._file = os.open(name, how if within is None else how | system.NO_LINK, dir_fd=at)
        elif not path.is_dir() or (within is not None and path.is_symlink()):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))

    @classmethod
    def made(cls, path: Path, within: OpenFolder | None = None) -> Self:
        """Open a folder, creating it if missing; without `within`, its missing parents as well.

        Raises:
            OSError: when it can't be created or opened.
        """
        if within is None:
            path.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        else:
            name, at = within._at(path.name)
            with contextlib.suppress(FileExistsError):  # opening it fails if it is not a folder
                os.mkdir(name, FOLDER_MODE, dir_fd=at)
        return cls(path, within)

    def folder(self, name: str) -> OpenFolder:
        """Open the folder with a name in this folder, creating it if missing.

        Raises:
            OSError: when it can't be created, or something else has its name.
        """
        return OpenFolder.made(self.path / name, self)

    def create(self, name: str) -> BinaryIO:
        """Create a new file in this folder and open it for writing.

        Raises:
            OSError: when it can't be created, or its name already exists.
        """
        path, at = self._at(name)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.NO_LINK, FILE_MODE, dir_fd=at)
        return os.fdopen(file, "wb")

    def open(self, name: str) -> BinaryIO:
        """Open a regular file in this folder for reading.

        Raises:
            OSError: when there is none with that name.
        """
        path, at = self._at(name)
        return plain_file(os.open(path, os.O_RDONLY | system.AT_ONCE | system.NO_LINK, dir_fd=at), self.path / name)

    def move(self, name: str, to: OpenFolder, new_name: str) -> None:
        """Move a file to another folder and name, replacing any file of that name."""
        (old, at), (new, there) = self._at(name), to._at(new_name)
        os.replace(old, new, src_dir_fd=at, dst_dir_fd=there)

    def remove(self, name: str) -> None:
        """Remove a file, a link, or a folder with its contents, if it exists; links are not followed."""
        path, at = self._at(name)
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISDIR(os.stat(path, dir_fd=at, follow_symlinks=False).st_mode):
                try:
                    shutil.rmtree(path, dir_fd=at) if at is not None else shutil.rmtree(path)
                except RecursionError:
                    why = "folders there are nested too deeply; remove it by hand"
                    raise OSError(errno.ENOTEMPTY, why, str(self.path / name)) from None
            else:
                os.unlink(path, dir_fd=at)

    def remove_file(self, name: str) -> None:
        """Remove a file or a link if it exists, but not a folder.

        Raises:
            OSError: when it can't be removed, or is a folder.
        """
        path, at = self._at(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path, dir_fd=at)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        path, at = self._at(name)
        os.rmdir(path, dir_fd=at)

    def status(self, name: str) -> os.stat_result:
        """Return the status (`os.stat`) of an entry of this folder; a link is not followed."""
        path, at = self._at(name)
        return os.stat(path, dir_fd=at, follow_symlinks=False)

    def names(self) -> list[str]:
        """Return the names of the entries of this folder."""
        return os.listdir(self.path if self._file is None else self._file)

    def close(self) -> None:
        """Close the folder."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _at(self, name: str) -> tuple[str, int | None]:
        if name in ("", os.curdir, os.pardir) or os.path.basename(name) != name:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
        return (name, self._file) if self._file is not None else (str(self.path / name), None)


def write_whole(folder: OpenFolder, name: str, content: Content, *, lasting: bool = False) -> None:
    """Write a file atomically: under an unpredictable name, and renamed once it is complete.

    Args:
        folder: The folder to write to.
        name: The file's name; an existing file or link is replaced, and the link's target stays unchanged.
        content: The content, or a function that writes it.
        lasting: Whether to flush the file to disk before the older one is replaced, so that a power loss leaves one of
            the two.

    Raises:
        OSError: when the file can't be written.
    """
    partial = f".scoring-{os.urandom(16).hex()}{PARTIAL}"
    try:
        with folder.create(partial) as file:
            _keep_mode(folder, name, file)
            _fill(file, content)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        folder.move(partial, folder, name)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.remove(partial)
        raise


def _fill(file: BinaryIO, content: Content) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def _keep_mode(folder: OpenFolder, name: str, file: BinaryIO) -> None:
    """Give a new file the mode of the file that it replaces, except write permission for everybody."""
    path, at = folder._at(name)
    with contextlib.suppress(OSError):
        found = os.stat(path, dir_fd=at, follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            system.set_mode(file.fileno(), stat.S_IMODE(found.st_mode) & 0o775)


def check_target(path: Path) -> bool:
    """Return whether an output path is that of a pipe or a device, which must be written to directly.

    Raises:
        InputError: for a folder, and for a link to a file, since it is unclear which of the two is meant.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if path.is_symlink():
            raise InputError(f"can't write {path}: it is a broken link; name the file that is meant") from None
        return False
    except (OSError, ValueError) as error:
        raise InputError(f"can't write {path}: {refused(error)}") from error
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"can't write {path}: it is a folder; name a file in it")
    if not stat.S_ISREG(found.st_mode):
        return True
    if path.is_symlink():
        raise InputError(f"can't write {path}: it is a link; name the file that is meant, {os.path.realpath(path)}")
    return False


def is_input(path: Path, inputs: Iterable[str | Path]) -> str | Path | None:
    """Return the input that is the same file as a path, through links of any kind; None where there is none."""
    for one in inputs:
        with contextlib.suppress(OSError, ValueError):  # a missing file equals no other
            if os.path.samestat(os.stat(one), os.stat(path)) and os.path.isfile(path):
                return one
    return None


def write_file(path: Path, content: Content) -> None:
    """Write a file at a path chosen by the user, atomically: a power loss leaves either the older file or the new one.

    Args:
        path: The path of the file; its folder must exist, and may be reached through links.
        content: The content, or a function that writes it.

    Raises:
        InputError: when the file can't be written.
    """
    is_special = check_target(path)
    with telling(f"can't write {path}", (OSError, ValueError)):
        if is_special:
            with open_special(path) as stream:
                _fill(stream, content)
            return
        with OpenFolder(path.parent) as folder:
            write_whole(folder, path.name, content, lasting=True)


@contextlib.contextmanager
def open_special(path: Path) -> Iterator[BinaryIO]:
    """Open a pipe or a device for writing within a block; raise OSError at once if nobody reads from a pipe."""
    file = os.open(path, os.O_WRONLY | system.AT_ONCE | system.AS_IT_IS)
    with os.fdopen(file, "wb") as stream:
        if stat.S_ISREG(os.fstat(file).st_mode):  # created since the path was checked
            raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        system.wait_in_reads(file)
        yield stream
