"""Specs repaired: the fixes of findings that have one sensible answer, applied in rounds, each held to a new check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from scoring.api.arguments import verb
from scoring.api.specs import check_text
from scoring.data.output import write_file
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, Fix, SpecError
from scoring.errors import InputError
from scoring.extensions.authoring.writing import apart, apply_fixes
from scoring.format.load import Loader
from scoring.format.read import read_source, read_text
from scoring.project.find import SPEC_FILES, STORE

MOST_ROUNDS = 10
"""The most rounds: a fix may show a mistake that another one hid."""
_OF_BRACKETS = ("syntax-unclosed-bracket", "syntax-unopened-bracket", "syntax-unclosed-text")
_MOST_CHOICES = 6
_MOST_SINGLE = 50
"""The fixes of a round that are tried one by one if they don't help together."""


class Repaired(Struct, frozen=True):
    """The text of a spec before and after its repair.

    Args:
        before: The text as it was given.
        after: The text with the fixes applied.
        fixes: What the applied fixes did, in order, in words.
        findings: The findings that are left, with fixes among which the author chooses.
    """

    before: str
    after: str
    fixes: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return f"<Repaired: {len(self.fixes)} fixes, {len(self.findings)} findings left>"


@verb
def repair_text(text: str, *, path: str | Path = "spec.yaml", dialect: str | None = None) -> Repaired:
    """Apply to the text of a spec the fixes of its errors that have only one sensible answer; nothing is written.

    A fix is kept only if its error is then gone, and no error is new outside the lines that it changes. A spec without
    errors is unchanged.

    Args:
        text: The text, as YAML, or as JSON if the suffix of `path` is ``.json``.
        path: The file that holds the text, or will hold it; its content is not read.
        dialect: The dialect that defines the names in a task file of another tool.

    Raises:
        InputError: when no such dialect is known.

    Examples:
        >>> found = repair_text("kind: task\\nname: x\\nscore: lowr && equal  # folded")
        >>> print(found.after)
        kind: task
        name: x
        score: lower | equal  # folded
        >>> found.fixes
        ('write `|` for `&&`', 'write `lower` for `lowr`')
    """
    before, made, seen = text, list[str](), {text}
    found = check_text(text, path=path, dialect=dialect)
    for _ in range(MOST_ROUNDS):
        chosen = apart(fix for one in found for fix in _sure(one))
        if not chosen:
            chosen = _of_choices(text, found, path, dialect)
        for tried in (chosen, *([fix] for fix in chosen[:_MOST_SINGLE] if len(chosen) > 1)):
            after = apply_fixes(text, tried)
            if not tried or after in seen:
                continue
            then = check_text(after, path=path, dialect=dialect)
            if _helps(found, then, text, after, tried, str(path)):
                text, found = after, then
                made += [fix.title or f"write `{fix.text}`" for fix in tried]
                seen.add(text)
                break
        else:
            break
    return Repaired(before, text, tuple(made), tuple(found))


def repair_files(files: Sequence[Path], dialect: str | None) -> dict[Path, Repaired]:
    """Repair spec files, and write those that change; return what was changed, by path.

    A file that can't be read is left to the check.

    Raises:
        InputError: when one of the files may not be changed or written; then none is.
    """
    for path in files:
        _check_own(path)
    done: dict[Path, Repaired] = {}
    for path in files:
        try:
            text = read_source(path).text
        except SpecError:
            continue
        found = repair_text(text, path=path, dialect=dialect)
        if found.after != text:
            done[path] = found
    for path, found in done.items():
        write_file(path, found.after.encode())
    return done


def _check_own(path: Path) -> None:
    """Raise an InputError if a spec is not a file of the user's own."""
    if path.suffix not in SPEC_FILES:
        raise InputError(f"--fix changes files, and {path} is none; `scoring new --from {path}` copies what is shipped")
    where = real_path(path)
    if STORE in where.as_posix():
        raise InputError(f"{path} is in the store of fetched packs, which --fix does not change")
    if "site-packages" in where.parts and Loader().is_shipped(path):
        raise InputError(f"{path} belongs to the installed package, which --fix does not change; check a copy of it")


def _sure(finding: Diagnostic) -> tuple[Fix, ...]:
    """Return the fix of an error if it is the only one, and may be applied unseen."""
    is_one = finding.severity == "error" and len(finding.fixes) == 1
    return tuple(fix for fix in finding.fixes if is_one and fix.is_safe)


def _of_choices(text: str, found: Sequence[Diagnostic], path: str | Path, dialect: str | None) -> list[Fix]:
    """Return the fix of the first error with several of which exactly one leaves fewer errors; [] without one."""
    errors = sum(one.severity == "error" for one in found)
    several = (one.fixes for one in found if len(one.fixes) > 1 and one.id in _OF_BRACKETS)
    for fixes in islice(several, _MOST_CHOICES):
        left = [check_text(apply_fixes(text, [fix]), path=path, dialect=dialect) for fix in fixes[:_MOST_CHOICES]]
        good = [
            fix for fix, then in zip(fixes, left, strict=False) if sum(one.severity == "error" for one in then) < errors
        ]
        if len(good) == 1:
            return good
    return []


def _helps(
    found: Sequence[Diagnostic], then: Sequence[Diagnostic], before: str, after: str, fixes: Sequence[Fix], name: str
) -> bool:
    """Return whether fixes help: errors (`found`) are gone, and those `then` are not new outside the changed lines, nor
    more without any fix."""
    old, new = (Counter((one.id, one.message) for one in each if one.severity == "error") for each in (found, then))
    if not _reads(before, name):
        return _reads(after, name) or _first_place(then) > _first_place(found)
    more = new - old
    if not old - new or (new.total() > old.total() and not all(_fixable(one) for one in then)):
        return False  # nothing is gained by a text with more mistakes that nobody can mend
    lines, shift = set[int](), 0
    for fix in sorted(fixes, key=lambda one: one.span.start):
        first = fix.span.line + shift
        grown = fix.text.count("\n")
        lines.update(range(first, first + grown + 1))
        shift += grown - fix.span.text.count("\n")
    return all(one.span is not None and one.span.line in lines for one in then if (one.id, one.message) in more)


def _fixable(finding: Diagnostic) -> bool:
    return finding.severity != "error" or bool(finding.fixes)


def _first_place(found: Sequence[Diagnostic]) -> int:
    return min((one.span.start for one in found if one.span is not None), default=0)


def _reads(text: str, name: str) -> bool:
    try:
        read_text(text, name)
    except SpecError:
        return False
    return True
