"""`scoring sign`: sign the release of a pack, a run or a bundle, or make a key for it."""

from __future__ import annotations

import argparse
import os
import sys

from scoring.cli.console import CLEAN, Console, UsageError
from scoring.cli.options import add, add_form, named


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "target",
        nargs="?",
        metavar="TARGET",
        help="a pack's file, a run's folder, or a bundle; its signature lies beside",
    )
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--key",
        type=named,
        metavar="FILE",
        help="your ed25519 private key; SCORING_KEY_PASSPHRASE, or a prompt, unlocks it",
    )
    how.add_argument("--new-key", type=named, metavar="FILE", help="make a key instead, and FILE.pub beside it")
    how.add_argument(
        "--statement", action="store_true", help="print the words that are signed, for `ssh-keygen -Y verify`"
    )
    parser.add_argument("--comment", default="", metavar="TEXT", help="what stands behind a new public key")
    add(parser, "--force")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Sign, make a key, or say what would be signed."""
    from scoring.api.signing import new_key, sign, statement

    if options.new_key is not None:
        if options.target is not None or options.force:
            raise UsageError("--new-key takes no TARGET, and never replaces a file (see `scoring sign --help`)")
        secret = os.environ.get("SCORING_KEY_PASSPHRASE")
        if secret is None and sys.stdin.isatty():
            secret = _twice()
        console.result(new_key(options.new_key, passphrase=secret, comment=options.comment), options)
        return CLEAN
    if options.target is None or options.comment:
        said = "--comment is of a new key" if options.target is not None else "name what to sign"
        raise UsageError(f"{said} (see `scoring sign --help`)")
    if options.statement:
        console.out.write(statement(options.target))
        return CLEAN
    ask = _asked if sys.stdin.isatty() else None
    console.result(sign(options.target, key=options.key, ask=ask, force=options.force), options)
    return CLEAN


def _asked() -> str:
    from getpass import getpass

    return getpass("passphrase of the key: ")


def _twice() -> str:
    from getpass import getpass

    first = getpass("passphrase of the new key (empty for none): ")
    if first and getpass("once more: ") != first:
        raise UsageError("the two passphrases differ; no key was made")
    return first
