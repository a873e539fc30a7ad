"""The page `docs/growth.md`, written from what was measured."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mode

from benchmarks.growth.measure import ALL_CALLS, ALL_ELSEWHERE, MOST_SECONDS, MOST_USUAL, NOTABLE, STEEP, Cost, Growth

GROUPS = {
    "primitives": "primitives", "definitions": "definitions of shipped packs", "cookbook": "recipes of the cookbook",
    "metrics": "metrics", "data-sets": "data sets", "fields": "specs by fields", "packs": "packs",
    "records": "runs by records",
}  # fmt: skip
OF_TEXT = ("primitives", "definitions", "cookbook")
FEW = 12

HEAD = """<!-- Written by `python -m benchmarks.growth --markdown`; changes here are lost. -->
# How cost grows

`python -m benchmarks.growth` measures what work costs as its input grows, through the public API and the command line,
and fits the exponent: 1 is in proportion to the size, 2 with its square. Each primitive, each definition of the
shipped packs and each recipe of the cookbook is given every form of text and value in `benchmarks/growth/forms.py`, of
100, 1,000, 10,000 and 100,000 characters, on both sides, and beside a short reference; the few that were given less are
named below. [speed.md](speed.md) compares the speed of common work with other tools.

```
python -m benchmarks.growth                               # all of it; about an hour
python -m benchmarks.growth --only levenshtein json       # primitives, definitions, recipes, or groups of them
python -m benchmarks.growth --only metrics --size 10000
python -m benchmarks.growth --markdown --records 10000000 # write this page, with runs of 10,000,000 records
```

- The exponent is the slope of log time over log size, of the three greatest sizes whose time is at least twice the
  fixed cost. Of what takes less than {notable} s at the greatest size none is fitted. What exceeds {steep} is measured
  three times, the least of which counts, and then up to 3,200,000 characters or until a bound ends it; without a bound,
  the exponent is that of the sizes from 100,000.
- Time is CPU time; it is time by the clock for what takes less than 0.1 s, and for what another process works out,
  without the time that was waited for a core. A call is stopped after {stop} s at the latest. A subject whose calls
  took {all} s in all is given no further forms of the greatest size; one whose work took {elsewhere} s in another
  process, such as SymPy's, none at all.
- A **bound** ends work that grows faster than its input: counted steps, or a limit on a size. The record is then
  unscored or unparsed, with the reason that is shown. All limits are in [security.md](security.md).

Measured on {machine}.
"""


@dataclass(frozen=True)
class Found:
    """What was measured of one subject: a group, a name, and the growth of each form of input."""

    group: str
    name: str
    growths: tuple[Growth, ...]

    @property
    def steep(self) -> list[Growth]:
        """The forms above `STEEP`, those without a bound first, then the dearest."""
        steep = [growth for growth in self.growths if (growth.exponent or 0.0) > STEEP]
        return sorted(steep, key=lambda growth: (growth.bound is not None, -growth.most.seconds))

    @property
    def worst(self) -> Growth:
        """The form that costs the most for its exponent: a steep one, else the one of the greatest exponent."""
        mildest = max(self.growths, key=lambda growth: (growth.exponent or 0.0, growth.most.seconds))
        return next(iter(self.steep), mildest)

    @property
    def dearest(self) -> Growth:
        """The form that costs the most at a size to 100,000."""
        return max(self.growths, key=lambda growth: last(growth).seconds)


def last(growth: Growth) -> Cost:
    """Return the cost at the greatest size to 100,000 that was measured, or the greatest below it."""
    return max(_usual(growth), key=lambda cost: cost.seconds)


def _usual(growth: Growth) -> Sequence[Cost]:
    """Return the costs at the sizes to 100,000."""
    return [cost for cost in growth.costs if cost.size <= MOST_USUAL] or growth.costs


def page(found: Sequence[Found]) -> str:
    """Return the page."""
    texts = [one for one in found if one.group in OF_TEXT]
    others = [one for one in found if one.group not in OF_TEXT]
    limits = {"stop": MOST_SECONDS, "all": f"{ALL_CALLS:g}", "elsewhere": f"{ALL_ELSEWHERE:g}"}
    head = HEAD.format(notable=NOTABLE, steep=STEEP, machine=machine(), **limits)
    parts = [head, _steep([one for one in found if one.steep]), _texts(texts), _others(others), NOT_MEASURED]
    return "\n".join(parts)


def machine() -> str:
    """Return the processor, the number of cores and the version of Python."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", info.read_text("utf-8")) if info.exists() else []
    name = names[0] if names else platform.processor() or platform.machine()
    return f"{name} with {os.cpu_count()} cores and Python {platform.python_version()}, while other work ran"


