"""Resolution of a project's imports to versions of packs, given the releases that their sources offer and the lock.

A locked version stays until its pack is allowed to move.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.sharing.contents import PackContent
from scoring.extensions.sharing.signing.subjects import locked_signature
from scoring.extensions.sharing.sources.content import Candidate, ReleaseContent, find_releases_in_tree
from scoring.extensions.sharing.sources.distribution import DistributionSource
from scoring.extensions.sharing.sources.folder import ShippedSource
from scoring.extensions.sharing.sources.git import GitSource
from scoring.extensions.sharing.sources.outside import inside_fault
from scoring.extensions.sharing.sources.tree import tree_in_memory
from scoring.extensions.sharing.sources.written import SourceOfPacks, joined_sources, source_of
from scoring.format import locate
from scoring.project.file import PackSource, parse_project_file
from scoring.project.find import LOCK_FILE
from scoring.project.lock import LockedPack, ProjectLock
from scoring.project.project import Project
from scoring.project.versions import is_range, parse_version, satisfies
from scoring.registry import plugins

MOST_RESOLVED = 1_000
"""Imports by name that are followed for one project."""


PackNames: TypeAlias = frozenset[str] | None
"""Packs by name; None for all of them."""
NOTHING: PackNames = frozenset()


def among(name: str, names: PackNames) -> bool:
    """Return True if a set of pack names contains a name; None means all packs."""
    return names is None or name in names


class WantedPack(Struct, frozen=True):
    """An import of a pack by name.

    Args:
        name: The name of the pack.
        range: The range of versions; "" for any.
        by: The name of the importing file or pack in messages.
        span: The location of the import.
        tag: The tag of the source at which the pack is wanted; "" for any.
    """

    name: str
    range: str = ""
    by: str = ""
    span: Span | None = None
    tag: str = ""


@dataclass(frozen=True)
class ResolvedPacks:
    """The versions of packs that a project uses, found by resolving its imports.

    Args:
        packs: Every version of every pack.
        contents: The content of the packs that were fetched or are in the store, by digest.
        changed: Pairs of a locked pack and the same version with other content, as its source shows it now. The caller
            decides whether the change matters.
    """

    packs: tuple[LockedPack, ...]
    contents: Mapping[str, PackContent] = field(repr=False)
    changed: tuple[tuple[LockedPack, LockedPack], ...] = ()


class PackResolver:
    """A resolver of imports, which prefers locked versions that fit and else takes the newest version that does.

    Args:
        project: The project.
        moving: The packs that may move to another version than the locked one.
        offline: Whether to use only local sources (folders, installed packs, the store), never the network.
        asking: The packs whose sources are queried even if they are locked and in the store.
        anew: The packs to resolve as if the lock did not contain them.
    """

    def __init__(
        self,
        project: Project,
        moving: PackNames = NOTHING,
        *,
        offline: bool = False,
        asking: PackNames = None,
        anew: frozenset[str] = frozenset(),
    ) -> None:
        self._project, self._moving, self.offline, self._asking = project, moving, offline, asking
        old = project.lock or ProjectLock()
        self._old = replace(old, packs=tuple(one for one in old.packs if one.name not in anew))
        self._found: dict[tuple[str, str], LockedPack] = {}
        self._contents: dict[str, PackContent] = {}
        self._changed: list[tuple[LockedPack, LockedPack]] = []
        self._offers: dict[PackSource, Sequence[Candidate]] = {}
        self._git: dict[tuple[str, str], GitSource] = {}
        self._used: dict[str, tuple[PackSource, str]] = {}
        # The sources of imports that project files of fetched packs name, each with the first such pack.
        self._theirs: dict[str, tuple[PackSource, str]] = {}

    def resolve(self, wanted: Iterable[WantedPack]) -> ResolvedPacks:
        """Return the packs that the imports need, directly or through other packs.

        Raises:
            SpecError: when no version fits, or the content of a locked pack can't be obtained.
            InputError: when a source can't be queried.
        """
        whole = tuple(wanted)
        while self._follow(whole):  # repeated if a source gained a tag, because earlier imports may fit it, too
            pass
        packs = tuple(sorted(self._found.values(), key=lambda one: one.key))
        return ResolvedPacks(packs, self._contents, tuple(self._changed))

    def _follow(self, wanted: Iterable[WantedPack]) -> bool:
        """Choose and record a version for each import and for the imports of the chosen packs; return True if a tag
        was added to a known source, so that all versions must be chosen again."""
        waiting, seen, has_grown = list(wanted), set[tuple[str, str, str]](), False
        self._found, self._changed, self._used = {}, [], {}
        while waiting:
            one = waiting.pop(0)
            source = self._source(one)
            has_grown |= _note(self._used, one.name, source, one.by or "your project")
            if (one.name, one.range, one.tag) in seen:
                continue
            seen.add((one.name, one.range, one.tag))
            if len(seen) > MOST_RESOLVED:
                raise InputError(f"more than {MOST_RESOLVED:,} packs import one another; check what was added")
            source = replace(source, tag=one.tag, more_tags=()) if one.tag else source
            waiting += self._taken(one, *self._chosen(one, source))
        return has_grown

    def _chosen(self, wanted: WantedPack, source: PackSource) -> tuple[LockedPack, PackContent]:
        """Return the version of a pack to use for an import, with its content: a locked one that fits, else the newest
        that its source offers."""
        fits = _fits(wanted, source)
        known = [one for one in self._old.versions(wanted.name) if source.shows(one.where)]
        kept = [one for one in known if fits(one.version)]
        if kept and not among(wanted.name, self._moving):
            return self._kept(kept[0], replace(kept[0].where, version=source.version))
        is_queried = not self.offline or self._opened(source.pack or wanted.name, source.parts()[0]).is_local
        if not kept and not is_queried:
            raise SpecError.of(
                "not-locked",
                f"no version of `{wanted.name}` in {LOCK_FILE} fits {shown(wanted.range or 'what is named')}",
                wanted.span,
                help=f"`scoring lock` contacts {source}",
            )
        for one in known if is_queried else ():
            self._check_tag(one)
        offered = [(part, one) for part, one in self._offered(wanted, source) if fits(one.version)]
        if not offered:
            raise self._nothing_fits(wanted, source)
        part, best = max(offered, key=lambda one: parse_version(one[1].version))
        return _locked(wanted.name, best, part), best.content

    def _source(self, wanted: WantedPack) -> PackSource:
        """Return the source of an imported pack: from the project file, else from that of the importing pack, else from
        the lock, else shipped or installed."""
        own = self._project.file.packs.get(wanted.name)
        if own is not None:
            return own
        if wanted.name in self._theirs:
            return self._theirs[wanted.name][0]
        locked = self._old.versions(wanted.name)
        # A pack read from the store has no project file with the sources of its imports; the lock has them.
        return _one_source(locked) if locked and not among(wanted.name, self._moving) else PackSource("here")

    def _opened(self, name: str, source: PackSource) -> SourceOfPacks:
        return opened_source(name, source, self._project.root)

    def _offered(self, wanted: WantedPack, source: PackSource) -> list[tuple[PackSource, Candidate]]:
        own = source.pack or wanted.name
        return [(part, one) for part in source.parts() for one in self.offers(own, part) if one.name == own]

    def offers(self, name: str, source: PackSource) -> Sequence[Candidate]:
        """Return the releases of packs that a source offers; each source is only queried the first time.

        Raises:
            InputError: when the source can't be queried.
        """
        key = source if source.kind != "here" else replace(source, pack=name)
        if key not in self._offers:
            opened = self._opened(name, source)
            if self.offline and not opened.is_local:
                raise InputError(
                    f"`{name}` comes from {opened.where}, which is not contacted now; `scoring lock` contacts it"
                )
            if isinstance(opened, GitSource):  # a commit is fetched once for all its packs
                first = self._git.setdefault((opened.address, opened.tag or opened.commit), opened)
                opened = opened if first is opened else first.at(opened.path)
            self._offers[key] = opened.releases()
        return self._offers[key]

    def _check_tag(self, locked: LockedPack) -> None:
        """Check that the git tag of a locked pack still points to the locked commit, because another commit could
        contain anything.

        Raises:
            InputError: when the tag was moved, or the source can't be queried.
        """
        source = locked.where
        if source.kind != "git" or not source.tag:
            return
        opened = GitSource(source.where, tag=source.tag, path=source.path)
        now = self._git.setdefault((source.where, source.tag), opened).revision
        if locked.revision != now:
            before, after = (one.removeprefix("commit ")[:12] for one in (locked.revision, now))
            path = f"#{source.path}" if source.path else ""
            address = shlex.quote(f"git+{source.where}@{source.tag}{path}")
            raise InputError(
                f"the tag `{source.tag}` of {source.where} was moved from {before} to {after}; ask whoever publishes "
                f"it, or accept what is there now: `scoring add {address} --as {locked.name} --replace`"
            )

    def _kept(self, locked: LockedPack, source: PackSource) -> tuple[LockedPack, PackContent]:
        """Return a locked version of a pack with its content, after checking that its source still offers the same
        content.

        A version whose content changed is recorded as such and returned as it was locked.
        """
        candidate = self._shown(locked, source)
        if candidate is not None:
            now, content = _locked(locked.name, candidate, source), candidate.content
            if now.digest == locked.digest:
                # The state of the source may have changed otherwise, as long as the content is the same.
                return replace(locked, at=now.at, signature=now.signature or locked.signature), content
            self._changed.append((locked, now))
            self._contents[now.digest] = content
            if not self._project.store.has(locked.digest):
                # The locked content is lost; the lock still contains its meanings.
                return locked, PackContent(content.files, content.entry)
        return locked, PackContent(self._project.store.read(locked.digest), locked.entry)

    def _shown(self, locked: LockedPack, source: PackSource) -> Candidate | None:
        """Return a locked version of a pack as its source offers it now; None if the source is not queried, or no
        longer offers it."""
        is_stored = self._project.store.has(locked.digest)
        if is_stored and not among(locked.name, self._asking):
            return None
        if not self.offline:
            self._check_tag(locked)
        try:
            offers = self.offers(locked.own_name, source)
        except InputError:
            if is_stored and (self.offline or self._opened(locked.own_name, source).is_local):
                return None  # a locked pack in the store does not need its source
            raise
        return next((one for one in offers if (one.name, one.version) == (locked.own_name, locked.version)), None)

    def _taken(self, wanted: WantedPack, locked: LockedPack, content: PackContent) -> Iterator[WantedPack]:
        """Record the version chosen for an import (`locked`), and yield what that version itself imports by name."""
        self._found[locked.name, locked.version] = locked
        self._contents[content.digest] = content
        by = f"`{locked.name}` {locked.version}"
        is_fetched = isinstance(content, ReleaseContent)
        if isinstance(content, ReleaseContent):
            self._take_theirs(by, locked, content)
            needs = content.needs
        else:
            needs = find_releases_in_tree(tree_in_memory(by, content.files), content.entry)[0].content.needs
        for target in needs:
            name, _, wanted_range = target.partition("@")
            if not is_fetched and name not in self._project.file.packs and (known := self._old.versions(name)):
                _note(self._theirs, name, _one_source(known), by)
            if not wanted_range or is_range(wanted_range):
                yield WantedPack(name, wanted_range, by, wanted.span)

    def _take_theirs(self, by: str, locked: LockedPack, content: ReleaseContent) -> None:
        """Record the sources that the project file of a fetched pack gives for the packs that it imports; `by` is the
        fetched pack's name in messages."""
        if content.project is None:
            return
        said = parse_project_file(content.project.decode("utf-8", "replace"), f"scoring.toml of {by}")
        needed = {target.partition("@")[0] for target in content.needs}
        for name, source in said.packs.items():
            if name not in needed or name in self._project.file.packs:
                continue
            if source.kind == "folder":
                source = self._sibling_source(locked, source, content.place)
            elif fault := inside_fault(source, locked.where, asks=not self.offline):
                raise InputError(
                    f"{by} takes `{name}` from {source.where}, {fault}, which its author can't know; if you do: "
                    f"`scoring add ADDRESS --as {name}`"
                )
            _note(self._theirs, name, source, by)

    def _sibling_source(self, locked: LockedPack, source: PackSource, place: str) -> PackSource:
        """Return the source of a folder that the project file of a fetched pack (`locked`) names by `source`, relative
        to the project file's own folder `place`: the source of the fetched pack, with the path of that folder."""
        parent = locked.where
        self._opened(locked.own_name, parent).sibling(source.where, place)
        path = posixpath.normpath(posixpath.join(place, source.where))
        moved = replace(parent, pack=source.pack, version=source.version)
        if parent.kind == "git":
            return replace(moved, path=path)
        return replace(moved, where=f"{parent.where.rstrip('/')}/{path}")

    def _nothing_fits(self, wanted: WantedPack, source: PackSource) -> SpecError:
        have = sorted({one.version for _, one in self._offered(wanted, source)}, key=parse_version)
        by = f", which {wanted.by} imports" if wanted.by and (wanted.span is None or "`" in wanted.by) else ""
        own = f" and `{source.version}` of the project file" if source.version and wanted.range else ""
        if not have:
            own_name = source.pack or wanted.name
            there = sorted({one.name for part in source.parts() for one in self.offers(own_name, part)})
            return SpecError.of(
                "import-not-found",
                f"{source} has no pack `{source.pack or wanted.name}`{by}",
                wanted.span,
                help=f"packs there: {listed(there, 'and')}" + ('; `pack = "…"` chooses one' if there else ""),
            )
        return SpecError.of(
            "import-version",
            f"no version of `{wanted.name}` fits {shown(wanted.range or source.version)}{own}{by}",
            wanted.span,
            help=[f"{source} has {', '.join(have[-12:])}", *_way_on(wanted, source, have)],
        )


