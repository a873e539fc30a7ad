"""Input files as named by the user: opened, decompressed, measured, digested, and read according to their format."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Self

from scoring.data.address import (
    checksum,
    folder_keys,
    hidden,
    hide_credentials,
    is_address,
    opened,
    several,
    stamp,
    stored_size,
)
from scoring.data.file_format import FileFormat, find_format, format_of_suffix, format_settings, suffixes, unpacked_name
from scoring.data.plain_files import read_stream
from scoring.data.slice import Slice
from scoring.data.streams import DigestedStream, decompressed, is_packed, other_than_before, read_whole
from scoring.errors import InputError
from scoring.registry.extension import find_service

_STORED = "store:"
_BUFFER = 1 << 16
_HEAD = 4096


class InputFile:
    """One input file, several files named by a pattern or a folder, or bytes from a pipe.

    Args:
        name: The path or address as typed by the user.
        content: The bytes themselves, when there is no file.
        kind: A format, such as ``jsonl``, optionally with settings as in ``csv,delimiter=tab``; by default determined
            by the suffix.
        part: The part of the file to read; the whole file by default.

    Attributes:
        name: The path or address without credentials; the only name that messages and manifests show.
        found: Settings that the reader detected, such as the delimiter; known once the file is read.
        columns: The only columns that records need, None for all; column formats read no others.
        changed: Whether the file has changed or disappeared since it was read.
    """

    def __init__(
        self, name: str, content: bytes | None = None, kind: str | None = None, part: Slice | None = None
    ) -> None:
        if "\0" in name:
            raise InputError(f"can't read {name!r:.100}: a file name can't contain a zero byte")
        self.address, self.name = name, hide_credentials(name)
        self.part = part or Slice(name, kind or "")
        self._content = content
        self._kind, _, self._settings = (kind or "").partition(",")
        self._stream: BinaryIO | None = None
        self.found: dict[str, str] = {}
        self.columns: Collection[str] | None = None
        self.changed = False
        self._stamp = self.part.stamp
        self._watched = False
        self._reading: DigestedStream | None = None
        self._expected: tuple[int, str] | None = None

    def watch(self) -> Self:
        """Digest the bytes as they are read from now on, and detect changes of the file; return the file itself."""
        for one in self.files:
            one._watched = one._content is None
            with suppress(OSError):  # a missing file is reported when it is opened
                one._stamp = stamp(one.address) if one._watched else None
        return self

    @classmethod
    def again(cls, entry: Mapping[str, Any]) -> InputFile:
        """Return the file that a run's manifest describes, to be read with the format and settings given there."""
        return cls(entry["name"], kind=format_again(entry))

    @classmethod
    def of(cls, part: Slice) -> InputFile:
        """Return the file that contains a part, limited to that part."""
        return cls(part.address, kind=part.kind or None, part=part)

    @cached_property
    def files(self) -> Sequence[InputFile]:
        """The files of a pattern or folder, sorted by name; only this object for a single file.

        Raises:
            InputError: when there are none.
        """
        if self._content is not None:
            return (self,)
        found = several(self.address, lambda: ("",) if self._kind else tuple(suffixes()))
        if found is None:
            return (self,)
        kind = ",".join(filter(None, (self._kind, self._settings)))
        parts = [(name, Slice(name, kind, extra=folder_keys(tail), label=tail)) for name, tail in found]
        return tuple(InputFile(name, kind=kind or None, part=part) for name, part in parts)

    @property
    def path(self) -> Path:
        """The address as a path."""
        return Path(self.address)

    @property
    def is_far(self) -> bool:
        """Whether reading the file requires a network."""
        return is_address(self.address) and not self.address.startswith(("file://", "memory://"))

    @property
    def is_packed(self) -> bool:
        """Whether the file as a whole is compressed."""
        with self.open_raw() as stream:
            return is_packed(stream.read(4))

    @property
    def kind(self) -> str:
        """The name of the file's format."""
        return self._kind or self.format.name

    @cached_property
    def is_guessed(self) -> bool:
        """Whether the file is read as plain text because it looks so; its suffix `.txt` states no format."""
        if self._kind or not unpacked_name(self.name).lower().endswith(".txt"):
            return False
        looks = find_service("plain-text")
        return looks is not None and looks(self.head(_HEAD))

    @cached_property
    def format(self) -> FileFormat:
        """The format that was given, or else the one that matches the file's name.

        Raises:
            InputError: when there is no such format, or several files have different formats.
        """
        if self._kind:
            return find_format(self._kind)
        found = {one.name: one for one in (self._own_format() if file is self else file.format for file in self.files)}
        if len(found) > 1:
            kinds = " and ".join(found)
            raise InputError(f"can't read {self.name}: it holds {kinds} files; name those of one format, as in */*.csv")
        return next(iter(found.values()))

    def _own_format(self) -> FileFormat:
        return find_format("lines") if self.is_guessed else format_of_suffix(self.name)

    @property
    def settings(self) -> dict[str, str]:
        """The format settings that were given, by name."""
        return format_settings(f",{self._settings}")

    def check_settings(self) -> None:
        """Raise an exception if a given format setting is unknown or empty.

        Raises:
            InputError: for a setting that the format does not have, or that has no value.
        """
        known = self.format.settings
        for key, value in self.settings.items():
            if key not in known:
                allowed = f"it has {', '.join(known)}" if known else "it has none"
                raise InputError(f"`{key}` is not a setting of the format `{self.kind}`; {allowed}")
            if not value:
                raise InputError(f"`{key}` of the format `{self.kind}` has no value; write `{key}=…`")

    @property
    def size(self) -> int:
        """The stored size in bytes, that of the compressed data for a compressed file."""
        if self._content is not None:
            return len(self._content)
        if self._reading is not None and self._reading.is_whole:
            return self._reading.size
        return sum(stored_size(file.address) for file in self.files)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file for reading within a block, decompressed if it begins like gzip or zstd.

        Raises:
            InputError: when it can't be opened, its compressed data is broken, or it changed since it was cut.
        """
        with self._open(self.open_watched) as stream:
            yield stream
        if self.part.stamp is not None:
            self.check_stamp()

    @contextmanager
    def _open(self, opens: Callable[[], BinaryIO], unpacks: bool = True) -> Iterator[BinaryIO]:
        try:
            with opens() as stream:
                self._stream = stream
                yield decompressed(stream, self.name) if unpacks else stream
        except (OSError, EOFError, zlib.error, MemoryError) as error:
            from scoring.data.os_errors import unreadable

            raise InputError(f"can't read {self.name}: {hidden(unreadable(error), self.address)}") from error
        finally:
            self._stream = None

    def open_raw(self) -> BinaryIO:
        """Return a stream of the stored bytes; data from a pipe is kept, since it can be read only once."""
        if self._content is None:
            stream = opened(self.address)
            if stream.seekable():
                return stream
            with stream:
                begin = read_stream(stream, self.name, 1)  # waits for the writer
                self._content, self._stamp = read_whole(stream, self.name, begin), None
        return io.BytesIO(self._content)

    def open_watched(self) -> BinaryIO:
        """Return a stream of the stored bytes, which are digested as they are read if the file is watched."""
        if not self._watched:
            return self.open_raw()
        stream = self.open_raw()
        if self._content is not None:  # it was a pipe after all
            return stream
        reading = DigestedStream(stream, self.name, self._expected)
        if self._reading is None or not self._reading.size:
            self._reading = reading
        return io.BufferedReader(reading, _BUFFER)

    def stamps(self) -> list[list[str | None]]:
        """Return each file's name and stamp, which changes whenever the file does; None if the file is not watched."""
        return [[one.name, one._stamp] for one in self.files]

    def seen(self) -> dict[str, Any]:
        """Return a description of the data read from a watched file so far, which a resumed run passes to `expect`."""
        if self._content is not None:
            return {"sha256": hashlib.sha256(self._content).hexdigest()}
        reading = self._reading
        if reading is None or reading.skips:
            return {"stamp": self._stamp}
        return {"bytes": reading.size, "sha256": reading.sha256()}

    def expect(self, seen: Mapping[str, Any]) -> None:
        """Check that the file begins with the data described by `seen`, now or as soon as that much has been read.

        Raises:
            InputError: when its content differs.
        """
        if "bytes" in seen and self._content is None:
            self._expected = seen["bytes"], seen["sha256"]
            if self._reading is not None and not self._reading.expect(self._expected):
                with self.open_raw() as stream:
                    if _begin(stream, seen["bytes"]).hexdigest() != seen["sha256"]:
                        raise other_than_before(self.name)
        elif self.seen() != seen:
            raise other_than_before(self.name)

    def check_stamp(self) -> None:
        """Raise an exception if the file changed, since the data read is then not that of any one version.

        Raises:
            InputError: when the file changed.
        """
        if self.is_changed():
            raise InputError(f"{self.name} changed while it was scored; score it again")

    def is_changed(self) -> bool:
        """Return whether a watched file, or the file of a part, has changed or disappeared."""
        try:
            return any(one._stamp is not None and stamp(one.address) != one._stamp for one in self.files)
        except OSError:
            return True

    def read(self) -> bytes:
        """Return all bytes of the file, decompressed.

        Raises:
            InputError: when the file can't be read, or is too large to be kept in memory as a whole.
        """
        with self.open() as stream:
            return read_whole(stream, self.name)

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes, decompressed."""
        with self._open(self.open_raw) as stream:
            return stream.read(size)

    def fraction(self) -> float | None:
        """Return the fraction of the open file that has been read, for a progress bar; None if unknown."""
        stream = self._stream
        try:
            return None if stream is None or not self.size else min(1.0, stream.tell() / self.size)
        except (ValueError, OSError):  # another thread has reached the end and closed it, or the file was removed
            return None

    def sha256(self, like: str = _STORED) -> str:
        """Return the digest of the stored bytes; for several files, the digest of their names and digests.

        A remote file that was not read to its end is not downloaded for this: its store's checksum (such as an ETag)
        is used instead. For a watched file it is the digest of the data that was read.

        Args:
            like: The digest that the result will be compared with; if that is a digest of bytes, a remote file is
                downloaded.

        Raises:
            InputError: when a watched file changed, and it is unknown which of its bytes were read.
        """
        if len(self.files) > 1 or self.files[0] is not self:
            from scoring.data.json_write import digest

            return digest({file.part.label: file.sha256() for file in self.files})
        reading = self._reading
        if reading is not None and reading.is_whole and not reading.skips:
            found = reading.sha256()
            # The digest of the data that was read is known even if the file changed since.
            self.changed = self.is_changed() and not self._is_still(found)
            return found
        if self.is_far and like.startswith(_STORED):
            found = f"{_STORED}{checksum(self.address)}"
            self.check_stamp()
        elif reading is None or reading.skips:
            found = self._digest()
            self.check_stamp()
        else:
            found = self._digest(reading)
        return found

    def _is_still(self, found: str) -> bool:
        """Return whether the data that is stored now has the given digest; False if the file was removed."""
        try:
            return self._digest() == found
        except InputError:
            return False

    def _digest(self, begun: DigestedStream | None = None) -> str:
        """Return the digest of the data that is stored now.

        Raises:
            InputError: when `begun` is given, and the first bytes differ from those that it read.
        """
        with self._open(self.open_raw, unpacks=False) as stream:
            found = _begin(stream, 0 if begun is None else begun.size)
            if begun is not None and found.hexdigest() != begun.sha256():
                raise InputError(f"{self.name} changed while it was scored; score it again")
            while chunk := stream.read(_BUFFER):
                found.update(chunk)
        return found.hexdigest()


def _begin(stream: BinaryIO, size: int) -> hashlib._Hash:
    """Read the next `size` bytes of a stream, and return their SHA-256 hash object, which can be updated further."""
    found = hashlib.sha256()
    while size and (chunk := stream.read(min(size, _BUFFER))):
        found.update(chunk)
        size -= len(chunk)
    return found


def file_of(source: Any) -> InputFile | None:
    """Return the file that a path or an `InputFile` refers to; None for any other source, which is in memory."""
    if isinstance(source, str | Path):
        return InputFile(str(source))
    return source if isinstance(source, InputFile) else None


def format_again(entry: Mapping[str, Any]) -> str:
    """Return the format of a manifest entry's file, with the settings with which it was read.

    Examples:
        >>> format_again({"kind": "csv", "read": {"delimiter": "tab", "encoding": "utf-8"}})
        'csv,delimiter=tab,encoding=utf-8'
    """
    return ",".join([entry["kind"], *(f"{key}={value}" for key, value in (entry.get("read") or {}).items())])


def describe_input(role: str, file: InputFile) -> dict[str, Any]:
    """Return the manifest's entry of an input file: its role, name, format, size, SHA-256, and settings (`read`).

    The SHA-256 is that of the stored bytes that were read; the file changed meanwhile if there is an entry ``changed``.
    """
    sha256 = file.sha256()
    entry = {"role": role, "name": file.name, "kind": file.kind, "bytes": file.size, "sha256": sha256}
    entry |= {"read": file.found} if file.found else {}
    return {**entry, "changed": True} if file.changed else entry


def describe_folder(role: str, path: Path) -> dict[str, Any]:
    """Return the manifest's entry of an input folder; its digest is of the names and digests of its files."""
    from scoring.data.folders import walked
    from scoring.data.json_write import digest

    files = {file.relative_to(path).as_posix(): file for file in sorted(walked(path))}
    digests = {name: InputFile(str(file), kind="file").sha256() for name, file in files.items()}
    size = sum(file.stat().st_size for file in files.values())
    return {"role": role, "name": str(path), "kind": "folder", "bytes": size, "sha256": digest(digests)}
