"""The commands for sharing packs: diff, add, remove, upgrade, lock, release, sign, cite."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command, either, findings_as, judge_options
from scoring.cli.console import CLEAN, FAILED, FINDINGS, Console, UsageError, is_report
from scoring.cli.options import Verb
from scoring.cli.specs import accepted
from scoring.cli.values import file_name
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import counted

if TYPE_CHECKING:
    from scoring.extensions.sharing.edit_project import ProjectChange
    from scoring.extensions.sharing.locking import LockChange

COMMANDS = {
    "diff": "say what changed between two specs, which records move by it, and because of what",
    "add": "name packs in scoring.toml, fetch them, lock them",
    "remove": "take a pack out of scoring.toml and the lock",
    "upgrade": "move packs to newer versions, and say what that moves",
    "lock": "lock the packs of a project, and pin what specs mean",
    "release": "check packs, say which part of the version must be raised, write the changelog, build",
    "sign": "sign a release, a run or a bundle as its author, or make a key for that",
    "cite": "say how a run, a spec or a pack is cited, with BibTeX of the rules that it uses",
}

_MOST_LINES = 8


_PROJECTS, _SIGNING = "scoring.extensions.sharing.verbs.projects", "scoring.extensions.sharing.verbs.signing"
_ADD, _REMOVE, _UPGRADE = Verb(f"{_PROJECTS}:add"), Verb(f"{_PROJECTS}:remove"), Verb(f"{_PROJECTS}:upgrade")
_LOCK, _SIGN, _NEW_KEY = Verb(f"{_PROJECTS}:lock"), Verb(f"{_SIGNING}:sign"), Verb(f"{_SIGNING}:new_key")
_RELEASE = Verb("scoring.extensions.sharing.verbs.releasing:release")
_CITE = Verb("scoring.extensions.sharing.verbs.citing:cite")
_DIFF = Verb("scoring.extensions.sharing.verbs.differing:diff")


@command("add", *_ADD("address"), _ADD.option("alias", "--as"), *_ADD("pack", "version", "replace"), shared.JSON)
def _add(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.sharing.verbs.projects import add

    _show_change(add(**api_arguments(options)), options, console)


@command("remove", *_REMOVE("name"), shared.JSON)
def _remove(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.sharing.verbs.projects import remove

    _show_change(remove(**api_arguments(options)), options, console)


@command("upgrade", *_UPGRADE("name", "version"), shared.JSON)
def _upgrade(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.sharing.verbs.projects import upgrade

    _show_change(upgrade(**api_arguments(options)), options, console)


@command(
    "lock",
    *_LOCK("specs", "upgrade", "offline", "frozen", "input_format", "reference_format", "dialect"),
    findings_as(),
    shared.JSON,
)
def _lock(options: argparse.Namespace, console: Console) -> int:
    """Run `scoring lock`: lock packs, pin specs, and print what was locked and pinned; return the exit code, which
    reports specs with errors."""
    from scoring.extensions.sharing.verbs.projects import lock

    found = lock(**api_arguments(options))
    console.remarks(found.skipped)
    if options.json:
        console.json(found.to_json())
        return CLEAN if found.passed else FINDINGS
    for change in found.projects:
        _show_locked(change, console)
    code = console.findings(found.findings, options.format)
    for path, pinned in (*found.pinned.items(), *found.locks.items()):
        console.print(f"{path}  {counted(len(pinned.packs), 'pack')} pinned")
        packs = (f"{pack} {pin}" for pack, pin in pinned.packs.items())
        for line in (f"meaning {pinned.meaning[:16]}", f"env {pinned.env}", *packs):
            console.print(f"  {line}", "dim")
    return code


def _show_change(found: ProjectChange, options: argparse.Namespace, console: Console) -> None:
    """Print what was changed in a project file and in its lock, as lines or as JSON.

    Args:
        found: The changes.
        options: The options of the command line.
        console: What is printed to.
    """
    console.remarks(found.notes)
    if options.json:
        console.json(found.to_json())
        return
    for line in found.lines:
        console.print(f"{found.path.name}  {line}")
    _show_locked(found.lock, console)


def _show_locked(found: LockChange, console: Console) -> None:
    """Print the number of locked packs, and for each pack whose locked versions changed the versions and the changes of
    meaning."""
    console.remarks(found.notes)
    state = "" if found.moves else ", nothing changed" if not found.written else ", written"
    console.print(f"{found.path.name}  {counted(len(found.packs), 'pack')}{state}")
    for move in found.moves:
        before, after = ", ".join(move.before), ", ".join(move.after)
        what = f"{before} → {after}" if before and after else f"{after} is new" if after else f"{before} is gone"
        console.print(f"  {move.name} {what}  ({move.source})")
        more = len(move.moved) - _MOST_LINES
        left = [f"and {counted(more, 'more change')}"] if more > 0 else []
        for line in (*filter(None, [move.signed]), *move.moved[:_MOST_LINES], *left):
            console.print(f"    {line}", "dim")


@command(
    "release",
    _RELEASE.option("packs", metavar="PACK"),
    _RELEASE.option("dry_run", "-n", "--dry-run"),
    _RELEASE.option("against", metavar="OLD"),
    _RELEASE.option("raise_version", "--raise"),
    _RELEASE.option("accept", metavar="NAME=WHY", type=accepted),
    _RELEASE.option("day", "--date", metavar="DAY"),
    *_RELEASE("tag"),
    _RELEASE.option("wheel", metavar="FOLDER"),
    _RELEASE.option("distribution", type=file_name),
    *_RELEASE("earlier"),
    _RELEASE.option("to", metavar="ADDRESS"),
    *_RELEASE("strict"),
    shared.FORM,
    findings_as("sarif"),
)
def _release(options: argparse.Namespace, console: Console) -> int:
    """Run `scoring release`: release packs, print the findings and the result, and return the exit code."""
    from scoring.extensions.sharing.verbs.releasing import release

    console.check_report(options)
    found = release(**api_arguments(options, accept=dict(options.accept)))
    console.findings(found.findings, options.format)
    if not is_report(options.format):
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS


@command(
    "sign",
    _SIGN.option("target", nargs="?"),
    either(
        _SIGN.option("key", required=False, default=None),
        argument("--new-key", type=file_name, metavar="FILE", help="make a key instead, and FILE.pub beside it"),
        argument(
            "--statement", action="store_true", help="print the words that are signed, for `ssh-keygen -Y verify`"
        ),
        required=True,
    ),
    _NEW_KEY.option("comment", metavar="TEXT", default=""),
    *_SIGN("force"),
    shared.FORM,
)
def _sign(options: argparse.Namespace, console: Console) -> None:
    """Run `scoring sign`: sign a target, make a new key, or print the statement that a signature would sign."""
    from getpass import getpass

    from scoring.extensions.sharing.verbs.signing import new_key, sign, statement

    if options.new_key is not None:
        if options.target is not None or options.force:
            raise UsageError("--new-key takes no TARGET, and never replaces a file (see `scoring sign --help`)")
        secret = os.environ.get("SCORING_KEY_PASSPHRASE")
        if secret is None and sys.stdin.isatty():
            secret = _twice()
        console.result(new_key(options.new_key, passphrase=secret, comment=options.comment), options)
        return
    if options.target is None or options.comment:
        said = "--comment is of a new key" if options.target is not None else "name what to sign"
        raise UsageError(f"{said} (see `scoring sign --help`)")
    if options.statement:
        console.out.write(statement(options.target))
        return
    ask = partial(getpass, "passphrase of the key: ") if sys.stdin.isatty() else None
    console.result(sign(options.target, key=options.key, ask=ask, force=options.force), options)


def _twice() -> str:
    from getpass import getpass

    first = getpass("passphrase of the new key (empty for none): ")
    if first and getpass("once more: ") != first:
        raise UsageError("the two passphrases differ; no key was made")
    return first


@command(
    "cite",
    _CITE.option("targets", metavar="TARGET"),
    argument(
        "--format",
        choices=("text", "bibtex", "markdown", "json"),
        default="text",
        help="what is printed (default: text)",
    ),
)
def _cite(options: argparse.Namespace, console: Console) -> None:
    """Run `scoring cite`: collect the rules that the targets use, and print their citations."""
    from scoring.extensions.sharing.verbs.citing import cite

    found = cite(*options.targets)
    if options.format == "json":
        console.json(found.to_json())
    elif options.format == "bibtex":
        console.out.write(f"{found.bibtex}\n" if found.bibtex else "")
    elif options.format == "markdown":
        from scoring.extensions.sharing.documents.travelling import noted_citation

        console.show(noted_citation(found.data), "markdown")
    else:
        console.show(found.document())


@command(
    "diff",
    *_DIFF("old", "new", "data", "references", "input_format", "reference_format", "limit", "worst", "scorings"),
    _DIFF.option("everything", "--all"),
    *_DIFF("processes", "dialect"),
    shared.FORM,
    judge_options,
)
def _diff(options: argparse.Namespace, console: Console) -> int:
    """Run `scoring diff`: compare two specs and print the changes; the exit code says whether a score changes, or a
    spec has errors."""
    from scoring.extensions.sharing.verbs.differing import diff

    try:
        found = diff(**api_arguments(options))
    except SpecError as error:
        console.findings(error.diagnostics)
        return FAILED
    console.result(found, options)
    return FINDINGS if found.moves else CLEAN
