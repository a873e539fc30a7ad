"""The file format XLSX of spreadsheets, read by openpyxl (the extra `excel`): the first row names the keys.

A cell has the value that pandas reads: a whole number has no fraction though Excel stores floats only, a formula is
the value that was stored with it, an error such as `#N/A` is missing. Dates are texts as ISO 8601 has them. An empty
cell or text is missing, unless `xlsx,empty=text` makes it an empty text. Macros, links and entities are never followed.

The file is a zip archive, whose directory states the sizes of its parts: they are checked before a part is read, and
a part that is longer than stated is an error. It is read in a child process with limited memory.
"""

from __future__ import annotations

import json
import math
import warnings
import zipfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.limits import limit_message, limits, shown_size
from scoring.data.normalize import NotPlain, plain_value
from scoring.data.rows.decoded import block_of, repeated
from scoring.data.rows.row import SIZE, Block
from scoring.data.streams import read_whole
from scoring.errors import InputError
from scoring.extensions.columns.apart import BrokeDown, run_in_child_process
from scoring.extensions.columns.column_files import most_memory

_ZIP = b"PK\x03\x04"
_EMPTY = {"missing": None, "text": ""}
# Whole floats below this are exact.
_EXACT = 1 << 53
# The number of characters of rows that are sent at a time.
_PART_CHARACTERS = 1 << 20
_CONTENTS, _SHEETS = "[Content_Types].xml", "xl/worksheets/"
_BROKEN = "download it again, or open it in a spreadsheet program and save it as .xlsx"
#: Parts of archives that are something else: the part, what the archive is, advice.
_OTHERS = (
    ("xl/vbaProject.bin", "a workbook with macros (.xlsm)", "save it as .xlsx without them"),
    ("xl/workbook.bin", "a binary workbook (.xlsb)", "save it as .xlsx"),
    ("content.xml", "an OpenDocument file (.ods)", "save it as .xlsx"),
    ("word/document.xml", "a text document (.docx)", "give the file of records"),
)


def read_workbook(file: InputFile) -> Iterator[Block]:
    """Yield the rows of a sheet of a workbook in blocks; their numbers are those of the sheet, where the header is 1.

    Raises:
        InputError: when the file is no workbook, is broken or too large, or has no such sheet or no header.
    """
    # Before the fork, so not in each child, which opens no files.
    import openpyxl  # noqa: F401

    if not file.head(4).startswith(_ZIP):
        why = "it is no .xlsx, which is a zip archive; say what it is, as in `--input-format csv`"
        raise InputError(f"can't read {file.name}: {why}")
    empty = file.settings.get("empty", "missing")
    if empty not in _EMPTY:
        raise InputError(f"can't read {file.name}: an empty cell is no `{empty}`; say `empty=missing` or `empty=text`")
    file.found = dict(file.settings)
    with closing(_apart(file)) as pieces:
        names = json.loads(next(pieces))
        for piece in pieces:
            yield block_of("row", ((number, _record(names, _EMPTY[empty], row)) for number, row in json.loads(piece)))


def _record(names: list[str], empty: str | None, row: list[Any] | str) -> dict[str, Any] | ValueError:
    """Return the record of a row, given as its cells or as what is wrong with it; an empty cell is an empty text."""
    if isinstance(row, str):
        return ValueError(row)
    cells = [empty if cell == "" else cell for cell in row]
    return dict(zip(names, cells + [empty] * (len(names) - len(cells)), strict=True))


def _apart(file: InputFile) -> Generator[bytes, None, None]:
    """Yield the names of columns, then lists of rows, as JSON; they are read in a forked child process."""
    most = most_memory(file)
    with file.open() as stream:
        source = stream if stream.seekable() else BytesIO(read_whole(stream, file.name))
        try:
            yield from run_in_child_process(source, partial(_pieces, file.name, file.settings.get("sheet")), most)
        except BrokeDown as error:
            raise InputError(f"can't read {file.name}: its reader fails; {_BROKEN}") from error
        except MemoryError as error:
            what = f"reading it takes more than {shown_size(most)} of memory at once"
            raise InputError(f"can't read {file.name}: {limit_message(what, 'batch')}") from error


def _pieces(name: str, sheet: str | None, stream: BinaryIO) -> Iterator[bytes]:
    """Yield the pieces of a workbook: the names of the columns, then rows with their numbers.

    Args:
        name: The name of the file, for messages.
        sheet: The name of the sheet, None for the first one.
        stream: The bytes of the file.

    Raises:
        InputError: when the workbook can't be read.
    """
    place = "its directory"
    try:
        with zipfile.ZipFile(stream) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a workbook has besides cells
            size = _checked_size(name, archive)
            place = "its sheets, texts or styles"
            found = _sheet(name, sheet, stream)
            place = f"the sheet `{found.title:.80}`"
            yield from _rows(name, found, size)
    except (InputError, MemoryError, ConnectionError):
        raise
    except Exception as error:  # openpyxl raises what its statements do: KeyError, IndexError, TypeError, ParseError
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(f"can't read {name}: it is a broken .xlsx: {place}: {why:.160}; {_BROKEN}") from error


