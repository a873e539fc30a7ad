"""A file as the user named it: opened through gzip where needed, measured and digested."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from scoring.data.rows.row import InputError

_GZIP = b"\x1f\x8b"
KINDS = ("jsonl", "json", "csv", "parquet")
_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jl": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}


class InputFile:
    """One input file, or bytes that came through a pipe.

    Args:
        name: The path as the user typed it; the only path that a manifest shows.
        content: The bytes themselves, when there is no file.
        kind: One of ``jsonl``, ``json``, ``csv``, ``parquet``; by default told from the suffix.
    """

    def __init__(self, name: str, content: bytes | None = None, kind: str | None = None) -> None:
        self.name = name
        self._content = content
        self.kind = kind or _format_of(name)
        self._stream: BinaryIO | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(self.name)

    @property
    def size(self) -> int:
        """Bytes on disk, compressed ones if it is compressed."""
        return len(self._content) if self._content is not None else self.path.stat().st_size

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes of the file, decompressed if it begins like gzip.

        Raises:
            InputError: when it can't be opened, or its compressed data is broken.
        """
        try:
            with self.open_raw() as stream:
                self._stream = stream
                yield _through_gzip(stream)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"can't read {self.name}: {_why(error)}") from error
        finally:
            self._stream = None

    def open_raw(self) -> BinaryIO:
        """The bytes as they are stored."""
        return io.BytesIO(self._content) if self._content is not None else self.path.open("rb")

    def read(self) -> bytes:
        """All bytes, decompressed."""
        with self.open() as stream:
            return stream.read()

    def fraction(self) -> float | None:
        """How much of the open file has been read, for a progress bar."""
        if self._stream is None or not self.size:
            return None
        return min(1.0, self._stream.tell() / self.size)

    def sha256(self) -> str:
        """The digest of the stored bytes."""
        with self.open_raw() as stream:
            return hashlib.file_digest(cast("io.BytesIO", stream), "sha256").hexdigest()


def _through_gzip(stream: BinaryIO) -> BinaryIO:
    start = stream.read(2)
    stream.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream)) if start == _GZIP else stream


def _format_of(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "jsonl") if suffixes else "jsonl"


def _why(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, PermissionError):
        return "permission denied"
    return " ".join(str(error).split()) or type(error).__name__
