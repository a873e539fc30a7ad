"""Verbs over spec files: check, test, fmt, convert, new."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scoring.api.files import check_free, write_file
from scoring.api.locked import check_frozen, locked_findings
from scoring.api.named_specs import SUFFIXES, Names, looked_at
from scoring.api.verb import verb
from scoring.data.output import FOLDER_MODE
from scoring.data.refused import refused
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import Diagnostic, SpecError, diagnostic
from scoring.format.load import Loaded, Loader
from scoring.format.model import SuiteSpec, TaskSpec
from scoring.late import dataclass

if TYPE_CHECKING:
    from scoring.compiler.lock import Lock
    from scoring.engine.examples import Tried
    from scoring.report.junit import JunitCase
    from scoring.sharing.release.judgement import ReleaseJudgement

_HEAD = "# yaml-language-server: $schema={schema}\n# Converted by `scoring convert` from {name}.\n"


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is not as it would be written.

    Args:
        path: Which.
        before: Its text.
        after: Its text as it would be.
        fixes: How many fixes of findings are among what changes.
    """

    path: Path
    before: str
    after: str
    fixes: int = 0

    def diff(self) -> str:
        """The change as a unified diff."""
        import difflib

        lines = (self.before.splitlines(keepends=True), self.after.splitlines(keepends=True))
        return "".join(difflib.unified_diff(*lines, str(self.path), f"{self.path} (formatted)"))

    def finding(self) -> Diagnostic:
        """That it is not as it would be written, at the first line that differs."""
        from scoring.format.formatter import not_formatted

        return not_formatted(self.before, self.after, str(self.path))


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in spec files.

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
    judgement: ReleaseJudgement | None = None

    @property
    def passed(self) -> bool:
        """Whether no finding is an error."""
        return not any(found.severity == "error" for found in self.findings)

    def cases(self, strict: bool = False) -> dict[str, list[JunitCase]]:
        """What was tried, as ``--format junit`` counts it, by file; ``strict`` makes failures of warnings."""
        from scoring.api.reporting import cases_of_files

        return cases_of_files(self.files, self.tried, self.findings, strict)

    def __repr__(self) -> str:
        from scoring.diagnostics.words import counted

        return f"<Checked: {counted(len(self.files), 'file')}, {counted(len(self.findings), 'finding')}>"

    def to_json(self) -> dict[str, Any]:
        """The findings as plain data, as ``--format json`` prints them."""
        import json

        from scoring.diagnostics.render.formats import render

        found: dict[str, Any] = json.loads(render(list(self.findings), "json", False))
        return found if self.judgement is None else {**found, "judgement": self.judgement.to_json()}

    def _repr_html_(self) -> str:
        import html

        from scoring.diagnostics.render.formats import render

        return f"<pre>{html.escape(render(list(self.findings), 'text', False) or repr(self))}</pre>"


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
    (files, skipped), loader = looked_at(specs, only_specs), Loader(dialect=dialect)
    if frozen:
        check_frozen(files)
    found = [one for file in files for one in findings_in(file, loader, dialect, locked)]
    check_used(loader, dialect, files, found)
    judgement = None
    if against is not None and not any(one.severity == "error" for one in found):
        from scoring.api.against import held_against

        judgement, more = held_against(files, against, loader, accept or {}, data)
        found += more
    return Checked(tuple(files), tuple(found), skipped=skipped, judgement=judgement)


@verb
def check_file(path: str | Path, *, dialect: str | None = None) -> tuple[Diagnostic, ...]:
    """Every finding about a spec file, for a suite also about its tasks; an empty tuple when it is in order."""
    return tuple(findings_in(Path(path), Loader(dialect=dialect), dialect))


def findings_in(path: Path, loader: Loader, dialect: str | None = None, locked: bool | None = None) -> list[Diagnostic]:
    """Everything there is to say about one file."""
    from scoring.compiler.compile import and_the_rest
    from scoring.compiler.compile import check as check_loaded

    try:
        loaded = loader.file(path, str(path))
        if isinstance(loaded.spec, SuiteSpec):
            findings = _in_suite(loaded, dialect)
            return findings or locked_findings(loaded, path, loader, dialect, locked=locked)
        findings = list(check_loaded(loaded, loader))
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
    """What is wrong with the settings of a task over a data set."""
    from scoring.engine.data_set.from_spec import vision_task

    try:
        vision_task(spec, folder)
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

    (files, skipped), loader = looked_at(specs, only_specs), Loader(dialect=dialect)
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
    check_used(loader, dialect, files, findings)
    return Checked(tuple(files), tuple(findings), sum(map(len, tried.values())), skipped=skipped, tried=tried)


def check_used(loader: Loader, dialect: str | None, files: Sequence[Path], found: Sequence[Diagnostic]) -> None:
    """Refuse a dialect that says nothing; a file that can't be read may have been of a foreign form."""
    if dialect is not None and not found:
        from scoring.api.listing import check_dialect

        check_dialect(loader, dialect, str(files[0]) if len(files) == 1 else "each file")


