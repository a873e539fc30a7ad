"""The commands that write files: fmt, new and convert specs, init the file of a forge."""

from __future__ import annotations

import argparse
from pathlib import Path

from scoring.cli.arguments import GATES, api_arguments, argument, command, findings_as
from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError, is_report
from scoring.cli.options import Verb
from scoring.cli.values import file_name
from scoring.diagnostics.suggest import nearest
from scoring.diagnostics.words import counted

COMMANDS = {
    "fmt": "write expressions in their canonical text",
    "new": "write a commented starter spec",
    "convert": "turn a task file of another tool into specs",
    "init": "write the file by which a forge checks, tests and scores",
}

_FMT, _CONVERT = Verb("scoring.extensions.authoring.writing:fmt"), Verb("scoring.extensions.authoring.writing:convert")
_KINDS = ("task", "pack", "suite")
_NEW_FROM = Verb("scoring.extensions.authoring.starting:new_from")
_INIT = Verb("scoring.extensions.authoring.continuous:init_ci")


@command(
    "fmt",
    *_FMT("specs"),
    argument("--check", action="store_true", help="change nothing; exit 1 if a file would change"),
    argument("--diff", action="store_true", help="show what would change, and change nothing"),
    *_FMT("fix", "unsafe_fixes", "only_specs"),
    findings_as("sarif"),
)
def _fmt(options: argparse.Namespace, console: Console) -> int:
    """Format every file that can be read, and print what was changed and the findings; return the exit code."""
    from scoring.extensions.authoring.writing import fmt

    dry = options.check or options.diff
    found = fmt(**api_arguments(options, "check", "diff", write=not dry))
    console.remarks(found.skipped)
    if is_report(options.format):
        if options.diff:
            raise UsageError(f"--format {options.format} is the whole output; leave out --diff")
        would = [change.finding() for change in found.changes] if dry else []
        return console.findings([*found.findings, *would], options.format)
    for change in found.changes:
        if options.diff:
            console.out.write(change.diff())
        else:
            fixes = f" ({counted(change.fixes, 'fix', 'fixes')})" if change.fixes else ""
            console.print(f"{'would format' if dry else 'formatted'} {change.path}{fixes}")
    console.findings(found.findings, options.format)
    if not found.changes and not found.findings:
        console.print(f"{counted(len(found.files), 'file')} already formatted")
    return FINDINGS if found.findings or (dry and found.changes) else CLEAN


@command(
    "convert",
    _CONVERT.option("path", metavar="FILE"),
    _CONVERT.option("output", "-o", "--output", metavar="SPEC"),
    *_CONVERT("name", "dialect", "task", "force"),
)
def _convert(options: argparse.Namespace, console: Console) -> None:
    """Convert a file, and print the specs, or the names of their files and what is lost."""
    from scoring.extensions.authoring.writing import convert

    text = convert(**api_arguments(options))
    if options.output:
        for path in text.files or (options.output,):
            console.print(f"written {path}")
        for line in text.lost:
            console.print(f"lost: {line}")
    else:
        console.out.write(text)


@command(
    "new",
    argument(
        "what",
        nargs="*",
        metavar="KIND PATH",
        help="task, pack or suite, and the file to write; with --from the folder to write, if not that of its name",
    ),
    _NEW_FROM.option("name", "--from", default=None, required=False, type=file_name),
    *_NEW_FROM("force"),
)
def _new(options: argparse.Namespace, console: Console) -> None:
    """Write a starter spec, or a folder with a shipped example."""
    from scoring.extensions.authoring.starting import new_from
    from scoring.extensions.authoring.writing import new

    if options.name is not None:
        if len(options.what) > 1:
            raise UsageError(f"one folder is written; write `scoring new --from {options.name} {options.what[-1]}`")
        written = new_from(options.name, *options.what, force=options.force)
        console.print(f"written {', '.join(map(str, written))}; next: {written[-1]} says what to run")
        return
    if len(options.what) != 2 or options.what[0] not in _KINDS:
        path = next((one for one in options.what if "." in one), "task.yaml")
        word = next((one for one in options.what if one != path), "")
        if word in _KINDS or (near := nearest(word, _KINDS)) is None:
            near = word if word in _KINDS else "task"
            others = ", ".join(f"`scoring new {one} {path}`" for one in _KINDS if one != near)
            raise UsageError(
                f"what is to be written, and where? Write `scoring new {near} {path}`, {others} or "
                "`scoring new --from quickstart/invoices`"
            )
        raise UsageError(f"there is no starter of the kind `{word}`; write `scoring new {near} {path}`")
    kind, path = options.what
    new(kind, path, force=options.force)
    first = f" and {Path(path).with_name('tasks') / 'first.yaml'}" if kind == "suite" else ""
    console.print(f"written {path}{first}; next: scoring check {path}")


_BEGINS = (
    "`scoring init ci` writes the file of a forge, with --forge and perhaps a gate; a spec is begun by "
    "`scoring new task task.yaml`, or by `scoring new --from quickstart/invoices`, which has data, too"
)


def _initial(text: str) -> str:
    """Return what `init` writes; who asks for a spec is told how one is begun."""
    if text != "ci":
        raise argparse.ArgumentTypeError(_BEGINS)
    return text


@command(
    "init",
    argument("what", nargs="?", type=_initial, choices=("ci",), help="`ci`, for continuous integration"),
    *_INIT("spec", "data"),
    *GATES,
    *_INIT("forge"),
    _INIT.option("output", "-o", "--output", metavar="FILE"),
    *_INIT("requirement", "force"),
)
def _init(options: argparse.Namespace, console: Console) -> None:
    """Write the file of a forge."""
    from scoring.extensions.authoring.continuous import init_ci

    if options.what is None:
        raise UsageError(_BEGINS)
    given = {"least": tuple(options.min), "most": tuple(options.max)}
    written = init_ci(**api_arguments(options, "what", "min", "max", **given))
    gate = "" if options.spec else "; a gate is added by a spec, its data and --min mean=0.8"
    console.print(f"written {written}; commit it{gate}")
