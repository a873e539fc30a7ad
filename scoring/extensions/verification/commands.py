"""The commands that score finished runs again, and that bundle them for others: verify, bundle."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command
from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import Verb
from scoring.cli.values import folder
from scoring.registry.extension import provided

COMMANDS = {
    "verify": "score a finished run again, as its manifest says, and say whether it comes out the same",
    "bundle": "make one file of a finished run, from which anyone can score it again",
}

_VERIFY = Verb("scoring.extensions.verification.verbs:verify")
_BUNDLE = Verb("scoring.extensions.verification.verbs:bundle")


@command(
    "verify",
    argument("run", metavar="RUN", help="a run folder, a bundle, or a pack whose signature is looked at"),
    _VERIFY.option("output", "-o", "--output", type=folder),
    *_VERIFY("data", "references", "root", "processes", "trust"),
    shared.FORM,
)
def _verify(options: argparse.Namespace, console: Console) -> int:
    """Verify a run, or the signature of a pack, and print the result; return the exit code."""
    if options.run.endswith((".yaml", ".yml", ".json")):
        if any(getattr(options, name) is not None for name in ("output", "data", "references", "root")):
            raise UsageError("of a pack its signature is looked at, and nothing is scored; leave its places out")
        verify_release = provided("scoring.verbs", "packs.verify_release", "`verify_release`")
        found = verify_release(options.run, trust=options.trust)
    else:
        from scoring.extensions.verification.verbs import verify

        found = verify(**api_arguments(options), on_note=console.remark)
    console.result(found, options)
    if getattr(found, "changed", None) == [] and options.output is not None and not options.json:
        console.print(f"written to {options.output}", "dim")
    return CLEAN if found.passed else FINDINGS


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
