"""Files as the user named them: opened through its compression, measured, digested, and read by its format."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Self

from scoring.data.address import checksum, folder_keys, hidden, is_address, opened, several, shown, size_of, stamp
from scoring.data.file_format import FileFormat, named, of_name, settings_of, suffixes
from scoring.data.json_write import digest
from scoring.data.os_errors import refused
from scoring.data.plain_files import read_stream
from scoring.data.slice import Slice
from scoring.data.streams import DigestedStream, is_packed, other_than_before, unpacked, whole
from scoring.errors import InputError

_STORED = "store:"
_BUFFER = 1 << 16


class InputFile:
    """One input file, several that a pattern or a folder names, or bytes that came through a pipe.

    Args:
        name: The path or address as the user typed it.
        content: The bytes themselves, when there is no file.
        kind: A format, such as ``jsonl``, perhaps with settings as in ``csv,delimiter=tab``; by default told from the
            suffix.
        part: The part of the file that is read; all of it by default.

    Attributes:
        name: The same without credentials; the only name that messages and manifests show.
        found: What its reader found about how it is written, such as the delimiter; known once it is read.
        columns: The only ones that records need have, None for all; formats that hold columns read no others.
        changed: Whether the file that was read is no longer there as it was.
    """

    def __init__(
        self, name: str, content: bytes | None = None, kind: str | None = None, part: Slice | None = None
    ) -> None:
        if "\0" in name:
            raise InputError(f"can't read {name!r:.100}: no name of a file holds a zero byte")
        self.address, self.name = name, shown(name)
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
        """Hash the bytes as they are read from now on, and detect changes of the file."""
        for one in self.files:
            one._watched = one._content is None
            with suppress(OSError):  # whoever opens it tells that it is not there
                one._stamp = stamp(one.address) if one._watched else None
        return self

    @classmethod
    def again(cls, entry: Mapping[str, Any]) -> InputFile:
        """Return a file that a manifest names, to be read in the way in which it was read."""
        return cls(entry["name"], kind=format_again(entry))

    @classmethod
    def of(cls, part: Slice) -> InputFile:
        """Return the file that a part is of, to be read as far as the part goes."""
        return cls(part.address, kind=part.kind or None, part=part)

    @cached_property
    def files(self) -> Sequence[InputFile]:
        """The files that a pattern or a folder names, in the order of their names; itself where it is one file.

        Raises:
            InputError: when there is none.
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
        """The path of the file."""
        return Path(self.address)

    @property
    def is_far(self) -> bool:
        """Whether reading the file needs a network."""
        return is_address(self.address) and not self.address.startswith(("file://", "memory://"))

    @property
    def is_packed(self) -> bool:
        """Whether the file is compressed as a whole."""
        with self.open_raw() as stream:
            return is_packed(stream.read(4))

    @property
    def kind(self) -> str:
        """The name of its format."""
        return self._kind or self.format.name

    @cached_property
    def format(self) -> FileFormat:
        """The format of the file: the given one, else the one of its name.

        Raises:
            InputError: when there is no such format, or several files are of several formats.
        """
        if self._kind:
            return named(self._kind)
        found = {one.name: one for one in (of_name(self.name) if file is self else file.format for file in self.files)}
        if len(found) > 1:
            kinds = " and ".join(found)
            raise InputError(f"can't read {self.name}: it holds {kinds} files; name those of one format, as in */*.csv")
        return next(iter(found.values()))

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the format, by name."""
        return settings_of(f",{self._settings}")

    def check_settings(self) -> None:
        """Refuse format settings that have no effect.

        Raises:
            InputError: for a setting that its format does not have, or that has no value.
        """
        known = self.format.settings
        for key, value in self.settings.items():
            if key not in known:
                allowed = f"it has {', '.join(known)}" if known else "it has none"
                raise InputError(f"`{key}` is no setting of the format `{self.kind}`; {allowed}")
            if not value:
                raise InputError(f"`{key}` of the format `{self.kind}` has no value; write `{key}=…`")

    @property
    def size(self) -> int:
        """Bytes where it is stored, compressed ones if it is compressed."""
        if self._content is not None:
            return len(self._content)
        if self._reading is not None and self._reading.is_whole:
            return self._reading.size
        return sum(size_of(file.address) for file in self.files)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes of the file, decompressed if it begins like gzip or zstd.

        Raises:
            InputError: when it can't be opened, its compressed data is broken, or it is no longer what was cut.
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
                yield unpacked(stream, self.name) if unpacks else stream
        except (OSError, EOFError, zlib.error, MemoryError) as error:
            raise InputError(f"can't read {self.name}: {hidden(_why(error), self.address)}") from error
        finally:
            self._stream = None

    def open_raw(self) -> BinaryIO:
        """Return the stored bytes; data from a pipe are kept in a temporary file, since they arrive only once."""
        if self._content is None:
            stream = opened(self.address)
            if stream.seekable():
                return stream
            with stream:
                begin = read_stream(stream, self.name, 1)  # which waits for whoever writes
                self._content, self._stamp = whole(stream, self.name, begin), None
        return io.BytesIO(self._content)

    def open_watched(self) -> BinaryIO:
        """Return the stored bytes, hashed while they are read if the file is watched."""
        if not self._watched:
            return self.open_raw()
        stream = self.open_raw()
        if self._content is not None:  # it came through a pipe after all
            return stream
        reading = DigestedStream(stream, self.name, self._expected)
        if self._reading is None or not self._reading.size:
            self._reading = reading
        return io.BufferedReader(reading, _BUFFER)

    def stamps(self) -> list[list[str | None]]:
        """Return the names of its files with their stamps, if they are watched."""
        return [[one.name, one._stamp] for one in self.files]

    def seen(self) -> dict[str, Any]:
        """Return what was read of a watched file so far, for a run that resumes with it; see `expect`."""
        if self._content is not None:
            return {"sha256": hashlib.sha256(self._content).hexdigest()}
        reading = self._reading
        if reading is None or reading.skips:
            return {"stamp": self._stamp}
        return {"bytes": reading.size, "sha256": reading.sha256()}

    def expect(self, seen: Mapping[str, Any]) -> None:
        """Make sure that the file is the one of which so much was seen, now or as soon as it is read so far.

        Raises:
            InputError: when it is another one.
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
        """Refuse a file that changed while it was read.

        Raises:
            InputError: naming it.
        """
        if self.is_changed():
            raise InputError(f"{self.name} changed while it was scored; score it again")

    def is_changed(self) -> bool:
        """Tell whether a watched file, or part of it, has changed."""
        try:
            return any(one._stamp is not None and stamp(one.address) != one._stamp for one in self.files)
        except OSError:
            return True

    def read(self) -> bytes:
        """Return all bytes, decompressed.

        Raises:
            InputError: also when they are more than is held as a whole.
        """
        with self.open() as stream:
            return whole(stream, self.name)

    def head(self, size: int) -> bytes:
        """Return the first bytes, decompressed."""
        with self._open(self.open_raw) as stream:
            return stream.read(size)

    def fraction(self) -> float | None:
        """Return how much of the open file has been read, for a progress bar."""
        stream = self._stream
        try:
            return None if stream is None or not self.size else min(1.0, stream.tell() / self.size)
        except (ValueError, OSError):  # another thread has come to the end and closed it; somebody removed it
            return None

    def sha256(self, like: str = _STORED) -> str:
        """Return the digest of the stored bytes; of several files that of their names and digests.

        A far file that was not read to its end is not fetched for it: what its store says of it (its ETag, say) stands
        for its bytes. Of a file that was watched it is the digest of what was read.

        Args:
            like: A digest that it will be compared with; a far file is fetched for one that is of bytes.

        Raises:
            InputError: when a watched file changed, and nobody knows which of its bytes were read.
        """
        if len(self.files) > 1 or self.files[0] is not self:
            return digest({file.part.label: file.sha256() for file in self.files})
        reading = self._reading
        if reading is not None and reading.is_whole and not reading.skips:
            found = reading.sha256()
            # What was read is known all the same.
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
        """Tell whether the stored content still has a digest; removed files have none."""
        try:
            return self._digest() == found
        except InputError:
            return False

    def _digest(self, begun: DigestedStream | None = None) -> str:
        """Return the digest of the stored content, which must begin with the part that was read of it."""
        with self._open(self.open_raw, unpacks=False) as stream:
            found = _begin(stream, 0 if begun is None else begun.size)
            if begun is not None and found.hexdigest() != begun.sha256():
                raise InputError(f"{self.name} changed while it was scored; score it again")
            while chunk := stream.read(_BUFFER):
                found.update(chunk)
        return found.hexdigest()