@verb
def fmt(
    specs: Names, *, write: bool = True, fix: bool = False, unsafe_fixes: bool = False, only_specs: bool = False
) -> Checked:
    """Write the expressions of spec files in their canonical text; a file that can't be read is a finding.

    Args:
        specs: A file, a folder, or several.
        write: Whether to change the files; without, only what would change is said.
        fix: Whether to make the fixes that findings carry, such as the replacement of what is deprecated, where no
            score can move by it; what is left of such findings is told.
        unsafe_fixes: Whether to make those, too, by which scores can move.
        only_specs: Whether files are left out that say no `kind:` of ours, and folders of others (`.venv`,
            `node_modules`), as where a repository holds more than specs; nothing is then refused for holding none.

    Raises:
        InputError: when a folder holds no spec, a file can't be written, or `unsafe_fixes` stands without `fix`.

    Examples:
        >>> fmt("specs/quickstart/invoices.yaml", write=False).changes
        ()
    """
    from scoring.api.fixing import Fixed, fixed
    from scoring.format.formatter import format_text
    from scoring.format.read import read_source

    if unsafe_fixes and not fix:
        raise InputError("unsafe fixes are made among the others: add --fix")
    (files, skipped), loader = looked_at(specs, only_specs), Loader()
    findings: list[Diagnostic] = []
    changes = []
    for file in files:
        try:
            text = "" if fix else read_source(file).text
            found = fixed(file, loader, unsafe=unsafe_fixes) if fix else Fixed(text, text)
            after = format_text(found.after, str(file))
        except SpecError as error:
            findings.extend(error.diagnostics)
            continue
        findings += found.left
        if found.before != after:
            changes.append(Change(file, found.before, after, found.made))
            if write:
                write_file(file, after, newline="")
    return Checked(tuple(files), tuple(findings), changes=tuple(changes), skipped=skipped)


@verb
def convert(
    path: str | Path,
    *,
    name: str | None = None,
    dialect: str | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> str:
    """Turn a task file of a foreign form into a native spec; what is written reads back as the same spec.

    Args:
        path: The file.
        name: The task's name; by default that of the file or its folder.
        dialect: What its names mean.
        output: Where to write the spec, if anywhere.
        force: Replace an existing file.

    Returns:
        The text of the spec.

    Raises:
        InputError: for a file of no form that is known, or that can't be written.
        SpecError: when it can't be read.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "metrics.json"
        ...     _ = path.write_text('{"field_score_function": {"move": "exact_str_match"}}')
        ...     convert(path, name="chess").splitlines()[3]
        'name: chess'
    """
    from scoring.format.front_ends import front_end_of, front_ends
    from scoring.format.read import read_file, read_text
    from scoring.format.yaml_text import schema_link, yaml_text

    source = Path(path)
    node = read_file(source, str(path))
    form = front_end_of(node)
    if "kind" in node:
        raise InputError(f"{path} is native already; there is nothing to convert")
    if form is None:
        known = "; and ".join(f"is no {form.title}: {form.lacks}" for form in front_ends())
        raise InputError(f"{path} {known}")
    data = _short(form.convert(node, name or form.task_name(source), form.dialect_of(dialect)).plain())
    text = _HEAD.format(schema=schema_link("task"), name=source.name) + yaml_text(data)
    assert read_text(text, "converted.yaml").plain() == data, "the written spec does not read back as it was"
    if output is not None:
        write_file(check_free(output, force, [source]), text)
    return text


def _short(data: dict[str, Any]) -> dict[str, Any]:
    """The spec with fields that have nothing but a scorer in their short form."""
    fields = data.get("fields", {}).items()
    short = {name: field["score"] if field.keys() == {"score"} else field for name, field in fields}
    return {**data, "fields": short} if short else data


@verb
def new(kind: Literal["task", "pack"], path: str | Path, *, force: bool = False) -> Path:
    """Write a commented starter spec.

    Args:
        kind: What to write.
        path: Where; it ends in ``.yaml``.
        force: Replace an existing file.

    Raises:
        InputError: when the file is there already, or can't be written.
    """
    from scoring.format.yaml_text import schema_link

    target = Path(path)
    if kind not in ("task", "pack"):
        raise InputError(f"there is no starter of the kind `{kind}`; there are task and pack")
    if target.suffix not in SUFFIXES:
        raise InputError(f"{path} should end in .yaml")
    check_free(path, force)
    template = resources("scoring.api").joinpath("templates", f"{kind}.yaml").read_text("utf-8")
    text = template.format(schema=schema_link(kind), name=_name(target), file=path)
    try:
        target.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"can't make the folder {target.parent}: {refused(error)}") from error
    write_file(target, text)
    return target


def _name(path: Path) -> str:
    """A name from the file's: letters, digits, `-` and `_`, beginning with a letter."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-")
    return name if name[:1].isalpha() else f"my-{name}".rstrip("-")
