"""Messages for errors of the operating system about files: what is wrong, and what to do about it."""

from __future__ import annotations

import errno
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from scoring.errors import InputError, TableFault
from scoring.result import cause_of

_ADVICE = {
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "links there form a loop; name the file itself",
    errno.EACCES: "name something that you may read or write",
    errno.EPERM: "name something that you may read or write",
    errno.EROFS: "choose a writable location",
    errno.ENOTDIR: "name a folder there",
    errno.ENOENT: "check the path, and create the folder if it does not exist",
    errno.EISDIR: "name a file",
    errno.EEXIST: "choose another name",
    errno.ENOSPC: "free some space, or choose another location",
    errno.EDQUOT: "free some space, or choose another location",
    errno.EFBIG: "raise the limit on the size of a file (`ulimit -f`), or choose a location without one",
    errno.EMFILE: "raise the limit on open files (`ulimit -n`)",
    errno.ENXIO: "nobody reads from that pipe; name a file",
    errno.EIO: "the disk or its driver failed; check it, or choose another location",
    errno.EINVAL: "choose another location; this one does not accept files of that name",
    errno.EXDEV: "choose another location; this folder is not within one file system",
}

_WORDS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of the path is a file",
    errno.ELOOP: "there is a link in its place",
    errno.ENXIO: "it is a pipe from which nobody reads",
}


def refused(error: BaseException) -> str:
    """Return the reason for an error of the operating system, and advice on what to do.

    Examples:
        >>> refused(OSError(errno.EFBIG, "File too large"))
        'file too large; raise the limit on the size of a file (`ulimit -f`), or choose a location without one'
        >>> refused(UnicodeDecodeError("utf-8", b"\\xff", 0, 1, "invalid start byte"))
        'it is not UTF-8; save it as UTF-8'
    """
    if isinstance(error, (UnicodeError, RecursionError, MemoryError)):
        return cause_of(error)
    if not isinstance(error, OSError) or error.errno is None:
        return " ".join(str(error).split())[:200] or type(error).__name__
    reason = _WORDS.get(error.errno) or error.strerror or type(error).__name__
    advice = _ADVICE.get(error.errno)
    return reason[:1].lower() + reason[1:] + (f"; {advice}" if advice else "")


@contextmanager
def telling(what: str, kinds: tuple[type[Exception], ...] = (OSError,)) -> Iterator[None]:
    """Convert errors of the operating system in a block to an `InputError` that says what can't be done, and why.

    Args:
        what: What can't be done, such as ``can't write a.json``.
        kinds: The exceptions to convert.

    Raises:
        InputError: when one of these exceptions is raised.
    """
    try:
        yield
    except kinds as error:
        raise InputError(f"{what}: {refused(error)}") from error


_NO_DATA = (
    (FileNotFoundError, "there is no such file"),
    (IsADirectoryError, "it is a folder"),
    (PermissionError, "permission denied"),
    (MemoryError, "it takes more memory than there is; provide more memory, or split it into smaller files"),
)


def unreadable(error: BaseException) -> str:
    """Return the reason why a file of data can't be read, and advice on what to do."""
    words = next((words for kind, words in _NO_DATA if isinstance(error, kind)), None)
    if words is not None:
        return words
    if isinstance(error, OSError) and error.errno is not None:
        return refused(error)
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, gzip.BadGzipFile | EOFError | zlib.error) or "zstd" in message.lower():
        return f"{message}; its compressed data is damaged or cut short: get the file again, or provide it uncompressed"
    return message


@contextmanager
def input_errors() -> Iterator[None]:
    """Convert errors in a block that reads a whole data set to `InputError`.

    Raises:
        InputError: for a file that can't be read, or a data set that can't be scored; the message says why.
    """
    try:
        yield
    except TableFault as error:
        raise InputError(f"can't score the data set: {error}") from error
    except OSError as error:
        raise InputError(f"can't read {error.filename}: {refused(error)}") from error
