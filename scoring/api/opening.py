"""Open a spec of any kind: load it, compile it, and check it against its lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.api.arguments import check_number, in_words, verb
from scoring.api.locked import check_dialect, check_frozen, locked_findings, pins_of
from scoring.compiler.records.record_reader import place_parts
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.file_format import holds_rows
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.errors import InputError
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec
from scoring.registry.extension import service
from scoring.statistics.breakdown import attributes_of

if TYPE_CHECKING:
    from scoring.compiler.identity.lock import Lock
    from scoring.compiler.identity.signature import Recipe
    from scoring.engine.features import RunKind
    from scoring.registry.spec_kind import CompiledFile

SpecSource: TypeAlias = str | Path | Mapping[str, Any]
"""A spec's file, the name of a shipped task or suite, a folder or a file of tasks, or a spec as data."""

SUITE_FILES = ("tasks", "attributes", "results")


class Opened(Struct, frozen=True):
    """A compiled spec, ready to score, with what is known about its files.

    Args:
        target: The compiled task, or the compiled file that joins tasks, such as a suite.
        spec: The path of its file as the user gave it; "" for a spec given as data.
        folder: The folder to which the paths of files in the spec are relative.
        dialect: The dialect that defines the names in task files of other tools.
        by: Breakdowns in addition to those of the spec.
        files: For a suite, the files of tasks, attributes and results that the user gave in place of the spec's.
        warnings: The findings that are not errors.
        pins: The locks that apply to the spec.
    """

    target: CompiledTask | CompiledFile
    spec: str = ""
    folder: Path = field(default_factory=Path)
    dialect: str | None = None
    by: tuple[str, ...] = ()
    files: Mapping[str, str | None] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    pins: tuple[Lock, ...] = ()

    @property
    def kind(self) -> RunKind:
        """The kind of run: ``rows`` for a task over records, ``table`` for one over a data set as a whole, or the kind
        of a file that joins tasks, such as ``suite``."""
        if not isinstance(self.target, CompiledTask):
            return str(self.target.spec.kind)
        return "rows" if self.target.spec.records is None else "table"

    @property
    def task(self) -> CompiledTask:
        """The compiled task; only for the spec of a task, not for a file that joins tasks."""
        assert isinstance(self.target, CompiledTask)
        return self.target

    @property
    def joined(self) -> CompiledFile | None:
        """The compiled file, if the spec joins tasks; None for a task."""
        return None if isinstance(self.target, CompiledTask) else self.target

    @property
    def texts(self) -> dict[Path, bytes]:
        """The content of the spec's and its tasks' files as it was when they were read, by path."""
        joined = self.joined
        loaded: Sequence[Loaded] = [self.task.parts.loaded] if joined is None else joined.loaded
        found = {one.path: one.spec.span.source.text.encode() for one in loaded if one.path and one.spec.span}
        return found if joined is None else {**found, Path(self.spec): joined.bundle.files[0].text.encode()}

    @property
    def recipe(self) -> Recipe:
        """The recipe, the data from which the signature is made."""
        return self.target.parts.recipe if isinstance(self.target, CompiledTask) else self.target.recipe

    def seeded(self, seed: int) -> Opened:
        """Return a copy with another seed for everything that draws random numbers."""
        return replace(self, target=self.target.seeded(seed))

    def read_by(self, settings: Sequence[str]) -> Opened:
        """Return a copy for data that is read with the given format settings, which become part of the signature.

        Raises:
            SpecError: when a lock pins other settings.
        """
        opened = replace(self, target=self.target.read_by(settings)) if settings else self
        if self.pins:
            from scoring.compiler.identity.lock import Lock, read_findings

            now, spec = Lock.of(opened.recipe), self.target.spec
            if found := [one for pin in self.pins for one in read_findings(spec.span, spec.name, pin, now, "format")]:
                raise SpecError(found)
        return opened

    def check_has(self, feature: str) -> None:
        """Check that this kind of task supports a feature.

        Raises:
            InputError: when the feature is not supported; the message gives the reason.
        """
        from scoring.engine.features import unsupported_reason

        reason = unsupported_reason(feature, self.kind)
        if reason is not None:
            raise InputError(f"{feature}: {reason}")


