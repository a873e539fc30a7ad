"""Find and check spec files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct, field

from scoring.api.arguments import verb
from scoring.api.locked import check_dialect, check_frozen, locked_findings
from scoring.data.folders import walked
from scoring.data.plain_files import read_plain, real_path
from scoring.diagnostics.diagnostic import Diagnostic, SpecError, diagnostic
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import STORE
from scoring.registry.extension import find_service, service
from scoring.registry.plugins import KIND_WORDS
from scoring.registry.table_kind import table_kind

if TYPE_CHECKING:
    from scoring.compiler.identity.lock import Lock


Names: TypeAlias = str | Path | Iterable[str | Path]
SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 8_000_000
# A line of YAML that begins so, or a key of JSON.
_WORDS = "|".join(KIND_WORDS).encode()
_KIND = lazy_pattern(rb"""(?m)^\{?[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?(?:""" + _WORDS + rb")\b")
_KEY = lazy_pattern(rb'"kind"\s*:\s*"(?:' + _WORDS + rb')"')


def spec_files(specs: Names, only_specs: bool = False) -> tuple[list[Path], tuple[str, ...]]:
    """Return the spec files under some paths, with every YAML file below a folder, and messages on what was skipped.

    With `only_specs`, files that don't declare a `kind` of spec are left out.

    Raises:
        InputError: without `only_specs`, when there are no paths, or a folder has no spec files.
    """
    found: list[Path] = []
    skipped: list[str] = []
    for name in [specs] if isinstance(specs, (str, Path)) else specs:
        path = Path(name)
        if path.is_dir():
            inside = sorted(_inside(path, skipped, only_specs))
            if not inside and not only_specs:
                raise InputError("; ".join([f"there are no spec files in {name}", *skipped]))
            found += inside
        elif not only_specs or declares_kind(path) or not path.exists():  # who names what is not there is told so
            found.append(path)
    if not found and not only_specs:
        raise InputError("which specs? None is named")
    return list(dict.fromkeys(found)), tuple(skipped)


def declares_kind(path: Path) -> bool:
    """Return whether a file has a `kind` of spec; True for one that can't be read, which is reported later.

    Examples:
        >>> declares_kind(Path("specs/quickstart/invoices.yaml")), declares_kind(Path("pyproject.toml"))
        (True, False)
    """
    if path.suffix.lower() not in (*SUFFIXES, ".json"):
        return False
    try:
        content = read_plain(path, _MOST_BYTES)
    except (OSError, ValueError):
        return True
    return (_KEY if path.suffix.lower() == ".json" else _KIND).search(content) is not None


def _left_out(name: str) -> bool:
    return name.startswith(".") or name in ("node_modules", "site-packages", "__pycache__")


def _inside(folder: Path, skipped: list[str], only_specs: bool = False) -> Iterator[Path]:
    """Yield the spec files below a folder, each once; links that lead out of the folder are added to `skipped`."""
    links = []
    files = set()
    # The store of a project holds what is checked where it comes from.
    leave = _left_out if only_specs else STORE.partition("/")[0].__eq__
    for path in walked(folder, lambda path, why: skipped.append(f"{path} is not looked into: {why}"), leave=leave):
        if path.suffix not in SUFFIXES or (only_specs and not declares_kind(path)):
            continue
        if path.is_symlink():
            links.append(path)
        else:
            files.add(real_path(path))
            yield path
    root = real_path(folder)
    for path in links:
        target = real_path(path)
        if not target.is_relative_to(root):
            skipped.append(f"{path} is not looked into: it is a link to a file that lies elsewhere")
        elif target not in files:
            yield path


class VersionJudgement(Protocol):
    """An extension's judgement on whether a spec's version was raised enough, compared with another version of it."""

    @property
    def old(self) -> str:
        """The version of the other spec."""

    @property
    def new(self) -> str:
        """The version of the spec."""

    @property
    def part(self) -> str:
        """The part of the version that must be raised: ``major``, ``minor`` or ``patch``; "" if nothing was changed."""

    @property
    def reasons(self) -> Sequence[Any]:
        """The reasons, the most important one first."""

    @property
    def counterexamples(self) -> Sequence[Any]:
        """Inputs whose scores differ between the versions, one for each definition."""

    @property
    def needed(self) -> str:
        """The lowest version that would be sufficient."""

    @property
    def suffices(self) -> bool:
        """Whether the spec's version was raised enough."""

    def lines(self) -> Sequence[str]:
        """Return the judgement and its reasons as lines of text."""

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as plain data."""


class Checked(Struct, frozen=True):
    """The result of checking or testing spec files.

    Args:
        files: The files that were examined.
        findings: The errors and warnings, in order.
        examples: The number of examples that were run.
        locks: The current lock of each file, by the path of the lock.
        pinned: The current lock of each file that its project pins, by the path of the file.
        skipped: Messages about what was skipped in folders, and why.
        tried: The examples of each file with their results, in order.
        judgement: Whether the version was raised enough, if the spec was compared with another version of it.
        fixed: What was changed in each file that was fixed, in words.
    """

    files: tuple[Path, ...]
    findings: tuple[Diagnostic, ...] = ()
    examples: int = 0
    locks: Mapping[Path, Lock] = field(default_factory=dict)
    pinned: Mapping[Path, Lock] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    tried: Mapping[Path, Sequence[Any]] = field(default_factory=dict)
    judgement: VersionJudgement | None = None
    fixed: Mapping[Path, Sequence[str]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether none of the findings is an error."""
        return not any(found.severity == "error" for found in self.findings)

    def __repr__(self) -> str:
        return f"<Checked: {counted(len(self.files), 'file')}, {counted(len(self.findings), 'finding')}>"

    def to_json(self) -> dict[str, Any]:
        """Return the findings as plain data, as ``--format json`` prints them."""
        import json

        from scoring.diagnostics.render.formats import render_diagnostics

        found: dict[str, Any] = json.loads(render_diagnostics(list(self.findings), "json", False))
        if self.judgement is not None:
            found["judgement"] = self.judgement.to_json()
        if self.fixed:
            found["fixed"] = [{"file": str(path), "fixes": list(fixes)} for path, fixes in self.fixed.items()]
        pins = {str(path): one.data("") for path, one in (*self.pinned.items(), *self.locks.items())}
        return {**found, "pins": pins} if pins else found

    def _repr_html_(self) -> str:
        import html

        from scoring.diagnostics.render.formats import render_diagnostics

        return f"<pre>{html.escape(render_diagnostics(list(self.findings), 'text', False) or repr(self))}</pre>"


@verb
def check(
    specs: Names,
    *,
    dialect: str | None = None,
    locked: bool | None = None,
    frozen: bool = False,
    only_specs: bool = False,
    against: str | Path | Mapping[str, Any] | None = None,
    accept: Mapping[str, str] | None = None,
    data: str | Path | None = None,
    fix: bool = False,
) -> Checked:
    """Check spec files and return all findings at once; a suite is checked together with its tasks.

    Args:
        specs: Spec files, or folders of them: one path, or several.
        dialect: The dialect that defines the names in task files of other tools.
        locked: Whether to refuse a spec that has no lock, or does not match it. None refuses only one that does not
            match the lock it has, and False ignores locks.
        frozen: Whether to require that the project's lock exists and matches the project file and the specs.
        only_specs: Whether to leave out files that don't declare a `kind` of spec, and folders of installed software
            (`.venv`, `node_modules`). A folder without specs is then no error, as in a repository that contains more
            than specs.
        against: Another version of the spec, compared with which the version must be raised enough: a file,
            ``NAME@VERSION``, an address, or ``REV:path`` in the current git repository. A spec as data is taken, too.
        accept: With ``against``: the author's reasons, by name of a definition, why its changed program changes no
            score; only for definitions for which no input with another score was found.
        data: With ``against``: the path of inputs to try in addition to generated ones: records for a task, rows with
            ``prediction`` and ``reference`` for a pack.
        fix: Whether to write into the files the fixes of errors that have only one answer; other findings are left.

    Raises:
        InputError: when a folder contains no spec, or with `frozen` is in no project; when the other version is not
            found, or there are several specs to compare with it.
        SpecError: when a frozen lock does not match, or the other version is invalid.

    Examples:
        >>> check("specs/quickstart/invoices.yaml").findings
        ()
        >>> scorer = {"score": "levenshtein | zero_below(t)", "params": {"t": 0.5}}
        >>> old = {"kind": "pack", "name": "close", "version": "1.0.0", "scorers": {"near": scorer}}
        >>> import json, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "close.yaml"
        ...     _ = path.write_text(json.dumps({**old, "version": "1.0.1", "scorers": {"near": "levenshtein"}}))
        ...     found = check(path, against=old)
        >>> found.passed, found.judgement.part, found.judgement.needed
        (False, 'major', '2.0.0')
    """
    if against is None and (accept or data is not None):
        raise InputError(f"{'--accept' if accept else '--data'} is for a spec that is held against another: --against")
    (files, skipped), loader = spec_files(specs, only_specs), Loader(dialect=dialect)
    if frozen:
        check_frozen(files)
    fixed = _fixed(files, dialect, frozen or bool(locked)) if fix else {}
    found = [one for file in files for one in findings_in(file, loader, dialect, locked)]
    check_dialect_used(loader, dialect, files, found)
    is_held = against is not None and not any(one.severity == "error" for one in found)
    held = service("held-against", "--against")(files, against, loader, accept or {}, data) if is_held else (None, [])
    return Checked(tuple(files), (*found, *held[1]), skipped=skipped, judgement=held[0], fixed=fixed)


def _fixed(files: Sequence[Path], dialect: str | None, is_held: bool) -> dict[Path, Sequence[str]]:
    """Fix spec files, and return what was changed in each; raise an InputError if a lock holds them fast."""
    if is_held:
        raise InputError("--fix changes what --locked or --frozen holds fast; leave one of them out")
    return {path: one.fixes for path, one in service("repaired-files", "--fix")(files, dialect).items()}


@verb
def check_file(path: str | Path, *, dialect: str | None = None) -> tuple[Diagnostic, ...]:
    """Return all findings about a spec file, for a suite also about its tasks; an empty tuple if there are none."""
    return tuple(findings_in(Path(path), Loader(dialect=dialect), dialect))


@verb
def check_text(text: str, *, path: str | Path = "spec.yaml", dialect: str | None = None) -> tuple[Diagnostic, ...]:
    """Return all findings about the text of a spec, such as one that is being edited; nothing is written.

    Offsets of spans count code points of the text. The text is read anew by each call, imported files, too.

    Args:
        text: The text, as YAML, or as JSON if the suffix of `path` is ``.json``.
        path: The file that holds the text, or will hold it: imports start from its folder, and findings are named by
            it. The file need not exist, and its content is not read.
        dialect: The dialect that defines the names in a task file of another tool.

    Raises:
        InputError: when no such dialect is known.

    Examples:
        >>> (found,) = check_text("kind: task\\nname: x\\nscore: lower | eqal")
        >>> str(found), found.primary.text, (found.span.start, found.span.end)
        ('spec.yaml:3:16: error[unknown-name]: nothing is called `eqal`', 'did you mean `equal`?', (34, 38))
    """
    return tuple(findings_in(Path(path), Loader(dialect=dialect), dialect, text=text))


def findings_in(
    path: Path, loader: Loader, dialect: str | None = None, locked: bool | None = None, *, text: str | None = None
) -> list[Diagnostic]:
    """Return all findings about one spec file, including differences from its locks.

    With `text`, these are findings about that text as the content of the file.
    """
    findings = _findings_in(path, loader, dialect, locked, text)
    errors = (one.span for one in findings if one.severity == "error" and not one.fixes)
    source = next((span.source for span in errors if span is not None and span.source.name == str(path)), None)
    with_fixes = find_service("fixes-of-findings") if source is not None else None
    return findings if with_fixes is None else list(with_fixes(source, findings))


def _findings_in(
    path: Path, loader: Loader, dialect: str | None, locked: bool | None, text: str | None
) -> list[Diagnostic]:
    from scoring.compiler.tasks.checking import and_the_rest, check_spec

    try:
        loaded = loader.file(path, str(path)) if text is None else loader.text(text, path)
        if not isinstance(loaded.spec, TaskSpec | Pack):
            findings = _in_tasks(loaded, loader)
            return findings or locked_findings(loaded, path, loader, dialect, locked=locked)
        findings = list(check_spec(loaded, loader))
    except SpecError as error:
        return list(and_the_rest(error, loader).diagnostics)
    if isinstance(loaded.spec, TaskSpec) and loaded.spec.records is not None:
        findings += _in_data_set(loaded.spec, path.parent)
    if not any(found.severity == "error" for found in findings):
        findings += locked_findings(loaded, path, loader, dialect, locked=locked)
    return findings


def _in_tasks(loaded: Loaded, loader: Loader) -> list[Diagnostic]:
    """Return the findings about a file that joins tasks, such as a suite, and about its tasks."""
    from scoring.compiler.tasks.whole import check_whole

    try:
        return list(check_whole(loaded, loader))
    except InputError as error:  # a file that it names; the other specs are checked all the same
        return [diagnostic("error", "no-such-file", str(error), loaded.spec.span)]


def _in_data_set(spec: TaskSpec, folder: Path) -> list[Diagnostic]:
    """Return the findings about the settings of a task over a data set as a whole."""
    try:
        table_kind(str(spec.records)).settings(spec, folder)
    except (ValueError, TypeError, OSError) as error:
        return [diagnostic("error", "bad-value", str(error), spec.span)]
    return []


def check_dialect_used(loader: Loader, dialect: str | None, files: Sequence[Path], found: Sequence[Diagnostic]) -> None:
    """Raise an InputError if a dialect is given but applies to none of the files that `loader` read.

    If there are findings (`found`), nothing is checked, since the dialect may apply to a file that can't be read.
    """
    if dialect is not None and not found:
        check_dialect(loader, dialect, str(files[0]) if len(files) == 1 else "each file")
