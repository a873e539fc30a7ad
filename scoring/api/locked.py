"""Check specs against the locks that pin them, and check that a dialect that was given applies to some file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.errors import InputError
from scoring.format.load import Loaded, Loader
from scoring.project.find import LOCK_SUFFIX, project_place
from scoring.registry.extension import service

if TYPE_CHECKING:
    from scoring.compiler.identity.lock import Lock
    from scoring.compiler.identity.signature import Recipe
    from scoring.project.project import Project


def lock_of(loaded: Loaded, loader: Loader, settings: Sequence[str] = ()) -> Lock:
    """Return the lock for the current content of a spec of any kind.

    `settings` are format settings of the data that can change a score; they are part of the lock.

    Raises:
        SpecError: when the spec is invalid.
    """
    from scoring.compiler.identity.lock import Lock
    from scoring.compiler.tasks.whole import recipe_of

    return Lock.of(replace(recipe_of(loaded, loader), settings=(*settings,)))


def locked_findings(
    loaded: Loaded,
    path: Path,
    loader: Loader,
    dialect: str | None,
    recipe: Recipe | None = None,
    *,
    locked: bool | None = True,
) -> list[Diagnostic]:
    """Return the differences between a spec and its locks as findings; an empty list if there are none, or no lock.

    Args:
        loaded: The loaded spec.
        path: The path of its file; its lock is next to the file, or part of the lock of its project.
        loader: The loader that finds the packs that the spec imports.
        dialect: The dialect that defines the names in task files of other tools.
        recipe: The spec's compiled recipe, if it is known, so that it is not compiled again.
        locked: True requires a lock, None applies one if it exists, and False ignores locks.
    """
    try:
        pins = pins_of(loaded, path, loader, locked)
        if not pins:  # as most are
            return []
        from scoring.compiler.identity.lock import Lock, lock_findings

        now = lock_of(loaded, loader) if recipe is None else Lock.of(recipe)
        return [one for pin in pins for one in lock_findings(loaded, loader, pin, now)]
    except SpecError as error:
        return list(error.diagnostics)


def pins_of(loaded: Loaded, path: Path, loader: Loader, locked: bool | None) -> list[Lock]:
    """Return the locks that apply to a spec: that of its project, and the one next to its file.

    If `locked` is False, none applies; if it is True, there must be at least one.

    Raises:
        SpecError: when a lock is required and there is none, or one can't be read.
    """
    if locked is False or (locked is None and loaded.path is None):
        return []
    project = loader.project(loaded.folder) if loaded.path is not None else None
    has_own_lock = loaded.path is not None and path.with_suffix(LOCK_SUFFIX).is_file()
    if not (locked or has_own_lock or project):
        return []
    from scoring.compiler.identity.lock import pinned_in, read_lock

    pinned = None if project is None else pinned_in(project.project, path, loaded.spec.span)
    pins = [] if pinned is None else [pinned]
    return [*pins, read_lock(path, loaded.spec.span)] if (locked and not pins) or has_own_lock else pins


def locked_packs(folder: Path, recipe: Recipe) -> dict[str, dict[str, str]]:
    """Return the source, revision and digest that the lock records of each pack in the recipe, by ``name@version``."""
    if project_place(folder) is None:
        return {}
    from scoring.project.project import project_of

    project = project_of(folder)
    if project is None or project.lock is None:
        return {}
    used = {(name.partition("@")[0], version) for name, (version, _) in recipe.packs.items()}
    found = {}
    for one in project.lock.packs:
        if (one.own_name, one.version) in used:
            known = {"source": str(one.where), "revision": one.revision, "content": one.digest}
            found[f"{one.name}@{one.version}"] = {name: value for name, value in known.items() if value}
    return found


def project_at(folder: Path) -> Project:
    """Return the project to which a folder belongs.

    Raises:
        InputError: when there is no such folder, or it is in no project.
        SpecError: when the folder has two project files.
    """
    from scoring.project.project import project_of

    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name one of the project")
    found = project_of(folder)
    if found is None:
        where = "here" if str(folder) == "." else f"in {folder}"
        raise InputError(f"there is no scoring.toml {where} or above; `scoring add ADDRESS` begins a project")
    return found


def check_frozen(specs: Iterable[str | Path]) -> None:
    """Check that the projects of specs, files or folders, have locks that match their project files, specs and stores.

    Raises:
        InputError: when a spec is in no project.
        SpecError: when a lock is missing or does not match.
    """
    projects = {}
    for spec in specs:
        path = Path(spec)
        found = project_at(path if path.is_dir() else path.parent)
        projects[found.root] = found
    for project in projects.values():
        service("project-lock", "--frozen")(project, frozen=True)


def dialect_names() -> Iterator[str]:
    """Yield the names of the dialects for other tools' task files: the default, then those of other packages."""
    from scoring.format.front_ends import default_dialect, dialects

    first = default_dialect()
    if first is not None:
        yield first
    yield from (name for name in dialects() if name != first)


def check_dialect(loader: Loader, dialect: str | None, name: str) -> None:
    """Check that a dialect, if given, had an effect: that ``loader`` read at least one task file of another tool.

    Raises:
        InputError: when all files are native; the message calls them ``name``.
    """
    if dialect is not None and not loader.meets_dialect:
        raise InputError(f"{name} is native; leave --dialect out, which says what names in files of other tools mean")
