"""Bring the lock and the store of a project to its project file, and to what its specs import."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from scoring.compiler.lint import missing
from scoring.data.output import HeldFolder
from scoring.data.refused import refused
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.runs.lock import FolderLock
from scoring.format.load import Loaded, Loader
from scoring.format.locked import changed
from scoring.format.model import Pack
from scoring.late import dataclass
from scoring.project.find import LOCK_FILE
from scoring.project.lock import LockedPack, ProjectLock
from scoring.project.moved import moved_words
from scoring.project.project import Project
from scoring.project.store import PackContent
from scoring.project.versions import parse_version
from scoring.sharing.changes.meanings import meanings
from scoring.sharing.resolve import NOTHING, Moving, PackResolver, ResolvedPacks, WantedPack
from scoring.sharing.signing.subjects import check_locked
from scoring.sharing.wants import wanted_by_specs

PATIENCE = 60.0
"""Seconds that a project is waited for which another process changes."""


@dataclass(frozen=True, slots=True)
class PackMove:
    """What became of a pack of a project.

    Args:
        name: The pack.
        before: Its versions until now.
        after: Its versions from now on.
        source: Where it comes from.
        moved: What moved from the newest of the ones to the newest of the others, a short line each.
        signed: What the signature on the newest says, where the project asks for authors.
    """

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    source: str
    moved: tuple[str, ...] = ()
    signed: str = ""


@dataclass(frozen=True, slots=True)
class Synced:
    """What `sync` did.

    Args:
        path: The lock.
        packs: What it holds.
        moves: The packs whose versions are others now.
        written: Whether the lock was written.
        notes: What else is to be said, a line each.
    """

    path: Path
    packs: tuple[LockedPack, ...]
    moves: tuple[PackMove, ...] = ()
    written: bool = False
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """It as plain data."""
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
    moving: Moving = NOTHING,
    *,
    offline: bool = False,
    frozen: bool = False,
    asking: frozenset[str] | None = None,
    more: Iterable[WantedPack] = (),
) -> Synced:
    """Bring lock and store to the project file.

    Args:
        project: The project.
        moving: What may move to another version within its range.
        offline: Whether only this machine is asked.
        frozen: Whether nothing is written or fetched, and a lock that does not fit is refused.
        asking: Whose sources are asked for what is locked and in the store; None for all.
        more: What else is imported.

    Raises:
        SpecError: for what can't be resolved, was changed without a new version, does not fit a frozen lock, or is not
            signed as the project wants it.
        InputError: when a source can't be asked, or the lock can't be written.
    """
    if frozen:
        return _frozen(project, more)
    with writing(project):
        project.__dict__.pop("lock", None)  # another process may have written it meanwhile
        notes: list[str] = []
        found = PackResolver(project, moving, offline=offline, asking=asking).resolve(wanted_in(project, more, notes))
        found = settled(project, moving, found)
        signed = check_locked(found.packs, project.file)
        old = project.lock
        kept = {} if old is None else {path: one for path, one in old.specs.items() if (project.root / path).is_file()}
        lock = _with_meanings(project, ProjectLock(found.packs, kept), found)
        moves = tuple(_moves(project, lock, found, signed))
        _store(project, lock, found)
        written = old is None or lock.text() != old.text()
        if written:
            lock.write(project.lock_path)
        return Synced(project.lock_path, lock.packs, moves, written, (*notes, *found.notes))


def pin(project: Project, pins: Mapping[str, Mapping[str, Any]]) -> None:
    """Write what specs mean into the lock of a project.

    Args:
        project: The project.
        pins: What each means, by its path from the project's folder.

    Raises:
        SpecError: when the lock can't be read.
        InputError: when it can't be written.
    """
    with writing(project):
        project.__dict__.pop("lock", None)
        old = project.lock or ProjectLock()
        lock = replace(old, specs={**old.specs, **pins})
        if project.lock is None or lock.text() != old.text():
            lock.write(project.lock_path)
        project.__dict__.pop("lock", None)


def wanted_in(project: Project, more: Iterable[WantedPack], notes: list[str]) -> list[WantedPack]:
    """What specs import, and every pack of the project file that none of them does."""
    found = [*wanted_by_specs(project, notes), *more]
    named = {one.name for one in found}
    found += [WantedPack(name, span=source.span) for name, source in project.file.packs.items() if name not in named]
    return found


def _frozen(project: Project, more: Iterable[WantedPack]) -> Synced:
    if project.lock is None:
        raise SpecError.of("not-locked", f"there is no {LOCK_FILE}", help="`scoring sync` writes it; commit it")
    for name, source in project.file.packs.items():
        locked = project.lock.versions(name)
        if not locked or locked[0].source != source.written():
            what = f"has it from {locked[0].where}" if locked else "does not have it"
            raise SpecError.of(
                "not-locked",
                f"`{name}` comes from {source}, and {LOCK_FILE} {what}",
                source.span,
                help="`scoring sync`, and commit it",
            )
    notes: list[str] = []
    found = PackResolver(project, offline=True).resolve(wanted_in(project, more, notes))
    found = settled(project, NOTHING, found)
    check_locked(project.lock.packs, project.file)
    old, new = ({(one.name, one.version): one for one in packs} for packs in (project.lock.packs, found.packs))
    for key in sorted(old.keys() | new.keys()):
        name, version = key
        one, other = old.get(key), new.get(key)
        if one is None or other is None or (one.digest, one.source) != (other.digest, other.source):
            what = "is not in it" if one is None else "is used by nothing" if other is None else "is something else"
            raise SpecError.of(
                "not-locked",
                f"{LOCK_FILE} does not fit: `{name}` {version} {what}",
                help="`scoring sync`, and commit it",
            )
    return Synced(project.lock_path, project.lock.packs, notes=tuple(notes))


@contextmanager
def writing(project: Project) -> Iterator[None]:
    """The right to write the lock and the store of a project; another process that has it is waited for.

    Raises:
        InputError: when it takes too long.
    """
    folder = project.root / ".scoring"
    try:
        HeldFolder.made(folder).close()
        if folder.is_symlink():
            raise InputError(f"{folder} is a link; remove it")
    except OSError as error:
        raise InputError(f"can't write {folder}: {refused(error)}") from error
    lock, until = FolderLock(folder, str(folder)), time.monotonic() + PATIENCE
    while True:
        try:
            lock.take()
            break
        except InputError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
    try:
        yield
    finally:
        lock.release()


def settled(project: Project, moving: Moving, found: ResolvedPacks) -> ResolvedPacks:
    """The resolution with contents that changed under their version, where nothing moves by that.

    Raises:
        SpecError: pack-changed, where something does.
    """
    packs = {(one.name, one.version): one for one in found.packs}
    for before, now in found.changed:
        words = _words(project, found, before, now)
        if not words and before.kind not in ("folder", "here"):
            words = ("its files are others, and no score moves by that",)
        if words and not moving.takes(before.name):
            raise changed(before, words)
        packs[now.name, now.version] = now
    return replace(found, packs=tuple(sorted(packs.values(), key=lambda one: one.key)))


def _words(project: Project, found: ResolvedPacks, before: LockedPack, now: LockedPack) -> tuple[str, ...]:
    """What moved between two states or versions of a pack; nothing where one of them can't be read."""
    sides: list[tuple[Loaded, Loader]] = []
    is_lost = before.digest not in found.contents and not project.store.has(before.digest)
    for one in (now,) if is_lost else (before, now):
        others = (other for other in found.packs if other.name != one.name)
        loader = Loader(project=project.with_lock(ProjectLock((one, *others)), found.contents))
        try:
            sides.append((_opened(loader, one), loader))
        except SpecError:
            return ("its files are others",) if is_lost else ()
    if is_lost:
        return _other_meanings(before, *sides[0])
    return tuple(moved_words(*sides[0], *sides[1]))