def _steep(found: Sequence[Found]) -> str:
    rows = []
    for one in sorted(found, key=lambda one: -(one.worst.exponent or 0.0)):
        growth = one.worst
        bound, most = growth.bound, growth.most
        ends = f"{reason(bound.reason)} ({bound.size:,})" if bound else f"none up to {growth.costs[-1].size:,}"
        more = f", and {len(one.steep) - 1} other forms" if len(one.steep) > 1 else ""
        at = f"{seconds(most)} at {most.size:,}"
        rows.append((f"`{one.name}`".replace("``", "`"), f"{growth.form}{more}", f"{growth.exponent:.2f}", ends, at))
    head = ("what", "worst form", "exponent", "what ends it, and the size it was seen at", "the most it costs")
    without = sum(any(growth.bound is None for growth in one.steep) for one in found)
    text = f"""## Above {STEEP}

Of all that was measured, {len(rows)} are steeper than {STEEP} for some form, {without} of them without a bound. The
form is the one without a bound, else the dearest. Both sides have the size that is shown: what compares a list of
predictions with each of a list of references costs their product, so it grows in proportion to a response beside the
references of an author; `tests/extensions/test_growth.py` holds every subject to that.
"""
    return f"{text}\n{table(head, rows)}"


def _texts(found: Sequence[Found]) -> str:
    lines = ["## The others, by length", ""]
    for group in OF_TEXT:
        members = [one for one in found if one.group == group]
        flat = [one for one in members if not one.steep]
        fitted = [one.worst.exponent for one in flat if one.worst.exponent is not None]
        bounded = sum(any(growth.bound for growth in one.growths) for one in members)
        between = f", {min(fitted):.2f} to {max(fitted):.2f}" if fitted else ""
        lines.append(
            f"- {len(members)} {GROUPS[group]}, {sum(len(one.growths) for one in members):,} forms in all, "
            f"{_reached(members)}: {len(flat)} are not above {STEEP}. {len(fitted)} of these have an "
            f"exponent{between}; the other {len(flat) - len(fitted)} take less than {NOTABLE} s at the greatest size, "
            f"or are ended before. {bounded} of all end some form by a bound."
        )
    flat = [one for one in found if not one.steep]
    steepest = sorted(flat, key=lambda one: -(one.worst.exponent or 0.0))[:FEW]
    dearest = sorted(found, key=lambda one: -last(one.dearest).seconds)[:FEW]
    head = ("what", "form", "exponent", "the most it costs to 100,000")
    mild = table(head, [_row(one, one.worst) for one in steepest])
    dear = table(head, [_row(one, one.dearest) for one in dearest])
    return "\n".join(
        [*lines, "", "The steepest of those that are not above it:", "", mild, "The dearest of all:", "", dear]
    )


def _reached(members: Sequence[Found]) -> str:
    """Tell the size to which the forms of some subjects were measured, and which subjects have forms that were not."""
    most = mode([_usual(growth)[-1].size for one in members for growth in one.growths] or [0])
    less = {
        f"`{one.name}`": count
        for one in members
        if (count := sum(_usual(growth)[-1].size < most and growth.bound is None for growth in one.growths))
    }
    told = f", {sum(less.values()):,} of them only to less ({', '.join(less)})" if less else ""
    return f"to {most:,} characters{told}"


def _row(one: Found, growth: Growth) -> tuple[str, ...]:
    most = last(growth)
    return (f"`{one.name}`", growth.form, exponent(growth), f"{seconds(most)} at {most.size:,}")


def _others(found: Sequence[Found]) -> str:
    parts = []
    for title, groups in (
        ("## By fields and definitions", ("fields", "packs")),
        ("## By records", ("records", "metrics", "data-sets")),
    ):
        growths = [growth for one in found if one.group in groups for growth in one.growths]
        by_sizes: dict[tuple[str, tuple[int, ...]], list[Growth]] = {}
        for growth in growths:
            by_sizes.setdefault((growth.form, tuple(cost.size for cost in growth.costs)), []).append(growth)
        parts.append(title + "\n")
        for (form, sizes), members in by_sizes.items():
            head = ("work", "exponent", *(f"{size:,} {form}" for size in sizes))
            ordered = sorted(members, key=lambda growth: -(growth.exponent or 0.0))
            rows = [(one.name, exponent(one), *(seconds(cost) for cost in one.costs)) for one in ordered]
            parts.append(table(head, rows))
    return "\n".join(parts)


NOT_MEASURED = """## What is not measured

Rescorers, such as `zero_below`, are given one number, so nothing grows. Steps that ask a judge, a service or a model,
or run programs in the sandbox, do their work elsewhere, within limits of their own ([security.md](security.md)); so do
definitions and recipes with them. Definitions with a parameter that has no default are not called.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *(map(_cell, row) for row in rows))]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def seconds(cost: Cost) -> str:
    """Return the seconds of a cost with three digits, or that it was stopped or refused."""
    text = f"{cost.seconds:.2g} s" if cost.seconds < 0.1 else f"{cost.seconds:.2f} s"
    return f"more than {cost.seconds:g} s" if cost.is_stopped else text


def exponent(growth: Growth) -> str:
    """Return the exponent, or that the work is too little to tell."""
    return f"{growth.exponent:.2f}" if growth.exponent is not None else "–"


def reason(text: str) -> str:
    """Return the reason of a bound without the names of exceptions, short."""
    short = re.sub(r"^(\w+: )+(?=\w)", "", text)
    return short if len(short) <= 110 else f"{short[:110]}…"
