"""Print the table of speed: `scoring` as users call it, beside what they would use instead.

    python -m benchmarks                       # all rows; some minutes
    python -m benchmarks --only road text/wer  # these rows, or all of these families
    python -m benchmarks --json                # every line as an object; `--markdown` is the table of docs/speed.md

A ratio is the peer's time divided by ours, and a line that is below its goal begins with `!`. Times are CPU seconds of
the least of the rounds (`*`: seconds by the clock). A floor is the least that the work costs, written by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.speed.measure import be_side, lines_of
from benchmarks.speed.table import ROWS, chosen, markdown, plain, plain_head


def main() -> None:
    """Print the table, or be one side of a row."""
    if sys.argv[1:2] == ["--side"]:
        row, side, folder = sys.argv[2:]
        be_side(ROWS[row], int(side), Path(folder))
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these rows, or families of rows")
    parser.add_argument("--rounds", type=int, default=3, help="how often each side runs")
    parser.add_argument("--size", type=int, help="the most records that a row has")
    parser.add_argument("--official", type=Path, metavar="DIR", help="a folder with checkouts of released code")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--json", action="store_true", help="print JSON")
    ways.add_argument("--markdown", action="store_true", help="print Markdown")
    given = parser.parse_args()
    rows, lines = chosen(given.only), []
    if given.list:
        print("\n".join(f"{row.name:30} {row.work}" for row in rows))
        return
    shown = sys.stderr if given.json or given.markdown else sys.stdout
    print(plain_head(), file=shown)
    for row in rows:
        found = lines_of(row, max(1, given.rounds), given.official and given.official.resolve(), given.size)
        lines += found
        print("\n".join(map(plain, found)), file=shown, flush=True)
    if given.markdown:
        print(markdown(lines))
    if given.json:
        print(json.dumps([{**asdict(line), "ratio": line.ratio, "verdict": line.verdict} for line in lines], indent=1))
    below = sum(line.verdict == "below" for line in lines)
    print(f"{len(rows)} rows, {len(lines)} comparisons, {below} below their goal", file=sys.stderr)
    if any(line.verdict == "the figures differ" for line in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()
