"""The commands for sharing packs: diff, add, remove, upgrade, lock, release, sign, cite."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from scoring.cli import arguments as shared
from scoring.cli.arguments import (
    FROM_0,
    FROM_1,
    PROCESSES,
    argument,
    command,
    either,
    findings_as,
    given,
    judged,
    named,
)
from scoring.cli.console import CLEAN, FAILED, FINDINGS, REPORTS, Console, UsageError
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


@command(
    "add",
    argument(
        "address",
        nargs="+",
        metavar="ADDRESS",
        help="a folder, `git+https://host/repository@v1.0.0#path`, `dist:NAME>=1`, `https://…`, `s3://…`, or `NAME@1`",
    ),
    argument("--as", dest="alias", metavar="NAME", help="the name by which specs import it"),
    argument("--pack", metavar="NAME", help="which pack, where the address has several"),
    argument("--version", metavar="RANGE", help="the range of its versions, such as `1` or `>=1.2,<2`"),
    argument("--replace", action="store_true", help="in the place of the pack that has the name already"),
    shared.JSON,
)
def _add(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.sharing.verbs.projects import add

    _show_change(add(**given(options)), options, console)


@command("remove", argument("name", metavar="NAME", help="the name by which specs import it"), shared.JSON)
def _remove(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.sharing.verbs.projects import remove

    _show_change(remove(**given(options)), options, console)


@command(
    "upgrade",
    argument("name", metavar="NAME", nargs="?", help="the pack; all by default"),
    argument("--version", metavar="RANGE", help="its new range, such as `2`"),
    shared.JSON,
)
def _upgrade(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.sharing.verbs.projects import upgrade

    _show_change(upgrade(**given(options)), options, console)


@command(
    "lock",
    argument(
        "specs",
        nargs="*",
        metavar="SPEC",
        help="folders of projects (default: the one you work in); tasks, packs or suites to pin, or folders of them",
    ),
    argument(
        "--upgrade",
        action="store_true",
        help="move packs to the newest versions within their ranges, and pin anew what their project pins",
    ),
    argument("--offline", action="store_true", help="ask nothing but this machine"),
    shared.FROZEN,
    argument("--input-format", metavar="FORMAT", help="lock the settings of the data's format, as in `csv,empty=text`"),
    shared.DIALECT,
    findings_as(),
    shared.JSON,
)
def _lock(options: argparse.Namespace, console: Console) -> int:
    """Lock packs and pin specs, and print both; a spec with errors is reported and not pinned."""
    from scoring.extensions.sharing.verbs.projects import lock

    found = lock(**given(options))
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
    """Print the changes of a project file and of its lock."""
    console.remarks(found.notes)
    if options.json:
        console.json(found.to_json())
        return
    for line in found.lines:
        console.print(f"{found.path.name}  {line}")
    _show_locked(found.lock, console)


def _show_locked(found: LockChange, console: Console) -> None:
    """Print a line for each pack whose locked versions changed, and the changes of meaning this causes."""
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
    argument("packs", nargs="+", metavar="PACK", help="the files of packs"),
    argument("-n", "--dry-run", action="store_true", help="write nothing, say what would be done"),
    argument(
        "--against",
        type=named,
        metavar="OLD",
        help="what they are held against: a file, a tag, an address (default: the last release that is found)",
    ),
    argument(
        "--raise", dest="raise_version", action="store_true", help="write the version that is needed, if it is too low"
    ),
    shared.ACCEPT,
    argument("--date", dest="day", metavar="DAY", help="the day of the changelog's entry (default: today)"),
    argument("--tag", action="store_true", help="make an annotated tag of the last commit; push nothing"),
    argument("--wheel", type=named, metavar="DIR", help="write a wheel of them into a folder"),
    argument("--distribution", type=named, metavar="NAME", help="the wheel's name and version, acme-metrics==1.2.0"),
    argument("--earlier", action="store_true", help="with --wheel: earlier releases go into it, too"),
    argument("--to", type=named, metavar="ADDRESS", help="put them into a folder or store that lists them"),
    shared.STRICT,
    shared.FORM,
    findings_as("sarif"),
)
def _release(options: argparse.Namespace, console: Console) -> int:
    """Release packs, and print the findings and the result."""
    from scoring.extensions.sharing.verbs.releasing import release

    console.check_report(options)
    found = release(**given(options, accept=dict(options.accept)))
    console.findings(found.findings, options.format)
    if options.format not in REPORTS:
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS


@command(
    "sign",
    argument(
        "target",
        nargs="?",
        metavar="TARGET",
        help="a pack's file, a run's folder, or a bundle; its signature lies beside",
    ),
    either(
        argument(
            "--key",
            type=named,
            metavar="FILE",
            help="your ed25519 private key; SCORING_KEY_PASSPHRASE, or a prompt, unlocks it",
        ),
        argument("--new-key", type=named, metavar="FILE", help="make a key instead, and FILE.pub beside it"),
        argument(
            "--statement", action="store_true", help="print the words that are signed, for `ssh-keygen -Y verify`"
        ),
        required=True,
    ),
    argument("--comment", default="", metavar="TEXT", help="what stands behind a new public key"),
    shared.FORCE,
    shared.FORM,
)
def _sign(options: argparse.Namespace, console: Console) -> None:
    """Sign a target, make a new key, or print the statement that would be signed."""
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
    argument(
        "targets", nargs="+", metavar="TARGET", help="run folders, bundles, specs, or names of packs such as `house@1`"
    ),
    argument(
        "--format",
        choices=("text", "bibtex", "markdown", "json"),
        default="text",
        help="what is printed (default: text)",
    ),
)
def _cite(options: argparse.Namespace, console: Console) -> None:
    """Collect the rules that the targets use, and print their citations."""
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


_SIDES = "a file, NAME@VERSION, an address, REV:PATH of this git repository, or a run"


@command(
    "diff",
    argument("old", metavar="OLD", type=named, help=_SIDES),
    argument("new", metavar="NEW", type=named, help="likewise"),
    argument("--data", metavar="FILE", type=named, help="records to score with both"),
    *shared.ABOUT_DATA,
    argument("--worst", type=FROM_0, default=20, metavar="N", help="how many records to show (default: 20)"),
    argument(
        "--scorings",
        type=FROM_1,
        default=18,
        metavar="N",
        help="how often the data may be scored to tell which change does what (default: 18; 2: not)",
    ),
    argument(
        "--all", dest="everything", action="store_true", help="show also what is for people alone: docs, examples"
    ),
    argument("--processes", type=FROM_1, **PROCESSES),
    shared.FORM,
    judged,
    shared.DIALECT,
)
def _diff(options: argparse.Namespace, console: Console) -> int:
    """Compare two specs; the exit code reports whether any score moves, or that a side has errors."""
    from scoring.extensions.sharing.verbs.differing import diff

    try:
        found = diff(**given(options))
    except SpecError as error:
        console.findings(error.diagnostics)
        return FAILED
    console.result(found, options)
    return FINDINGS if found.moves else CLEAN
