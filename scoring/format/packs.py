"""Open the packs that specs import: by path, by name from a project's lock or what is installed, or held in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import nearest
from scoring.diagnostics.words import shown
from scoring.format import locate
from scoring.format.definitions import Defining
from scoring.format.import_paths import imported_path
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.format.read import read_bytes
from scoring.format.sections import Import, is_path
from scoring.format.shipped import data_folder
from scoring.project.find import STORE
from scoring.project.versions import is_range, parse_version, satisfies
from scoring.registry.extension import find_service

if TYPE_CHECKING:
    from scoring.format.locked import LockedContent, LockedPacks
    from scoring.project.lock import LockedPack

_SHIPPED: dict[Path, Loaded] = {}


class Packs:
    """The packs that the specs of a loader import; two imports of one file yield the same pack."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self._packs: dict[Path, Loaded] = {}
        self._opened: dict[tuple[Path | None, str], Loaded] = {}
        self._kept: dict[tuple[Path, str, str], Loaded] = {}

    def imported(self, entry: Import, folder: Path | None) -> Loaded:
        """Return the pack that an import of a spec in `folder` opens; further calls return the same object.

        Raises:
            SpecError: when it is missing, is not a pack, or has no matching version.
        """
        known = self._opened.get((folder, entry.target))
        if known is None:
            known = self._opened[folder, entry.target] = self._found(entry, folder)
        return known

    def _found(self, entry: Import, folder: Path | None) -> Loaded:
        if is_path(entry.target):
            root = self.loader.root_of(folder)
            return (
                self._pack(imported_path(entry, folder), entry) if root is None else self._within(root, entry, folder)
            )
        name, _, wanted = entry.target.partition("@")
        if wanted and not is_range(wanted):
            raise SpecError.of(
                "import-version",
                f"{shown(wanted)} is not a version or a range of versions",
                entry.span,
                help=f"write `{name}@1`, `{name}@1.2` or `{name}@>=1.2,<2`",
            )
        return self.by_name(name, wanted, entry.span, folder)

    def by_name(self, name: str, wanted: str = "", span: Span | None = None, folder: Path | None = None) -> Loaded:
        """Return a pack's newest version in the range `wanted`: locked by the project of `folder`, else installed.

        Raises:
            SpecError: when there is none; its location is `span`.
        """
        project = self.loader.project(folder)
        if project is not None and project.governs(name) and (name in project.names() or not tasks_called(name)):
            return self._locked(project, project.chosen(name, wanted, span), span)
        return self.available(name, wanted, span)

    def available(self, name: str, wanted: str = "", span: Span | None = None) -> Loaded:
        """Return the newest shipped or installed version of a pack in the range `wanted`, ignoring project locks.

        Raises:
            SpecError: when there is none; its location is `span`.
        """
        shipped = locate.bundled_packs()
        paths = shipped.get(name) or [path for _, path in locate.installed_packs(name)] or tasks_called(name)
        if not paths:
            known = sorted({*shipped, *(other for other, _ in locate.installed_packs())})
            similar, path = nearest(name, known), shown(f"./{name}.yaml")
            raise SpecError.of(
                "import-not-found",
                f"no pack is called {shown(name)}",
                span,
                f"did you mean `{similar}`?" if similar else "",
                help=f"packs here: {', '.join(known)}; your own file is imported by its path, {path}; "
                "`scoring add ADDRESS` adds a pack from elsewhere",
            )
        packs = [self._pack(path, Import("", name, span)) for path in paths]
        fitting = [pack for pack in packs if not wanted or satisfies(pack.spec.version, wanted)]
        if not fitting:
            versions = ", ".join(pack.spec.version for pack in packs)
            raise SpecError.of(
                "import-version",
                f"`{name}` has no version that fits `{wanted}`",
                span,
                help=f"versions here: {versions}",
            )
        return max(fitting, key=lambda pack: parse_version(pack.spec.version))

    def _locked(self, project: LockedPacks, locked: LockedPack, span: Span | None) -> Loaded:
        """Return the pack of a locked version; raise SpecError if its local source now scores differently."""
        from scoring.format.locked import other_content

        key = project.project.root, locked.name, locked.version
        if key not in self._kept:
            found = project.content(locked, span)
            loaded = self._of_content(project, locked, found)
            if not _is_of(loaded, locked):
                raise other_content(locked, loaded.spec.name, loaded.spec.version)
            for other in found.others:
                self._check_unchanged(locked, loaded, other, span)
            self._kept[key] = loaded
        return self._kept[key]

    def _of_content(self, project: LockedPacks, locked: LockedPack, found: LockedContent) -> Loaded:
        root = project.project.root / STORE / locked.digest[:2] / locked.digest
        place = root / locked.entry
        if locked.entry not in found.files:
            raise project.project.store.damaged(locked.digest, f"it has no {shown(locked.entry)}")
        self.loader.trees[root] = found.files, project
        if found.same is not None and self.loader.is_shipped(found.same):  # already read and valid
            return replace(self._pack(found.same, Import("", locked.name)), folder=place.parent, path=place)
        return self.in_tree(root, locked.entry, f"{locked.name}@{locked.version}/{locked.entry}")

    def _check_unchanged(self, locked: LockedPack, old: Loaded, place: Path, span: Span | None) -> None:
        """Raise SpecError if the local file `place` has the locked version, but scores differently from `old`."""
        from scoring.format.locked import changed_pack_error

        try:
            new = self.loader.file(place, str(place))
        except SpecError:  # it is being edited; the locked content is used
            return
        moved = _moved(old, new, self.loader) if _is_of(new, locked) else ()
        if moved:
            raise changed_pack_error(locked, moved, span)

    def in_tree(self, root: Path, path: str, name: str) -> Loaded:
        """Return the pack in the file `path` of the files in memory under `root`; messages call it `name`."""
        place = root / path
        if place not in self._packs:
            node = read_bytes(self.loader.trees[root][0][path], name, is_json=path.lower().endswith(".json"))
            self._packs[place] = self.loader.load(node, name=name, folder=place.parent, path=place)
        return self._packs[place]

    def _within(self, root: Path, entry: Import, folder: Path | None) -> Loaded:
        """Return the pack that a pack in memory imports by path: another of the files under its `root`."""
        assert folder is not None
        path = os.path.normpath(os.path.join(folder.relative_to(root).as_posix(), entry.target)).replace(os.sep, "/")
        if path not in self.loader.trees[root][0]:
            raise SpecError.of("import-not-found", f"the pack has no file {shown(entry.target)}", entry.span)
        head = entry.span.source.name.partition("/")[0] if entry.span is not None else ""
        return as_pack(self.in_tree(root, path, f"{head}/{path}"), entry)

    def _pack(self, path: Path, entry: Import) -> Loaded:
        path = real_path(path)
        # Shipped packs do not change while a process runs; the author's files may.
        known = _SHIPPED if self.loader.is_shipped(path) else self._packs
        if path not in known:
            known[path] = self.loader.file(path, _shown(path, entry))
        return as_pack(known[path], entry)


