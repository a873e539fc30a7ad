"""How much the batches of an Arrow file or stream come to, told by its messages, before anything is unpacked.

Buffers that are compressed begin with the size that they are said to have, which is taken as memory before they are
unpacked; and where a batch lies is said by the file's footer. Both are looked through here: tables of FlatBuffers, read
field by field within their bytes.

Source:
    Apache Arrow format, Message.fbs and File.fbs; FlatBuffers, binary format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from scoring.data.limits import beyond, limits, shown_size
from scoring.data.rows.row import InputError

_MAGIC = b"ARROW1"
_MARK = b"\xff\xff\xff\xff"
_MOST_HEAD = 1 << 28
_DICTIONARY, _BATCH = 2, 3


def check_messages(stream: Any, name: str, is_file: bool) -> None:
    """Refuse a file or stream of Arrow with a batch that comes to more than may be in memory at once.

    Args:
        stream: The bytes, where one can go to any place; read from the begin afterwards.
        name: How messages call them.
        is_file: Whether they are a file, whose footer says where its batches are.

    Raises:
        InputError: when there is one, or a message is damaged.
    """
    end = stream.seek(0, 2)
    try:
        for number, place in enumerate(_blocks(stream, end) if is_file else _stream(stream, end), start=1):
            _check_message(stream, place, end, number)
    except (struct.error, IndexError, ValueError) as error:
        raise InputError(f"can't read {name}: a message of it is damaged; write the file again") from error
    except InputError as error:
        raise InputError(f"can't read {name}: {error}") from error
    stream.seek(0)


def _stream(stream: Any, end: int) -> Iterator[int]:
    """Where the messages of a stream begin, one behind the other."""
    at = 0
    while at < end:
        yield at
        head, body = _head(stream, at, end)
        if head is None:
            return
        at = body + _Table.root(head).number(3, "q")
        if at < body:
            raise ValueError("a body of negative length")


def _blocks(stream: Any, end: int) -> Iterator[int]:
    """Where the footer of a file says that its dictionaries and batches begin."""
    stream.seek(max(0, end - 10))
    (size,), magic = struct.unpack("<i", stream.read(4)), stream.read(6)
    if magic != _MAGIC or not 0 < size <= min(end, _MOST_HEAD):
        raise ValueError("no footer")
    stream.seek(end - 10 - size)
    footer = _Table.root(stream.read(size))
    for field in (2, 3):
        yield from (place for place, _, _ in footer.structures(field, "<qi4xq"))


def _head(stream: Any, at: int, end: int) -> tuple[bytes | None, int]:
    """The metadata of a message, None at the end of a stream, and where its body begins."""
    if not 0 <= at < end:
        raise ValueError("a message outside the file")
    stream.seek(at)
    text = stream.read(8)
    at += 4
    if text.startswith(_MARK):
        text, at = text[4:], at + 4
    (size,) = struct.unpack("<i", text[:4])
    if not 0 <= size <= min(end - at, _MOST_HEAD):
        raise ValueError("metadata outside the file")
    stream.seek(at)
    return (stream.read(size) if size else None), at + size


def _check_message(stream: Any, at: int, end: int, number: int) -> None:
    head, body = _head(stream, at, end)
    if head is None:
        return
    message = _Table.root(head)
    kind = message.number(1, "B")
    if kind not in (_DICTIONARY, _BATCH):
        return
    batch = message.table(2) if kind == _BATCH else message.table(2).table(1)
    stored = unpacked = 0
    is_packed = batch.place(3) is not None
    for start, length in batch.structures(2, "<qq"):
        if start < 0 or length < 0 or body + start + length > end:
            raise ValueError("a buffer outside the file")
        stored += length
        if is_packed and length >= 8:
            stream.seek(body + start)
            (size,) = struct.unpack("<q", stream.read(8))
            unpacked += max(size, 0)
    if unpacked > limits().batch and unpacked > limits().ratio * stored:
        what = f"message {number}: {shown_size(stored)} unpack to {shown_size(unpacked)} at once"
        raise InputError(beyond(what, "batch"))


class _Table:
    """A table of FlatBuffers: fields by their numbers, each at its place in the text."""

    def __init__(self, text: bytes, at: int) -> None:
        self._text, self._at = text, at
        self._fields = at - self._read("i", at)
        self._count = (self._read("H", self._fields) - 4) // 2

    @classmethod
    def root(cls, text: bytes) -> _Table:
        """The table that a text is."""
        return cls(text, struct.unpack_from("<I", text)[0])

    def _read(self, form: str, at: int) -> int:
        if at < 0:
            raise ValueError("before the begin")
        found: int = struct.unpack_from(f"<{form}", self._text, at)[0]
        return found

    def place(self, field: int) -> int | None:
        """Where a field stands, None where it is not there."""
        offset = self._read("H", self._fields + 4 + 2 * field) if field < self._count else 0
        return self._at + offset if offset else None

    def number(self, field: int, form: str) -> int:
        """A number, 0 where it is not there."""
        place = self.place(field)
        return 0 if place is None else self._read(form, place)

    def table(self, field: int) -> _Table:
        """A table within it."""
        place = self.place(field)
        if place is None:
            raise ValueError("a field is missing")
        return _Table(self._text, place + self._read("I", place))

    def structures(self, field: int, form: str) -> Iterator[tuple[Any, ...]]:
        """The structures of a list, none where it is not there."""
        place = self.place(field)
        if place is None:
            return iter(())
        start = place + self._read("I", place)
        size = self._read("I", start) * struct.calcsize(form)
        if start + 4 + size > len(self._text):
            raise ValueError("a list outside its message")
        return struct.iter_unpack(form, self._text[start + 4 : start + 4 + size])