def _other_meanings(before: LockedPack, now: Loaded, loader: Loader) -> tuple[str, ...]:
    """What means something else than the lock says, where the locked content is nowhere any more."""
    old, new = before.meanings, meanings(now, loader)
    moved = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return tuple(f"`{name}` means something else" if name in new else f"`{name}` is gone" for name in moved)


def _opened(loader: Loader, pack: LockedPack) -> Loaded:
    return loader.named(pack.name, f"=={pack.version}")


def _with_meanings(project: Project, lock: ProjectLock, found: ResolvedPacks) -> ProjectLock:
    """The lock with what each definition means; a pack that is not in order is told by `scoring check`."""
    loader = Loader(project=project.with_lock(lock, found.contents))
    packs = []
    for one in lock.packs:
        if not one.meanings:
            _check_required(loader, one)
            with suppress(SpecError):
                one = replace(one, meanings=dict(sorted(meanings(_opened(loader, one), loader).items())))
        packs.append(one)
    return replace(lock, packs=tuple(packs))


def _check_required(loader: Loader, pack: LockedPack) -> None:
    """Refuse a pack whose primitives are not installed: nothing could be said of what it means."""
    try:
        spec = _opened(loader, pack).spec
    except SpecError:
        return
    if isinstance(spec, Pack) and (found := list(missing(spec))):
        raise SpecError(found)


def _moves(
    project: Project, lock: ProjectLock, found: ResolvedPacks, signed: Mapping[tuple[str, str], str]
) -> Iterator[PackMove]:
    old = project.lock or ProjectLock()
    for name in sorted({one.name for one in (*old.packs, *lock.packs)}):
        before, after = old.versions(name), lock.versions(name)
        if [(one.version, one.digest) for one in before] == [(one.version, one.digest) for one in after]:
            continue
        moved: tuple[str, ...] = ()
        if before and after and before[0].digest != after[0].digest:
            moved = _words(project, found, before[0], after[0])
        says = signed.get((name, after[0].version), "") if after else ""
        yield PackMove(name, _versions(before), _versions(after), str((after or before)[0].where), moved, says)


def _versions(packs: Iterable[LockedPack]) -> tuple[str, ...]:
    return tuple(sorted((one.version for one in packs), key=parse_version))


def _store(project: Project, lock: ProjectLock, found: ResolvedPacks) -> None:
    """Put the content of every locked pack into the store."""
    if project.file.place == "project":
        if project.store.place.is_symlink():
            raise InputError(f"{project.store.name} is a link; remove it, or name its place: [store] place = …")
        project.store.clean()
    for one in lock.packs:
        content = found.contents.get(one.digest)
        if content is None:
            continue
        try:
            project.store.add(PackContent(content.files, content.entry))
        except OSError as error:
            raise InputError(f"can't write {project.store.name}: {refused(error)}") from error
