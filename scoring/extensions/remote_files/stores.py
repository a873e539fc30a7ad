"""Read files in remote stores through fsspec.

Messages show addresses without the credentials that they may contain.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

from scoring.data.address import hidden, hide_credentials, is_address, path_below
from scoring.data.file_format import require
from scoring.data.plain_files import MAGIC
from scoring.errors import InputError

KINDS = ("https", "http", "file", "s3", "gs", "gcs", "hf", "github", "az", "abfs", "abfss", "memory")
"""The URL schemes that are accepted. Others may load code from the current folder, as `hdfs://` does, or are not
locations in a store."""

TAKEN = ", ".join(f"{kind}://" for kind in KINDS)

_BUFFER = 1 << 20


def filesystem(name: str) -> tuple[Any, str]:
    """Return the fsspec file system of the address `name`, such as `s3://bucket/a.jsonl`, and the path within it.

    Raises:
        InputError: when fsspec, or a package that it needs for this kind of address, is not installed; for other kinds
            than `KINDS`, and for chained addresses (`::`).
    """
    if not is_address(name) or "::" in name or name.partition("://")[0].lower() not in KINDS:
        raise InputError(
            f"can't read {hide_credentials(name)}: the kinds of addresses are {TAKEN}; copy the data to one"
        )
    require("an address such as s3://bucket/a.parquet", "fsspec", "scoring-dsl[remote]")
    from fsspec.core import url_to_fs

    try:
        found, path = url_to_fs(name)
    except (ImportError, ValueError, OSError) as error:
        why = hidden(" ".join(str(error).split()), name)
        raise InputError(f"can't read {hide_credentials(name)}: {why}") from None
    return found, path


def open_stored(name: str) -> BinaryIO:
    """Open the file at the address `name` for reading, and return its buffered stream of bytes."""
    store, path = filesystem(name)
    # File objects of fsspec can't read a line up to a maximum length.
    return cast("BinaryIO", io.BufferedReader(store.open(path, "rb"), _BUFFER))


def size_in_store(name: str) -> int:
    """Return the size in bytes of the file at the address `name`."""
    store, path = filesystem(name)
    return int(store.size(path) or 0)


def checksum_in_store(name: str) -> str:
    """Return the checksum that the store reports for the file at the address `name`; it changes with the file's
    content."""
    store, path = filesystem(name)
    return f"{int(store.checksum(path)):x}"


def several_in_store(name: str) -> list[tuple[str, str]] | None:
    """Return the files that the address `name` stands for, if it is a pattern or a folder, as (address, relative path)
    pairs; None if it is a single file.

    Raises:
        InputError: when the store can't be reached, or the address contains credentials.
    """
    store, path = filesystem(name)
    is_pattern = MAGIC.search(path) is not None and not name.startswith("http")
    if not is_pattern and (name.startswith("http") or not store.isdir(path)):
        return None
    if hide_credentials(name) != name:
        raise InputError(
            f"can't read {hide_credentials(name)}: give the credentials for several files through the environment"
        )
    paths = [one for one in store.glob(path) if not store.isdir(one)] if is_pattern else store.find(path)
    return [(store.unstrip_protocol(one), path_below(one, path)) for one in paths]
