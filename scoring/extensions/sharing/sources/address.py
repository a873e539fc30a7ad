"""An address, read by HTTP or fsspec, as a source of packs: a pack file, or a folder with `versions.json`."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scoring.data.json_write import digest
from scoring.data.relative import path_fault
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.remote_files.stores import KINDS, TAKEN
from scoring.extensions.sharing.sources import web
from scoring.extensions.sharing.sources.content import Candidate, ReleaseContent, find_releases_in_tree
from scoring.extensions.sharing.sources.folder import FolderTree
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_CONTENT
from scoring.extensions.sharing.sources.process import without_credentials, without_user
from scoring.extensions.sharing.sources.tree import (
    Entry,
    SourceTree,
    file_too_large_error,
    read_tree_files,
    tree_in_memory,
)
from scoring.extensions.sharing.sources.versions_file import NAME, ListedRelease, read_versions
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import SPEC_FILES

_ADDRESS = lazy_pattern(r"([a-z][a-z0-9+.-]*)://([^\s\x00-\x1f\x7f\\]*)")
# Schemes whose part before an `@` is not a user: `github://owner:repository@tag/path`, `abfs://container@account/path`.
_NO_USER = ("github", "hf", "abfs", "abfss", "az")


def store_address(text: str) -> str:
    """Return an address without a slash at its end, after checking that a project file may contain it.

    Raises:
        InputError: when the text is not an address, has a user, a password or a query, chains addresses, or leads out
            of its folder.

    Examples:
        >>> store_address("s3://bucket/packs/"), store_address("https://example.org/packs/close.yaml")
        ('s3://bucket/packs', 'https://example.org/packs/close.yaml')
    """
    found = _ADDRESS.fullmatch(text)
    hidden = without_user(text)
    if found is None or not found[2].strip("/") or "::" in text or found[1] not in KINDS:
        raise InputError(f"{shown(hidden)} is not an address of packs; write one of {TAKEN}")
    user = "@" in found[2].partition("/")[0] and found[1] not in _NO_USER
    if user or "?" in text or "#" in text:
        what = "a name or a password" if user else "a query, which may be a key,"
        raise InputError(
            f"{shown(hidden)} holds {what} and a lock would keep it; leave it out: keys belong in the environment, "
            "in ~/.netrc, or in fsspec's configuration"
        )
    if ".." in unquote(found[2]).split("/"):
        raise InputError(f"{shown(hidden)} can't be used: it leads outside its folder")
    return text.rstrip("/")


class StoreTree(SourceTree):
    """The files below an address, each fetched when it is first needed; they can't be listed."""

    def __init__(self, root: str, get: Callable[[str, str], bytes | None]) -> None:
        super().__init__(root, {}, {})
        self._get, self._requested = get, set[str]()

    def fetched(self, path: str) -> bytes | None:
        """Return the bytes of a file, given its path below the address; None if it does not exist."""
        if path not in self._requested:
            if fault := path_fault(path):
                raise InputError(f"{self.where}: {shown(path)} can't be used: {fault}")
            if sum(map(len, self._contents.values())) > MOST_CONTENT:
                raise InputError(f"{self.where}: more than {MOST_CONTENT:,} bytes would have to be fetched")
            data = self._get(self.where, path)
            self._requested.add(path)
            if data is not None:
                self._contents[path], self._entries[path] = data, len(data)
        return self._contents.get(path)

    def entry(self, path: str) -> Entry | None:
        """Return the size of a file, which is fetched to determine it; None if it does not exist."""
        self.fetched(path)
        return super().entry(path)


