"""What each test costs, and with it the list of those that a short run leaves out.

    python -m pytest --slow -n 2 -p tests.support.costs  # writes costs.*.tsv where one stands, a line for each test
    python -m tests.support.costs costs.*.tsv            # writes tests/slow.txt

A cost is CPU time of the process and of the children that it has waited for, so it says about the same on a busy
machine. What a test shares with others of its file is counted where it is first needed.
"""

from __future__ import annotations

import os
import resource
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = Path(__file__).parents[1] / "slow.txt"
MOST = 2.0
"""CPU seconds that a function may take in all its cases and still be in a short run."""
HEAD = f"""\
# Functions of tests, and files of stories, that took more than {MOST:g} CPU seconds in all their cases: `pytest` leaves
# them out where no file is named, `pytest --slow` and CI run them. Written by tests/support/costs.py.
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Add a line with the cost of a test and its name."""
    before = _spent()
    try:
        return (yield)
    finally:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        with Path(f"costs.{worker}.tsv").open("a", encoding="utf-8") as lines:
            lines.write(f"{_spent() - before:.3f}\t{item.nodeid}\n")


def _spent() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Write the list from the files of a run."""
    costs = defaultdict[str, float](float)
    for path in sys.argv[1:]:
        for line in Path(path).read_text("utf-8").splitlines():
            cost, _, test = line.partition("\t")
            costs[_listed(test)] += float(cost)
    slow = sorted(test for test, cost in costs.items() if cost > MOST)
    LIST.write_text(HEAD + "".join(f"{test}\n" for test in slow), encoding="utf-8")
    left = sum(cost for test, cost in costs.items() if cost <= MOST)
    print(
        f"{len(slow)} of {len(costs)} functions take {sum(costs.values()) - left:.0f} CPU seconds, the rest {left:.0f}"
    )


def _listed(test: str) -> str:
    """Return what the list names of a test: its function; of a story, whose tests go on from each other, its file."""
    file = test.partition("::")[0]
    return file if "/story/" in file else test.partition("[")[0]


if __name__ == "__main__":
    main()
