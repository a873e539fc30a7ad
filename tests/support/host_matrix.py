"""What hosts hold of each outcome and of a run's figures: the two tables of docs/hosts.md.

``python -m tests.support.host_matrix`` writes them anew: cells are computed by running the adapters; those of hosts
that need their real package are what the tests with it hold (`tests/extensions/hosts/held.toml`).
"""

from __future__ import annotations

import sys
from typing import Final

from tests.support.golden import REPOSITORY
from tests.support.host_adapters import ADAPTERS
from tests.support.host_outcomes import RECORDS, cells, held_by_real_hosts
from tests.support.host_runs import run_table

PAGE: Final = REPOSITORY / "docs/hosts.md"
START: Final = "| host |"
RUN_START: Final = "| run |"


def table() -> str:
    """The matrix of hosts and outcomes, in Markdown."""
    rows = [["host", *RECORDS], ["---"] * (len(RECORDS) + 1)]
    rows += [[name, *cells(run)] for name, run in ADAPTERS.items()]
    rows += [[row["title"], *row["cells"]] for row in held_by_real_hosts().values()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def page_with_matrix(page: str) -> str:
    """The page with the matrices of today in the place of those that it has."""
    for begin, made in ((START, table()), (RUN_START, run_table())):
        start = page.index(begin)
        page = page[:start] + made + page[page.index("\n\n", start) + 1 :]
    return page


if __name__ == "__main__":
    PAGE.write_text(page_with_matrix(PAGE.read_text("utf-8")), encoding="utf-8")
    sys.stdout.write(f"written {PAGE.relative_to(REPOSITORY)}\n")
