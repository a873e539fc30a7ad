"""The one door through which files are written: whole or not at all, and never where a link leads.

A folder is held open while things in it are made, moved and removed, so a name that somebody turns into a link
meanwhile leads nowhere: what is looked at and what is written are the same folder. New files are made under names that
nobody can foresee, for the user and whom the mask of the process (`umask`) lets read, and never for everybody to write.
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
"""The suffix of a file that is not completely written yet."""

Content: TypeAlias = bytes | Callable[[BinaryIO], None]


class HeldFolder:
    """An open folder, see the module; on systems without this feature its path is used.

    Args:
        path: The folder, which may be reached through links: its name is the user's.
        within: The folder in which ``path`` is a name, which then is no link.

    Raises:
        OSError: when it can't be opened, or is no folder.
    """

    def __init__(self, path: Path, within: HeldFolder | None = None) -> None:
        self.path = path
        self._file: int | None = None
        if system.HOLDS_FOLDERS:
            how = os.O_RDONLY | system.FOLDER | system.AS_IT_IS
            name, at = (path, None) if within is None else within._at(path.name)
            self._file = os.open(name, how if within is None else how | system.NO_LINK, dir_fd=at)
        elif not path.is_dir() or (within is not None and path.is_symlink()):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))

    @classmethod
    def made(cls, path: Path, within: HeldFolder | None = None) -> Self:
        """Return a folder that is made where it is not there, with those above it.

        Raises:
            OSError: when it can't be made.
        """
        if within is None:
            path.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        else:
            name, at = within._at(path.name)
            with contextlib.suppress(FileExistsError):  # what is no folder is told when it is opened
                os.mkdir(name, FOLDER_MODE, dir_fd=at)
        return cls(path, within)

    def folder(self, name: str) -> HeldFolder:
        """Return the folder of that name in this one, made where it is not there.

        Raises:
            OSError: when it can't be made, or something else has its name.
        """
        return HeldFolder.made(self.path / name, self)

    def create(self, name: str) -> BinaryIO:
        """Return a new file.

        Raises:
            OSError: when it can't be made, or something has its name already.
        """
        path, at = self._at(name)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.NO_LINK, FILE_MODE, dir_fd=at)
        return os.fdopen(file, "wb")

    def open(self, name: str) -> BinaryIO:
        """Return a plain file in it, to be read.

        Raises:
            OSError: when there is none of that name.
        """
        path, at = self._at(name)
        return plain_file(os.open(path, os.O_RDONLY | system.AT_ONCE | system.NO_LINK, dir_fd=at), self.path / name)

    def move(self, name: str, to: HeldFolder, new_name: str) -> None:
        """Move a file, replacing the one that has the new name."""
        (old, at), (new, there) = self._at(name), to._at(new_name)
        os.replace(old, new, src_dir_fd=at, dst_dir_fd=there)

    def remove(self, name: str) -> None:
        """Remove a file or a link, or a folder with all that is in it and nothing that links in it lead to."""
        path, at = self._at(name)
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISDIR(os.stat(path, dir_fd=at, follow_symlinks=False).st_mode):
                try:
                    shutil.rmtree(path, dir_fd=at) if at is not None else shutil.rmtree(path)
                except RecursionError:
                    why = "folders there stand too deep inside one another; remove it by hand"
                    raise OSError(errno.ENOTEMPTY, why, str(self.path / name)) from None
            else:
                os.unlink(path, dir_fd=at)

    def remove_file(self, name: str) -> None:
        """Remove a file or a link; a folder of that name is none of them.

        Raises:
            OSError: when it can't be removed.
        """
        path, at = self._at(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path, dir_fd=at)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        path, at = self._at(name)
        os.rmdir(path, dir_fd=at)

    def status(self, name: str) -> os.stat_result:
        """Return the status of a name in the folder; links are not followed."""
        path, at = self._at(name)
        return os.stat(path, dir_fd=at, follow_symlinks=False)

    def names(self) -> list[str]:
        """Return the names in the folder."""
        return os.listdir(self.path if self._file is None else self._file)

    def close(self) -> None:
        """Let it go."""
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


def write_whole(folder: HeldFolder, name: str, content: Content, *, lasting: bool = False) -> None:
    """Write a file under an unpredictable name, and rename it once it is complete.

    Args:
        folder: Where.
        name: Its name; a file or a link that has it is replaced, and what the link leads to stays as it is.
        content: What, or what writes it.
        lasting: Whether it is on the disk before the older one is replaced, so that a power loss costs neither.

    Raises:
        OSError: when it can't be written.
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


def _keep_mode(folder: HeldFolder, name: str, file: BinaryIO) -> None:
    """Give a new file the permissions of the old one that it replaces."""
    path, at = folder._at(name)
    with contextlib.suppress(OSError):
        found = os.stat(path, dir_fd=at, follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            system.set_mode(file.fileno(), stat.S_IMODE(found.st_mode) & 0o775)


def check_target(path: Path) -> bool:
    """Tell whether a path for output is that of a pipe or device, which is written directly.

    Raises:
        InputError: for a folder, and for a link to a file: whether the link or the file is meant, nobody said.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if path.is_symlink():
            raise InputError(f"can't write {path}: it is a link to nothing; name the file that is meant") from None
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
    """Return which of some files a path is, by whatever name and link of either kind; None where it is none of them."""
    for one in inputs:
        with contextlib.suppress(OSError, ValueError):  # what is not there is nobody's file
            if os.path.samestat(os.stat(one), os.stat(path)) and os.path.isfile(path):
                return one
    return None


def write_file(path: Path, content: Content) -> None:
    """Write a file that a user named, whole or not at all; a power loss leaves the older one or the new one.

    Args:
        path: Where; its folder must be there, and may be reached through links.
        content: What, or what writes it.

    Raises:
        InputError: when it can't be written.
    """
    is_special = check_target(path)
    with telling(f"can't write {path}", (OSError, ValueError)):
        if is_special:
            with open_special(path) as stream:
                _fill(stream, content)
            return
        with HeldFolder(path.parent) as folder:
            write_whole(folder, path.name, content, lasting=True)


@contextlib.contextmanager
def open_special(path: Path) -> Iterator[BinaryIO]:
    """Open a pipe or a device for writing; a pipe without a reader is refused rather than waited for."""
    file = os.open(path, os.O_WRONLY | system.AT_ONCE | system.AS_IT_IS)
    with os.fdopen(file, "wb") as stream:
        if stat.S_ISREG(os.fstat(file).st_mode):  # put there since one looked
            raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        system.wait_in_reads(file)
        yield stream
