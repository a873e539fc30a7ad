"""Read a file in a forked child process with limited memory.

Libraries that read column formats trust the sizes in a file: a few bytes can make them take all memory, and some
contradictions crash the process by C++ exceptions that can't be caught. So they run in a forked child, which may take
a limited amount of additional memory and sends back pieces of rows. The child opens no files: it requests bytes of the
file from this process, which opens, fetches, decompresses and digests it.

Where the system can't fork (Windows), the file is read in this process, without a limit; where it can't limit memory
(macOS), only crashes are contained.
"""

from __future__ import annotations

import io
import signal
import socket
import struct
import threading
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO, TypeAlias

from scoring import processes
from scoring.errors import InputError

Work: TypeAlias = "Callable[[BinaryIO], Iterator[Any]]"
"""A function that reads a file and yields pieces of bytes."""

_HEAD = struct.Struct("<cq")
_PLACE = struct.Struct("<qq")
_ASK, _PIECE, _END, _REFUSED, _MEMORY, _BUG = (bytes([letter]) for letter in b"APERMB")
_LIBRARY = 1200 << 20
"""Memory that libraries need for themselves: pyarrow's allocator reserves a gigabyte of address space at the start."""


class BrokeDown(Exception):
    """The exception for a child process that crashed while reading: it took too much memory, or its reader crashed."""


def run_in_child_process(stream: BinaryIO, work: Work, memory: int) -> Iterator[bytes]:
    """Yield the pieces that `work` produces from a file, running it in a forked child process.

    Args:
        stream: The file; it must be seekable.
        work: Called with a stream of the same bytes; it yields pieces of bytes, and raises `InputError` to refuse the
            file.
        memory: The number of bytes of memory that it may take.

    Raises:
        InputError: when `work` raises it.
        MemoryError: when it takes more memory.
        BrokeDown: when the child process crashed.
    """
    if not processes.COPIES:
        yield from work(stream)
        return
    ours, theirs = socket.socketpair()
    child = processes.copied(partial(_serve, work, ours, theirs, memory + _LIBRARY))
    theirs.close()
    line = _Line(ours)
    try:
        yield from line.answer(stream)
    except (EOFError, ConnectionError) as error:
        raise BrokeDown from error
    finally:
        line.close()
        processes.end_copy(child)


def _serve(work: Work, ours: socket.socket, theirs: socket.socket, memory: int) -> None:
    """Do the work in the child process, and send the pieces that it yields, or its error, to the parent.

    Args:
        work: Called with a stream of the file's bytes; it yields pieces.
        ours: The parent's end of the connection, which is closed here.
        theirs: The child's end.
        memory: The number of bytes of memory that the work may take.
    """
    ours.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted as well, and ends this child
    line = _Line(theirs)
    if processes.BOUNDS_MEMORY:
        processes.limit_further_memory(memory)
    try:
        for piece in work(io.BufferedReader(_RemoteFile(line), 1 << 16)):
            line.send(_PIECE, piece)
        line.send(_END)
    except InputError as error:
        line.send(_REFUSED, str(error).encode("utf-8", "surrogatepass"))
    except MemoryError:
        line.send(_MEMORY)
    except ConnectionError:  # the parent has stopped reading
        return
    except Exception:
        line.send(_BUG, traceback.format_exc().encode("utf-8", "surrogatepass"))


class _Line:
    """One end of the connection between the two processes; a message is a letter, a length, and that many bytes."""

    def __init__(self, link: socket.socket) -> None:
        self._link, self._read = link, link.makefile("rb", 1 << 16)
        self._alone = threading.Lock()  # libraries read with several threads

    def close(self) -> None:
        """Close the connection."""
        self._read.close()
        self._link.close()

    def send(self, kind: bytes, content: Any = b"") -> None:
        """Send a message: the letter `kind` and the bytes `content`."""
        self._link.sendall(_HEAD.pack(kind, memoryview(content).nbytes))
        self._link.sendall(content)

    def _next(self) -> tuple[bytes, bytes]:
        kind, size = _HEAD.unpack(self._exactly(_HEAD.size))
        return kind, self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        found: bytes = self._read.read(size)
        if len(found) < size:
            raise EOFError
        return found

    def ask(self, start: int, size: int) -> bytes:
        """Request `size` bytes of the file, from the byte `start` on, from the parent, and return them; with a negative
        size, the file's size as decimal digits."""
        with self._alone:
            self.send(_ASK, _PLACE.pack(start, size))
            return self._next()[1]

    def answer(self, stream: BinaryIO) -> Iterator[bytes]:
        """Yield the pieces that the child sends, and meanwhile answer its requests for bytes of the file `stream`.

        Raise the error that the child reports: InputError, MemoryError, or RuntimeError with its traceback.
        """
        end = stream.seek(0, 2)
        while True:
            kind, content = self._next()
            if kind == _ASK:
                start, size = _PLACE.unpack(content)
                stream.seek(min(start, end))
                self.send(_ASK, stream.read(max(0, min(size, end - start))) if size >= 0 else str(end).encode())
            elif kind == _PIECE:
                yield content
            elif kind == _END:
                return
            elif kind == _REFUSED:
                raise InputError(content.decode("utf-8", "surrogatepass"))
            elif kind == _MEMORY:
                raise MemoryError
            else:
                raise RuntimeError(content.decode("utf-8", "surrogatepass"))


class _RemoteFile(io.RawIOBase):
    """The file as the child process sees it: each read is a request to the parent, which has opened it."""

    def __init__(self, line: _Line) -> None:
        self._line, self._at = line, 0
        self._size = int(line.ask(0, -1))

    def readable(self) -> bool:
        """Return True: the file can be read."""
        return True

    def seekable(self) -> bool:
        """Return True: the file is seekable."""
        return True

    def tell(self) -> int:
        """Return the current position."""
        return self._at

    def seek(self, place: int, whence: int = 0) -> int:
        """Move to a position and return it."""
        self._at = max(0, place + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read bytes from the current position into a buffer, as many as fit or are left, and return their number."""
        found = self._line.ask(self._at, len(buffer))
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)
