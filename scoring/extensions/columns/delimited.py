"""The file formats CSV and TSV: the header names the keys, every cell is text, a column `name:json` contains JSON.

The encoding is detected by the byte order mark, else it is UTF-8; the delimiter by the header; both are reported. An
empty cell is a missing value, as programs that write CSV mean it (pandas, R, spreadsheets): as a text, an empty answer
would equal an empty reference. With `csv,empty=text` such cells are empty texts.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from scoring.data.chunking import LongLine, chunks
from scoring.data.cutting import cut_lines
from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_read import NotJson, parse
from scoring.data.limits import limit_message, limits
from scoring.data.rows.decoded import block_of, repeated
from scoring.data.rows.row import SIZE, Block
from scoring.data.slice import Slice
from scoring.depth import DEEPEST
from scoring.errors import InputError

# The number of characters of rows that are kept in memory at a time.
_PART_CHARACTERS = 1 << 20
_SAMPLE = 1 << 16
_JSON = ":json"
_UNCLOSED = "not CSV: it opens a quote that is never closed, so nothing after it could be read"
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
_EMPTY = {"missing": None, "text": ""}
# Longer marks first, since that of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}


def read_delimited(file: InputFile) -> Iterator[Block]:
    """Yield the rows of a CSV or TSV file in blocks.

    Raises:
        InputError: when there is no header, or two columns have the same name.
    """
    # Python's default of 128 KiB would refuse a long response.
    csv.field_size_limit(limits().cell)
    encoding, delimiter = _writing(file)
    empty = _EMPTY[file.found.get("empty", "missing")]
    with file.open() as stream:
        # A byte that is not UTF-8 becomes a lone surrogate, which makes its row bad, not the file.
        errors = "surrogateescape" if encoding.startswith("utf-8") else "strict"
        part = file.part
        if part.is_whole:
            lines = _Lines(io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline="").readline)
        else:
            head = [stream.readline(limits().line)] if part.start else []
            text = (line.decode(encoding, errors) for line in chain(head, _lines_of(chunks(stream, part))))
            lines = _Lines(lambda _: next(text, ""))
        try:
            yield from _blocks(file.name, lines, delimiter, empty, max(0, (part.first or 0) - 1))
        except UnicodeDecodeError as error:
            raise InputError(f"can't read {file.name}: not {encoding} at byte {error.start + 1}") from error


def _lines_of(found: Iterable[bytes | LongLine]) -> Iterator[bytes]:
    """Yield each line of the chunks of a file, with its line end; a line that is too long is left out."""
    return (line for chunk in found if type(chunk) is bytes for line in chunk.splitlines(keepends=True))


def cut_delimited(file: InputFile, size: int) -> Iterator[Slice]:
    """Yield the parts of a CSV or TSV file; it is cut only if it has no quoted cells, so that any line feed ends a row.

    Other files are one part.
    """
    encoding, _ = _writing(file)
    kind = ",".join([file.kind, *(f"{name}={value}" for name, value in file.found.items())])
    with file.open_raw() as stream:
        plain = encoding == "utf-8" and not file.is_far and all(map(_is_plain, chunks(stream, Slice("", ""))))
    for part in cut_lines(file, size) if plain else [file.part]:
        yield replace(part, kind=kind)


def _is_plain(text: bytes | LongLine) -> bool:
    return type(text) is bytes and b'"' not in text and text.count(b"\r") == text.count(b"\r\n")


def _blocks(name: str, lines: _Lines, delimiter: str, empty: str | None, before: int) -> Iterator[Block]:
    reader = csv.reader(lines, delimiter=delimiter)
    names, typed = _header(name, reader)
    if lines.ended:
        raise InputError(f"can't read {name}: not CSV: the header opens a quote that is never closed")
    for part in _parts(reader, lines, before):
        block = block_of("line", ((number, _record(names, typed, empty, cells)) for number, cells in part))
        has_nan = typed and any("NaN" in cell for _, cells in part if type(cells) is list for cell in cells)
        yield block.without_nan() if has_nan else block


_Cells: TypeAlias = tuple[int, list[str] | ValueError]


def _parts(reader: Any, lines: _Lines, before: int) -> Iterator[list[_Cells]]:
    """Yield the rows of a `csv.reader` in lists of limited size, each row as its line number and its cells or an error.

    `lines` are the lines that the reader consumes, `before` is the number of lines before these in the file.
    """
    part: list[_Cells] = []
    number, has_more = before + reader.line_num, True
    while has_more:
        lines.end = lines.size + lines.most
        try:
            for cells in reader:
                start, number = number + 1, before + reader.line_num
                if lines.ended:
                    part.append((start, ValueError(_UNCLOSED)))
                elif cells:
                    part.append((number, cells))
                lines.end = lines.size + lines.most
                if len(part) >= SIZE or lines.size > _PART_CHARACTERS:
                    yield part
                    part = []
                    lines.begin()
            has_more = False
        except csv.Error as error:
            number = before + reader.line_num
            why = limit_message("a longer cell", "cell") if "field limit" in str(error) else f"not CSV: {error}"
            part.append((number, ValueError(why)))
        except LongLine as error:
            before = number = before + reader.line_num + 1
            part.append((number, error))
            reader = csv.reader(lines, reader.dialect)
    if part:
        yield part


class _Lines:
    """An iterable of the lines of a file for `csv.reader`, which limits the length of rows.

    Args:
        read: A function that returns the next line, or the first characters of it up to a number; "" at the end.

    Attributes:
        ended: Whether a row required more lines than there are, so that the file ends within quotes.
        most: The most characters of a row.
        size: The number of characters read since `begin`.
        end: The greatest value that `size` may reach by the end of the current row.
    """

    def __init__(self, read: Callable[[int], str]) -> None:
        self._read, self.most = read, limits().line
        self.ended = False
        self.begin()

    def begin(self) -> None:
        """Start counting the characters in memory from 0."""
        self.size, self.end = 0, self.most

    def __iter__(self) -> Iterator[str]:
        """Yield the lines from the current position on.

        Raises:
            LongLine: after the line that makes a row too long; a new iterator continues with the next line.
        """
        read, size = self._read, self.most + 2
        while line := read(size):
            self.size += len(line)
            if self.size > self.end:
                self._check(line)
            yield line
        self.ended = True

    def _check(self, line: str) -> None:
        size = self.size - self.end + self.most
        if size - (len(line) - len(line.rstrip("\r\n"))) <= self.most:
            return
        while line and line[-1] not in "\r\n":
            line = self._read(_PART_CHARACTERS)
            size += len(line)
        raise LongLine(size)


def _writing(file: InputFile) -> tuple[str, str]:
    """Return the encoding and the delimiter of a file, given or detected, and store them in `file.found`."""
    sample = file.head(_SAMPLE)
    encoding = file.settings.get("encoding") or _encoding(sample)
    try:
        "".encode(encoding)  # fails for codecs that don't encode text, such as base64
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    except LookupError as error:
        raise InputError(f"can't read {file.name}: `{encoding}` is not a text encoding") from error
    name = file.settings.get("delimiter") or ("tab" if file.kind == "tsv" else _delimiter(text))
    delimiter = DELIMITERS.get(name, name)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        words = ", ".join(DELIMITERS)
        raise InputError(f"can't read {file.name}: `{name}` is not a delimiter; write {words}, or one other character")
    empty = file.settings.get("empty", "missing")
    if empty not in _EMPTY:
        raise InputError(f"can't read {file.name}: an empty cell is no `{empty}`; say `empty=missing` or `empty=text`")
    file.found = {"delimiter": name, "encoding": encoding, **({"empty": empty} if "empty" in file.settings else {})}
    return encoding, delimiter


def _encoding(start: bytes) -> str:
    """Return the encoding given by a byte order mark, else UTF-8.

    Examples:
        >>> _encoding("id".encode("utf-16")), _encoding(b"id")
        ('utf-16', 'utf-8')
    """
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "utf-8")


def _delimiter(sample: str) -> str:
    """Return the delimiter that splits most of the first rows into as many cells as the header; the comma by default.

    Examples:
        >>> _delimiter("id;answer\\n1;0,5\\n"), _delimiter("id,tags\\n1,a;b\\n"), _delimiter("id\\n1\\n")
        ('semicolon', 'comma', 'comma')
    """
    shares = {name: share for name, mark in DELIMITERS.items() if (share := _share(sample, mark)) > 0}
    return max(shares, key=lambda name: shares[name], default="comma")


def _share(sample: str, delimiter: str) -> float:
    """Return the share of rows with as many cells as the header, 0 if the delimiter does not split the header."""
    if delimiter not in sample.partition("\n")[0]:
        return 0.0
    try:
        rows = [len(cells) for cells in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if cells]
    except csv.Error:
        return 0.0
    if not rows or rows[0] < 2:
        return 0.0
    # The last row of the sample may be incomplete.
    rest = rows[1:-1] if len(rows) > 2 else rows[1:]
    return (1 + sum(count == rows[0] for count in rest)) / (1 + len(rest))


def _header(name: str, reader: Any) -> tuple[list[str], list[str]]:
    try:
        header: list[str] = next(reader, [])
    except csv.Error as error:
        raise InputError(f"can't read {name}: not CSV: {error}") from error
    except LongLine as error:
        raise InputError(f"can't read {name}: the header is {error}") from error
    if not header:
        raise InputError(f"can't read {name}: it is empty, a CSV file begins with a header")
    if header[0].startswith(("{", "[{")):
        kind = "json" if header[0].startswith("[") else "jsonl"
        raise InputError(f"can't read {name}: its first line is JSON, not a header; write `--input-format {kind}`")
    if len(header) > limits().columns:
        raise InputError(f"can't read {name}: {limit_message(f'a header of {len(header):,} columns', 'columns')}")
    names = [column.removesuffix(_JSON) for column in header]
    twice = repeated(names)
    if twice is not None:
        why = f"the column `{twice}` appears twice in the header; rename one to `{twice}_2`, or write a header above"
        raise InputError(f"can't read {name}: {why}")
    return names, [one for one in header if one.endswith(_JSON)]


def _slip(cells: Sequence[str], names: Sequence[str]) -> str:
    """Return advice for a row that has more or fewer cells than the header."""
    if len(cells) < len(names):
        return "write a cell for each column, nothing between two delimiters for an empty one"
    if any(cell.lstrip().startswith("'") for cell in cells):
        return """write `"` instead of each `'` around a text"""
    return 'write a text that holds the delimiter in quotes, `"a, b"`'


def _record(
    names: list[str], typed: list[str], empty: str | None, cells: list[str] | ValueError
) -> dict[str, Any] | ValueError:
    """Return the record of a row, or an error that describes what is wrong with the row.

    Args:
        names: The keys, one for each column.
        typed: The headers `name:json`, whose cells contain JSON.
        empty: The value of an empty cell.
        cells: The cells, or an error, which is returned.
    """
    if isinstance(cells, ValueError):
        return cells
    if len(cells) != len(names):
        return ValueError(f"{len(cells)} cells, but the header has {len(names)}; {_slip(cells, names)}")
    try:
        for cell in cells:
            if not cell.isascii():
                cell.encode()
    except UnicodeEncodeError:
        return ValueError("not UTF-8; name the encoding, as in `--input-format csv,encoding=latin-1`")
    values: Sequence[str | None] = [cell or empty for cell in cells] if "" in cells else cells
    record: dict[str, Any] = dict(zip(names, values, strict=True))
    for column in typed:
        name = column.removesuffix(_JSON)
        try:
            record[name] = parse(record[name], once=True, levels=DEEPEST) if record[name] else None
        except NotJson as error:
            return ValueError(f"column `{column}`: {error}")
    return record


def _plain(name: str, value: str) -> str:
    """Return the canonical spelling of a setting's value.

    Examples:
        >>> _plain("delimiter", ";"), _plain("encoding", "UTF8"), _plain("empty", "text")
        ('semicolon', 'utf-8', 'text')
    """
    if name == "encoding":
        with suppress(LookupError):  # an unknown encoding is reported when the file is read
            return codecs.lookup(value).name
    marks = {mark: word for word, mark in DELIMITERS.items()}
    return marks.get(value, value) if name == "delimiter" else value


_SETTINGS = ("delimiter", "encoding", "empty")
CSV = FileFormat(
    *("csv", "CSV", (".csv",), read_delimited),
    settings=_SETTINGS,
    cut=cut_delimited,
    shape="cells",
    usual={"empty": "missing"},
    plain=_plain,
)
TSV = FileFormat(
    *("tsv", "TSV", (".tsv", ".tab"), read_delimited),
    settings=_SETTINGS,
    cut=cut_delimited,
    shape="cells",
    usual={"empty": "missing", "delimiter": "tab"},
    plain=_plain,
)