class AddressSource:
    """A source of packs at an address: a pack file, or a folder with `versions.json`, which lists releases.

    Raises:
        InputError: when the address is not valid in a project file.
    """

    is_local = False

    def __init__(self, address: str) -> None:
        self.address = self.where = store_address(address)
        above, _, name = self.address.rpartition("/")
        self._file = name if name.endswith(SPEC_FILES) and name != NAME else ""
        self._root = above if self._file or name == NAME else self.address

    @cached_property
    def _tree(self) -> StoreTree:
        return StoreTree(self._root, _GETTERS.get(self._root.partition("://")[0], _from_store))

    def releases(self) -> Sequence[Candidate]:
        """Return the releases that `versions.json` lists, whose files are fetched later; at the address of a pack file,
        its only release.

        Raises:
            InputError: when the address can't be reached, or is neither.
        """
        if self._file:
            data = self._tree.fetched(self._file)
            if data is None:
                raise InputError(f"there is nothing at {self.address}")
            return find_releases_in_tree(self._tree, self._file, f"sha256 {hashlib.sha256(data).hexdigest()}")
        listed = self._tree.fetched(NAME)
        if listed is None:
            raise InputError(
                f"{self.address} has no `{NAME}`, which lists releases; `scoring release --to` writes one, and a git "
                "repository is written as git+https://…@TAG"
            )
        packs = read_versions(listed, f"{self._root}/{NAME}")
        return [
            Candidate(
                name, version, f"sha256 {digest(dict(one.files))}", partial(self._load, name, version, one), one.entry
            )
            for name, releases in packs.items()
            for version, one in releases.items()
        ]

    def _load(self, name: str, version: str, release: ListedRelease) -> ReleaseContent:
        """Return the content of a listed release, after fetching each of its files and checking the file's digest.

        Args:
            name: The name of the pack.
            version: The version.
            release: The paths and digests of the release's files.
        """
        contents: dict[str, bytes] = {}
        for path, wanted in release.files.items():
            data = self._tree.fetched(path)
            if data is None:
                raise InputError(f"{self._root}: {shown(path)} of `{name}` {version} is not there")
            if hashlib.sha256(data).hexdigest() != wanted:
                raise InputError(
                    f"{self._root}: {shown(path)} of `{name}` {version} is not what `{NAME}` says (another SHA-256); "
                    "it was changed: ask its publisher"
                )
            contents[path] = data
        tree = tree_in_memory(f"{self._root}: `{name}` {version}", contents)
        found = find_releases_in_tree(tree, release.entry)[0]
        if (found.name, found.version) != (name, version):
            raise InputError(
                f"{self._root}: `{NAME}` lists as `{name}` {version} what is `{found.name}` {found.version}"
            )
        return found.content

    def sibling(self, folder: str, place: str) -> AddressSource:
        """Return the source of another folder below the same address, which a project file there names.

        Args:
            folder: The path of the folder in a project file.
            place: The folder of that project file.

        Raises:
            InputError: when the folder is outside of the address.
        """
        path = posixpath.normpath(posixpath.join(place, folder))
        if path.startswith(("..", "/")):
            raise InputError(f"the project file at {self.where} names {shown(folder)}, which is outside it")
        return AddressSource(f"{self._root}/{path}")


def _from_web(root: str, path: str) -> bytes | None:
    return web.get(f"{root}/{path}", MOST_BYTES)


def _from_folder(root: str, path: str) -> bytes | None:
    tree = FolderTree(Path(unquote(urlsplit(root).path)), root)
    return None if tree.entry(path) is None else read_tree_files(tree, [path])[path]


_GETTERS = {"http": _from_web, "https": _from_web, "file": _from_folder}
"""Functions that fetch a file, by scheme; all other schemes use fsspec."""


def _from_store(root: str, path: str) -> bytes | None:
    """Return the bytes of a file that fsspec reads with its configured credentials; None if the file does not exist.

    Args:
        root: The address of the folder.
        path: The path of the file in it.

    Raises:
        InputError: when the file is too large or can't be fetched; the message contains no credentials.
    """
    from scoring.extensions.remote_files.stores import filesystem

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
            raise file_too_large_error(root, path, int(info.get("size") or 0))
        with store.open(place, "rb") as file:
            data: bytes = file.read(MOST_BYTES + 1)
    except InputError:
        raise
    except Exception as error:  # each store raises the exceptions of its own library
        why = without_credentials(f"{type(error).__name__}: {error}", _configured())
        raise InputError(f"{name} can't be fetched: {why}") from None
    if len(data) > MOST_BYTES:
        raise file_too_large_error(root, path, len(data))
    return data


def _configured() -> list[str]:
    """Return all strings in fsspec's configuration, any of which may be a secret."""
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
