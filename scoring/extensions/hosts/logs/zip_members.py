"""The members of a zip archive that others made, read within the limits, also where they are compressed by zstd."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import BinaryIO

from scoring.data.limits import limit_message, limits, shown_size
from scoring.data.unpacking import unpacked
from scoring.errors import InputError

ZSTD = 93
"""The method of members that are compressed by zstd; `zipfile` reads them from Python 3.14 on."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD)
_LOCAL = struct.Struct("<4s22xHH")
"""The header before a member's bytes, of which only the lengths of its name and of its extra field are read."""
# What `zipfile` raises for members that it can't read: damaged, of an unknown method, or encrypted.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)


class ZipMembers:
    """The members of an open archive; where a name occurs more than once, the last member has it.

    Args:
        stream: The bytes of the archive.
        name: The name of the file, for messages.

    Raises:
        InputError: when it is no archive, it is damaged or encrypted, or its members are too large.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name, self._stream = name, stream
        with self._reading("its directory"):
            self._archive = zipfile.ZipFile(stream)
            size = stream.seek(0, io.SEEK_END)
        self._check(size)
        self._infos = {info.filename: info for info in self._archive.infolist()}

    @property
    def names(self) -> list[str]:
        """The names of all members."""
        return list(self._infos)

    def __contains__(self, member: str) -> bool:
        return member in self._infos

    def size(self, member: str) -> int:
        """Return the compressed size of a member in bytes."""
        return self._infos[member].compress_size

    def read(self, member: str) -> bytes:
        """Return the content of a member.

        Raises:
            InputError: when it is damaged.
        """
        info = self._infos[member]
        with self._reading(f"its member `{member:.80}`"):
            if info.compress_type == ZSTD:
                content = _decompressed(self._stored(info), info.file_size + 1, self.name)
                if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
                    raise zipfile.BadZipFile("it is not what the directory says")
            else:
                content = self._archive.read(info)
        return content

    def _stored(self, info: zipfile.ZipInfo) -> bytes:
        self._stream.seek(info.header_offset)
        mark, name, extra = _LOCAL.unpack(self._stream.read(_LOCAL.size))
        if mark != b"PK\x03\x04":
            raise zipfile.BadZipFile("it is not where the directory says")
        self._stream.seek(name + extra, io.SEEK_CUR)
        return self._stream.read(info.compress_size)

    def _check(self, size: int) -> None:
        infos, most = self._archive.infolist(), limits()
        locked = next((one.filename for one in infos if one.flag_bits & 1), None)
        if locked is not None:
            raise InputError(f"can't read {self.name}: its member `{locked:.80}` is encrypted")
        odd = next((one for one in infos if one.compress_type not in _METHODS), None)
        if odd is not None:
            how = f"its member `{odd.filename:.80}` is compressed by method {odd.compress_type}"
            raise InputError(f"can't read {self.name}: {how}, and deflate and zstd are read")
        if sum(one.compress_size for one in infos) > size:
            raise InputError(f"can't read {self.name}: its members overlap")
        whole = sum(one.file_size for one in infos)
        if whole > max(most.unpacked, most.ratio * size):
            raise InputError(f"can't read {self.name}: {limit_message(f'{shown_size(whole)} unpacked', 'unpacked')}")
        large = next((one for one in infos if one.file_size > most.whole), None)
        if large is not None:
            what = f"its member `{large.filename:.80}` of {shown_size(large.file_size)}"
            raise InputError(f"can't read {self.name}: {limit_message(what, 'whole')}")

    @contextmanager
    def _reading(self, place: str) -> Iterator[None]:
        try:
            yield
        except _BROKEN as error:
            why = str(error).partition("\n")[0]
            raise InputError(f"can't read {self.name}: it is a damaged archive: {place}: {why:.160}") from error


def _decompressed(data: bytes, most: int, name: str) -> bytes:
    """Return at most so many of the bytes that were compressed by zstd, in one frame or several."""
    with suppress(ImportError):  # who has Inspect has it; otherwise pyarrow reads them
        zstandard = import_module("zstandard")
        try:
            with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
                return bytes(stream.read(most))
        except zstandard.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from error
    try:
        return unpacked(io.BytesIO(data), name, is_gzip=False).read(most)
    except OSError as error:  # of pyarrow, for what is no zstd
        raise zipfile.BadZipFile(str(error)) from error
