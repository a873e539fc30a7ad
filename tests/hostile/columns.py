"""Hostile files of Parquet and Arrow: bombs, sizes that are none, places outside."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

_N = 4096
_FEW = "batch=10MB"


def _table(**columns: Any) -> Any:
    import pyarrow

    plain = {"id": [str(n) for n in range(3)], "response": ["a"] * 3, "reference": ["a"] * 3}
    return pyarrow.table({**plain, **columns})


def _parquet(table: Any, **settings: Any) -> bytes:
    from pyarrow import parquet

    stream = io.BytesIO()
    parquet.write_table(table, stream, **settings)
    return stream.getvalue()


def _ipc(table: Any, kind: str = "new_file", **settings: Any) -> bytes:
    from pyarrow import ipc

    stream = io.BytesIO()
    with getattr(ipc, kind)(stream, table.schema, options=ipc.IpcWriteOptions(**settings)) as writer:
        writer.write_table(table)
    return stream.getvalue()


def made(make: Callable[[], bytes]) -> Callable[[Path], None]:
    """Writes what is made, once it is asked for."""
    return lambda path: (path.write_bytes(make()), None)[1]


def _dictionary_bomb() -> bytes:
    """20 GiB of texts: one of 5 MiB that stands in 4,096 rows."""
    import pyarrow

    texts = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * _N, pyarrow.int32()), pyarrow.array(["a" * (5 << 20)])
    )
    table = pyarrow.table({"id": [str(n) for n in range(_N)], "response": texts, "reference": ["a"] * _N})
    return _parquet(table, store_schema=False, dictionary_pagesize_limit=1 << 30, write_statistics=False)


def _page_bomb() -> bytes:
    """Texts of 30 MB in one page."""
    import pyarrow

    texts = pyarrow.chunked_array([pyarrow.array(["a" * 100_000] * 30)] * 10)
    table = pyarrow.table({"id": [str(n) for n in range(300)], "response": texts, "reference": ["a"] * 300})
    return _parquet(table, compression="zstd", use_dictionary=False, data_page_size=1 << 31, write_statistics=False)


def _list_bomb() -> bytes:
    """One row with a list of three million zeros."""
    import numpy
    import pyarrow

    zeros = pyarrow.array(numpy.zeros(3_000_000, dtype=numpy.int8))
    held = pyarrow.ListArray.from_arrays(pyarrow.array([0, len(zeros)], pyarrow.int32()), zeros)
    return _parquet(pyarrow.table({"id": ["1"], "response": held, "reference": ["a"]}), compression="zstd")


def _shared(kind: str) -> bytes:
    """Twenty thousand rows that all mean one value of a megabyte: by views of texts, of lists, by a dictionary."""
    import numpy
    import pyarrow

    count, size = 20_000, 1_000_000
    numbers = pyarrow.array(numpy.zeros(size, dtype=numpy.int8))
    if kind == "text":
        views = pyarrow.py_buffer(struct.pack("<i4sii", size, b"aaaa", 0, 0) * count)
        column = pyarrow.Array.from_buffers(pyarrow.string_view(), count, [None, views, pyarrow.py_buffer(b"a" * size)])
    elif kind == "list":
        column = pyarrow.ListViewArray.from_arrays(
            pyarrow.array([0] * count, pyarrow.int32()), pyarrow.array([size] * count, pyarrow.int32()), numbers
        )
    else:
        one = pyarrow.ListArray.from_arrays(pyarrow.array([0, size], pyarrow.int32()), numbers)
        column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, pyarrow.int32()), one)
    ids = [str(number) for number in range(count)]
    return _ipc(pyarrow.table({"id": ids, "response": column, "reference": ["a"] * count}))


def _runs() -> bytes:
    """One value of a megabyte that a run repeats for two thousand million rows."""
    import pyarrow

    ends = pyarrow.array([2**31 - 2], pyarrow.int32())
    column = pyarrow.RunEndEncodedArray.from_arrays(ends, pyarrow.array(["a" * 1_000_000]))
    return _ipc(pyarrow.Table.from_arrays([column], ["id"]))


def _pickled() -> bytes:
    """A column whose metadata name a pickled type, as old pyarrow wrote them: unpickled, it would raise."""
    import pickle

    import pyarrow

    said = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": pickle.dumps(_Raises())}
    plain = _table()
    fields = [part.with_metadata(said) for part in plain.schema]
    return _ipc(plain.cast(pyarrow.schema(fields, metadata={b"pandas": pickle.dumps(_Raises())})))


class _Raises:
    def __reduce__(self) -> Any:
        return (exit, (77,))


def _claim(old: int, new: int, content: bytes) -> bytes:
    """The bytes with a number of four or eight bytes in place of another."""
    return content.replace(struct.pack("<q", old), struct.pack("<q", new))


def _bad_offsets() -> bytes:
    """Texts of an Arrow file whose places point far outside."""
    plain = _ipc(_table(response=["b", "c", "d"]))
    return plain.replace(struct.pack("<4i", 0, 1, 2, 3), struct.pack("<4i", 0, 1, 2, 2_000_000_000))


def _bad_places() -> bytes:
    """A dictionary of one value, and places beyond it."""
    import pyarrow

    places = pyarrow.array([0, 1_000_000, -5], pyarrow.int32())
    texts = pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(["a"]), safe=False)
    return _ipc(_table(response=texts))


def _no_text() -> bytes:
    import pyarrow

    data = pyarrow.py_buffer(b"a\xffa")
    texts = pyarrow.Array.from_buffers(
        pyarrow.string(), 3, [None, pyarrow.py_buffer(struct.pack("<4i", 0, 1, 2, 3)), data]
    )
    return _ipc(_table(response=texts))


def _packed_claim(size: int) -> bytes:
    """A compressed buffer that is said to come to so much."""

    table = _table(response=["a" * 100_003] * 3)
    return _claim(300_009, size, _ipc(table, compression="zstd"))


def _arrow_bomb() -> bytes:
    """A batch of 15 MB in some hundred bytes."""
    import pyarrow

    table = _table(response=pyarrow.array(["a" * 5_000_000] * 3, pyarrow.large_string()))
    return _ipc(table, compression="zstd")


def _rows_of_nothing() -> bytes:
    """Two to the power of fifty rows of a column that takes no bytes."""
    import pyarrow

    return _claim(1_000_003, 1 << 50, _ipc(pyarrow.table({"id": pyarrow.nulls(1_000_003)})))


def _encrypted(plain: bytes) -> bytes:
    return plain[:-4] + b"PARE"


def _cut(make: Callable[[], bytes], share: float) -> Callable[[Path], None]:
    return made(lambda: (lambda content: content[: int(len(content) * share)])(make()))


def _row(name: str, file: str, make: bytes | Callable[[Path], None], says: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "file": file, "make": make, "says": says, **more}


def _plain() -> bytes:
    return _parquet(_table())


def _arrow() -> bytes:
    return _ipc(_table())


def _kinds() -> bytes:
    import decimal

    import pyarrow

    # Two answers that are right, and bytes that are no text.
    wide = pyarrow.array([decimal.Decimal(10) ** 60] * 3, pyarrow.decimal256(70, 0))
    times = pyarrow.array([2**62] * 3, pyarrow.timestamp("us"))
    return _parquet(_table(wide=wide, times=times, response=pyarrow.array(["a", b"\xff", "a"], pyarrow.binary())))


def _long_cell() -> bytes:
    return _parquet(_table(response=["a", "a" * 3000, "a"]))


def _flipped(make: Callable[[], bytes], step: int) -> Callable[[Path], None]:
    def write() -> bytes:
        content = bytearray(make())
        for place in range(20, len(content) - 20, step):
            content[place] ^= 0xFF
        return bytes(content)

    return made(write)


COLUMNS: list[dict[str, Any]] = [
    _row("Parquet: 20 GiB in 10 KB by a dictionary", "a.parquet", made(_dictionary_bomb), "`batch` allows 1 GB",
         is_bomb=True),
    _row("Parquet: a page of 30 MB", "a.parquet", made(_page_bomb), "`batch` allows 10 MB", limits=_FEW),
    _row("Parquet: a list of three million values", "a.parquet", made(_list_bomb), "`batch` allows 10 MB",
         limits=_FEW),
    _row("Parquet: a dictionary of long texts, allowed", "a.parquet", made(_dictionary_bomb), "`cell` allows 1 MB",
         scored=0, bad=20, limits="cell=1MB,ratio=100000000", arguments=("--limit", "20"), is_bomb=True),
    _row("Parquet: a cell that is too long", "a.parquet", made(_long_cell), "column `response`: a cell of 3", scored=2,
         bad=1, limits="cell=1KB"),
    _row("Parquet: too many columns", "a.parquet", made(_plain), "it has 3 columns; `columns` allows 2",
         limits="columns=2"),
    _row("Parquet: encrypted", "a.parquet", made(lambda: _encrypted(_plain())), "can't read"),
    _row("Parquet: numbers of 60 digits, odd times, bytes", "a.parquet", made(_kinds), "", scored=2, bad=1),
    *(_row(f"Parquet: cut off at {share}", "a.parquet", _cut(_plain, share), "can't read")
      for share in (0.01, 0.3, 0.7, 0.99)),
    *(_row(f"Parquet: every {step}th byte turned", "a.parquet", _flipped(_plain, step), "can't read")
      for step in (7, 31, 97)),
    _row("Arrow: places of texts outside", "a.arrow", made(_bad_offsets), "can't read"),
    _row("Arrow: places outside a dictionary", "a.arrow", made(_bad_places), "can't read"),
    _row("Arrow: bytes that are no UTF-8", "a.arrow", made(_no_text), "not UTF-8 at byte 1", scored=2, bad=1),
    _row("Arrow: a buffer that says it has 2^60 bytes", "a.arrow", made(lambda: _packed_claim(1 << 60)),
         "`batch` allows 1 GB"),
    _row("Arrow: a buffer that says it has less than it has", "a.arrow", made(lambda: _packed_claim(5)), "can't read"),
    _row("Arrow: a batch of 15 MB", "a.arrow", made(_arrow_bomb), "`batch` allows 10 MB", limits=_FEW),
    _row("Arrow: 2^50 rows of nothing", "a.arrow", made(_rows_of_nothing), "`ratio` allows",
         limits="unpacked=1MB,ratio=2"),
    *(_row(f"Arrow: 20 GB in little by a shared {kind}", "a.arrow", made(partial(_shared, kind)),
           "`ratio` allows 200", is_bomb=True) for kind in ("text", "list", "place in a dictionary")),
    _row("Arrow: a run of 2^31 rows", "a.arrow", made(_runs), "`ratio` allows 200", is_bomb=True),
    _row("Arrow: pickled types among the metadata", "a.arrow", made(_pickled), "", scored=3),
    _row("Arrow: Feather of version 1", "a.feather", b"FEA1" + bytes(50), "Feather of version 1"),
    *(_row(f"Arrow: cut off at {share}", "a.arrow", _cut(_arrow, share), "can't read")
      for share in (0.01, 0.3, 0.7, 0.99)),
    *(_row(f"Arrow: every {step}th byte turned", "a.arrow", _flipped(_arrow, step), "can't read")
      for step in (7, 31, 97)),
]  # fmt: skip