def _checked_size(name: str, archive: zipfile.ZipFile) -> int:
    """Return the size of all parts of a workbook as its directory states it, which no part can exceed when it is read.

    Raises:
        InputError: when it is no workbook, has a password, or is too large.
    """
    parts = archive.infolist()
    names = {part.filename for part in parts}
    for mark, what, advice in _OTHERS:
        if mark in names:
            raise InputError(f"can't read {name}: it is {what}; {advice}")
    if _CONTENTS not in names:
        raise InputError(f"can't read {name}: it is a zip archive, but no workbook (.xlsx); unpack it")
    locked = next((part.filename for part in parts if part.flag_bits & 1), None)
    if locked is not None:
        raise InputError(f"can't read {name}: its part `{locked:.80}` has a password; save it without one")
    size, most = sum(part.file_size for part in parts), limits()
    stored = sum(part.compress_size for part in parts)
    if size > max(most.unpacked, most.ratio * stored):
        raise InputError(f"can't read {name}: {limit_message(f'{shown_size(size)} when unpacked', 'unpacked')}")
    for part in parts:
        if part.file_size > most.whole and not part.filename.startswith(_SHEETS):
            what = f"its part `{part.filename:.80}` of {shown_size(part.file_size)}"
            raise InputError(f"can't read {name}: {limit_message(what, 'whole')}")
    return size


def _sheet(name: str, sheet: str | None, stream: BinaryIO) -> Any:
    from openpyxl import load_workbook

    sheets = load_workbook(stream, read_only=True, data_only=True, keep_links=False).worksheets
    found = next((one for one in sheets if sheet in (None, one.title)), None)
    if found is None:
        titles = ", ".join(f"`{one.title:.80}`" for one in sheets[:20])
        raise InputError(f"can't read {name}: it has no sheet `{sheet or ''}`; its sheets are {titles or 'none'}")
    # The range that a file states for its cells may be wrong.
    found.reset_dimensions()
    return found


def _rows(name: str, sheet: Any, size: int) -> Iterator[bytes]:
    """Yield the names of the columns of a sheet, then its rows in lists of limited size."""
    rows = enumerate(sheet.iter_rows(), start=1)
    names = _header(name, next(rows, (1, ()))[1])
    yield json.dumps(names).encode()
    part: list[tuple[int, list[Any] | str]] = []
    count = characters = 0
    # Also of empty cells, which take no bytes of a file.
    most = max(limits().values, size)
    for number, row in rows:
        count += max(len(row), len(names) if row else 1)
        if count > most:
            raise InputError(f"can't read {name}: {limit_message('a sheet of more cells', 'values', most)}")
        cells = _cells(names, row)
        if cells:
            part.append((number, cells))
            characters += len(cells) if isinstance(cells, str) else sum(map(_length, cells))
        if len(part) >= SIZE or characters > _PART_CHARACTERS:
            yield json.dumps(part).encode()
            part, characters = [], 0
    if part:
        yield json.dumps(part).encode()


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 1


def _header(name: str, row: Iterable[Any]) -> list[str]:
    """Return the names of columns in the first row; what stands in a column without a name makes its row a bad one."""
    names = _trimmed(["" if (value := _value(cell)) is None else str(value) for cell in row])
    if not names:
        raise InputError(f"can't read {name}: its first row is empty; it names the columns")
    if len(names) > limits().columns:
        raise InputError(f"can't read {name}: {limit_message(f'a header of {len(names):,} columns', 'columns')}")
    twice = repeated(names)
    if twice is not None:
        raise InputError(f"can't read {name}: the column `{twice:.80}` appears twice in the first row; rename one")
    return names


def _cells(names: list[str], row: Iterable[Any]) -> list[Any] | str:
    """Return the values of a row up to the last that is not empty, or what is wrong with the row."""
    values: list[Any] = []
    for column, cell in zip(chain(names, iter(str, None)), row, strict=False):
        try:
            value = _value(cell)
        except NotPlain as error:
            return f"column `{column}`: {error}"
        if isinstance(value, str) and len(value) > limits().cell:
            what = f"a cell of {shown_size(len(value))}"
            return f"column `{column}`: {limit_message(what, 'cell')}"
        values.append("" if value is None else value)
    values = _trimmed(values)
    if len(values) > len(names):
        return f"{len(values)} cells, but the first row names {len(names)} columns; name them all, or clear the others"
    return values


def _trimmed(values: list[Any]) -> list[Any]:
    end = next((at for at in range(len(values), 0, -1) if values[at - 1] != ""), 0)
    return values[:end]


def _value(cell: Any) -> Any:
    """Return the value of a cell as plain data; None for an empty one, and for an error such as `#N/A`.

    Raises:
        NotPlain: when it is no value of JSON.
    """
    value = cell.value
    if value is None or cell.data_type == "e":
        return None
    if type(value) is float:
        if not math.isfinite(value):
            raise NotPlain(f"{value} is not a number")
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    return plain_value(value)


XLSX = FileFormat(
    *("xlsx", "Excel", (".xlsx",), read_workbook, (_ZIP,)),
    settings=("sheet", "empty"),
    needs=("openpyxl", "scoring-dsl[excel]"),
    shape="columns",
    usual={"empty": "missing"},
)
