"""Update of the lock and the store of a project according to its project file and the imports of its specs."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.checks.required import missing
from scoring.data.os_errors import telling
from scoring.data.output import OpenFolder
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.runs.lock import FolderBusy, FolderLock
from scoring.errors import InputError
from scoring.extensions.sharing.changes.meanings import meanings
from scoring.extensions.sharing.contents import clean_store, keep_content, with_lock
from scoring.extensions.sharing.lock_text import lock_text, write_lock
from scoring.extensions.sharing.requirements import wanted_by_specs
from scoring.extensions.sharing.resolve import (
    NOTHING,
    PackNames,
    PackResolver,
    ResolvedPacks,
    WantedPack,
    among,
    is_here,
)
from scoring.extensions.sharing.services import moves_between
from scoring.extensions.sharing.signing.subjects import check_locked
from scoring.format import locate
from scoring.format.load import Loaded, Loader
from scoring.format.locked import LockedPacks, changed_pack_error
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.project.find import LOCK_FILE, STORE_VARIABLE
from scoring.project.lock import LockedPack, ProjectLock
from scoring.project.project import Project
from scoring.project.versions import parse_version

PATIENCE = 60.0
"""Seconds that a project is waited for which another process changes."""


class PackMove(Struct, frozen=True):
    """A change of which versions of a pack are locked.

    Args:
        name: The pack.
        before: Its locked versions before.
        after: Its locked versions now.
        source: Its source.
        moved: The changes between the newest old and the newest new version, a short line each.
        signed: The result of checking the newest version's signature, if the project requires authors.
    """

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    source: str
    moved: tuple[str, ...] = ()
    signed: str = ""


class LockChange(Struct, frozen=True):
    """The result of updating the lock and the store of a project.

    Args:
        path: The path of the lock.
        packs: The locked packs.
        moves: The packs whose locked versions changed.
        written: Whether the lock was written.
        notes: Further remarks, a line each.
    """

    path: Path
    packs: tuple[LockedPack, ...]
    moves: tuple[PackMove, ...] = ()
    written: bool = False
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        packs = [{"name": one.name, "version": one.version, "source": str(one.where)} for one in self.packs]
        moves = [
            {
                "name": one.name,
                "before": list(one.before),
                "after": list(one.after),
                "moved": list(one.moved),
                **({"signed": one.signed} if one.signed else {}),
            }
            for one in self.moves
        ]
        return {"packs": packs, "moves": moves, "written": self.written, "notes": list(self.notes)}


def bring(
    project: Project,
    moving: PackNames = NOTHING,
    *,
    offline: bool = False,
    frozen: bool = False,
    asking: PackNames = None,
    may_lack: bool = False,
    anew: frozenset[str] = frozenset(),
) -> LockChange:
    """Update the lock of a project and its store of pack contents to match its project file and the imports of its
    specs.

    Args:
        project: The project.
        moving: The packs that may move to another version within their range.
        offline: Whether to use only local sources and never the network.
        frozen: Whether to write and fetch nothing, and to fail if the lock does not match.
        asking: The packs whose sources are queried even if they are locked and in the store; None for all packs.
        may_lack: Whether specs may import packs that the project file does not name; they are skipped with a note.
        anew: The packs to resolve as if the lock did not contain them.

    Raises:
        SpecError: when an import can't be resolved, or a pack changed without a new version, does not match a frozen
            lock, or is not signed as the project requires.
        InputError: when a source can't be queried, or the lock can't be written.
    """
    notes: list[str] = []
    if frozen:
        packs = _frozen(project, notes)
        return LockChange(project.lock_path, packs, notes=tuple(notes))
    with writing(project):
        project.__dict__.pop("lock", None)  # another process may have written it meanwhile
        found = _resolved(project, moving, notes, may_lack=may_lack, offline=offline, asking=asking, anew=anew)
        signed = check_locked(found.packs, project.file)
        old = project.lock
        kept = {} if old is None else {path: one for path, one in old.specs.items() if (project.root / path).is_file()}
        lock = _with_meanings(project, ProjectLock(found.packs, kept), found)
        moves = tuple(_moves(project, lock, found, signed))
        notes += _in_place_of_shipped(lock, moves)
        _store(project, lock, found)
        return LockChange(project.lock_path, lock.packs, moves, _written(project, lock), tuple(notes))


def pin(project: Project, pins: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the pins of specs into the lock of a project.

    Args:
        project: The project.
        pins: What is pinned of each spec (the digests of its meaning and packs), by its path relative to the project's
            folder.

    Raises:
        SpecError: when the lock can't be read.
        InputError: when it can't be written.
    """
    with writing(project):
        project.__dict__.pop("lock", None)
        old = project.lock or ProjectLock()
        _written(project, replace(old, specs={**old.specs, **pins}))
        project.__dict__.pop("lock", None)


def _written(project: Project, lock: ProjectLock) -> bool:
    """Write a lock if it differs from the project's present one, and return True if it does."""
    is_new = project.lock is None or lock_text(lock) != lock_text(project.lock)
    if is_new:
        write_lock(lock, project.lock_path)
    return is_new


