"""Bundles of runs: one zip file with everything that a stranger needs to score a run again.

Its members are the run's folder, the texts of its spec and packs, its data and the replies of its judge; `bundle.json`
lists each with its digest. Bundles may come from anywhere and are not trusted: names, counts and sizes are checked
before anything is unpacked, and only members that match their entry in `bundle.json` are written, below a new folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NoReturn, cast

from scoring.data.address import is_address
from scoring.data.file import InputFile
from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import dumps_pretty
from scoring.data.os_errors import refused
from scoring.data.output import write_file
from scoring.data.plain_files import open_plain
from scoring.engine.runs.folder import MANIFEST, OWN_FILES, SCORES, SIGNATURE
from scoring.errors import InputError
from scoring.extensions.verification.zip_index import index_size
from scoring.lazy_pattern import lazy_pattern

HEAD = "bundle.json"
FORMAT = 1
MAX_MEMBERS = 200_000
MAX_HEAD = 64_000_000
MAX_NAME = 1_000
"""Maximum length of a member's name, in characters."""
SMALL = 1 << 30
"""A bundle may always unpack to this many bytes."""
MOST_TIMES = 100
"""A larger bundle may unpack to at most this many times its own size; typical benchmark text reaches a tenth of
that."""

_CHUNK = 1 << 20
# A part of a member's name: on every system a plain file name, without any other meaning.
_PART = lazy_pattern(r"[^/\\:\x00-\x1f]{1,255}")
# The earliest time in zip files, used for all members, so that bundles of the same run have the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)


def is_bundle(name: str | Path) -> bool:
    """Return True if a path or address is that of a bundle, and False if it is that of a run folder."""
    return str(name).endswith(".zip") if is_address(str(name)) else Path(name).is_file()


def run_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Return the paths of the files of a run: those that its manifest lists, or, for an old manifest without a list,
    all files that runs write.

    Args:
        folder: The run folder.
        manifest: The run's manifest.

    Raises:
        InputError: when a file is missing or not a regular file.
    """
    files = manifest.get("files")
    if isinstance(files, dict):
        names = [MANIFEST, *map(str, files), *([SIGNATURE] if os.path.lexists(folder / SIGNATURE) else [])]
    else:
        names = [name for name in OWN_FILES if (folder / name).is_file()]
        names += [
            path.relative_to(folder).as_posix()
            for where in ("plot_*.svg", f"{SCORES}/part-*.parquet")
            for path in folder.glob(where)
        ]
    for name in names:
        if not _is_name(name) or (folder / name).is_symlink() or not (folder / name).is_file():
            raise InputError(f"{folder} has no plain file {name!r:.100}, which its {MANIFEST} lists")
    return [folder / name for name in names]


def write_bundle(path: Path, members: Mapping[str, Path | bytes], about: Mapping[str, Any]) -> dict[str, Any]:
    """Write a bundle, whole or not at all; the same members give the same bytes.

    Args:
        path: Path of the bundle.
        members: The content of each member, or the path of the file that contains it.
        about: Further entries of `bundle.json`, in addition to the digests of the members.

    Returns:
        The content of `bundle.json`.

    Raises:
        InputError: when a file can't be read or the bundle can't be written.
    """
    entries: dict[str, dict[str, Any]] = {}
    head = {"scoring_run_bundle": FORMAT, **about, "members": entries}

    def fill(stream: BinaryIO) -> None:
        target: Any = stream if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else _Onwards(stream)
        with zipfile.ZipFile(target, "w") as archive:
            for name in sorted(members):
                if not _is_name(name):
                    raise InputError(f"a bundle can't hold a file called {name!r:.200}")
                entries[name] = _written(archive, name, members[name])
            _written(archive, HEAD, dumps_pretty(head).encode())

    write_file(path, fill)
    return head


class _Onwards:
    """A write-only view of a stream, without seeking, for writing a zip file to a target that is not a regular file,
    such as a device."""

    def __init__(self, stream: BinaryIO) -> None:
        self.write, self.flush = stream.write, stream.flush


def _written(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> dict[str, Any]:
    info = zipfile.ZipInfo(name, _TIME)
    info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
    found, size = hashlib.sha256(), 0
    with archive.open(info, "w", force_zip64=not isinstance(content, bytes)) as target:
        for chunk in [content] if isinstance(content, bytes) else _chunks(content):
            found.update(chunk)
            size += len(chunk)
            target.write(chunk)
    return {"bytes": size, "sha256": found.hexdigest()}


def _chunks(path: Path) -> Iterator[bytes]:
    with open_plain(path) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


@contextmanager
def unpacked_bundle(name: str | Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Unpack a bundle into a temporary folder, and yield that folder with the content of `bundle.json`.

    Raises:
        InputError: when the file `name` is not a bundle, was changed since it was written, or looks malicious.
    """
    name = str(name)
    with TemporaryDirectory() as folder, InputFile(name, kind="bundle").open_raw() as stream:
        size = stream.seek(0, os.SEEK_END)
        try:
            _check_count(stream, name)
            with zipfile.ZipFile(stream) as archive:
                head = _head(archive, size, name)
                left = _most(size)
                for info in archive.infolist():
                    if info.filename != HEAD:
                        path = _unpack(archive, info, head["members"][info.filename], Path(folder), name)
                        left -= _packed(path, left, info.filename, name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error) as error:
            _refuse(name, f"it is damaged ({' '.join(str(error).split())[:100]})")
        except (OSError, UnicodeError, ValueError) as error:
            _refuse(name, f"it can't be unpacked ({refused(error)})")
        yield Path(folder), head


