"""Verbs that write spec files: `fmt`, which also applies fixes, `convert` and `new`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from scoring.api.arguments import check_free, verb
from scoring.api.specs import SUFFIXES, Checked, Names, spec_files
from scoring.data.os_errors import telling
from scoring.data.output import FOLDER_MODE, write_file
from scoring.diagnostics.diagnostic import Diagnostic, Fix, SpecError, diagnostic
from scoring.errors import InputError
from scoring.extensions.authoring.formatting import format_text, not_formatted
from scoring.extensions.authoring.starting import schema_link
from scoring.extensions.authoring.stating import edition_fix
from scoring.format.load import Loaded, Loader
from scoring.format.read import read_source

if TYPE_CHECKING:
    from scoring.extensions.authoring.converting import Converted

_LINK = "# yaml-language-server: $schema={schema}\n"
_HEAD = "# Converted by `scoring convert` from {name}.\n"


# A replacement may hold another call that is replaced in its turn; what pack authors write is no chain of so many.
_ROUNDS = 50


class Change(Struct, frozen=True):
    """A spec file that is not in canonical form: its text before and after, and the number of fixes in it."""

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
        """Return the finding that the file is not in canonical form, at the first line that differs."""
        return not_formatted(self.before, self.after, str(self.path))


class Formatted(Checked, frozen=True):
    """The result of formatting spec files, with the files that are not in their canonical form."""

    changes: tuple[Change, ...] = ()


class Fixed(Struct, frozen=True):
    """The text of a spec file before and after applying fixes, the number of fixes, and the findings that are left."""

    before: str
    after: str
    made: int = 0
    left: tuple[Diagnostic, ...] = ()


def fixed(path: Path, loader: Loader, *, unsafe: bool = False) -> Fixed:
    """Apply the fixes of the findings of a spec file to its text, and return both texts; the file is not written.

    Comments and layout are preserved. A file that does not state the edition of the language gets the oldest in which
    it loads. Only safe fixes, which can't change a score, are applied, unless `unsafe` is given. If the spec has
    errors, or safe fixes would change its meaning together, none is applied.

    Raises:
        SpecError: when the file can't be read.
    """
    name = str(path)
    before = text = read_source(path).text
    first = loaded = loader.text(text, path)
    made: list[Fix] = []
    if (stated := edition_fix(text, loaded)) is not None:
        made.append(stated)
        text = apply_fixes(text, made)
        loaded = loader.text(text, path)
    for _ in range(_ROUNDS):
        findings = _findings(loaded, loader)
        if any(one.severity == "error" for one in findings):
            return Fixed(before, before, 0, tuple(findings))
        chosen = apart(fix for one in findings for fix in one.fixes if fix.is_safe or unsafe)
        if not chosen:
            break
        text = apply_fixes(text, chosen)
        loaded = loader.text(text, path)
        made += chosen
    left = tuple(one for one in findings if one.fixes or one.id == "deprecated-use")
    if made and all(fix.is_safe for fix in made) and _meaning(first, loader) != _meaning(loaded, loader):
        message = f"the fixes of {name} together mean something else, so none was made"
        return Fixed(before, before, 0, (diagnostic("warning", "deprecated-use", message, first.spec.span),))
    return Fixed(before, text, len(made), left)


def apply_fixes(text: str, fixes: Sequence[Fix]) -> str:
    """Return a text in which the given fixes are applied: each replaces a span of the text, and none may overlap."""
    order = sorted(range(len(fixes)), key=lambda at: (fixes[at].span.start, fixes[at].span.end, at), reverse=True)
    for fix in (fixes[at] for at in order):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text


def apart(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes without repetitions, and without those that overlap with an earlier one."""
    found: list[Fix] = []
    for fix in dict.fromkeys(fixes):
        if all(fix.span.end <= one.span.start or one.span.end <= fix.span.start for one in found):
            found.append(fix)
    return found


def _findings(loaded: Loaded, loader: Loader) -> tuple[Diagnostic, ...]:
    """Return the findings of a loaded spec: all errors, but only those warnings that are about its own file."""
    from scoring.compiler.tasks.whole import check_whole

    try:
        found = check_whole(loaded, loader)
    except SpecError as error:
        found = error.diagnostics
    name = str(loaded.path)
    return tuple(one for one in found if one.severity == "error" or (one.span and one.span.source.name == name))


def _meaning(loaded: Loaded, loader: Loader) -> str:
    """Return the digest of what a spec means; "" for a suite whose tasks are named only where it is run."""
    from scoring.compiler.tasks.whole import recipe_of

    try:
        return recipe_of(loaded, loader).digest
    except InputError:
        return ""


@verb
def fmt(
    specs: Names, *, write: bool = True, fix: bool = False, unsafe_fixes: bool = False, only_specs: bool = False
) -> Formatted:
    """Rewrite the expressions of spec files in canonical form; a file that can't be read is a finding of the result.

    Args:
        specs: Spec files, or folders of them: one path, or several.
        write: Whether to change the files; otherwise the result only lists the changes.
        fix: Whether to state the edition of the language, and to apply the fixes of findings, such as replacements of
            deprecated names, that can't change a score. The remaining findings are in the result.
        unsafe_fixes: Whether to apply, with ``fix``, also fixes that may change scores.
        only_specs: Whether to leave out files that don't declare a `kind` of spec, and folders of installed software
            (`.venv`, `node_modules`). A folder without specs is then no error, as in a repository that contains more
            than specs.

    Raises:
        InputError: when a folder contains no spec, a file can't be written, or `unsafe_fixes` is given without `fix`.

    Examples:
        >>> fmt("specs/quickstart/invoices.yaml", write=False).changes
        ()
    """
    if unsafe_fixes and not fix:
        raise InputError("unsafe fixes are made among the others: add --fix")
    (files, skipped), loader = spec_files(specs, only_specs), Loader()
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
                write_file(file, after.encode())
    return Formatted(tuple(files), tuple(findings), changes=tuple(changes), skipped=skipped)


