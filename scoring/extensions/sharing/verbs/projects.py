"""The verbs that change a project and its lock: add, remove, upgrade, lock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scoring.api.arguments import verb
from scoring.api.locked import lock_of, project_at
from scoring.api.specs import Checked, Names, check_dialect_used, spec_files
from scoring.compiler.identity.lock import Lock, lock_path, spec_in
from scoring.compiler.tasks.checking import check_spec
from scoring.data.file_format import other_settings
from scoring.data.output import write_file
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.errors import InputError
from scoring.extensions.sharing.edit_project import ProjectChange, add_packs, remove_pack, upgrade_packs
from scoring.extensions.sharing.lock_text import spec_lock_text
from scoring.extensions.sharing.locking import LockChange, bring, pin
from scoring.extensions.sharing.resolve import PackNames
from scoring.format.load import Loader
from scoring.project.project import Project, from_here, project_of


@verb
def add(
    address: str | Sequence[str],
    *,
    alias: str | None = None,
    pack: str | None = None,
    version: str | None = None,
    replace: bool = False,
    folder: str | Path = ".",
) -> ProjectChange:
    """Add packs to the project file, fetch them, and lock them; a project is started if there is none.

    Args:
        address: One or several addresses: a folder or a file (``../shapes``),
            ``git+https://host/repository@v1.0.0#packs/close``, ``dist:acme-metrics>=1,<2``, ``https://…``, ``s3://…``
            or any other address that fsspec supports, or the name of a shipped or installed pack (``house@1``).
        alias: The name by which specs import the pack of a single address; its own name by default.
        pack: The own name of the pack, needed if a single address has several packs.
        version: The range of its versions; by default those that score like the newest one.
        replace: Whether to replace a pack of the same name. Otherwise a tag of the same repository with another major
            version is added to the existing entry.
        folder: A folder of the project.

    Returns:
        The change of the project.

    Raises:
        InputError: when an address is invalid, can't be reached or has no such pack, or the name is taken.
        SpecError: when an import can't be resolved.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "close.yaml").write_text("kind: pack\\nname: close\\nversion: 1.0.0\\n")
        ...     print(add(f"{folder}/close.yaml", folder=folder).lines[0])
        `close` 1.0.0 is added; specs import it as `close@1`
    """
    addresses = [address] if isinstance(address, str) else list(address)
    return add_packs(addresses, Path(folder), alias or "", pack or "", version or "", replaces=replace)


@verb
def remove(name: str, *, folder: str | Path = ".") -> ProjectChange:
    """Remove a pack from the project file and the lock.

    Args:
        name: The name by which specs import it.
        folder: A folder of the project.

    Raises:
        InputError: when the project does not name the pack, or specs import it.
        SpecError: when the remaining imports can't be resolved.
    """
    return remove_pack(name, Path(folder))


@verb
def upgrade(name: str | None = None, *, version: str | None = None, folder: str | Path = ".") -> ProjectChange:
    """Move packs to the newest versions within their ranges, or one pack to another range.

    A pack from git moves to the newest tag of the same form, within the same major version unless a range is given.

    Args:
        name: The pack; all by default.
        version: Its new range.
        folder: A folder of the project.

    Raises:
        InputError: when there is no such pack, or a source can't be queried.
        SpecError: when an import can't be resolved.
    """
    return upgrade_packs(name or "", Path(folder), version or "")


class Locked(Checked, frozen=True):
    """The result of locking: what is pinned of specs, and the changes of the locks and stores of projects.

    Args:
        projects: The change of each project's lock.
    """

    projects: tuple[LockChange, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the findings, the pins of specs, and the changes of projects as plain data."""
        changes = [one.to_json() for one in self.projects]
        found = Checked.to_json(self)
        pins = {"pins": found.pop("pins")} if "pins" in found else {}
        return {**found, **({"projects": changes} if changes else {}), **pins}


