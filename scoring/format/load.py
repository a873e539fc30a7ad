"""Load spec files; what they import is opened by `format/packs.py`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.build import build_spec
from scoring.format.definitions import SpecFile
from scoring.format.model import Pack, TaskSpec
from scoring.format.nodes import SpecNode
from scoring.format.read import read_file, read_text
from scoring.format.sections import Import
from scoring.format.shipped import data_folder
from scoring.project.find import SPEC_FILES, project_place
from scoring.registry.extension import find_service, service

if TYPE_CHECKING:
    from scoring.format.locked import LockedPacks


class Loaded(Struct, frozen=True):
    """A loaded spec, with its folder (None if it was given as data) and the digest and nodes of its content.

    ``attributes`` are attributes of the task, such as its domain, that only a file in another tool's format states;
    ``warnings`` name the parts of such a file that have no effect.
    """

    spec: SpecFile
    folder: Path | None
    digest: str
    node: SpecNode
    path: Path | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()


def digest_of(data: Any) -> str:
    """Return the SHA-256 of plain data in canonical JSON (sorted keys, no spaces, UTF-8).

    Examples:
        >>> digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1})
        True
    """
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Loader:
    """A loader of files.

    Args:
        dialect: The dialect for names in files of other tools; by default that of their front end.
        project: The locked packs of the project that resolves imports by name; by default that of the importing file.

    Attributes:
        meets_dialect: Whether a file was read for which a dialect matters.
        trees: Files in memory by path, with the locked packs of their project, by the folder that identifies them.
        packs: The packs that its specs import, which `format.packs.packs_of` returns; None until one is opened.
        bases: The specs that tasks extend, by the folder and the entry; None for one that is being read.
    """

    def __init__(self, *, dialect: str | None = None, project: LockedPacks | None = None) -> None:
        self._project = project
        self.dialect = dialect
        self.meets_dialect = False
        self.trees: dict[Path, tuple[Mapping[str, bytes], LockedPacks | None]] = {}
        self.packs: object = None
        self.bases: dict[tuple[Path | None, str], Loaded | None] = {}
        self._projects: dict[Path | None, LockedPacks | None] = {}
        self._shipped = real_path(data_folder("specs"))

    def file(self, path: Path, name: str | None = None) -> Loaded:
        """Return the spec in a file, or of a name such as `squad@2`; messages call it `name`.

        Raises:
            SpecError: when it is missing or has errors.
        """
        if path.suffix not in SPEC_FILES and (named := find_service("named-spec")) is not None:
            name, path = str(name or path), named(path)
        return self.load(read_file(path, name), name=str(name or path), folder=path.parent, path=path)

    def text(self, text: str, path: Path) -> Loaded:
        """Return the spec in a text that is, or will be, the content of the file `path`."""
        return self.load(read_text(text, str(path)), name=str(path), folder=path.parent, path=path, edited=True)

    def data(self, data: Mapping[str, Any], name: str = "<spec>", folder: Path | None = None) -> Loaded:
        """Return the spec in plain data, which messages call `name`; its imports by path start from `folder`."""
        from scoring.format.read_json import read_data

        return self.load(read_data(dict(data), name), name=name, folder=folder)

    def load(
        self, node: SpecNode, *, name: str, folder: Path | None = None, path: Path | None = None, edited: bool = False
    ) -> Loaded:
        """Return the spec of a file, given its root node, after checking it and converting a file of another tool.

        If the text is ``edited``, it is checked even if the file is one of ours.
        """
        form, attributes = None, {}
        warnings: tuple[Diagnostic, ...] = ()
        if "kind" not in node:
            from scoring.format.front_ends import front_end_of

            form = front_end_of(node)
        if form is not None:
            attributes = dict(form.attributes(node.plain()))
            own = form.task_name(path) if path is not None else name.strip("<>") or "task"
            warnings = tuple(form.warn(node))
            node = form.convert(node, own, form.dialect_of(self.dialect))
        try:
            if edited or not self.is_shipped(path):
                from scoring.format.schema import check_structure

                check_structure(node)
            if "extends" in node:
                node = service("extended-task", "`extends:`")(self, node, folder)
            spec = build_spec(node)
        except SpecError as error:
            if form is None and error.load is None:
                error.load = node, partial(self.load, name=name, folder=folder, path=path, edited=edited)
            raise
        self.meets_dialect |= form is not None or not isinstance(spec, Pack | TaskSpec)
        return Loaded(spec, folder, digest_of(spec.data), node, path, attributes, warnings)

    def base(self, entry: Import, folder: Path | None) -> Loaded:
        """Return the spec that a task in `folder` extends, the same for further calls; raise SpecError if it is invalid
        or missing."""
        found: Loaded = service("base-of-task", "`extends:`")(self, entry, folder)
        return found

    def is_shipped(self, path: Path | None) -> bool:
        """Return whether a file is one of ours, which the test suite validates, so that it is not done at each use."""
        return path is not None and real_path(path).is_relative_to(self._shipped)

    def project(self, folder: Path | None) -> LockedPacks | None:
        """Return the locked packs of the project that a folder belongs to, None if there is no project.

        Raises:
            SpecError: when the project file is invalid.
        """
        root = self.root_of(folder)
        if root is not None:  # files in a store can't make a project of it
            return self.trees[root][1]
        if self._project is not None:
            return self._project
        if folder not in self._projects:
            place = project_place(folder)
            others = (one for one in self._projects.values() if one and place and one.project.root == place[0])
            self._projects[folder] = next(others, None) or (None if place is None else _packs_at(*place))
        return self._projects[folder]

    def root_of(self, folder: Path | None) -> Path | None:
        """Return the root of the files in memory that a folder belongs to, None for a folder of the file system."""
        return next((root for root in self.trees if folder is not None and folder.is_relative_to(root)), None)


def _packs_at(root: Path, file: Path | None) -> LockedPacks:
    from scoring.format.locked import LockedPacks  # imported here, since most specs belong to no project
    from scoring.project.project import Project

    return LockedPacks(Project(root, file))
