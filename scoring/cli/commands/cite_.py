"""`scoring cite`: the sentence of a methods section, and BibTeX of every rule that is used."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "targets", nargs="+", metavar="TARGET", help="run folders, bundles, specs, or names of packs such as `house@1`"
    )
    parser.add_argument(
        "--format",
        choices=("text", "bibtex", "markdown", "json"),
        default="text",
        help="what is printed (default: text)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Collect what is used, and print how it is cited."""
    from scoring.api.citing import cite

    found = cite(*options.targets)
    if options.format == "json":
        console.json(found.to_json())
    elif options.format == "bibtex":
        console.out.write(f"{found.bibtex}\n" if found.bibtex else "")
    elif options.format == "markdown":
        from scoring.report.of.travelling import noted_citation

        console.show(noted_citation(found.data), "markdown")
    else:
        console.show(found.document())
    return CLEAN
