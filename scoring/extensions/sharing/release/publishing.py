"""Publication of releases where others fetch them; a published release is never changed.

The files are written first and the list of releases, `versions.json`, last. The folder of a release is named by the
digest of its content, so two people who release the same version at once never write the same file. Each release also
gets a note, a small file about it, and `versions.json` is made from its previous content and all notes. Whoever writes
the list then checks that it is still as written and contains all notes, and otherwise writes it again. The note is
written before the list is read: if two people release one version with different content, the second finds the first in
the list, or both find both notes, so at least one of them gets an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from scoring.data.address import is_address
from scoring.data.os_errors import refused, telling
from scoring.data.output import OpenFolder, write_whole
from scoring.data.plain_files import read_plain
from scoring.data.relative import path_fault
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.remote_files.stores import filesystem
from scoring.extensions.sharing.release.wheel import PackedRelease
from scoring.extensions.sharing.sources.address import store_address
from scoring.extensions.sharing.sources.process import without_credentials
from scoring.extensions.sharing.sources.versions_file import NAME, ListedRelease, read_versions, versions_text
from scoring.project.store import tree_digest

_NOTES = "releases"
MOST_BYTES = 16_000_000
# Others may publish at the same time, each of whom rewrites the list once.
_ROUNDS = 20


def publish_releases(releases: Sequence[PackedRelease], address: str) -> list[str]:
    """Publish releases at an address or in a folder; return the name and version of each that was not published before,
    as text.

    Raises:
        InputError: when a version was published with other content, or the place can't be written to.
    """
    place = place_at(address)
    return [line for one in releases for line in _published(one, place)]


def _published(one: PackedRelease, place: ReleasePlace) -> Iterator[str]:
    digest = tree_digest(one.files)[:16]
    above = f"{one.name}/{one.version}/{digest}"
    files = {f"{above}/{path}": data for path, data in sorted(one.files.items())}
    for path in files:
        if fault := path_fault(path):  # before anything is written: a list that names it could be read by nobody
            raise InputError(f"{place.where} can't hold {shown(path)}: {fault}; rename the file, or the pack")
    listed = ListedRelease(
        f"{above}/{one.entry}", {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    )
    known = _known(place).get((one.name, one.version))
    if known is None:
        for path, data in files.items():
            place.write(path, data)
        release = {"entry": listed.entry, "files": dict(listed.files)}
        note = {"name": one.name, "version": one.version, "release": release}
        text = json.dumps(note, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        place.write(f"{_NOTES}/{one.name.replace('/', '~')}@{one.version}-{digest}.json", text.encode())
    else:
        _check_same(one, known, listed, place)
    _write_list(place, one, listed)  # even if it is known: whoever published it may not have written the list yet
    if known is None:
        yield f"{one.name} {one.version}"


def _write_list(place: ReleasePlace, one: PackedRelease, listed: ListedRelease) -> None:
    """Write the list `versions.json` at a place, repeatedly until it contains every release there, because others may
    publish at the same time.

    Args:
        place: The place.
        one: The release just published.
        listed: Its entry in the list.
    """
    for _ in range(_ROUNDS):
        known = _known(place)
        _check_same(one, known[one.name, one.version], listed, place)
        packs: dict[str, dict[str, ListedRelease]] = {}
        for (name, version), release in known.items():
            packs.setdefault(name, {})[version] = release
        text = versions_text(packs).encode()
        if place.read(NAME) != text:
            place.write(NAME, text)
        for key, other in _noted(place):
            if key == (one.name, one.version):
                _check_same(one, other, listed, place)
        if _known(place) == known and place.read(NAME) == text:
            return
    raise InputError(f"{place.where}: others keep releasing there; try again")


def _known(place: ReleasePlace) -> dict[tuple[str, str], ListedRelease]:
    """Return all releases at a place by name and version: those in its list `versions.json`, and those not listed yet
    that only have a note (a small file about one release)."""
    data = place.read(NAME)
    packs = {} if data is None else read_versions(data, f"{place.where}/{NAME}")
    found = {(name, version): one for name, all_ in packs.items() for version, one in all_.items()}
    for key, release in _noted(place):
        found.setdefault(key, release)
    return found


def _noted(place: ReleasePlace) -> Iterator[tuple[tuple[str, str], ListedRelease]]:
    for path in sorted(place.notes()):
        try:
            note = json.loads(place.read(path) or b"")
            name, version = str(note["name"]), str(note["version"])
            text = json.dumps({"format": 1, "packs": {name: {version: note["release"]}}})
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError(f"{place.where}: {shown(path)} is not a release; check who wrote it") from None
        yield (name, version), read_versions(text.encode(), f"{place.where}/{path}")[name][version]


def _check_same(one: PackedRelease, known: ListedRelease, listed: ListedRelease, place: ReleasePlace) -> None:
    if _contents(known) != _contents(listed):
        raise InputError(
            f"{place.where} has `{one.name}` {one.version} with other content; a release is never changed: "
            "raise the version"
        )


def _contents(one: ListedRelease) -> tuple[str, Mapping[str, str]]:
    """Return what must be equal for two releases with the same content: the path of the pack's file, and the digest of
    each file, relative to the release's folder."""
    above, _, entry = one.entry.rpartition("/")
    return entry, {path.removeprefix(f"{above}/"): sha for path, sha in one.files.items()}


