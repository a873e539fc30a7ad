"""Parsing of sources of packs: addresses on the command line, and entries of a project file."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.address import AddressSource, store_address
from scoring.extensions.sharing.sources.distribution import DistributionSource
from scoring.extensions.sharing.sources.folder import FolderSource, ShippedSource
from scoring.extensions.sharing.sources.git import GitSource
from scoring.extensions.sharing.sources.process import without_user
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import COMMIT, MOST_TAGS, PackSource
from scoring.project.find import SPEC_FILES
from scoring.project.versions import is_range

_GIT = lazy_pattern(r"git\+(.+?)(?:@([^@/:#]+(?:/[^@:#]+)*))?(?:#(.*))?")
_DISTRIBUTION = lazy_pattern(r"dist:\s*([A-Za-z0-9._-]+)\s*(.*)")
_NAME_AND_RANGE = lazy_pattern(r"(\w[\w.-]*)(?:@(.+))?")
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+:(?://|:)")
_LONGEST = 2_000
SourceOfPacks: TypeAlias = AddressSource | DistributionSource | FolderSource | GitSource | ShippedSource
"""A place where packs come from."""


def source_at(address: str) -> PackSource:
    """Return the source of packs that an address on the command line describes, as an entry of a project file.

    Args:
        address: A folder or a file (``./shapes``), ``git+https://host/repository@v1.0.0#path``,
            ``dist:acme-metrics>=1,<2``, an address such as ``s3://bucket/packs``, or a shipped pack (``house@1``).

    Raises:
        InputError: when the address is none of them, or contains something that is not allowed in a project file.

    Examples:
        >>> source_at("git+https://example.org/a/metrics.git@v1.0.0#packs/close").table()
        {'git': 'https://example.org/a/metrics.git', 'tag': 'v1.0.0', 'path': 'packs/close'}
        >>> source_at("dist:acme-metrics>=1,<2").table(), source_at("../shapes").table()
        ({'distribution': 'acme-metrics', 'version': '>=1,<2'}, {'folder': '../shapes'})
        >>> source_at("house@1").table()
        {'version': '1', 'pack': 'house'}
    """
    if not address or address.startswith("-") or len(address) > _LONGEST or not address.isprintable():
        raise InputError(f"{shown(address)} is not an address of packs; `scoring add --help` shows what is")
    if address.startswith("git+"):
        return _git(address)
    if found := _DISTRIBUTION.fullmatch(address):
        source = PackSource("distribution", found[1], found[2].replace(" ", ""))
        DistributionSource(found[1], found[2])
        if source.version and not is_range(source.version):
            raise InputError(f"{shown(found[2])} is not a range of versions; write `1`, `1.2` or `>=1.2,<2`")
        return source
    if _SCHEME.match(address):
        return PackSource("address", store_address(address))
    match = _NAME_AND_RANGE.fullmatch(address)
    if match is not None and not address.endswith(SPEC_FILES) and not Path(address).exists():
        if match[2] and not is_range(match[2]):
            raise InputError(f"{shown(match[2])} is not a version or a range of versions; write `{match[1]}@1`")
        return PackSource("here", version=match[2] or "", pack=match[1])
    return PackSource("folder", address.replace("\\", "/") if posixpath.sep != "\\" and "\\" in address else address)


def _git(address: str) -> PackSource:
    found = _GIT.fullmatch(address)
    assert found is not None
    url, revision, path = found[1], found[2] or "", found[3] or ""
    if not revision:
        raise InputError(
            f"{shown(without_user(address))} names neither a tag nor a commit; write git+https://host/repository@v1.0.0#path"
        )
    is_commit = COMMIT.fullmatch(revision) is not None
    tag, commit = ("", revision) if is_commit else (revision, "")
    source = PackSource("git", url, tag=tag, commit=commit, path=path)
    source_of(source, Path())  # raises if the repository can't be queried
    return source


def joined_sources(first: PackSource, second: PackSource) -> PackSource | None:
    """Return two sources of a pack as one with the tags of both; None if they differ in more than their tags.

    Examples:
        >>> one, other = (PackSource("git", "https://example.org/a.git", tag=tag) for tag in ("v1", "v2"))
        >>> str(joined_sources(one, other)), joined_sources(other, PackSource("folder", "../a"))
        ('git https://example.org/a.git at v1 and v2', None)
    """
    untagged, same = (replace(one, tag="", more_tags=(), version="").written() for one in (first, second))
    tags = tuple(dict.fromkeys((first.tag, *first.more_tags, second.tag, *second.more_tags)))
    if untagged != same or len(tags) > MOST_TAGS or bool(first.tag) != bool(second.tag):
        return None
    return replace(first, tag=tags[0], more_tags=tags[1:])


def source_of(source: PackSource, base: Path) -> SourceOfPacks:
    """Return the source of packs that an entry of a project file describes, ready to be queried for its releases.

    Args:
        source: The entry.
        base: The folder of the project file, to which paths are relative.

    Raises:
        InputError: when the entry is invalid.
    """
    kind, where = source.kind, source.where
    if kind == "git":
        return GitSource(where, tag=source.tag, commit=source.commit, path=source.path)
    if unknown := sorted({"tag", "commit", "path"} & source.written().keys()):  # possible in a lock
        raise InputError(f"a source with `{kind}` has no key {shown(unknown[0])}; it may have `version` or `pack`")
    if kind == "folder":
        return FolderSource(base / where, where)
    if kind == "distribution":
        return DistributionSource(where, source.version)
    return AddressSource(where) if kind == "address" else ShippedSource(source.pack)
