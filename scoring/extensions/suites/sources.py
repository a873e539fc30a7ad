"""Read the tasks of a suite from spec files, folders of spec files, or JSONL files of tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.file import InputFile
from scoring.data.folders import walked
from scoring.data.json_read import NotJson, parse
from scoring.data.plain_files import real_path
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.diagnostics.diagnostic import Diagnostics, SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.errors import InputError
from scoring.extensions.names.open_texts import OpenTextLoader, texts_in_place
from scoring.extensions.suites.layout import NAME_KEYS, is_attribute, name_of
from scoring.extensions.suites.spec import SuiteSpec, TaskEntry
from scoring.format.front_ends import default_dialect, front_end_of, front_ends
from scoring.format.load import Loaded
from scoring.format.model import TaskSpec
from scoring.format.read_json import read_data

T = TypeVar("T")


class TaskSource(Struct, frozen=True):
    """A task of a suite that was read but is not compiled yet.

    Args:
        name: The name by which data and results refer to it.
        loaded: Its spec.
        dialect: The dialect that defines its names if it is a file of another tool.
        attributes: Its attributes, for breakdowns.
        shared: Default values for all of its records, such as the evaluation context.
    """

    name: str
    loaded: Loaded
    dialect: str | None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    shared: Mapping[str, Any] = field(default_factory=dict)


class SourceReader:
    """A reader of the tasks that a suite's file names, from spec files, folders and files of tasks.

    The dialect `dialect` applies to tasks of other tools if neither the suite's file nor the entry names one.
    """

    def __init__(self, suite: Loaded, dialect: str | None = None) -> None:
        assert isinstance(suite.spec, SuiteSpec)
        self._spec = suite.spec
        self._folder = suite.folder
        self.dialect = suite.spec.dialect or dialect or default_dialect()
        self._opened = texts_in_place()
        self._loaders: dict[str | None, OpenTextLoader] = {}
        self._forms = tuple(front_ends())

    def loader(self, dialect: str | None) -> OpenTextLoader:
        """Return the loader of spec files in a dialect, the same object at every call, so that packs are read only
        once."""
        if dialect not in self._loaders:
            self._loaders[dialect] = OpenTextLoader(self._opened, dialect=dialect)
        return self._loaders[dialect]

    @property
    def meets_dialect(self) -> bool:
        """Whether any task read so far is a file of another tool, to which dialects apply."""
        return any(loader.meets_dialect for loader in self._loaders.values())

    def entry(self, entry: TaskEntry) -> Iterator[TaskSource]:
        """Yield the tasks that one entry of the suite's key ``tasks`` names.

        Raises:
            SpecError: when there are none, or one of them has errors.
            InputError: when a file can't be read.
        """
        names = set()
        loader = self.loader(entry.dialect or self.dialect)
        met, loader.meets_dialect = loader.meets_dialect, False
        for source in self.tasks(self.path(entry.path), entry.path, entry.dialect or self.dialect):
            names.add(source.name)
            if entry.only is None or source.name in entry.only:
                yield replace(source, attributes={**source.attributes, **entry.attributes})
        if entry.dialect is not None and not loader.meets_dialect:
            raise SpecError.of(
                "wrong-kind-key",
                f"the tasks of `{entry.path}` are native, so `dialect: {entry.dialect}` has no effect",
                entry.dialect_span,
                help="leave it out; it says what names mean in task files of other tools",
            )
        loader.meets_dialect |= met
        for name in entry.only or ():
            if name not in names:
                raise SpecError.of(
                    "unknown-name",
                    f"`only` names the task `{name}`, but there is none in `{entry.path}`",
                    entry.only_span,
                    help=did_you_mean(name, names, f"tasks there: {', '.join(sorted(names)[:8])}"),
                )

    def path(self, target: str) -> Path:
        """Return the path of a file or folder, given as `target` relative to the suite's folder; raise SpecError if it
        is absolute, or outside of the parent of that folder."""
        folder = self._folder or Path()
        path = folder / target
        root = real_path(folder)
        if Path(target).is_absolute() or not real_path(path).is_relative_to(root.parent):
            raise SpecError.of(
                "import-outside",
                f"`{target}` is outside the folder of this suite",
                self._span,
                help="keep the files of a suite in its folder or next to that folder, or name them on the command line",
            )
        return path

    def tasks(self, path: Path, shown: str, dialect: str | None) -> Iterator[TaskSource]:
        """Yield the tasks of a spec file, of a folder, or of a JSONL file.

        Args:
            path: The path.
            shown: Its name in messages.
            dialect: The dialect in which tasks of other tools are read.
        """
        if path.is_dir():
            yield from self._in_folder(path, shown, dialect)
        elif not path.is_file():
            message = f"there is no file or folder `{shown}`"
            raise SpecError.of("import-not-found", message, self._span, help="paths are relative to the suite's file")
        elif path.suffix in (".yaml", ".yml") or _is_single(path):
            source = self._in_file(path, shown, dialect)
            if source is None:
                raise SpecError.of("wrong-kind", f"`{shown}` is not a task", self._span, help="expected `kind: task`")
            yield source
        else:
            rows = read_rows(InputFile(str(path)))
            yield from _each(rows, lambda row: self._in_row(row, path, shown, dialect))

    @property
    def _span(self) -> Span | None:
        # A suite made from a folder has no file with a position.
        return self._spec.span if self._folder is not None else None

    def _in_folder(self, folder: Path, shown: str, dialect: str | None) -> Iterator[TaskSource]:
        names = ["*.yaml", "*.yml", *(form.file_name for form in front_ends() if form.file_name)]
        files = {path for path in walked(folder) if any(fnmatchcase(path.name, name) for name in names)}
        found = False
        for source in _each(
            sorted(files), lambda path: self._in_file(path, str(Path(shown) / path.relative_to(folder)), dialect)
        ):
            found = True
            yield source
        if not found:
            message = f"there is no task in the folder `{shown}`"
            raise SpecError.of("import-not-found", message, self._span, help=f"tasks are {', '.join(names)}")

    def _in_file(self, path: Path, shown: str, dialect: str | None) -> TaskSource | None:
        shown = os.path.normpath(path) if self._folder is not None else shown  # from the working directory
        loader = self.loader(dialect)
        self._opened.read[shown] = path
        node = loader.node(path, shown)
        form = front_end_of(node)
        if form is not None:
            del self._opened.read[shown]
        name = path.parent.name if form is not None and path.name == form.file_name else ""
        renamed = spec_name(name) != name
        loaded = loader.load(
            node, name=spec_name(name) if renamed else shown, folder=path.parent, path=None if renamed else path
        )
        if not isinstance(loaded.spec, TaskSpec):
            return None  # packs and suites may be in the same folder
        return TaskSource(name or loaded.spec.name, loaded, dialect)

    def _in_row(self, row: Row, path: Path, shown: str, dialect: str | None) -> TaskSource:
        data = row.record
        if data is None:
            raise InputError(f"can't read {shown}: {row.reason}")
        name = name_of(data)
        keys = ("spec", *(key for form in self._forms for key in form.spec_keys))
        spec = next((data[key] for key in keys if data.get(key)), None)
        if isinstance(spec, str):  # a table of texts contains the spec as JSON text
            spec = _parsed(spec)
        if name is None or not isinstance(spec, dict):
            missing = "names no task" if name is None else f"has no spec: one of {', '.join(keys)} is required"
            what = f"{missing}; if these are records, the spec comes before them: `scoring score SPEC DATA`"
            raise InputError(f"can't read {shown}: {row.where} {what}")
        loaded = self.loader(dialect).data(spec, spec_name(name), path.parent)
        if not isinstance(loaded.spec, TaskSpec):
            raise InputError(f"can't read {shown}: {row.where}: the spec is not a task")
        shared_keys = ("context", *(key for form in self._forms for key in form.shared_keys))
        shared = {key: _parsed(data[key]) for key in shared_keys if data.get(key)}
        known = {*NAME_KEYS, *keys, *shared_keys}
        attributes = {k: value for k, value in data.items() if k not in known and is_attribute(value)}
        return TaskSource(name, loaded, dialect, attributes, shared)


def _each(items: Iterable[T], read: Callable[[T], TaskSource | None]) -> Iterator[TaskSource]:
    """Yield the tasks that `read` returns for some files or rows (None for one without a task), and afterwards raise
    the errors of all of them together."""
    broken = Diagnostics()
    for item in items:
        try:
            source = read(item)
        except SpecError as error:
            broken.extend(error.diagnostics)
        else:
            yield from [] if source is None else [source]
    broken.raise_errors()


def spec_name(name: str) -> str:
    """Return a task's name as a valid name of a spec, which must begin with a letter.

    Examples:
        >>> spec_name("chess"), spec_name("3d_indoor")
        ('chess', 'task_3d_indoor')
    """
    return name if not name or name[0].isalpha() or name[0] == "_" else f"task_{name}"


def _is_single(path: Path) -> bool:
    """Return True if a file is a JSON file with one spec, and False if it is a table of tasks."""
    if path.suffix != ".json":
        return False
    data = _parsed(path.read_text(encoding="utf-8-sig", errors="replace"))
    if not isinstance(data, dict):
        return any(path.name == form.file_name for form in front_ends())
    try:
        return "kind" in data or front_end_of(read_data(data)) is not None
    except SpecError:  # not a readable spec; reading it as a table reports the problem
        return False


def _parsed(value: Any) -> Any:
    """Return the value of a JSON text; anything else, also a text that is not JSON, unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except NotJson:
        return value
