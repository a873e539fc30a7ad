"""Load spec files and their imports; every file is read only once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean, nearest
from scoring.diagnostics.words import shown
from scoring.format import locate
from scoring.format.build import build_spec
from scoring.format.definitions import SpecFile
from scoring.format.front_ends import front_end_of
from scoring.format.model import Pack, TaskSpec
from scoring.format.nodes import SpecNode
from scoring.format.read import read_bytes, read_file, read_text
from scoring.format.sections import Import, is_path
from scoring.project.find import STORE, project_place
from scoring.project.versions import is_range, parse_version, satisfies
from scoring.registry.extension import find_service

if TYPE_CHECKING:
    from scoring.format.locked import LockedContent, LockedPacks
    from scoring.project.lock import LockedPack
    from scoring.project.project import Project


@dataclass(frozen=True, slots=True)
class Loaded:
    """A spec that was read, its folder (None for one that was given as data), and the digest of its content.

    ``attributes`` are attributes of the task, such as its domain, that only a file of a foreign form states.
    """

    spec: SpecFile
    folder: Path | None
    digest: str
    path: Path | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


_BUNDLED: dict[Path, Loaded] = {}
# No file is ever opened there: it only gives each file of a content a folder that identifies it for the loader.
_IN_MEMORY = Path("/scoring-held")


def digest_of(data: Any) -> str:
    """Return the SHA-256 of plain data in canonical JSON (sorted keys, no spaces, UTF-8).

    Examples:
        >>> digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1})
        True
    """
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Loader:
    """A loader of files, which caches packs so that two imports of one file yield the same pack.

    Args:
        dialect: The dialect for names in files of a foreign form; by default that of their front end.
        project: The project that resolves imports by name; by default that of the importing file's folder.
    """

    def __init__(self, *, dialect: str | None = None, project: Project | None = None) -> None:
        self._project = None if project is None else _packs_of(project)
        self.dialect = dialect
        self.meets_dialect = False  # whether a file was read for which a dialect matters
        self._packs: dict[Path, Loaded] = {}
        self._opened: dict[tuple[Path | None, str], Loaded] = {}
        self._projects: dict[Path | None, LockedPacks | None] = {}
        self._trees: dict[Path, tuple[Mapping[str, bytes], LockedPacks | None]] = {}
        self._kept: dict[tuple[Path, str, str], Loaded] = {}
        self._bundled = real_path(locate.data_folder("specs"))

    def file(self, path: Path, name: str | None = None) -> Loaded:
        """Return the spec in a file, which messages call `name`; raise SpecError if it has errors."""
        return self.load(read_file(path, name), name=str(name or path), folder=path.parent, path=path)

    def text(self, text: str, path: Path) -> Loaded:
        """Return the spec in a text that is, or will be, the content of the file `path`."""
        return self.load(read_text(text, str(path)), name=str(path), folder=path.parent, path=path)

    def data(self, data: Mapping[str, Any], name: str = "<spec>", folder: Path | None = None) -> Loaded:
        """Return the spec in plain data, which messages call `name`; its imports by path start from `folder`."""
        from scoring.format.read_json import read_data

        return self.load(read_data(dict(data), name), name=name, folder=folder)

    def load(self, node: SpecNode, *, name: str, folder: Path | None = None, path: Path | None = None) -> Loaded:
        """Return the spec of a file, given its root node, after checking it and converting a foreign form."""
        form, attributes = front_end_of(node), {}
        if form is not None:
            attributes = dict(form.attributes(node.plain()))
            own = form.task_name(path) if path is not None else name.strip("<>") or "task"
            node = form.convert(node, own, form.dialect_of(self.dialect))
        if not self._is_bundled(path):
            from scoring.format.schema import UnknownKeys, check_structure

            try:
                check_structure(node)
            except UnknownKeys as error:
                error.again = partial(self.load, error.rest, name=name, folder=folder, path=path)
                raise
        spec = build_spec(node)
        self.meets_dialect |= form is not None or not isinstance(spec, Pack | TaskSpec)
        return Loaded(spec, folder, digest_of(spec.data), path, attributes)

    def _is_bundled(self, path: Path | None) -> bool:
        # Shipped files are validated by the test suite, so not at each use.
        return path is not None and real_path(path).is_relative_to(self._bundled)

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
            root = self._root(folder)
            return self._pack(self._path(entry, folder), entry) if root is None else self._within(root, entry, folder)
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
        project = self.project(folder)
        if project is not None and project.governs(name):
            return self._locked(project, project.chosen(name, wanted, span), span)
        return self.available(name, wanted, span)

    def available(self, name: str, wanted: str = "", span: Span | None = None) -> Loaded:
        """Return the newest shipped or installed version of a pack in the range `wanted`, ignoring project locks.

        Raises:
            SpecError: when there is none; its location is `span`.
        """
        shipped = locate.bundled_packs()
        paths = shipped.get(name) or [path for _, path in locate.installed_packs(name)]
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

    def project(self, folder: Path | None) -> LockedPacks | None:
        """Return the locked packs of the project that a folder belongs to, None if there is no project.

        Raises:
            SpecError: when the project file is invalid.
        """
        root = self._root(folder)
        if root is not None:  # files in a store can't make a project of it
            return self._trees[root][1]
        if self._project is not None:
            return self._project
        if folder not in self._projects:
            place = project_place(folder)
            others = (one for one in self._projects.values() if one and place and one.project.root == place[0])
            self._projects[folder] = next(others, None) or (None if place is None else _packs_at(*place))
        return self._projects[folder]

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
        self._trees[root] = found.files, project
        if found.same is not None and self._is_bundled(found.same):  # already read and valid
            return replace(self._pack(found.same, Import("", locked.name)), folder=place.parent, path=place)
        return self._in_tree(root, locked.entry, f"{locked.name}@{locked.version}/{locked.entry}")

    def _check_unchanged(self, locked: LockedPack, old: Loaded, place: Path, span: Span | None) -> None:
        """Raise SpecError if the local file `place` has the locked version, but scores differently from `old`."""
        from scoring.format.locked import changed_pack_error

        try:
            new = self.file(place, str(place))
        except SpecError:  # it is being edited; the locked content is used
            return
        moved = _moved(old, new, self) if _is_of(new, locked) else ()
        if moved:
            raise changed_pack_error(locked, moved, span)

    def in_memory(self, files: Mapping[str, bytes], entry: str, name: str, folder: Path | None = None) -> Loaded:
        """Return the pack in files in memory, such as an earlier release; its imports by path open no local files.

        Args:
            files: The pack's file and the files that it imports by path, by path.
            entry: The path of the pack's file.
            name: The name of the pack in messages.
            folder: The folder whose project resolves imports by name.

        Raises:
            SpecError: when the spec can't be read.
        """
        from scoring.project.store import tree_digest

        root = _IN_MEMORY / tree_digest(files)
        self._trees[root] = files, self.project(folder)
        return self._in_tree(root, entry, name)

    def _root(self, folder: Path | None) -> Path | None:
        """Return the root of the files in memory that a folder belongs to, None for a folder of the file system."""
        return next((root for root in self._trees if folder is not None and folder.is_relative_to(root)), None)

    def _in_tree(self, root: Path, path: str, name: str) -> Loaded:
        """Return the pack in the file `path` of the files in memory under `root`; messages call it `name`."""
        place = root / path
        if place not in self._packs:
            node = read_bytes(self._trees[root][0][path], name, is_json=path.lower().endswith(".json"))
            self._packs[place] = self.load(node, name=name, folder=place.parent, path=place)
        return self._packs[place]

    def _within(self, root: Path, entry: Import, folder: Path | None) -> Loaded:
        """Return the pack that a pack in memory imports by path: another of the files under its `root`."""
        assert folder is not None
        path = os.path.normpath(os.path.join(folder.relative_to(root).as_posix(), entry.target)).replace(os.sep, "/")
        if path not in self._trees[root][0]:
            raise SpecError.of("import-not-found", f"the pack has no file {shown(entry.target)}", entry.span)
        head = entry.span.source.name.partition("/")[0] if entry.span is not None else ""
        return as_pack(self._in_tree(root, path, f"{head}/{path}"), entry)

    def _path(self, entry: Import, folder: Path | None) -> Path:
        if folder is None:
            raise SpecError.of(
                "import-not-found",
                f"`{entry.target}` is a path, but this spec is not a file",
                entry.span,
                help="give `scoring.load` the path of the file, or import a pack by its name",
            )
        try:
            path = self._below(folder, entry)
            if path.is_file():
                return path
            here = sorted(found.name for found in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        except (OSError, ValueError, RuntimeError) as error:  # too long a path, a zero byte, a loop of links
            from scoring.data.os_errors import refused

            raise SpecError.of(
                "import-not-found",
                f"`{entry.target:.200}` can't be used as the path of a file: {refused(error)}",
                entry.span,
                help="name a file next to this spec, such as `./pack.yaml`",
            ) from None
        raise SpecError.of(
            "import-not-found", f"there is no file `{entry.target}`", entry.span, did_you_mean(path.name, here)
        )

    def _below(self, folder: Path, entry: Import) -> Path:
        """Return the path that an import opens; raise SpecError if it leads out of `folder` and the parent of
        `folder`."""
        root = real_path(folder)
        path = root if Path(entry.target).is_absolute() else real_path(folder / entry.target)
        if Path(entry.target).is_absolute() or not (path.is_relative_to(root) or path.is_relative_to(root.parent)):
            raise SpecError.of(
                "import-outside",
                f"`{entry.target:.200}` is outside the folder of this spec",
                entry.span,
                help="keep imported files in the spec's folder or next to that folder",
            )
        return path

    def _pack(self, path: Path, entry: Import) -> Loaded:
        path = real_path(path)
        # Shipped packs do not change while a process runs; the author's files may.
        known = _BUNDLED if self._is_bundled(path) else self._packs
        if path not in known:
            known[path] = self.file(path, _shown(path, entry))
        return as_pack(known[path], entry)


def _packs_at(root: Path, file: Path | None) -> LockedPacks:
    from scoring.project.project import Project

    return _packs_of(Project(root, file))


def _packs_of(project: Project) -> LockedPacks:
    from scoring.format.locked import LockedPacks  # imported here, since most specs belong to no project

    return LockedPacks(project)


def _is_of(loaded: Loaded, locked: LockedPack) -> bool:
    spec = loaded.spec
    return isinstance(spec, Pack) and (spec.name, spec.version) == (locked.own_name, locked.version)


def as_pack(loaded: Loaded, entry: Import) -> Loaded:
    """Return `loaded`, the file that an import opens; raise SpecError if it is not a pack."""
    if not isinstance(loaded.spec, Pack):
        message = f"`{entry.target}` is not a pack"
        raise SpecError.of("import-not-found", message, entry.span, help="expected `kind: pack`")
    return loaded


def _shown(path: Path, entry: Import) -> str:
    """Return the name of an imported file in messages: the author's path, or the path within the shipped folder."""
    if is_path(entry.target):
        return entry.target
    folder = real_path(locate.data_folder("specs"))
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
