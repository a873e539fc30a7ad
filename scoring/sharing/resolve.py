"""Which versions of which packs a project uses: what specs import, held against what sources offer and the lock.

A version that is locked stays, until somebody says that it may move.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import listed, shown
from scoring.format import locate
from scoring.late import dataclass
from scoring.project.file import PackSource, ProjectFile, parse_project_file
from scoring.project.find import LOCK_FILE
from scoring.project.lock import LockedPack, ProjectLock
from scoring.project.project import Project
from scoring.project.store import PackContent
from scoring.project.versions import is_range, parse_version, satisfies
from scoring.registry import plugins
from scoring.sharing.signing.subjects import locked_signature
from scoring.sharing.sources.candidate import Candidate, SourceOfPacks
from scoring.sharing.sources.content import packs_in
from scoring.sharing.sources.distribution import DistributionSource
from scoring.sharing.sources.git import GitSource
from scoring.sharing.sources.shipped import ShippedSource
from scoring.sharing.sources.tree import HeldTree
from scoring.sharing.sources.written import source_of

MOST_RESOLVED = 1_000
"""Imports by name that are followed for one project."""


@dataclass(frozen=True, slots=True)
class WantedPack:
    """An import by name.

    Args:
        name: The pack.
        range: The versions that will do, "" for any.
        by: Who imports it, as messages say it.
        span: Where.
    """

    name: str
    range: str = ""
    by: str = ""
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.range}" if self.range else self.name


@dataclass(frozen=True, slots=True)
class Moving:
    """What may move to another version than the lock has.

    Args:
        names: These packs; None for all of them.
    """

    names: frozenset[str] | None = frozenset()

    def takes(self, name: str) -> bool:
        """Whether a pack may move."""
        return self.names is None or name in self.names


NOTHING = Moving()
"""What is locked stays."""


@dataclass(frozen=True)
class ResolvedPacks:
    """What a project uses from now on.

    Args:
        packs: Every version of every pack.
        contents: The content of those that were fetched or are in the store, by digest.
        changed: What shows another content under a locked version, with the digest that was locked: whether that
            matters is for whoever knows what definitions mean.
        notes: What else is to be said, a line each.
    """

    packs: tuple[LockedPack, ...]
    contents: Mapping[str, PackContent] = field(repr=False)
    changed: tuple[tuple[LockedPack, LockedPack], ...] = ()
    notes: tuple[str, ...] = ()


class PackResolver:
    """Finds the newest version that fits for each import, of those that are locked where one of them does.

    Args:
        project: The project.
        moving: What may move.
        offline: Whether only this machine is asked: folders, what is installed, the store.
        asking: Whose sources are asked for what is locked and in the store; None for all.
    """

    def __init__(
        self, project: Project, moving: Moving = NOTHING, *, offline: bool = False, asking: frozenset[str] | None = None
    ) -> None:
        self._project, self._moving, self.offline, self._asking = project, moving, offline, asking
        self._old = project.lock or ProjectLock()
        self._found: dict[tuple[str, str], LockedPack] = {}
        self._contents: dict[str, PackContent] = {}
        self._changed: list[tuple[LockedPack, LockedPack]] = []
        self._offers: dict[PackSource, Sequence[Candidate]] = {}
        self._git: dict[tuple[str, str], GitSource] = {}
        self._used: dict[str, tuple[PackSource, str]] = {}
        # What the project files of fetched packs say of their imports, and who said so first.
        self._theirs: dict[str, tuple[PackSource, str]] = {}

    def resolve(self, wanted: Iterable[WantedPack]) -> ResolvedPacks:
        """What the imports need, and what these import in turn.

        Raises:
            SpecError: where nothing fits, or a locked content is not to be had.
            InputError: where a source can't be asked.
        """
        waiting, seen = list(wanted), set[tuple[str, str]]()
        while waiting:
            one = waiting.pop(0)
            source = self._source(one)
            here = source, one.by or "your project"
            _check_same(one.name, self._used.setdefault(one.name, here), here)
            if (one.name, one.range) in seen:
                continue
            seen.add((one.name, one.range))
            if len(seen) > MOST_RESOLVED:
                raise InputError(f"more than {MOST_RESOLVED:,} packs import one another; look at what was added")
            waiting += self._chosen(one, source)
        packs = tuple(sorted(self._found.values(), key=lambda one: one.key))
        return ResolvedPacks(packs, self._contents, tuple(self._changed))

    def _chosen(self, wanted: WantedPack, source: PackSource) -> list[WantedPack]:
        """Take a version for an import; what this one imports by name."""
        fits = _fits(wanted, source)
        kept = [one for one in self._old.versions(wanted.name) if one.source == source.written() and fits(one.version)]
        if kept and not self._moving.takes(wanted.name):
            return self._taken(wanted, *self._kept(kept[0], source))
        if (
            self.offline
            and not kept
            and not opened_source(source.pack or wanted.name, source, self._project.root).is_local
        ):
            raise SpecError.of(
                "not-locked",
                f"no version of `{wanted.name}` in {LOCK_FILE} fits {shown(wanted.range or 'what is named')}",
                wanted.span,
                help=f"`scoring sync` asks {source}",
            )
        offered = [one for one in self._offered(wanted, source) if fits(one.version)]
        if not offered:
            raise self._nothing_fits(wanted, source)
        best = max(offered, key=lambda one: parse_version(one.version))
        for one in self._old.versions(wanted.name):
            if one.source == source.written():
                _check_tag(one, source, best)
        return self._taken(wanted, *self._offer(wanted.name, best, source))

    def _source(self, wanted: WantedPack) -> PackSource:
        """Where a pack comes from: what the project says, else the project file of who imports it, else from here."""
        own = self._project.file.packs.get(wanted.name)
        if own is not None:
            return own
        if wanted.name in self._theirs:
            return self._theirs[wanted.name][0]
        locked = self._old.versions(wanted.name)
        # A pack that is read from the store tells no more where its imports come from: the lock does.
        return locked[0].where if locked and not self._moving.takes(wanted.name) else PackSource("here")

    def _offered(self, wanted: WantedPack, source: PackSource) -> list[Candidate]:
        own = source.pack or wanted.name
        return [one for one in self.offers(own, source) if one.name == own]

    def offers(self, name: str, source: PackSource) -> Sequence[Candidate]:
        """What a source offers; each is asked once.

        Raises:
            InputError: when it can't be asked.
        """
        key = source if source.kind != "here" else replace(source, pack=name)
        if key not in self._offers:
            opened = opened_source(name, source, self._project.root)
            if self.offline and not opened.is_local:
                raise InputError(f"`{name}` comes from {opened.where}, which is not asked now; `scoring sync` asks it")
            if isinstance(opened, GitSource):  # one commit is fetched once, however many packs it has
                first = self._git.setdefault((opened.address, opened.tag or opened.commit), opened)
                opened = opened if first is opened else first.at(opened.path)
            self._offers[key] = opened.releases()
        return self._offers[key]

    def _kept(self, locked: LockedPack, source: PackSource) -> tuple[LockedPack, PackContent, Candidate | None]:
        """A locked version: from the store, once its source was asked whether it still shows the same."""
        candidate = self._shown(locked, source)
        if candidate is not None:
            _check_tag(locked, source, candidate)
            now, content, _ = self._offer(locked.name, candidate, source)
            if now.digest == locked.digest:
                # Whatever else tells its source's state from others may move, as long as the content is the same.
                same = replace(locked, at=now.at, signature=now.signature or locked.signature)
                return same, content, candidate
            self._changed.append((locked, now))
            self._contents[now.digest] = content
            if not self._project.store.has(locked.digest):
                return locked, content, None  # what was locked is nowhere: the lock says what it meant
        content = PackContent(self._project.store.read(locked.digest), locked.entry)
        return locked, content, None

    def _shown(self, locked: LockedPack, source: PackSource) -> Candidate | None:
        """The locked version as its source shows it now, where it is asked and still has it."""
        if not self._is_asked(locked):
            return None
        try:
            offers = self.offers(locked.own_name, source)
        except InputError:
            is_local = opened_source(locked.own_name, source, self._project.root).is_local
            if (self.offline or is_local) and self._project.store.has(locked.digest):
                return None  # what is locked needs no source any more
            raise
        return next((one for one in offers if (one.name, one.version) == (locked.own_name, locked.version)), None)

    def _is_asked(self, locked: LockedPack) -> bool:
        return self._asking is None or locked.name in self._asking or not self._project.store.has(locked.digest)

    def _offer(self, name: str, best: Candidate, source: PackSource) -> tuple[LockedPack, PackContent, Candidate]:
        content = PackContent(best.files, best.entry)
        new = LockedPack(name, best.version, content.digest, best.entry, source.written(), best.at, best.revision)
        new = replace(new, signature=locked_signature(best.content.signature))
        return new, content, best

    def _taken(
        self, wanted: WantedPack, locked: LockedPack, content: PackContent, offer: Candidate | None
    ) -> list[WantedPack]:
        self._found[locked.name, locked.version] = locked
        self._contents[content.digest] = content
        by = f"`{locked.name}` {locked.version}"
        if offer is not None and offer.content.project is not None:
            self._take_theirs(by, locked, offer)
        found = []
        for target in _needs(by, content, offer):
            name, _, wanted_range = target.partition("@")
            if offer is None and name not in self._project.file.packs and (known := self._old.versions(name)):
                here = known[0].where, by
                _check_same(name, self._theirs.setdefault(name, here), here)
            if not wanted_range or is_range(wanted_range):
                found.append(WantedPack(name, wanted_range, by, wanted.span))
        return found

    def _take_theirs(self, by: str, locked: LockedPack, offer: Candidate) -> None:
        """What the project file beside a fetched pack says of the sources of its imports."""
        text = (offer.content.project or b"").decode("utf-8", "replace")
        said: ProjectFile = parse_project_file(text, f"scoring.toml of {by}")
        needed = {target.partition("@")[0] for target in offer.content.needs}
        for name, source in said.packs.items():
            if name not in needed or name in self._project.file.packs:
                continue
            if source.kind == "folder":
                source = self._beside(locked, source, offer)
            elif source.where.startswith("file:") and not locked.where.where.startswith("file:"):
                raise InputError(
                    f"{by} takes `{name}` from {source.where}, a place of this machine, which its author can't know; "
                    f"if you do: `scoring add ADDRESS --as {name}`"
                )
            _check_same(name, self._theirs.setdefault(name, (source, by)), (source, by))

    def _beside(self, locked: LockedPack, source: PackSource, offer: Candidate) -> PackSource:
        """A folder that a fetched project file names lies in the same source."""
        parent = locked.where
        opened_source(locked.own_name, parent, self._project.root).beside(source.where, offer.content.place)
        path = posixpath.normpath(posixpath.join(offer.content.place, source.where))
        if parent.kind == "git":
            return replace(parent, path=path, pack=source.pack, version=source.version)
        return replace(parent, where=f"{parent.where.rstrip('/')}/{path}", pack=source.pack, version=source.version)

    def _nothing_fits(self, wanted: WantedPack, source: PackSource) -> SpecError:
        have = sorted({one.version for one in self._offered(wanted, source)}, key=parse_version)
        by = f", which {wanted.by} imports" if wanted.by and (wanted.span is None or "`" in wanted.by) else ""
        own = f" and `{source.version}` of the project file" if source.version and wanted.range else ""
        if not have:
            there = sorted({one.name for one in self.offers(source.pack or wanted.name, source)})
            return SpecError.of(
                "import-not-found",
                f"{source} has no pack `{source.pack or wanted.name}`{by}",
                wanted.span,
                help=f"packs there: {listed(there, 'and')}" + ('; `pack = "…"` says which is meant' if there else ""),
            )
        return SpecError.of(
            "import-version",
            f"no version of `{wanted.name}` fits {shown(wanted.range or source.version)}{own}{by}",
            wanted.span,
            help=[f"{source} has {', '.join(have[-12:])}", *_way_on(wanted, source, have)],
        )


def _way_on(wanted: WantedPack, source: PackSource, have: Sequence[str]) -> Iterator[str]:
    """What to write or do where a source has other versions than an import takes."""
    if wanted.span is None or not wanted.range:
        return
    fitting = [one for one in have if satisfies(one, wanted.range)]
    first, newest = re.search(r"\d+", wanted.range), parse_version(have[-1])[0][0]
    if fitting or (source.tag and first is not None and int(first[0]) > newest):
        yield f"`scoring upgrade {wanted.name} --version {shlex.quote(wanted.range)}` moves the project file there"
    else:
        yield f"to go with it, import `{wanted.name}@{newest}` here; scores may move"


def _check_same(name: str, one: tuple[PackSource, str], other: tuple[PackSource, str]) -> None:
    """Refuse one name for packs of two sources: an import says nothing but the name."""
    if one[0].written() != other[0].written():
        raise InputError(
            f"{one[1]} takes `{name}` from {one[0]}, {other[1]} from {other[0]}; say in your project file which: "
            f"`scoring add ADDRESS --as {name}`"
        )


def _check_tag(locked: LockedPack, source: PackSource, now: Candidate) -> None:
    """Refuse a tag that stands for another commit than it did: whoever can move it can publish anything under it."""
    if source.kind == "git" and source.tag and locked.revision != now.revision:
        before, after = (one.revision.removeprefix("commit ")[:12] for one in (locked, now))
        raise InputError(
            f"the tag `{source.tag}` of {source.where} was moved from {before} to {after}; ask whoever publishes it, "
            f"or `scoring remove {locked.name}` and add it anew to take what is there now"
        )


def _needs(by: str, content: PackContent, offer: Candidate | None) -> Sequence[str]:
    """What a pack imports by name."""
    if offer is not None:
        return offer.content.needs
    return packs_in(HeldTree(by, content.files), content.entry)[0].content.needs


def _fits(wanted: WantedPack, source: PackSource) -> Callable[[str], bool]:
    # The range of a distribution is of its own versions, not of the packs in it.
    ranges = [one for one in (wanted.range, "" if source.kind == "distribution" else source.version) if one]
    return lambda version: all(satisfies(version, one) for one in ranges)


def opened_source(name: str, source: PackSource, root: Path) -> SourceOfPacks:
    """The source that a project file names.

    Args:
        name: The pack's own name.
        source: What it says.
        root: The folder of the project.

    Raises:
        InputError: when it stands for none, or nothing of that name is shipped or installed.
    """
    if source.kind == "here":
        return here(name)
    table = {source.kind: source.where, "version": source.version, "tag": source.tag, "commit": source.commit}
    table |= {"path": source.path, "pack": source.pack}
    return source_of({key: value for key, value in table.items() if value}, root)


def here(name: str) -> SourceOfPacks:
    """Where a pack is that is shipped or installed.

    Raises:
        InputError: when it is neither.
    """
    if name in locate.bundled_packs():
        return ShippedSource(name)
    for distribution in dict.fromkeys(entry.distribution for entry in plugins.others(locate.GROUP)):
        found = DistributionSource(distribution)
        with suppress(InputError):  # one that can't be read without an import has nothing for a lock
            if any(one.name == name for one in found.releases()):
                return found
    return ShippedSource(name)  # which says that there is none
