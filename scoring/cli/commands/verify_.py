"""`scoring verify`: score a finished run again and say whether everything comes out the same."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import FROM_1, PLACES, add, add_form, named, picked

_PACKS = (".yaml", ".yml", ".json")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run folder, a bundle, or a pack whose signature is looked at")
    add(parser, *PLACES)
    parser.add_argument("--processes", type=FROM_1, default=1, metavar="N", help="score in N processes (default: 1)")
    parser.add_argument(
        "--trust",
        type=named,
        metavar="FILE",
        help="exit 1 unless an author of this file signed it: TOML with `[trust]`, or OpenSSH's allowed signers",
    )
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, compare."""
    from scoring.api.verifying import verify

    if options.run.endswith(_PACKS):
        from scoring.api.signing import verify_release

        if any(getattr(options, name) is not None for name in ("spec", "data", "references", "root")):
            raise UsageError("of a pack its signature is looked at, and nothing is scored; leave its places out")
        release = verify_release(options.run, trust=options.trust)
        console.result(release, options)
        return CLEAN if release.passed else FINDINGS
    how = picked(options, "spec", "data", "references", "root", "processes", "trust")
    found = verify(options.run, on_note=console.remark, **how)
    console.result(found, options)
    return CLEAN if found.passed else FINDINGS