def _resolved(
    project: Project, moving: PackNames, notes: list[str], *, may_lack: bool = False, **options: Any
) -> ResolvedPacks:
    """Return the versions of packs that the project needs: those that its specs import, and one of each further pack in
    the project file.

    Args:
        project: The project.
        moving: The packs that may move to another version.
        notes: The list to which remarks are appended.
        may_lack: Whether packs that the project file does not name are skipped with a note.
        options: Further arguments of `PackResolver`.
    """
    wanted = [*wanted_by_specs(project, notes)]
    if may_lack:
        lacking = {one.name: one for one in wanted if one.name not in project.file.packs and not is_here(one.name)}
        wanted = [one for one in wanted if one.name not in lacking]
        notes += (
            f"{one.span or one.by} imports `{name}`, which is not in the project yet: `scoring add ADDRESS` adds it"
            for name, one in lacking.items()
        )
    imported = {one.name for one in wanted}
    for name, source in project.file.packs.items():
        if source.more_tags or name not in imported:  # an entry with several tags requires each of them
            tags = [one.tag for one in source.parts()] if source.more_tags else [""]
            wanted += [WantedPack(name, span=source.span, tag=tag) for tag in tags]
    return _settled(project, moving, PackResolver(project, moving, **options).resolve(wanted))


def _frozen(project: Project, notes: list[str]) -> tuple[LockedPack, ...]:
    """Return the locked packs of a project after checking that locking it now would give the same lock; nothing is
    written.

    Args:
        project: The project.
        notes: The list to which remarks are appended.

    Raises:
        SpecError: when there is no lock, or it does not match.
    """
    if project.lock is None:
        raise SpecError.of("not-locked", f"there is no {LOCK_FILE}", help="`scoring lock` writes it; commit it")
    help = "`scoring lock`, and commit it"
    for name, source in project.file.packs.items():
        locked = project.lock.versions(name)
        if not locked or not source.shows(locked[0].where):
            what = f"has it from {locked[0].where}" if locked else "does not have it"
            message = f"`{name}` comes from {source}, and {LOCK_FILE} {what}"
            raise SpecError.of("not-locked", message, source.span, help=help)
    found = _resolved(project, NOTHING, notes, offline=True)
    check_locked(project.lock.packs, project.file)
    old, new = ({(one.name, one.version): one for one in packs} for packs in (project.lock.packs, found.packs))
    for key in sorted(old.keys() | new.keys()):
        one, other = old.get(key), new.get(key)
        if one is None or other is None or (one.digest, one.where) != (other.digest, other.where):
            what = "is not in it" if one is None else "is used by nothing" if other is None else "is something else"
            raise SpecError.of("not-locked", f"{LOCK_FILE} does not fit: `{key[0]}` {key[1]} {what}", help=help)
    for pack in project.lock.packs:
        if project.store.has(pack.digest):
            project.store.read(pack.digest)  # fails if the content does not match its digest
    return project.lock.packs


@contextmanager
def writing(project: Project) -> Iterator[None]:
    """Hold a project's exclusive lock against other processes within a block that writes its lock file and store; wait
    while another process has it.

    Raises:
        InputError: when the wait takes too long, or the folder can't be written.
    """
    folder = project.root / ".scoring"
    with telling(f"can't write {folder}"):
        OpenFolder.made(folder).close()
        if folder.is_symlink():
            raise InputError(f"{folder} is a link; remove it")
    lock, until = FolderLock(folder, str(folder)), time.monotonic() + PATIENCE
    while True:
        try:
            lock.take()
            break
        except FolderBusy:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
    try:
        yield
    finally:
        lock.release()


def _settled(project: Project, moving: PackNames, found: ResolvedPacks) -> ResolvedPacks:
    """Return a resolution of imports in which each locked pack that changed without a new version is replaced by its
    present content.

    A change is allowed if the pack may move or, for packs in folders and shipped ones, if it keeps its meaning.

    Args:
        moving: The packs that may move, for which every change is allowed.
        found: The resolution, with the changes.

    Raises:
        SpecError: pack-changed, for the first change that is not allowed.
    """
    packs = {(one.name, one.version): one for one in found.packs}
    for before, now in found.changed:
        words = _words(project, found, before, now)
        if not words and before.where.kind not in ("folder", "here"):
            words = ("its files are different, but no score moves",)
        if words and not among(before.name, moving):
            raise changed_pack_error(before, words)
        packs[now.name, now.version] = now
    return dataclasses.replace(found, packs=tuple(sorted(packs.values(), key=lambda one: one.key)))


