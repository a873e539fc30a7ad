"""Measure what work costs as its input grows, and print the exponents.

    python -m benchmarks.growth                            # all of it; about an hour
    python -m benchmarks.growth --only levenshtein fields  # these primitives, definitions, recipes or groups
    python -m benchmarks.growth --markdown                 # all of it, and write docs/growth.md

The groups are `primitives`, `definitions`, `cookbook` (by length), `fields`, `packs` (by definitions), `metrics`,
`data-sets` and `records`. A line that begins with `!` is steeper than 1.2 and has no bound.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.growth import many
from benchmarks.growth.measure import SIZES, STEEP, Cost, Growth, growths
from benchmarks.growth.page import Found, exponent, page, reason, seconds
from benchmarks.growth.subjects import ROOT, Step, cookbook, definitions, primitives

OF_TEXT: dict[str, Callable[[], Iterator[Step]]] = {
    "primitives": primitives, "definitions": definitions, "cookbook": cookbook,
}  # fmt: skip
PAGE = ROOT / "docs" / "growth.md"


def main() -> None:
    """Measure, print a line for each subject, and write the page or the file that is asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="these subjects, or groups of them")
    parser.add_argument("--size", type=int, default=SIZES[-1], help="the most characters, fields, definitions, records")
    parser.add_argument("--records", type=int, default=1_000_000, help="the most records of a run, such as 10000000")
    parser.add_argument("--markdown", action="store_true", help="write docs/growth.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append what is measured, a line for each subject")
    parser.add_argument(
        "--from", type=Path, metavar="FILE", dest="known", help="a file of `--json`: not measured again"
    )
    given = parser.parse_args()
    found = read(given.known) if given.known else []
    known = {(one.group, one.name) for one in found}
    for one in measured(given, known):
        found.append(one)
        print(line(one), flush=True)
        if given.json:
            with given.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")
    if given.markdown:
        PAGE.write_text(page(found), encoding="utf-8")
    without = [one for one in found if any(growth.bound is None for growth in one.steep)]
    print(f"{len(found)} measured, {len(without)} steeper than {STEEP} without a bound", file=sys.stderr)


def measured(given: argparse.Namespace, known: set[tuple[str, str]]) -> Iterator[Found]:
    """Yield what is measured of all that is asked for and not known."""
    sizes = within(SIZES, given.size)
    for group, steps in OF_TEXT.items():
        if not given.only or group in given.only or not many.MANY.keys() >= {*given.only}:
            for step in steps():
                name = step.name.partition("(")[0]
                if (group, step.name) not in known and (not given.only or {group, name} & {*given.only}):
                    yield Found(group, step.name, tuple(growths(step, sizes)))
    for group, grows in many.MANY.items():
        if not given.only or group in given.only:
            most = many.Most(given.size, given.records)
            if all(one != group for one, _ in known):
                for growth in grows(most):
                    yield Found(group, growth.name, (growth,))


def within(sizes: Sequence[int], most: int) -> tuple[int, ...]:
    """Return the sizes up to the greatest one that is asked for."""
    return tuple(size for size in sizes if size <= most) or tuple(sizes[:1])


def line(one: Found) -> str:
    """Return a line about a subject: its worst form, what that costs, and what ends it."""
    if not one.growths:
        return f"? {one.name[:50]:50} nothing could be measured"
    growth = one.worst
    costs = " ".join(f"{cost.size:,}: {seconds(cost)}" for cost in growth.costs)
    ends = f"  {reason(growth.bound.reason)}" if growth.bound else ""
    mark = "!" if one.steep and growth.bound is None else " "
    return f"{mark} {one.name[:50]:50} {growth.form[:28]:28} ^{exponent(growth):5} {costs}{ends}"


def read(path: Path) -> list[Found]:
    """Return what a file of `--json` has."""

    def growth(data: dict[str, Any]) -> Growth:
        return Growth(data["name"], data["form"], tuple(Cost(**cost) for cost in data["costs"]))

    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return [Found(one["group"], one["name"], tuple(map(growth, one["growths"]))) for one in lines]


if __name__ == "__main__":
    main()
