"""Spec files: finding, checking and testing them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scoring.api.arguments import verb
from scoring.api.locked import check_dialect, check_frozen, locked_findings
from scoring.data.plain_files import read_plain, real_path, walked
from scoring.diagnostics.diagnostic import Diagnostic, SpecError, diagnostic
from scoring.errors import InputError
from scoring.format.load import Loaded, Loader
from scoring.format.model import SuiteSpec, TaskSpec
from scoring.project.find import STORE
from scoring.registry.extension import service
from scoring.registry.table_kind import table_kind

if TYPE_CHECKING:
    from scoring.compiler.lock import Lock
    from scoring.engine.examples import Tried
    from scoring.report.junit import JunitCase


Names: TypeAlias = str | Path | Iterable[str | Path]
SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 8_000_000
# A line of YAML that begins so, or a key of JSON.
_KIND = re.compile(rb"""(?m)^\{?[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?(?:task|pack|suite)\b""")
_KEY = re.compile(rb'"kind"\s*:\s*"(?:task|pack|suite)"')


def spec_files(specs: Names, only_specs: bool = False) -> tuple[list[Path], tuple[str, ...]]:
    """Return the spec files under some names, including each YAML file in a folder; and what was skipped."""
    found: list[Path] = []
    skipped: list[str] = []
    for name in [specs] if isinstance(specs, (str, Path)) else specs:
        path = Path(name)
        if path.is_dir():
            inside = sorted(_inside(path, skipped, only_specs))
            if not inside and not only_specs:
                raise InputError("; ".join([f"there are no spec files in {name}", *skipped]))
            found += inside
        elif not only_specs or says_kind(path) or not path.exists():  # who names what is not there is told so
            found.append(path)
    if not found and not only_specs:
        raise InputError("which specs? None is named")
    return list(dict.fromkeys(found)), tuple(skipped)


def says_kind(path: Path) -> bool:
    """Tell whether a file declares to be a task, a pack or a suite; unreadable files are reported later.

    Examples:
        >>> says_kind(Path("specs/quickstart/invoices.yaml")), says_kind(Path("pyproject.toml"))
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
    """Yield the spec files below a folder, each once; links that lead out of it are not followed."""
    links = []
    files = set()
    # The store of a project holds what is checked where it comes from.
    leave = _left_out if only_specs else STORE.partition("/")[0].__eq__
    for path in walked(folder, lambda path, why: skipped.append(f"{path} is not looked into: {why}"), leave=leave):
        if path.suffix not in SUFFIXES or (only_specs and not says_kind(path)):
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


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is not as it would be written."""

    path: Path
    before: str
    after: str
    fixes: int = 0

    def diff(self) -> str:
        """Return the change as a unified diff."""
        import difflib

        lines = (self.before.splitlines(keepends=True), self.after.splitlines(keepends=True))
        return "".join(difflib.unified_diff(*lines, str(self.path), f"{self.path} (formatted)"))

    def finding(self) -> Diagnostic:
        """That it is not as it would be written, at the first line that differs."""
        from scoring.format.formatter import not_formatted

        return not_formatted(self.before, self.after, str(self.path))


class VersionJudgement(Protocol):
    """The part of a version that must be raised, as an extension judges it."""

    @property
    def old(self) -> str:
        """The version that the spec is compared with."""

    @property
    def new(self) -> str:
        """The version that is written in the spec."""

    @property
    def part(self) -> str:
        """``major``, ``minor`` or ``patch``; "" where nothing was changed."""

    @property
    def reasons(self) -> Sequence[Any]:
        """The reasons, the most important first."""

    @property
    def counterexamples(self) -> Sequence[Any]:
        """Inputs whose score moves, one for each definition."""

    @property
    def needed(self) -> str:
        """The lowest version that raises enough."""

    @property
    def suffices(self) -> bool:
        """Whether the written version is raised enough."""

    def lines(self) -> Sequence[str]:
        """Return the judgement and its reasons, a line each."""

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as plain data."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings in spec files.

    Args:
        files: The files that were looked at.
        findings: What is wrong or doubtful, in their order.
        examples: How many examples were tried.
        changes: The files that are not in their canonical form.
        locks: The lock of each file that has one now, by the lock's own path.
        pinned: The lock of each file that its project pins now, by the file's path.
        skipped: What of a folder was not looked into, and why, a line each.
        tried: The examples of each file, in their order, with what came of them.
        judgement: Which part of the version must be raised, where the spec was held against another version of it.
    """

    files: tuple[Path, ...]
    findings: tuple[Diagnostic, ...] = ()
    examples: int = 0
    changes: tuple[Change, ...] = ()
    locks: Mapping[Path, Lock] = field(default_factory=dict)
    pinned: Mapping[Path, Lock] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    tried: Mapping[Path, Sequence[Tried]] = field(default_factory=dict)
    judgement: VersionJudgement | None = None

    @property
    def passed(self) -> bool:
        """Whether there is no error among the findings."""
        return not any(found.severity == "error" for found in self.findings)

    def cases(self, strict: bool = False) -> dict[str, list[JunitCase]]:
        """Return the checks for ``--format junit``: a suite for each file.

        Of one that was tested it has a case for each example, of another one for each finding in it; ``strict`` makes
        failures of warnings.
        """
        from scoring.report.junit import JunitCase, cases_of, finding_text

        others = [one for one in self.findings if one.id != "example-failed"]
        suites = cases_of((str(path) for path in self.files if path not in self.tried), others, strict)
        for path, examples in self.tried.items():
            counts: Counter[str] = Counter()
            held = suites.setdefault(str(path), [])
            for one in examples:
                counts[one.owner] += 1
                problems = () if one.problem is None else (finding_text(one.finding()),)
                line = one.span.line if one.span is not None else 0
                held.append(JunitCase(f"{one.owner}, example {counts[one.owner]}", problems, line=line))
        return {str(path): suites.pop(str(path)) for path in self.files} | suites

    def __repr__(self) -> str:
        from scoring.diagnostics.words import counted

        return f"<Checked: {counted(len(self.files), 'file')}, {counted(len(self.findings), 'finding')}>"

    def to_json(self) -> dict[str, Any]:
        """Return the findings as plain data, as ``--format json`` prints them."""
        import json

        from scoring.diagnostics.render.formats import render_diagnostics

        found: dict[str, Any] = json.loads(render_diagnostics(list(self.findings), "json", False))
        if self.judgement is not None:
            found["judgement"] = self.judgement.to_json()
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
) -> Checked:
    """Find mistakes in spec files, all of them at once; a suite is checked together with its tasks.

    Args:
        specs: A file, a folder, or several.
        dialect: What the names in a file of a foreign form mean.
        locked: Whether a spec must have a lock and be as it pins it; by default it must where it has one, and with
            False locks are left aside.
        frozen: Whether the lock of the project must be there and fit its project file and specs.
        only_specs: Whether files are left out that say no `kind:` of ours, and folders of others (`.venv`,
            `node_modules`), as where a repository holds more than specs; nothing is then refused for holding none.
        against: Another version of the spec, which the written version must raise enough: a file, ``close@1.2``, an
            address, ``REV:path`` of the git repository that one works in, or a spec as data.
        accept: With ``against``: definitions whose programs differ and of which no input was found that moves, by
            name, with the reason why none does.
        data: With ``against``: inputs to try beside those that are drawn; records of a task, or of a pack rows with
            ``prediction`` and ``reference``.

    Raises:
        InputError: when a folder holds no spec, or with `frozen` belongs to no project; when what a spec is held
            against can't be had, or there are several specs.
        SpecError: when a frozen lock does not fit, or what a spec is held against is broken.

    Examples:
        >>> check("specs/quickstart/invoices.yaml").findings
        ()
        >>> scorer = {"score": "levenshtein | cutoff(t)", "params": {"t": 0.5}}
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
    found = [one for file in files for one in findings_in(file, loader, dialect, locked)]
    check_dialect_used(loader, dialect, files, found)
    judgement = None
    if against is not None and not any(one.severity == "error" for one in found):
        judgement, more = service("held-against", "--against")(files, against, loader, accept or {}, data)
        found += more
    return Checked(tuple(files), tuple(found), skipped=skipped, judgement=judgement)


@verb
def check_file(path: str | Path, *, dialect: str | None = None) -> tuple[Diagnostic, ...]:
    """Return every finding about a spec file, for a suite also about its tasks; an empty tuple when it is in order."""
    return tuple(findings_in(Path(path), Loader(dialect=dialect), dialect))


def findings_in(path: Path, loader: Loader, dialect: str | None = None, locked: bool | None = None) -> list[Diagnostic]:
    """Everything there is to say about one file."""
    from scoring.compiler.compile import and_the_rest, check_spec

    try:
        loaded = loader.file(path, str(path))
        if isinstance(loaded.spec, SuiteSpec):
            findings = _in_suite(loaded, dialect)
            return findings or locked_findings(loaded, path, loader, dialect, locked=locked)
        findings = list(check_spec(loaded, loader))
    except SpecError as error:
        return list(and_the_rest(error, loader).diagnostics)
    if isinstance(loaded.spec, TaskSpec) and loaded.spec.records is not None:
        findings += _in_data_set(loaded.spec, path.parent)
    if not any(found.severity == "error" for found in findings):
        findings += locked_findings(loaded, path, loader, dialect, locked=locked)
    return findings


def _in_suite(loaded: Loaded, dialect: str | None) -> list[Diagnostic]:
    from scoring.engine.suite.compile import check_suite

    try:
        return list(check_suite(loaded, dialect=dialect))
    except InputError as error:  # a file that the suite names; the other specs are checked all the same
        return [diagnostic("error", "no-such-file", str(error), loaded.spec.span)]


def _in_data_set(spec: TaskSpec, folder: Path) -> list[Diagnostic]:
    """Return the findings on the settings of a task over a data set."""
    try:
        table_kind(str(spec.records)).settings(spec, folder)
    except (ValueError, TypeError, OSError) as error:
        return [diagnostic("error", "bad-value", str(error), spec.span)]
    return []


@verb
def test(  # a verb, no test of ours
    specs: Names,
    *,
    dialect: str | None = None,  # noqa: PT028  # likewise
    frozen: bool = False,  # noqa: PT028  # likewise
    only_specs: bool = False,  # noqa: PT028  # likewise
) -> Checked:
    """Run the examples that specs state; a failed one is a finding.

    Args:
        specs: A file, a folder, or several.
        dialect: What the names in a file of a foreign form mean.
        frozen: Whether the lock of the project must be there and fit its project file and specs.
        only_specs: Whether files are left out that say no `kind:` of ours, and folders of others (`.venv`,
            `node_modules`), as where a repository holds more than specs; nothing is then refused for holding none.

    Raises:
        InputError: when a folder holds no spec.

    Examples:
        >>> test("specs/quickstart/invoices.yaml").passed
        True
    """
    from scoring.engine.examples import run_examples

    (files, skipped), loader = spec_files(specs, only_specs), Loader(dialect=dialect)
    if frozen:
        check_frozen(files)
    findings: list[Diagnostic] = []
    tried: dict[Path, Sequence[Tried]] = {}
    for file in files:
        try:
            loaded = loader.file(file, str(file))
            tried[file] = run_examples(loaded, loader)
            findings += locked_findings(loaded, file, loader, dialect, locked=None)
        except SpecError as error:
            findings.extend(error.diagnostics)
            continue
        findings.extend(result.finding() for result in tried[file] if result.problem is not None)
    check_dialect_used(loader, dialect, files, findings)
    return Checked(tuple(files), tuple(findings), sum(map(len, tried.values())), skipped=skipped, tried=tried)


def check_dialect_used(loader: Loader, dialect: str | None, files: Sequence[Path], found: Sequence[Diagnostic]) -> None:
    """Refuse a dialect that says nothing; a file that can't be read may have been of a foreign form."""
    if dialect is not None and not found:
        check_dialect(loader, dialect, str(files[0]) if len(files) == 1 else "each file")
