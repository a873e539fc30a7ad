"""Workbooks that tests write: whole ones by openpyxl, and altered ones part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest


def workbook(rows: Iterable[Sequence[Any]], title: str = "Sheet1", **others: Iterable[Sequence[Any]]) -> bytes:
    """An .xlsx with the rows, and further sheets by their names; needs openpyxl, else the test is skipped."""
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.title = title
    for name, content in {title: rows, **others}.items():
        sheet = book[name] if name == title else book.create_sheet(name)
        for row in content:
            sheet.append(list(row))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def altered(content: bytes, parts: Mapping[str, bytes | None]) -> bytes:
    """An .xlsx with other parts; None leaves one out."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in parts:
                new.writestr(name, old.read(name))
        for name, part in parts.items():
            if part is not None:
                new.writestr(name, part)
    return stream.getvalue()


def sheet_of(rows: str, head: str = "") -> bytes:
    """The part of a sheet with rows of SpreadsheetML, below what `head` declares."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<?xml version="1.0"?>{head}<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()