def _check_count(stream: BinaryIO, name: str) -> None:
    """Check that a file is a zip file, and that its index, which is read into memory, is not too long.

    Raise InputError with the name of the bundle, `name`, otherwise.
    """
    found = index_size(stream)
    if found is None:
        _refuse(name, "it is not a zip file")
    count, length = found
    if count > MAX_MEMBERS + 1 or length > (MAX_MEMBERS + 1) * (MAX_NAME + 100):
        _refuse(name, f"it has {count:,} members; the limit is {MAX_MEMBERS:,}")


def _head(archive: zipfile.ZipFile, size: int, name: str) -> Mapping[str, Any]:
    """Return the content of `bundle.json`, after checking that the bundle's members have safe names and kinds and the
    sizes that it states.

    Args:
        archive: The bundle, opened.
        size: The size of the bundle in bytes, which limits the size of its content.
        name: The name of the bundle in messages.
    """
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if HEAD not in names:
        _refuse(name, f"it has no {HEAD}")
    twice = [member for member, count in Counter(names).items() if count > 1]
    if twice:
        _refuse(name, f"two members are called {twice[0]!r:.100}")
    folded = Counter(member.casefold() for member in names)
    if clash := next((member for member in names if folded[member.casefold()] > 1), None):
        _refuse(name, f"{clash!r:.100} and another member differ only in case")
    for info in infos:
        if not _is_name(info.filename) or info.orig_filename != info.filename:
            _refuse(name, f"a member is called {info.orig_filename!r:.100}, which could lead elsewhere")
        mode = info.external_attr >> 16
        if info.is_dir() or (mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
            _refuse(name, f"{info.filename!r:.100} is not a plain file")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            _refuse(name, f"{info.filename!r:.100} is encrypted, or packed in a way that bundles do not use")
    total = sum(info.file_size for info in infos)
    if total > _most(size):
        _refuse(name, f"{size:,} bytes would unpack to {total:,}")
    head = _read_head(archive, name)
    stated = {member: entry["bytes"] for member, entry in head["members"].items()}
    found = {info.filename: info.file_size for info in infos if info.filename != HEAD}
    if stated != found:
        odd = next(iter(sorted(stated.items() ^ found.items())))[0]
        _refuse(name, f"{HEAD} and the member {odd!r:.100} do not agree")
    return head


def _read_head(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    if archive.getinfo(HEAD).file_size > MAX_HEAD:
        _refuse(name, f"its {HEAD} is larger than {MAX_HEAD:,} bytes")
    with archive.open(HEAD) as stream:
        try:
            head = parse(stream.read(MAX_HEAD + 1))
        except NotJson as error:
            _refuse(name, f"its {HEAD} is {error}")
    said = head.get("scoring_run_bundle") if isinstance(head, dict) else None
    if said != FORMAT:
        _refuse(name, f"its format is {said!r:.20}; this version reads {FORMAT}")
    members = head.get("members")
    if not isinstance(members, dict) or not all(map(_is_entry, members.values())):
        _refuse(name, f"its {HEAD} does not say which members it has")
    return cast("dict[str, Any]", head)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and type(entry.get("bytes")) is int and isinstance(entry.get("sha256"), str)


def _is_name(name: str) -> bool:
    """Return True if a member's name leads to a path below the target folder on every system."""
    parts = name.split("/")
    return len(name) <= MAX_NAME and all(_PART.fullmatch(part) and part.strip(". ") for part in parts)


def _most(size: int) -> int:
    """Return the maximum number of bytes that a bundle of `size` bytes may unpack to."""
    return max(SMALL, MOST_TIMES * size)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, entry: Mapping[str, Any], folder: Path, name: str) -> Path:
    """Write one member into a folder and return its path; never overwrites another file, nor writes more bytes than
    stated.

    Args:
        archive: The bundle, opened.
        info: The member.
        entry: What `bundle.json` states about the member.
        folder: The folder to write to.
        name: The name of the bundle in messages.
    """
    path = folder / info.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    found, left = hashlib.sha256(), info.file_size
    with archive.open(info) as stream, path.open("xb") as target:
        while chunk := stream.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                _refuse(name, f"{info.filename!r:.100} is longer than it says")
            found.update(chunk)
            target.write(chunk)
    if left or found.hexdigest() != entry["sha256"]:
        _refuse(name, f"{info.filename!r:.100} is not what was packed")
    return path


def _packed(path: Path, most: int, member: str, name: str) -> int:
    """Return the number of bytes that an unpacked member decompresses to, if it is itself a compressed file; else 0.

    Args:
        path: The path of the unpacked member.
        most: The number of bytes above which the bundle is refused.
        member: The name of the member.
        name: The name of the bundle in messages.
    """
    file, size = InputFile(str(path), kind="bundle"), 0
    if file.is_packed:
        with file.open() as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    _refuse(name, f"{member!r:.100} is compressed, and would unpack to more than {most:,} bytes")
    return size


def _refuse(name: str, why: str) -> NoReturn:
    raise InputError(f"{name} is not a bundle of a run: {why}; `scoring bundle` makes one")