@verb
def convert(
    path: str | Path,
    *,
    name: str | None = None,
    dialect: str | None = None,
    task: str | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Converted:
    """Convert a task file of another tool to native specs, and return their text.

    Args:
        path: The path of the file.
        name: The task's name; by default the name of the file or its folder.
        dialect: The dialect that defines the names; by default that of the file's format.
        task: The id of the only task to convert, of a file with several; by default all are.
        output: The path of the spec to write, or the folder for several specs. By default nothing is written.
        force: Whether to replace existing files.

    Returns:
        The text of the spec, in a file with a comment that names its schema. Its ``lost`` tells what the spec scores
        otherwise than the other tool, its ``files`` what was written.

    Raises:
        InputError: for an unknown format, a native spec, an output that can't be written, a task that is not in the
            file, or an option that has no effect.
        SpecError: when it can't be read.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "metrics.json"
        ...     _ = path.write_text('{"field_score_function": {"move": "exact_str_match"}}')
        ...     convert(path, name="chess").splitlines()[2]
        'name: chess'
    """
    if force and output is None:
        raise InputError("--force is for a spec that is written: add --output SPEC, or leave it out")
    from scoring.extensions.authoring.converting import Converted, convert_tasks, forms_of_task_files
    from scoring.format.front_ends import front_end_of
    from scoring.format.read import read_file, read_text
    from scoring.format.yaml_text import yaml_text

    node = read_file(source := Path(path), str(path))
    if "kind" in node:
        raise InputError(f"{path} is native already; there is nothing to convert")
    known = forms_of_task_files() if (form := front_end_of(node)) is None and node.is_mapping else ()
    several = next((one for one in known if one.recognises(node)), None)
    if several is not None:
        if dialect is not None:
            raise InputError(f"--dialect has no effect on {several.title}, whose scorers have one meaning")
        return convert_tasks(several, node, source, name=name, task=task, output=output, force=force)
    if form is None:
        raise _unknown_form(path)
    if task is not None:
        raise InputError(f"--task is for a file with several tasks, and {form.title} is one; leave it out")
    data = _shortened(form.convert(node, name or form.task_name(source), form.dialect_of(dialect)).plain())
    text = _HEAD.format(name=source.name) + yaml_text(data)
    assert read_text(text, "converted.yaml").plain() == data, "the written spec does not read back as it was"
    return Converted(_as_file(text, source, output, force))


def _as_file(text: str, source: Path, output: str | Path | None, force: bool) -> str:
    """Return the text of a converted spec; if it has an output, write it there, with its schema for editors."""
    if output is None:
        return text
    target = check_free(output, force, [source])
    text = _LINK.format(schema=schema_link("task", target)) + text
    write_file(target, text.encode())
    return text


def _shortened(data: dict[str, Any]) -> dict[str, Any]:
    """Return a spec in which fields that have nothing but a scorer are written in their short form."""
    fields = data.get("fields")
    if not fields:
        return data
    short = {name: field["score"] if field.keys() == {"score"} else field for name, field in fields.items()}
    return {**data, "fields": short}


def _unknown_form(path: str | Path) -> InputError:
    """Return the error that a file is of no form that is known, with what each form has."""
    from scoring.extensions.authoring.converting import forms_of_task_files
    from scoring.format.front_ends import front_ends

    known = [f"is no {one.title}: {one.lacks}" for one in front_ends()]
    known += [f"is no {one.title}: {one.lacks}" for one in forms_of_task_files()]
    return InputError(f"{path} {'; and '.join(known)}")


@verb
def new(kind: Literal["task", "pack", "suite"], path: str | Path, *, force: bool = False) -> Path:
    """Write a spec with comments as a starting point, and return its path.

    Beside a suite, its first task is written, into the folder ``tasks``.

    Args:
        kind: The kind of spec, ``task``, ``pack`` or ``suite``.
        path: The path of the file; it must end in ``.yaml`` or ``.yml``.
        force: Whether to replace an existing file.

    Raises:
        InputError: when the file exists already or can't be written, or the kind or the file's suffix is invalid.
    """
    target = Path(path)
    if kind not in ("task", "pack", "suite"):
        raise InputError(f"there is no starter of the kind `{kind}`; there are task, pack and suite")
    if target.suffix not in SUFFIXES:
        raise InputError(f"{path} should end in .yaml")
    # Letters, digits, `-` and `_`, beginning with a letter.
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", target.stem).strip("-")
    name = name if name[:1].isalpha() else f"my-{name}".rstrip("-")
    starters = {target: (kind, name)}
    if kind == "suite":
        starters[target.parent / "tasks" / "first.yaml"] = ("task", f"{name}/first")
    for file in starters:
        check_free(file, force)
    for file, (template, own_name) in starters.items():
        text = resources("scoring.extensions.authoring").joinpath("templates", f"{template}.yaml").read_text("utf-8")
        with telling(f"can't make the folder {file.parent}"):
            file.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        write_file(file, text.format(schema=schema_link(template, file), name=own_name, file=file).encode())
    return target