def place_at(address: str) -> ReleasePlace:
    """Return the writable place (a folder or a store) to which an address or a folder's path refers.

    Raises:
        InputError: for an address that can't be written to, such as one of HTTP.
    """
    if not is_address(address):
        return FolderPlace(Path(address), address)
    scheme = store_address(address).partition("://")[0]
    if scheme == "file":
        return FolderPlace(Path(unquote(urlsplit(address).path)), address)
    if scheme in ("http", "https", "github", "git", "hf"):
        raise InputError(f"{shown(address)} is read-only; release into a folder or a store (s3://…), and publish that")
    return StorePlace(address.rstrip("/"))


class FolderPlace:
    """A folder on this machine to which releases are written."""

    def __init__(self, root: Path, where: str) -> None:
        self.root, self.where = root, where

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file at a path relative to the place; None if it does not exist."""
        try:
            return read_plain(self.root / path, MOST_BYTES)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InputError(f"{self.where}: {shown(path)} can't be read: {refused(error)}") from error

    def write(self, path: str, data: bytes) -> None:
        """Write a file at a path relative to the place atomically, replacing an existing one."""
        target = self.root / path
        with (
            telling(f"{self.where}: {shown(path)} can't be written", (OSError, ValueError)),
            OpenFolder.made(target.parent) as folder,
        ):
            write_whole(folder, target.name, data, lasting=True)

    def notes(self) -> Sequence[str]:
        """Return the paths, relative to the place, of the notes about releases (a small file for each)."""
        return [f"{_NOTES}/{path.name}" for path in (self.root / _NOTES).glob("*.json") if path.is_file()]


class StorePlace:
    """A store, such as `s3://…`, to which releases are written by fsspec, with its configured credentials."""

    def __init__(self, address: str) -> None:
        self.where = address
        self._store, self._root = filesystem(address)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file at a path relative to the place; None if it does not exist."""
        with self._telling(path):
            try:
                self._store.invalidate_cache()
                with self._store.open(f"{self._root}/{path}", "rb") as file:
                    data: bytes = file.read(MOST_BYTES + 1)
            except FileNotFoundError:
                return None
        if len(data) > MOST_BYTES:
            raise InputError(f"{self.where}: {shown(path)} has more than {MOST_BYTES:,} bytes")
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file at a path relative to the place, replacing an existing one; stores make only complete files
        visible."""
        with self._telling(path):
            where = f"{self._root}/{path}"
            self._store.makedirs(where.rpartition("/")[0], exist_ok=True)
            self._store.pipe_file(where, data)

    def notes(self) -> Sequence[str]:
        """Return the paths, relative to the place, of the notes about releases (a small file for each)."""
        with self._telling(_NOTES):
            self._store.invalidate_cache()
            try:
                found = self._store.ls(f"{self._root}/{_NOTES}", detail=False)
            except FileNotFoundError:
                return []
        return [f"{_NOTES}/{name}" for path in found if (name := path.rpartition("/")[2]).endswith(".json")]

    @contextlib.contextmanager
    def _telling(self, path: str) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except Exception as error:  # a store raises what its library raises
            why = without_credentials(f"{type(error).__name__}: {error}")
            raise InputError(f"{self.where}: {shown(path)} can't be used: {why}") from None


ReleasePlace: TypeAlias = FolderPlace | StorePlace
"""The target of releases; `where` is its name in messages, without credentials."""