def tasks_called(name: str) -> list[Path]:
    """Return the files of the shipped and installed tasks with a name, whose definitions can be imported like those of
    a pack; none if a pack has the name. No project locks them: they come with the package that brings them."""
    find = find_service("task-files")
    is_pack = name in locate.bundled_packs() or any(locate.installed_packs(name))
    return [] if is_pack or find is None else list(find(name))


def packs_of(loader: Loader) -> Packs:
    """Return the packs that the specs of a loader import, the same for further calls."""
    if not isinstance(loader.packs, Packs):
        loader.packs = Packs(loader)
    return loader.packs


def _is_of(loaded: Loaded, locked: LockedPack) -> bool:
    spec = loaded.spec
    return isinstance(spec, Pack) and (spec.name, spec.version) == (locked.own_name, locked.version)


def as_pack(loaded: Loaded, entry: Import) -> Loaded:
    """Return `loaded`, the file that an import opens; raise SpecError if it is neither a pack nor a task."""
    if not isinstance(loaded.spec, Defining):
        message = f"`{entry.target}` is neither a pack nor a task"
        raise SpecError.of("import-not-found", message, entry.span, help="expected `kind: pack` or `kind: task`")
    return loaded


def _shown(path: Path, entry: Import) -> str:
    """Return the name of an imported file in messages: the author's path, or the path within the shipped folder."""
    if is_path(entry.target):
        return entry.target
    folder = real_path(data_folder("specs"))
    return str(path.relative_to(folder.parent)) if path.is_relative_to(folder) else path.name


def _moved(old: Loaded, new: Loaded, loader: Loader) -> Sequence[str]:
    """Return lines that say which scores change between two contents of one version of a pack, none if none change.

    An extension computes them by comparing the meanings of definitions; changes of comments and documentation are
    ignored.
    """
    lines = find_service("moves-between")
    if lines is not None:
        found: Sequence[str] = lines(old, loader, new, loader)
        return found
    return () if old.digest == new.digest else ("its text is different",)
