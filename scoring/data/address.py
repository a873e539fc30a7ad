"""Locations of files: paths on this machine, and addresses of remote stores (`s3://…`, `memory://…`).

What is at an address is reached by the service `remote-files`. An address may contain credentials. They are used but
never shown: messages and manifests contain the result of `hide_credentials`.
"""

from __future__ import annotations

import os
import re
import stat as kinds
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, unquote

from scoring.data.plain_files import MAGIC, open_readable
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.extension import service

_ADDRESS = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+(?:://|::)")
_USER = lazy_pattern(r"(?<=://)[^/@]*@")
_BEHIND = lazy_pattern(r"([?#]).*")
_LONG = 4
_NO_MATCH = "no file matches; check with `ls`, and write a pattern that fits, such as `runs/*.jsonl`"
_EMPTY_FOLDER = "it is a folder, and none of its files holds records"
_EMPTY = "__HIVE_DEFAULT_PARTITION__"


def is_address(name: str) -> bool:
    """Return whether a name is the address of a store rather than a path.

    Examples:
        >>> is_address("s3://bucket/a.jsonl"), is_address("a.jsonl"), is_address("c:/a.jsonl")
        (True, False, False)
    """
    return _ADDRESS.match(name) is not None


def hide_credentials(name: str) -> str:
    """Return a file name or address without the credentials that it may contain.

    Examples:
        >>> (
        ...     hide_credentials("ftp://me:secret@host/a.csv"),
        ...     hide_credentials("https://x.org/a.csv?Signature=abc"),
        ...     hide_credentials("a?.csv"),
        ... )
        ('ftp://…@host/a.csv', 'https://x.org/a.csv?…', 'a?.csv')
        >>> hide_credentials("https://x.org/a.csv#secret")
        'https://x.org/a.csv#…'
    """
    if not is_address(name):
        return name
    found = _USER.sub(lambda user: "…@" if ":" in user[0] or name.startswith("http") else user[0], name)
    return _BEHIND.sub(r"\1…", found) if name.startswith("http") else found


def hidden(text: str, name: str) -> str:
    """Return a library's message about the address `name`, without the credentials that it may quote."""
    text = text.replace(name, hide_credentials(name))
    user = _USER.search(name)
    behind = _BEHIND.search(name) if name.startswith("http") else None
    query, _, fragment = behind[0].lstrip("?").partition("#") if behind else ("", "", "")
    values = (value for part in (query, fragment) for _, value in parse_qsl(part))
    secrets = [*(user[0].rstrip("@").split(":") if user else ()), query, fragment, *values]
    for secret in filter(None, secrets):
        # A short secret occurs in many words; as a credential it follows a `:` or `=`, and no word character follows.
        found = re.escape(secret) if len(secret) >= _LONG else rf"(?<=[:=]){re.escape(secret)}(?!\w)"
        text = re.sub(found, "…", text)
    return text


def _remote(name: str) -> Any:
    """Return the service that reads remote stores, to read the address `name`.

    Raises:
        InputError: when no extension provides it.
    """
    return service("remote-files", hide_credentials(name))


def local_path(name: str) -> str:
    """Return the path of an address `file://…`."""
    path: str = _remote(name).filesystem(name)[1]
    return path


def opened(name: str) -> BinaryIO:
    """Open a file for reading its stored bytes, and return the stream.

    Raises:
        OSError: when the file can't be opened.
        InputError: when its store can't be reached, or it is a device, which may be infinite.
    """
    if not is_address(name):
        stream = open_readable(name)
        kind = os.fstat(stream.fileno()).st_mode
        if kinds.S_ISCHR(kind) or kinds.S_ISBLK(kind):
            stream.close()
            raise InputError(f"can't read {name}: it is a device; give a file, or `-` for standard input")
        return stream
    found: BinaryIO = _remote(name).open_stored(name)
    return found


def stored_size(name: str) -> int:
    """Return the stored size of a file in bytes."""
    if not is_address(name):
        return Path(name).stat().st_size
    size: int = _remote(name).size_in_store(name)
    return size


def checksum(name: str) -> str:
    """Return the store's checksum of the file at an address, which changes with its content."""
    found: str = _remote(name).checksum_in_store(name)
    return found


def stamp(name: str) -> str:
    """Return a string that changes whenever a file changes, without reading its content.

    Raises:
        OSError: when there is no such file.
        InputError: when its store can't be reached.
    """
    if is_address(name):
        return checksum(name)
    found = Path(name).stat()
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"


def several(name: str, endings: Callable[[], tuple[str, ...]]) -> list[tuple[str, str]] | None:
    """Return the files of a pattern or folder as sorted (name, relative name) pairs; None for a single file.

    Files whose name begins with `_` or `.` are left out, as usual in partitioned data sets.

    Args:
        name: The pattern or folder.
        endings: A function that returns the suffixes of files to take from a folder; called only for folders.

    Raises:
        InputError: when a pattern matches nothing, or the address of several files contains credentials.
    """
    scheme = "file://" if name.startswith("file://") else ""
    local = local_path(name) if scheme else None if is_address(name) else name
    found: list[tuple[str, str]] | None = None
    if local is not None and Path(local).is_dir():
        from scoring.data.folders import walked

        found = [(f"{scheme}{one}", one.relative_to(local).as_posix()) for one in walked(Path(local))]
    elif is_address(name):
        found = _remote(name).several_in_store(name)
    elif MAGIC.search(name) and not Path(name).exists():
        from scoring.data.folders import matched

        found = [(one, path_below(one, name)) for one in matched(name)]
    if found is None:
        return None
    is_pattern = MAGIC.search(name) is not None
    kept = [one for one in found if not re.search(r"(?:^|/)[._]", one[1])]
    if not is_pattern:
        ending = endings()
        kept = [one for one in kept if one[1].lower().endswith(ending)]
    kept.sort(key=lambda one: one[1])
    if not kept:
        raise InputError(f"can't read {hide_credentials(name)}: {_NO_MATCH if is_pattern else _EMPTY_FOLDER}")
    return kept


def path_below(path: str, pattern: str) -> str:
    """Return a file's path relative to the last folder that its pattern names without wildcards.

    Examples:
        >>> path_below("data/day=1/a.parquet", "data/*/*.parquet"), path_below("data/a.parquet", "data")
        ('day=1/a.parquet', 'a.parquet')
    """
    magic = MAGIC.search(pattern)
    fixed = pattern[: magic.start()] if magic else pattern.rstrip("/") + "/"
    return path[fixed.rfind("/") + 1 :].lstrip("/")


def folder_keys(tail: str) -> dict[str, str | None]:
    """Return the keys and values that folders named `key=value`, in the path `tail` of a file, add to its rows.

    Examples:
        >>> folder_keys("lang=de/day=2024%2F1/part-0.parquet")
        {'lang': 'de', 'day': '2024/1'}
    """
    parts = [part.partition("=") for part in tail.split("/")[:-1] if "=" in part]
    return {unquote(key): None if value == _EMPTY else unquote(value) for key, _, value in parts}