def _way_on(wanted: WantedPack, source: PackSource, have: Sequence[str]) -> Iterator[str]:
    """Yield hints about what to do for an import with a range that none of the offered versions (`have`, oldest first)
    satisfies."""
    if source.tag and wanted.range and "`" in wanted.by:
        yield f"`scoring add git+{source.where}@TAG` adds the tag of another major version next to it"
    if wanted.span is None or not wanted.range or "`" in wanted.by:
        return
    fitting = [one for one in have if satisfies(one, wanted.range)]
    first, newest = re.search(r"\d+", wanted.range), parse_version(have[-1])[0][0]
    if fitting or (source.tag and first is not None and int(first[0]) > newest):
        yield f"`scoring upgrade {wanted.name} --version {shlex.quote(wanted.range)}` moves the project file there"
    else:
        yield f"to follow it, import `{wanted.name}@{newest}` here; scores may move"


def _note(known: dict[str, tuple[PackSource, str]], name: str, source: PackSource, by: str) -> bool:
    """Record in `known` the source of a pack and who named it first, joined with the tags named so far; return True if
    a tag was added.

    Args:
        known: The sources so far, by the name of the pack.
        name: The name of the pack.
        source: Its source.
        by: The file or pack that names the source.

    Raises:
        InputError: when the same name is used for packs from two sources, which imports could not distinguish.
    """
    first, who = known.setdefault(name, (source, by))
    both = joined_sources(first, source)
    if both is None:
        raise InputError(
            f"{who} takes `{name}` from {first}, {by} from {source}; choose one in your project file: "
            f"`scoring add ADDRESS --as {name}`"
        )
    known[name] = both, who
    return both.more_tags != first.more_tags


