"""Parity as evidence: published tables computed anew, and vectors of official code made anew.

python -m benchmarks.parity list
python -m benchmarks.parity table NAME FOLDER      # FOLDER is a checkout of the published files; `--keep` its figures
python -m benchmarks.parity vectors FOLDER [NAME]  # FOLDER holds checkouts of official code; `--write` its answers
python -m benchmarks.parity primitives FOLDER [NAME]

Vectors are made in an environment of their own, which has the packages of `benchmarks/parity/requirements.txt`;
`scoring` need not be among them.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.parity.code import Code
from benchmarks.parity.primitives import made_anew, makers
from benchmarks.parity.vectors import PROGRAMS, VECTORS, remade, same

OUTCOMES = Path(__file__).parent / "outcomes"
OFFICIAL = Path(__file__).parent / "official"


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 1 where something parts."""
    load_programs()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.parity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list tables and programs")
    table = commands.add_parser("table", help="compute a published table from published outputs")
    table.add_argument("name", metavar="NAME")
    table.add_argument("folder", metavar="FOLDER", type=Path, help="a checkout or download of the published files")
    table.add_argument("--keep", action="store_true", help="write the figures to benchmarks/parity/outcomes")
    vectors = commands.add_parser("vectors", help="run official code over the held records")
    vectors.add_argument("folder", metavar="FOLDER", type=Path, help="a folder with checkouts, called owner+name")
    vectors.add_argument("names", metavar="NAME", nargs="*", help="recipes; by default all that have a program")
    vectors.add_argument("--write", action="store_true", help="write what the code says into the held vectors")
    primitives = commands.add_parser("primitives", help="make the vectors of primitives anew beside those held")
    primitives.add_argument("folder", metavar="FOLDER", type=Path, help="a folder with checkouts")
    primitives.add_argument("names", metavar="NAME", nargs="*", help="files of tests/parity/data; by default all")
    given = parser.parse_args(arguments)
    if given.command == "list":
        return print_names()
    if given.command == "primitives":
        return max([print_primitives(name, given.folder) for name in given.names or sorted(makers())])
    if given.command == "table":
        return print_table(given.name, given.folder, keep=given.keep)
    made = [print_vectors(name, Code(given.folder), write=given.write) for name in given.names or sorted(PROGRAMS)]
    return max(made)


def load_programs() -> None:
    """Import the programs, which register themselves."""
    for path in sorted(OFFICIAL.glob("[a-z]*.py")):
        import_module(f"benchmarks.parity.official.{path.stem}")


def print_names() -> int:
    """Print the names of tables, and those of the recipes that have a program."""
    from benchmarks.parity.published import tables

    print("\n".join(f"{name:20} {one.source:44} {one.title}" for name, one in tables().items()))
    print("vectors:", " ".join(sorted(PROGRAMS)))
    print("primitives:", " ".join(sorted(makers())))
    return 0


def print_table(name: str, folder: Path, *, keep: bool) -> int:
    """Print our figures beside the published ones; 1 where they part."""
    from benchmarks.parity.published import outcome, tables, wrong_cells

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


def print_vectors(name: str, code: Code, *, write: bool) -> int:
    """Say whether the official code gives what is held; 1 where it gives something else."""
    header = json.loads((VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").partition("\n")[0])
    try:
        pairs = list(remade(name, code))
    except Exception as error:  # whatever official code raises where a library or a checkout is missing
        print(f"{name:20} not made: {type(error).__name__}: {error}")
        return 1
    parted = [pair for pair in pairs if not same(*pair, header["tolerance"])]
    print(
        f"{name:20} {len(pairs)} probes, {len(parted)} part from {header['official']}{code.other(header['official'])}"
    )
    for held, made in parted[:3]:
        print(f"    held {json.dumps(held, ensure_ascii=False)[:400]}")
        print(f"    made {json.dumps(made, ensure_ascii=False)[:400]}")
    if write:
        lines = [json.dumps(row, ensure_ascii=False) for row in (header, *(made for _, made in pairs))]
        (VECTORS / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if parted else 0


def print_primitives(name: str, folder: Path) -> int:
    """Say whether a maker makes what is held; 1 where it makes something else."""
    try:
        held, parted = made_anew(name, folder)
    except Exception as error:  # whatever official code raises where a library or a checkout is missing
        print(f"{name:20} not made: {type(error).__name__}: {error}")
        return 1
    print(f"{name:20} {held} lines, {parted} part")
    return 1 if parted else 0


if __name__ == "__main__":
    sys.exit(main())