@verb
def lock(
    specs: Names = (),
    *,
    upgrade: bool | Sequence[str] = False,
    offline: bool = False,
    frozen: bool = False,
    dialect: str | None = None,
    input_format: str | None = None,
    reference_format: str | None = None,
) -> Locked:
    """Lock the packs of projects, and pin the meanings of specs and every pack that they import, by digest.

    The lock and the store of a project are updated to match its file and the imports of its specs: locked versions that
    fit stay, and sources are queried to check that they still offer the same. A spec is pinned in the `scoring.lock` of
    its project or in a lock file next to it, and its imports that the project has not locked yet are locked.

    Args:
        specs: Folders of projects, the current one by default; tasks, packs or suites to pin, or other folders that
            contain such. A spec with errors is a finding and not pinned.
        upgrade: Whether to move packs to the newest version within their range, and to pin the specs again that their
            project pins. The names of packs move these alone.
        offline: Whether to use only local sources (folders, installed packs, the store), never the network.
        frozen: Whether to write and fetch nothing, and fail if the lock is missing or does not match.
        dialect: The dialect in which files of other tools are read.
        input_format: The format of the data that specs are to score, such as ``csv,empty=text``, which is locked, too.
        reference_format: The format of their references, likewise.

    Returns:
        The changes of packs (`projects`) and of specs (`pinned`, `locks`).

    Raises:
        SpecError: when an import can't be resolved, or a pack changed without a new version or does not match a frozen
            lock.
        InputError: when there is no project, a source can't be queried, or a file can't be written.

    Examples:
        >>> import tempfile
        >>> from scoring.specs import new
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "close.yaml").write_text("kind: pack\\nname: close\\nversion: 1.0.0\\n")
        ...     _ = Path(folder, "scoring.toml").write_text('[packs]\\nclose = {folder = "."}\\n')
        ...     [(pack.name, pack.version) for pack in lock(folder).projects[0].packs]
        [('close', '1.0.0')]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = new("task", f"{folder}/mine.yaml")
        ...     [made.name for made in lock(path).locks]
        ['mine.lock.json']
    """
    names = [specs] if isinstance(specs, str | Path) else list(specs)
    own = [found for name in names if (found := _project_in(name)) is not None] if names else [project_at(Path())]
    left = [name for name in names if _project_in(name) is None]
    _check_together(bool(left), bool(upgrade), frozen, offline, dialect or input_format or reference_format)
    moving = None if upgrade is True else frozenset(upgrade or ())
    changes = [bring(one, moving, offline=offline, frozen=frozen) for one in own]
    files, skipped = spec_files(left) if left else ([], ())
    projects = {path: project_of(path.parent) for path in _once(files)}
    changes += _upgrade(projects, moving) if upgrade else _complete(projects, dialect)
    files = _once((*files, *(_pinned((*own, *projects.values())) if upgrade else ())))
    findings, locks, pins = _pin_files(files, dialect, other_settings(input_format, reference_format))
    return Locked(tuple(files), findings, locks=locks, pinned=pins, skipped=skipped, projects=tuple(changes))


def _project_in(name: str | Path) -> Project | None:
    """Return the project whose top folder has the given path; None if the path is not the top folder of a project."""
    found = project_of(Path(name)) if Path(name).is_dir() else None
    return found if found is not None and found.root.samefile(name) else None


def _pin_files(
    files: Sequence[Path], dialect: str | None, settings: Sequence[str]
) -> tuple[tuple[Diagnostic, ...], dict[Path, Lock], dict[Path, Lock]]:
    """Pin specs (record the digests of their meanings and packs) in the locks of their projects, or in lock files next
    to them.

    Args:
        files: The spec files.
        dialect: The dialect in which files of other tools are read.
        settings: The settings of reading data, which are pinned, too.

    Returns:
        The findings of specs with errors, the lock files written, and the pins written into projects' locks, by spec.
    """
    projects = {path: project_of(path.parent) for path in files}
    loader = Loader(dialect=dialect)
    findings: list[Diagnostic] = []
    locks: dict[Path, tuple[Lock, str]] = {}
    for path in files:
        try:
            loaded = loader.file(path, str(path))
            locks[path] = lock_of(loaded, loader, settings), loaded.spec.name
        except SpecError as error:
            findings.extend(error.diagnostics)
    check_dialect_used(loader, dialect, files, findings)
    pinned = _pin(projects, locks)
    made = {}
    for path, (found, name) in locks.items():
        if path not in pinned or lock_path(path).is_file():
            write_file(lock_path(path), spec_lock_text(found, name).encode())
            made[lock_path(path)] = found
    pins = {path: found for path, (found, _) in locks.items() if path in pinned}
    return tuple(findings), made, pins


