"""The commands that score finished runs again, and that bundle them for others: verify, repeat, bundle."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command
from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import Verb
from scoring.cli.values import folder
from scoring.registry.extension import provided

COMMANDS = {
    "verify": "score a finished run again and say whether it comes out the same",
    "repeat": "make a finished run once more, from what its manifest says",
    "bundle": "make one file of a finished run, from which anyone can score it again",
}

_VERIFY = Verb("scoring.extensions.verification.verbs:verify")
_REPEAT = Verb("scoring.extensions.verification.verbs:repeat")
_BUNDLE = Verb("scoring.extensions.verification.verbs:bundle")


@command(
    "verify",
    argument("run", metavar="RUN", help="a run folder, a bundle, or a pack whose signature is looked at"),
    *_VERIFY("data", "references", "root", "processes", "trust"),
    shared.FORM,
)
def _verify(options: argparse.Namespace, console: Console) -> int:
    """Verify a run, or the signature of a pack, and print the result; return the exit code."""
    if options.run.endswith((".yaml", ".yml", ".json")):
        if any(getattr(options, name) is not None for name in ("data", "references", "root")):
            raise UsageError("of a pack its signature is looked at, and nothing is scored; leave its places out")
        verify_release = provided("scoring.verbs", "packs.verify_release", "`verify_release`")
        found = verify_release(options.run, trust=options.trust)
    else:
        from scoring.extensions.verification.verbs import verify

        found = verify(**api_arguments(options), on_note=console.remark)
    console.result(found, options)
    return CLEAN if found.passed else FINDINGS


@command(
    "repeat",
    *_REPEAT("run"),
    _REPEAT.option("output", "-o", "--output", type=folder),
    *_REPEAT("data", "references", "root", "processes"),
    shared.FORM,
)
def _repeat(options: argparse.Namespace, console: Console) -> int:
    """Score a run again into a new folder, and print the comparison of the two; return the exit code."""
    from scoring.extensions.verification.verbs import repeat

    found = repeat(**api_arguments(options), on_note=console.remark)
    console.result(found, options)
    if not found.changed and not options.json:
        console.print(f"written to {options.output}", "dim")
    return CLEAN if found.same else FINDINGS


@command(
    "bundle",
    *_BUNDLE("run"),
    _BUNDLE.option("output", "-o", "--output", metavar="FILE"),
    argument(
        "--no-data", dest="with_data", action="store_false", help="leave out data and references; their digests stay"
    ),
    *_BUNDLE("data", "references", "root", "force"),
    shared.FORM,
)
def _bundle(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.verification.verbs import bundle

    console.result(bundle(**api_arguments(options), on_note=console.remark), options)