def _begin(stream: BinaryIO, size: int) -> hashlib._Hash:
    """Return the digest of the first bytes."""
    found = hashlib.sha256()
    while size and (chunk := stream.read(min(size, _BUFFER))):
        found.update(chunk)
        size -= len(chunk)
    return found


def file_of(source: Any) -> InputFile | None:
    """Return the file of a source of records, None for data in memory."""
    if isinstance(source, str | Path):
        return InputFile(str(source))
    return source if isinstance(source, InputFile) else None


def format_again(entry: Mapping[str, Any]) -> str:
    """Return the format of a file that a manifest names, with the settings by which it was read.

    Examples:
        >>> format_again({"kind": "csv", "read": {"delimiter": "tab", "encoding": "utf-8"}})
        'csv,delimiter=tab,encoding=utf-8'
    """
    return ",".join([entry["kind"], *(f"{key}={value}" for key, value in (entry.get("read") or {}).items())])


_WORDS = (
    (FileNotFoundError, "there is no such file"),
    (IsADirectoryError, "it is a folder"),
    (PermissionError, "permission denied"),
    (MemoryError, "it takes more memory than there is; give it more, or cut it into smaller files"),
)


def _why(error: BaseException) -> str:
    words = next((words for kind, words in _WORDS if isinstance(error, kind)), None)
    if words is not None:
        return words
    if isinstance(error, OSError) and error.errno is not None:
        return refused(error)
    said = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, gzip.BadGzipFile | EOFError | zlib.error) or "zstd" in said.lower():
        return f"{said}; its compressed data is damaged or cut short: get the file anew, or give it uncompressed"
    return said