@verb
def open_spec(
    spec: SpecSource,
    *,
    dialect: str | None = None,
    by: Sequence[str] = (),
    seed: int | None = None,
    locked: bool | None = None,
    frozen: bool = False,
    tasks: str | Path | None = None,
    attributes: str | Path | None = None,
    results: str | Path | None = None,
    task_only: bool = False,
) -> Opened:
    """Load and compile a spec of any kind, or only a task's, and check it against its lock; `scoring.evaluate`
    documents the arguments.

    Raises:
        SpecError: with all findings, when the spec is invalid, differs from its lock, or is no task where only one is
            taken.
        InputError: for a pack, and for arguments of suites if it is not a suite.
    """
    more: tuple[Any, ...] = tuple(by) if isinstance(by, list | tuple | set | dict) else (by,)
    if odd := [one for one in more if not isinstance(one, str)]:
        raise InputError(f"a breakdown is the path of an attribute, such as `lang`, not {in_words(odd[0])}")
    check_number("seed", seed)
    if frozen:
        check_frozen([Path() if isinstance(spec, Mapping) else spec])
    loader, shown = Loader(dialect=dialect), "the spec" if isinstance(spec, Mapping) else str(spec)
    # Neither a folder nor a file of tasks is a spec: an extension makes one of them.
    holds_tasks = not task_only and not isinstance(spec, Mapping) and (Path(spec).is_dir() or holds_rows(shown))
    suite_files = dict(zip(SUITE_FILES, (tasks, attributes, results), strict=True))
    paths = {name: None if value is None else Path(value) for name, value in suite_files.items()}
    loaded = _loaded(spec, loader, holds_tasks)
    _check_kind(loaded.spec, shown, task_only)
    check_dialect(loader, None if holds_tasks else dialect, shown)
    if holds_tasks:
        paths["tasks"] = paths["tasks"] or Path(shown)
    if any(paths.values()) and isinstance(loaded.spec, TaskSpec):
        raise InputError(f"{shown} is no suite; --tasks, --attributes and --results are for suites")
    if isinstance(loaded.spec, TaskSpec):
        _check_by(more)
    model: Any = loaded.spec  # every kind but packs has breakdowns
    loaded = replace(loaded, spec=replace(model, by=tuple(dict.fromkeys((*model.by, *more)))))
    target, warnings = _compiled(loaded, loader, paths, dialect)
    opened = Opened(
        target,
        "" if isinstance(spec, Mapping) else shown,
        loaded.folder or Path(),
        dialect,
        more,
        {name: None if value is None else str(value) for name, value in suite_files.items()},
        warnings,
    )
    found = locked_findings(loaded, Path(shown), loader, dialect, opened.recipe, locked=locked)
    if found:
        raise SpecError(found)
    opened = replace(opened, pins=(*pins_of(loaded, Path(shown), loader, locked),))
    return opened if seed is None else opened.seeded(seed)


def _check_kind(spec: Any, shown: str, task_only: bool) -> None:
    """Raise an error for a pack, and for any spec that is no task where only a task is taken."""
    if task_only and not isinstance(spec, TaskSpec):
        raise SpecError.of(
            "wrong-kind",
            f"this is a {spec.kind}, not a task",
            spec.span,
            help="a pack's scorers are read with `scoring.scorer`, a suite is run with `scoring.evaluate`",
        )
    if isinstance(spec, Pack):
        raise InputError(f"{shown} is a pack; this needs a task or a suite")


def _check_by(by: Sequence[str]) -> None:
    """Raise an `InputError` unless additional breakdowns are valid paths; compiling a spec checks its own."""
    for path in (part for name in by for part in attributes_of(name)):
        try:
            place_parts(path)
        except SpecError as error:
            found = error.diagnostics[0]
            raise InputError(f"--by {path}: {found.message}; {' '.join(found.help)}") from None


def reopened(spec: SpecSource | CompiledTask | Opened, **options: Any) -> Opened:
    """Open a spec by `open_spec` with the options; return a loaded one as it is, or with the seed in the options.

    Raises:
        InputError: when a loaded spec is given together with options that only apply to loading.
        SpecError: when the spec is invalid.
    """
    if not isinstance(spec, (CompiledTask, Opened)):
        return open_spec(spec, **options)
    seed = options.pop("seed", None)
    check_number("seed", seed)
    late = [name for name, value in options.items() if value]
    if late:
        raise InputError(f"`{late[0]}` is said when a spec is loaded; give it to `load`, or give `evaluate` the path")
    if isinstance(spec, CompiledTask):
        known: Opened | None = getattr(spec, "opened", None)
        spec = Opened(spec) if known is None else replace(known, target=spec)
    return spec if seed is None else spec.seeded(seed)


def _loaded(spec: SpecSource, loader: Loader, holds_tasks: bool) -> Loaded:
    try:
        if isinstance(spec, Mapping):
            return loader.data(spec)
        if not holds_tasks:
            return loader.file(Path(spec), str(spec))
        found: Loaded = service("spec-of-tasks", f"{spec}, which holds tasks,")(Path(spec), dialect=loader.dialect)
        return found
    except SpecError as error:
        from scoring.compiler.tasks.checking import and_the_rest

        raise and_the_rest(error, loader) from None


def _compiled(
    loaded: Loaded, loader: Loader, paths: Mapping[str, Path | None], dialect: str | None
) -> tuple[CompiledTask | CompiledFile, tuple[Diagnostic, ...]]:
    if isinstance(loaded.spec, TaskSpec):
        return compile_task(loaded, loader)
    from scoring.registry.spec_kind import spec_kind

    found = spec_kind(loaded.spec.kind).compile(loaded, dialect, paths)
    return found, tuple(found.warnings)
