"""What an address reaches, by HTTP or fsspec, as a source of packs: a pack file, or a folder with `versions.json`."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scoring.data.relative import path_fault
from scoring.data.rows.row import InputError
from scoring.data.strict_json import digest
from scoring.diagnostics.words import shown
from scoring.late import pattern
from scoring.project.find import SPEC_FILES
from scoring.sharing.sources import web
from scoring.sharing.sources.candidate import Candidate, ReleaseContent
from scoring.sharing.sources.content import packs_in
from scoring.sharing.sources.folder import FolderTree
from scoring.sharing.sources.limits import MOST_BYTES, MOST_CONTENT
from scoring.sharing.sources.process import without_credentials, without_user
from scoring.sharing.sources.tree import Entry, HeldTree, is_below, read, too_large
from scoring.sharing.sources.versions_file import NAME, ListedRelease, read_versions

_ADDRESS = pattern(r"([a-z][a-z0-9+.-]*)://([^\s\x00-\x1f\x7f\\]*)")
# What stands before an `@` there is no user: `github://owner:repository@tag/path`, `abfs://container@account/path`.
_NO_USER = ("github", "hf", "abfs", "abfss", "az", "wasb")
# Kinds of address that stand for other things than a place in a store.
_REFUSED = {"data", "reference", "zip", "tar", "libarchive", "simplecache", "filecache", "blockcache", "cached"}
# This machine by another name than `file`, and what could be anything.
_REFUSED |= {"local", "asynclocal", "dir", "dask", "git", "shell", "generic"}


def store_address(text: str) -> str:
    """An address that a project file may hold.

    Raises:
        InputError: for what is none, one with a password or a query, and one through which another is reached.

    Examples:
        >>> store_address("s3://bucket/packs/"), store_address("https://example.org/packs/close.yaml")
        ('s3://bucket/packs', 'https://example.org/packs/close.yaml')
    """
    found = _ADDRESS.fullmatch(text)
    hidden = without_user(text)
    if found is None or not found[2].strip("/") or "::" in text or found[1] in _REFUSED:
        raise InputError(f"{shown(hidden)} is no address of packs; write https://…, s3://…, file:///… or the like")
    user = "@" in found[2].partition("/")[0] and found[1] not in _NO_USER
    if user or "?" in text or "#" in text:
        what = "a name or a password" if user else "a query, which may be a key,"
        raise InputError(
            f"{shown(hidden)} holds {what} and a lock would keep it; leave it out: keys belong into the environment, "
            "into ~/.netrc, or into fsspec's configuration"
        )
    if ".." in unquote(found[2]).split("/"):
        raise InputError(f"{shown(hidden)} can't be used: it leads out of its folder")
    return text.rstrip("/")


class StoreTree:
    """Files at an address, fetched when they are asked for, each once."""

    def __init__(self, root: str, get: Callable[[str], bytes | None]) -> None:
        self.where, self._get = root, get
        self._held: dict[str, bytes | None] = {}

    def fetched(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        if path not in self._held:
            if fault := path_fault(path):
                raise InputError(f"{self.where}: {shown(path)} can't be used: {fault}")
            if sum(len(data or b"") for data in self._held.values()) > MOST_CONTENT:
                raise InputError(f"{self.where}: more than {MOST_CONTENT:,} bytes would have to be fetched")
            self._held[path] = self._get(path)
        return self._held[path]

    def entry(self, path: str) -> Entry | None:
        """The size of a file, which is fetched to tell."""
        data = self.fetched(path)
        return None if data is None else len(data)

    def below(self, folder: str) -> Mapping[str, Entry]:
        """What was fetched so far: what else is there, no address tells."""
        return {path: len(data) for path, data in self._held.items() if data is not None and is_below(path, folder)}

    def content(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """The bytes of files."""
        return {path: self.fetched(path) or b"" for path in paths}


class AddressSource:
    """A pack file, or a folder with `versions.json`, at an address.

    Args:
        address: See `store_address`.

    Raises:
        InputError: for what is no address.
    """

    is_local = False

    def __init__(self, address: str) -> None:
        self.address = self.where = store_address(address)
        above, _, name = self.address.rpartition("/")
        self._file = name if name.endswith(SPEC_FILES) and name != NAME else ""
        self._root = above if self._file or name == NAME else self.address

    @cached_property
    def _tree(self) -> StoreTree:
        return StoreTree(self._root, partial(_getter(self._root), self._root))

    def releases(self) -> Sequence[Candidate]:
        """What `versions.json` lists; nothing of it is fetched yet. Or the one file.

        Raises:
            InputError: when it can't be reached or is neither.
        """
        if self._file:
            data = self._tree.fetched(self._file)
            if data is None:
                raise InputError(f"there is nothing at {self.address}")
            return packs_in(self._tree, self._file, f"sha256 {hashlib.sha256(data).hexdigest()}")
        listed = self._tree.fetched(NAME)
        if listed is None:
            raise InputError(
                f"{self.address} has no `{NAME}`, which lists releases; `scoring release --to` writes one, and a git "
                "repository is written as git+https://…@TAG"
            )
        packs = read_versions(listed, f"{self._root}/{NAME}")
        return [
            Candidate(name, version, _revision(one), partial(self._load, name, version, one), one.entry)
            for name, releases in packs.items()
            for version, one in releases.items()
        ]

    def _load(self, name: str, version: str, release: ListedRelease) -> ReleaseContent:
        """The files of a release, each held to its digest."""
        held: dict[str, bytes] = {}
        for path, wanted in release.files.items():
            data = self._tree.fetched(path)
            if data is None:
                raise InputError(f"{self._root}: {shown(path)} of `{name}` {version} is not there")
            if hashlib.sha256(data).hexdigest() != wanted:
                raise InputError(
                    f"{self._root}: {shown(path)} of `{name}` {version} is not what `{NAME}` says (another SHA-256); "
                    "somebody changed it: ask whoever publishes it"
                )
            held[path] = data
        tree = HeldTree(f"{self._root}: `{name}` {version}", held)
        found = packs_in(tree, release.entry)[0]
        if (found.name, found.version) != (name, version):
            raise InputError(f"{self._root}: `{NAME}` calls `{name}` {version} what is `{found.name}` {found.version}")
        return found.content

    def beside(self, folder: str, place: str) -> AddressSource:
        """A folder of the same address."""
        path = posixpath.normpath(posixpath.join(place, folder))
        if path.startswith(("..", "/")):
            raise InputError(f"the project file at {self.where} names {shown(folder)}, which lies outside of it")
        return AddressSource(f"{self._root}/{path}")


def _revision(release: ListedRelease) -> str:
    return f"sha256 {digest(dict(release.files))}"


def _getter(root: str) -> Callable[[str, str], bytes | None]:
    scheme = root.partition("://")[0]
    if scheme in ("http", "https"):
        return _from_web
    return _from_folder if scheme == "file" else _from_store


def _from_web(root: str, path: str) -> bytes | None:
    return web.get(f"{root}/{path}", MOST_BYTES)


def _from_folder(root: str, path: str) -> bytes | None:
    tree = FolderTree(Path(unquote(urlsplit(root).path)), root)
    return None if tree.entry(path) is None else read(tree, [path])[path]


def _from_store(root: str, path: str) -> bytes | None:
    """The bytes of a file by fsspec, with whatever credentials it is configured with; none are ever shown."""
    from scoring.data.address import filesystem

    name = f"{root}/{path}"
    try:
        store, place = filesystem(name)
        try:
            info = store.info(place)
        except FileNotFoundError:
            return None
        if info.get("type") == "directory":
            return None
        if info.get("islink") or int(info.get("size") or 0) > MOST_BYTES:
            raise too_large(root, path, int(info.get("size") or 0))
        with store.open(place, "rb") as file:
            data: bytes = file.read(MOST_BYTES + 1)
    except InputError:
        raise
    except Exception as error:  # a store raises what its library raises
        why = without_credentials(f"{type(error).__name__}: {error}", _configured())
        raise InputError(f"{name} can't be fetched: {why}") from None
    if len(data) > MOST_BYTES:
        raise too_large(root, path, len(data))
    return data


def _configured() -> list[str]:
    """The texts that fsspec is configured with, any of which may be a key."""
    from fsspec.config import conf

    found: list[str] = []
    waiting: list[object] = [conf]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, str):
            found.append(one)
    return found
