"""Resolve imports by name in a project to the packs in its lock, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.plain_files import read_plain
from scoring.diagnostics.diagnostic import Label, SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import counted, shown
from scoring.format import locate
from scoring.project.find import LOCK_FILE
from scoring.project.lock import LockedPack, ProjectLock
from scoring.project.project import Project
from scoring.project.store import MOST_BYTES, tree_digest
from scoring.project.versions import satisfies


class LockedContent(Struct, frozen=True):
    """The content of a locked pack, and whether its source still has that content.

    Args:
        files: The files with the locked digest.
        same: The local pack file that its source has, if the content is exactly this one.
        others: If `same` is None, the local files of its source that may have other content under this version.
    """

    files: Mapping[str, bytes]
    same: Path | None = None
    others: tuple[Path, ...] = ()


class LockedPacks:
    """The packs in the lock of a project: the versions, with digests, that its specs may import by name."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def governs(self, name: str) -> bool:
        """Return whether the project decides which pack a name means, rather than what is installed."""
        return self.project.lock is not None or name in self.project.file.packs

    def names(self) -> set[str]:
        """Return the names of all locked packs."""
        return set() if self.project.lock is None else {one.name for one in self.project.lock.packs}

    def chosen(self, name: str, wanted: str, span: Span | None) -> LockedPack:
        """Return the newest locked version of a pack that is in the range `wanted`, "" for any.

        Raises:
            SpecError: not-locked, when there is none, or it was locked from another source than the stated one;
                import-not-found, when there is no such pack.
        """
        lock = self.project.lock
        if lock is None:
            raise SpecError.of(
                "not-locked",
                f"`{name}` is named in {self.project.file.source.name}, but there is no {LOCK_FILE} yet",
                span,
                help="`scoring lock` writes it",
            )
        versions = lock.versions(name)
        if not versions:
            raise self._not_locked(name, lock, span)
        fitting = [one for one in versions if not wanted or satisfies(one.version, wanted)]
        if not fitting:
            have = ", ".join(one.version for one in versions)
            raise SpecError.of(
                "not-locked",
                f"no version of `{name}` in {LOCK_FILE} fits `{wanted}`",
                span,
                help=f"locked: {have}; `scoring lock` looks for one that fits",
            )
        self._check_source(fitting[0], span)
        return fitting[0]

    def _not_locked(self, name: str, lock: ProjectLock, span: Span | None) -> SpecError:
        if name in self.project.file.packs or name in locate.pack_names():
            return SpecError.of(
                "not-locked",
                f"`{name}` is not in {LOCK_FILE}",
                span,
                help=f"`scoring lock` locks what specs import; `scoring add {name}` what they don't",
            )
        known = sorted({*(one.name for one in lock.packs), *self.project.file.packs, *locate.pack_names()})
        return SpecError.of(
            "import-not-found",
            f"no pack is called {shown(name)}",
            span,
            did_you_mean(name, known),
            help=f"packs here: {', '.join(known)}; `scoring add ADDRESS` adds one; a file is imported by its path",
        )

    def _check_source(self, locked: LockedPack, span: Span | None) -> None:
        """Raise SpecError if a pack was locked from another source than the project file now states."""
        declared = None if self.project.alone else self.project.file.packs.get(locked.name)
        if declared is not None and not declared.shows(locked.where):
            raise SpecError.of(
                "not-locked",
                f"`{locked.name}` comes from {declared}, but {LOCK_FILE} has it from {locked.where}",
                span,
                help="`scoring lock` updates the lock to match the project file",
            )

    def content(self, locked: LockedPack, span: Span | None) -> LockedContent:
        """Return the content of a locked pack: from the project's store, else from an unchanged local source.

        Raises:
            SpecError: project-store, when it is not available.
        """
        try:
            return self._content(locked)
        except SpecError as error:  # an error of the store, for which the import is the location
            raise SpecError(replace(one, primary=Label(span)) for one in error.diagnostics) from None

    def _content(self, locked: LockedPack) -> LockedContent:
        paths = [path for path in local_files(self.project, locked) if _bytes(path) is not None]
        try:
            files = self.project.store.read(locked.digest)
        except SpecError as missing:
            if self.project.store.has(locked.digest):
                raise
            # A local source can be used instead, if it has exactly the same content.
            for path in paths:
                data = _bytes(path)  # only the store knows the files that it imports by path
                files = {} if data is None else {locked.entry: data}
                if tree_digest(files) == locked.digest:
                    return LockedContent(files, path)
            raise missing from None
        same = next((path for path in paths if _is_same(path, locked.entry, files)), None)
        return LockedContent(files, same, () if same is not None else tuple(paths))


def other_content(locked: LockedPack, name: str, version: str) -> SpecError:
    """Return the error for a lock in which the content stored for a pack is that of the pack `name` in `version`."""
    return SpecError.of(
        "project-lock",
        f"the content that {LOCK_FILE} lists for `{locked.name}` {locked.version} is `{name}` {version}",
        help="restore the lock that was committed",
    )


def changed_pack_error(locked: LockedPack, moved: Sequence[str], span: Span | None = None) -> SpecError:
    """Return the error for a pack that was changed without a new version; `moved` says what scores differently."""
    more = f" and {counted(len(moved) - 1, 'more change')}" if len(moved) > 1 else ""
    if locked.where.kind in ("folder", "here"):
        help = f"raise the version there and run `scoring upgrade {locked.name}`, or restore the earlier content"
    else:
        help = f"the lock keeps the earlier content; `scoring upgrade {locked.name}` accepts the current one"
    return SpecError.of(
        "pack-changed",
        f"`{locked.name}` {locked.version} was changed without a new version: {moved[0]}{more}",
        span,
        help=help,
        note=f"it comes from {locked.where}",
    )


def local_files(project: Project, locked: LockedPack) -> Iterator[Path]:
    """Yield the local files that may contain the locked version of a pack, according to the source in the lock."""
    if project.alone:
        return
    if locked.where.kind == "folder" and locked.at:
        root = project.root / locked.where.where
        yield root / locked.at if root.is_dir() else root
    elif locked.where.kind == "here":
        own = locked.own_name
        yield from locate.bundled_packs().get(own, []) or [path for _, path in locate.installed_packs(own)]


def _is_same(place: Path, entry: str, files: Mapping[str, bytes]) -> bool:
    """Return whether the local pack file `place`, called `entry` in `files`, and those next to it equal `files`."""
    folders = len(PurePosixPath(entry).parts)
    root = place.parents[folders - 1]
    return all(_bytes(root / path) == data for path, data in files.items())


def _bytes(path: Path) -> bytes | None:
    try:
        return read_plain(path, MOST_BYTES)
    except (OSError, ValueError):
        return None