def _words(project: Project, found: ResolvedPacks, before: LockedPack, now: LockedPack) -> tuple[str, ...]:
    """Return a line for each change of meaning between two states of a pack.

    It is empty if one of the states can't be opened; if the old content is lost, the line only says that the files
    differ.

    Args:
        found: The resolution that has the contents.
        before: The pack as it was locked.
        now: The pack as it is now.
    """
    sides: list[tuple[Loaded, Loader]] = []
    is_lost = before.digest not in found.contents and not project.store.has(before.digest)
    for one in (now,) if is_lost else (before, now):
        others = (other for other in found.packs if other.name != one.name)
        loader = Loader(project=LockedPacks(with_lock(project, ProjectLock((one, *others)), found.contents)))
        try:
            sides.append((_opened(loader, one), loader))
        except SpecError:
            return ("its files are different",) if is_lost else ()
    if not is_lost:
        return tuple(moves_between(*sides[0], *sides[1]))
    old, new = before.meanings, meanings(*sides[0])
    moved = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return tuple(f"`{name}` means something else" if name in new else f"`{name}` is gone" for name in moved)


def _opened(loader: Loader, pack: LockedPack) -> Loaded:
    return packs_of(loader).by_name(pack.name, f"=={pack.version}")


def _with_meanings(project: Project, lock: ProjectLock, found: ResolvedPacks) -> ProjectLock:
    """Return a copy of `lock` in which each pack has the digests of its definitions' meanings; a pack that does not
    compile is left unchanged. `found` contains the packs' files.

    Raises:
        SpecError: when the primitives that a pack requires are not installed.
    """
    loader = Loader(project=LockedPacks(with_lock(project, lock, found.contents)))
    packs = []
    for one in lock.packs:
        loaded = None
        with suppress(SpecError):
            loaded = None if one.meanings else _opened(loader, one)
        if loaded is not None:
            # Without the primitives that a pack requires its meaning can't be determined.
            if isinstance(loaded.spec, Pack) and (lacking := list(missing(loaded.spec))):
                raise SpecError(lacking)
            with suppress(SpecError):
                one = replace(one, meanings=dict(sorted(meanings(loaded, loader).items())))
        packs.append(one)
    return replace(lock, packs=tuple(packs))


def _moved_pairs(before: Sequence[LockedPack], after: Sequence[LockedPack]) -> Iterator[tuple[LockedPack, LockedPack]]:
    """Yield the states of a pack before and after a change: of each major version, else of the pack as a whole."""
    known, known_after = ({(one.version, one.digest) for one in packs} for packs in (before, after))
    new = [one for one in after if (one.version, one.digest) not in known]
    gone = [one for one in before if (one.version, one.digest) not in known_after] or [*before[:1]]
    for one in new:
        same = [old for old in gone if _major(old) == _major(one)] or (gone if len(new) == 1 else [])
        yield from ((old, one) for old in same[:1])


def _major(pack: LockedPack) -> str:
    return pack.version.partition(".")[0]


def _moves(
    project: Project, lock: ProjectLock, found: ResolvedPacks, signed: Mapping[tuple[str, str], str]
) -> Iterator[PackMove]:
    old = project.lock or ProjectLock()
    for name in sorted({one.name for one in (*old.packs, *lock.packs)}):
        before, after = old.versions(name), lock.versions(name)
        if [(one.version, one.digest) for one in before] == [(one.version, one.digest) for one in after]:
            continue
        pairs = list(_moved_pairs(before, after))
        moved = tuple(word for pair in pairs for word in _words(project, found, *pair))
        now = pairs[0][1] if pairs else next(iter(after), None)
        signer = signed.get((name, now.version), "") if now is not None else ""
        yield PackMove(name, _versions(before), _versions(after), str((after or before)[0].where), moved, signer)


def _in_place_of_shipped(lock: ProjectLock, moves: Iterable[PackMove]) -> Iterator[str]:
    """Yield a note for each newly locked pack from elsewhere that has the name of a shipped or installed pack, which it
    replaces."""
    for move in moves:
        sources = [one.where for one in lock.versions(move.name) if one.where.kind != "here"]
        if sources and is_here(move.name):
            own = f"`scoring add {move.name} --replace`" if move.name in locate.bundled_packs() else "the installed one"
            yield (
                f"`{move.name}` from {sources[0]} replaces the shipped or installed pack of that name; "
                f"if that is not intended, take {own}, or give this one another name: `--as NAME`"
            )


def _versions(packs: Iterable[LockedPack]) -> tuple[str, ...]:
    return tuple(sorted((one.version for one in packs), key=parse_version))


def _store(project: Project, lock: ProjectLock, found: ResolvedPacks) -> None:
    """Write the content of every locked pack that was fetched to the store of the project."""
    if not os.environ.get(STORE_VARIABLE):  # the user's own place for it is outside of the project
        if real_path(project.store.place) != real_path(project.root) / project.store.place.relative_to(project.root):
            raise InputError(f"{project.store.name} is a link, or is behind one; remove it, or set {STORE_VARIABLE}")
        clean_store(project.store)
    for content in (found.contents[one.digest] for one in lock.packs if one.digest in found.contents):
        with telling(f"can't write {project.store.name}"):
            keep_content(project.store, content)
