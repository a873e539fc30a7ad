"""The verb `lock`: what specs mean, pinned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scoring.api.files import write_file
from scoring.api.locked import lock_of, project_at
from scoring.api.named_specs import Names, looked_at
from scoring.api.specs import Checked, check_used
from scoring.api.verb import verb
from scoring.compiler.lock import Lock, lock_path, spec_in
from scoring.data.plain_files import real_path
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.load import Loader
from scoring.project.project import Project, from_here, project_of


@verb
def lock(specs: Names = (), *, dialect: str | None = None, upgrade: bool = False) -> Checked:
    """Pin what specs mean, and every pack that they import, by digest.

    In a project that stands in its `scoring.lock`; each other spec gets a lock file beside it.

    Args:
        specs: Tasks, packs or suites; a broken one is a finding, and gets no lock.
        dialect: What the names in a file of a foreign form mean.
        upgrade: Whether the packs of the project move to the newest versions within their ranges, and every spec that
            it pins is pinned anew; without ``specs`` the project that one works in.

    Raises:
        InputError: when a lock can't be written, or `upgrade` is said of what is in no project.
        SpecError: when a pack can't be locked.

    Examples:
        >>> import tempfile
        >>> from scoring import new
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = new("task", f"{folder}/mine.yaml")
        ...     [made.name for made in lock(path).locks]
        ['mine.lock.json']
    """
    files, skipped = _files(specs, upgrade)
    files = _once(files)
    projects = {path: project_of(path.parent) for path in files}
    if upgrade:
        _upgrade(projects)
        files = _once((*files, *_pinned(projects.values(), None if specs else project_at(Path()))))
        projects = {path: project_of(path.parent) for path in files}
    else:
        _complete(projects, dialect)
    loader = Loader(dialect=dialect)
    findings: list[Diagnostic] = []
    locks: dict[Path, tuple[Lock, str]] = {}
    for path in files:
        try:
            loaded = loader.file(path, str(path))
            locks[path] = lock_of(loaded, loader, dialect), loaded.spec.name
        except SpecError as error:
            findings.extend(error.diagnostics)
    check_used(loader, dialect, files, findings)
    pinned = _pin(projects, locks)
    made = {}
    for path, (found, name) in locks.items():
        if path not in pinned or lock_path(path).is_file():
            write_file(lock_path(path), found.text(name))
            made[lock_path(path)] = found
    pins = {path: found for path, (found, _) in locks.items() if path in pinned}
    return Checked(tuple(files), tuple(findings), locks=made, pinned=pins, skipped=skipped)


def _files(specs: Names, upgrade: bool) -> tuple[list[Path], tuple[str, ...]]:
    if upgrade and not isinstance(specs, str | Path) and not list(specs):
        return [], ()
    return looked_at(specs)


def _once(paths: Iterable[Path]) -> list[Path]:
    """Each file once, however it is written: by the first path that names it."""
    found: dict[Path, Path] = {}
    for path in paths:
        try:
            found.setdefault(real_path(path), path)
        except (OSError, ValueError):  # of no file; it is told where it is read
            found.setdefault(path, path)
    return list(found.values())


def _upgrade(projects: dict[Path, Project | None]) -> None:
    """Move the packs of all projects."""
    from scoring.sharing.sync import bring

    outside = next((path for path, project in projects.items() if project is None), None)
    if outside is not None:
        raise InputError(f"{outside} is in no project, so there is nothing to upgrade; leave out `upgrade`")
    found = [project for project in projects.values() if project is not None] or [project_at(Path())]
    for project in {one.root: one for one in found}.values():
        bring(project, None)


def _pinned(projects: Iterable[Project | None], here: Project | None) -> Sequence[Path]:
    """The specs that projects pin already."""
    found = []
    for project in {one.root: one for one in (*projects, here) if one is not None}.values():
        again = project_of(project.root)
        if again is not None and again.lock is not None:
            held = (again.root / path for path in again.lock.specs)
            found += [Path(from_here(path)) for path in held if path.is_file()]
    return found


def _complete(projects: dict[Path, Project | None], dialect: str | None) -> None:
    """Lock what specs import and their project has not locked yet."""
    from scoring.compiler.compile import check
    from scoring.sharing.sync import bring

    loader = Loader(dialect=dialect)
    done = set()
    for path, project in projects.items():
        if project is None or project.root in done:
            continue
        try:
            loaded = loader.file(path, str(path))
            found = check(loaded, loader)
        except SpecError as error:
            found = error.diagnostics
        if project.lock is None or any(one.id == "not-locked" for one in found):
            done.add(project.root)
            bring(project)


def _pin(projects: dict[Path, Project | None], locks: dict[Path, tuple[Lock, str]]) -> set[Path]:
    """Write what specs mean into the locks of their projects; the specs that stand there now."""
    from scoring.sharing.sync import pin

    found: dict[Path, tuple[Project, dict[str, Path]]] = {}
    for path in locks:
        project = projects.get(path)
        name = None if project is None else spec_in(project, path)
        if project is not None and name is not None:
            found.setdefault(project.root, (project, {}))[1][name] = path
    for project, names in found.values():
        pin(project, {name: locks[path][0].data(locks[path][1]) for name, path in names.items()})
    return {path for _, names in found.values() for path in names.values()}