def _check_together(has_specs: bool, upgrade: bool, frozen: bool, offline: bool, of_specs: object) -> None:
    """Check that options of `lock` can be combined.

    Args:
        has_specs: Whether specs to pin are named.
        of_specs: An option that only concerns specs, if one is given.

    Raises:
        InputError: with the option to leave out.
    """
    if frozen and (upgrade or offline):
        raise InputError("`frozen` writes and fetches nothing; leave `upgrade` and `offline` out")
    if has_specs and (frozen or offline):
        word = "frozen" if frozen else "offline"
        raise InputError(f"`{word}` is for projects; leave the specs out, or write `scoring check --locked SPEC`")
    if of_specs and not has_specs:
        raise InputError(
            "`dialect`, `input_format` and `reference_format` are for specs that are pinned; name the specs"
        )


def _once(paths: Iterable[Path]) -> list[Path]:
    """Return the paths without those that refer to the file of an earlier path."""
    found: dict[Path, Path] = {}
    for path in paths:
        try:
            found.setdefault(real_path(path), path)
        except (OSError, ValueError):  # not a file; reported when it is read
            found.setdefault(path, path)
    return list(found.values())


def _upgrade(projects: dict[Path, Project | None], moving: PackNames) -> Iterator[LockChange]:
    """Lock newer versions of packs in the projects of some specs, and yield the change of each project's lock.

    Args:
        projects: The project of each spec; None for a spec in no project.
        moving: The names of the packs that may move; None for all.

    Raises:
        InputError: when a spec is in no project.
    """
    outside = next((path for path, project in projects.items() if project is None), None)
    if outside is not None:
        raise InputError(f"{outside} is in no project, so there is nothing to upgrade; leave out `upgrade`")
    for project in {one.root: one for one in projects.values() if one is not None}.values():
        yield bring(project, moving)


def _pinned(projects: Iterable[Project | None]) -> list[Path]:
    """Return the paths of the existing specs that are pinned in the locks of some projects."""
    found = []
    for project in {one.root: one for one in projects if one is not None}.values():
        again = project_of(project.root)
        if again is not None and again.lock is not None:
            paths = (again.root / path for path in again.lock.specs)
            found += [Path(from_here(path)) for path in paths if path.is_file()]
    return found


def _complete(projects: dict[Path, Project | None], dialect: str | None) -> Iterator[LockChange]:
    """Lock each project that has a spec with imports that are not locked yet, and yield the change of its lock.

    Args:
        projects: The project of each spec; None for a spec in no project.
        dialect: The dialect in which files of other tools are read.
    """
    loader = Loader(dialect=dialect)
    done = set()
    for path, project in projects.items():
        if project is None or project.root in done:
            continue
        try:
            loaded = loader.file(path, str(path))
            found = check_spec(loaded, loader)
        except SpecError as error:
            found = error.diagnostics
        if project.lock is None or any(one.id == "not-locked" for one in found):
            done.add(project.root)
            yield bring(project)


def _pin(projects: dict[Path, Project | None], locks: dict[Path, tuple[Lock, str]]) -> set[Path]:
    """Write the pins of specs into the locks of their projects; return the paths of those specs that are in a project.

    Args:
        projects: The project of each spec; None for a spec in no project.
        locks: The pins of each spec, with the spec's name.
    """
    found: dict[Path, tuple[Project, dict[str, Path]]] = {}
    for path in locks:
        project = projects.get(path)
        name = None if project is None else spec_in(project, path)
        if project is not None and name is not None:
            found.setdefault(project.root, (project, {}))[1][name] = path
    for project, names in found.values():
        pin(project, {name: locks[path][0].data(locks[path][1]) for name, path in names.items()})
    return {path for _, names in found.values() for path in names.values()}
