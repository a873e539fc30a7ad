"""Earlier releases of a pack, found in the tags of its repository, at an address, or where the user specifies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from scoring.data.address import is_address
from scoring.data.plain_files import real_path
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.sharing.in_memory import pack_in_memory
from scoring.extensions.sharing.release.publishing import place_at
from scoring.extensions.sharing.release.repository import PackRepository
from scoring.extensions.sharing.release.versions import Edition
from scoring.extensions.sharing.sources.address import AddressSource
from scoring.extensions.sharing.sources.content import Candidate, ReleaseContent
from scoring.extensions.sharing.sources.versions_file import NAME
from scoring.extensions.sharing.sources.written import source_at, source_of
from scoring.format.load import Loader
from scoring.format.model import Pack
from scoring.project.versions import parse_version

# The number of tags that are searched for releases of a pack.
MOST_TAGS = 50


class EarlierRelease(Struct, frozen=True):
    """An earlier release of a pack, loaded, and the place where it was found (`where`)."""

    name: str
    version: str
    where: str
    edition: Edition
    content: ReleaseContent

    @property
    def pack(self) -> Pack:
        """The pack as it was in this release."""
        spec = self.edition.loaded.spec
        assert isinstance(spec, Pack)
        return spec


def tagged(repository: PackRepository, name: str, folder: Path) -> Iterator[EarlierRelease]:
    """Yield the releases of a pack for which a repository has tags, newest first; each tag is only read when its
    release is requested.

    Args:
        repository: The repository.
        name: The name of the pack.
        folder: The folder of the pack, from which its imports are resolved.
    """
    seen: set[str] = set()
    for one in repository.tags(name)[:MOST_TAGS]:
        if one.version in seen:
            continue
        try:
            candidates = repository.source(tag=one.tag).releases()
        except InputError:  # it holds no pack at all
            continue
        # A tag without a name is that of a release only where the pack has this version in it.
        for candidate in candidates:
            if (candidate.name, candidate.version) == (name, one.version):
                seen.add(one.version)
                yield _read_release(candidate, f"the tag {one.tag}", folder)


def listed_at(address: str, name: str, folder: Path) -> Iterator[EarlierRelease]:
    """Yield the releases of a pack that the file `versions.json` at an address or in a folder lists, newest first;
    nothing without that file.

    Args:
        address: The address or the folder.
        name: The name of the pack.
        folder: The folder of the pack, from which its imports are resolved.

    Raises:
        InputError: when it can't be reached, or is not an address.
    """
    if place_at(address).read(NAME) is None:
        return
    whole = address if is_address(address) else f"file://{quote(str(real_path(address)))}"
    source = AddressSource(whole)
    for candidate in _newest(one for one in source.releases() if one.name == name):
        yield _read_release(candidate, source.where, folder)


def find_earlier_release(text: str, name: str, version: str, path: Path) -> EarlierRelease:
    """Return the release of a pack to which a user refers by a file, a folder, a tag or commit
    (`HEAD~1:packs/close.yaml`) or an address.

    Args:
        text: The text that the user gave.
        name: The name of the pack.
        version: The version to be released. Of several releases the newest that is not newer than this is chosen.
        path: The pack's file.

    Raises:
        InputError: when the text refers to nothing, or to no release of this pack.
    """
    repository = None if Path(text).exists() else PackRepository.of(path)
    revision, _, place = text.partition(":")
    commit = repository.commit(revision) if repository is not None else ""
    if repository is not None and commit:
        candidates, where = repository.source(commit=commit, path=place).releases(), text
    else:
        said = source_at(text)
        if repository is not None and said.kind == "here" and said.pack != name:
            tags = [one.tag for one in repository.tags(name)[:8]]
            known_tags = f"its tags are {listed(tags, 'and')}" if tags else "it has no tags of releases"
            raise InputError(f"{shown(text)} is not a file, tag or commit of this repository; {known_tags}")
        source = source_of(said, Path())
        candidates, where = source.releases(), source.where
    own = list(_newest(one for one in candidates if one.name == name))
    if not own:
        known = sorted({one.name for one in candidates})
        raise InputError(f"{where} has no release of {shown(name)}; it has {listed(known)}")
    older = [one for one in own if parse_version(one.version) <= parse_version(version)]
    return _read_release((older or own)[0], where, path.parent)


def _read_release(candidate: Candidate, where: str, folder: Path) -> EarlierRelease:
    """Return a release that a source offers, loaded.

    Args:
        candidate: The release.
        where: The place where it was found, for messages.
        folder: The folder of the pack, from which its imports are resolved.

    Raises:
        InputError: when its content can't be read.
        SpecError: when the pack has errors.
    """
    loader = Loader()
    content = candidate.content
    label = f"{candidate.name}@{candidate.version}/{content.entry}"
    edition = Edition(pack_in_memory(loader, content.files, content.entry, label, folder), loader)
    return EarlierRelease(candidate.name, candidate.version, where, edition, content)


def _newest(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: parse_version(one.version), reverse=True)