def _one_source(locked: Sequence[LockedPack]) -> PackSource:
    """Return one source for all locked versions of a pack: that of the first (newest) version, joined with the tags of
    the others."""
    found = locked[0].where
    for one in locked[1:]:
        found = joined_sources(found, one.where) or found
    return found


def _locked(name: str, found: Candidate, source: PackSource) -> LockedPack:
    """Return the entry of a lock for a release of a pack.

    Args:
        name: The name of the pack in the project.
        found: The release.
        source: The source that offers it.
    """
    content = found.content
    values = content.digest, content.entry, replace(source, version="", span=None), found.at, found.revision
    return LockedPack(name, found.version, *values, signature=locked_signature(content.signature))


def _fits(wanted: WantedPack, source: PackSource) -> Callable[[str], bool]:
    # The range of a distribution refers to versions of the distribution, not of the packs in it.
    ranges = [one for one in (wanted.range, "" if source.kind == "distribution" else source.version) if one]
    return lambda version: all(satisfies(version, one) for one in ranges)


def opened_source(name: str, source: PackSource, root: Path) -> SourceOfPacks:
    """Return the source of a pack, ready to be queried for its releases.

    Args:
        name: The name of the pack, if it is shipped or installed.
        source: The source as a project file or a lock names it.
        root: The folder of the project, to which paths are relative.

    Raises:
        InputError: when the source is invalid, or no pack of that name is shipped or installed.
    """
    return here(name) if source.kind == "here" else source_of(source, root)


def is_here(name: str) -> bool:
    """Return True if a pack of that name is shipped with this library or installed as a Python distribution."""
    try:
        here(name).releases()
    except InputError:
        return False
    return True


def here(name: str) -> SourceOfPacks:
    """Return the source of a pack that is shipped with this library, or else installed as a Python distribution.

    Raises:
        InputError: when the pack is neither.
    """
    if name in locate.bundled_packs():
        return ShippedSource(name)
    for distribution in dict.fromkeys(entry.distribution for entry in plugins.others(locate.GROUP)):
        found = DistributionSource(distribution)
        with suppress(InputError):  # a distribution that can't be read without importing it can't be locked
            if any(one.name == name for one in found.releases()):
                return found
    return ShippedSource(name)  # raises the error that there is no such pack
