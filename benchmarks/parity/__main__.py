"""Parity as evidence: published tables computed anew, and vectors of official code made anew.

python -m benchmarks.parity table NAME FOLDER    # FOLDER is a checkout of the published files; `--keep` for the page
python -m benchmarks.parity list
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.parity.published import outcome, tables, wrong_cells

OUTCOMES = Path(__file__).parent / "outcomes"


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 1 where something parts."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.parity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list tables")
    table = commands.add_parser("table", help="compute a published table from published outputs")
    table.add_argument("name", choices=tables())
    table.add_argument("folder", type=Path, help="a checkout or download of the published files")
    table.add_argument("--keep", action="store_true", help="write the figures to benchmarks/parity/outcomes")
    given = parser.parse_args(arguments)
    if given.command == "list":
        print("\n".join(f"{name:20} {one.source:60} {one.title}" for name, one in tables().items()))
        return 0
    return print_table(given.name, given.folder, keep=given.keep)


def print_table(name: str, folder: Path, *, keep: bool) -> int:
    """Print our figures beside the published ones; 1 where they part."""
    one = tables()[name]
    print(f"{one.title}\n{'row':40} {'figure':20} {'published':>14} {'ours':>14} {'difference':>13}")
    cells = []
    for cell in one.cells(folder):
        cells.append(cell)
        print(cell.line(), flush=True)
    wrong = wrong_cells(cells)
    print(f"{len(cells)} figures, {sum(cell.agrees for cell in cells)} agree, {len(wrong)} part without a reason")
    if keep:
        OUTCOMES.mkdir(exist_ok=True)
        text = json.dumps(outcome(one, cells), indent=1, ensure_ascii=False)
        (OUTCOMES / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
