"""Every hostile file of the table ends as the table says: named, in bounded memory, the good rows beside it scored."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.hostile.table import MEMORY, TABLE, Hostile, family

# Words of Python's, and of NumPy's, in place of a cause.
PYTHON = re.compile(r"object is not|object of type|has no len|unsized|unhashable|argument must be|could not convert")
FORMATS = ("JSON Lines", "JSON", "CSV", "TSV", "Parquet", "Arrow", "npy", "png", "annotations")


def test_the_table_has_seventy_old_files_and_forty_new_ones_of_every_format() -> None:
    assert len(TABLE) >= 110
    for name in FORMATS:
        assert sum(one.startswith(f"{name}:") for one in TABLE) > 1, name


def of_core(hostile: Hostile) -> bool:
    """Whether neither columns nor images are read."""
    return hostile.kind == "rows" and hostile.family != "columns" and not hostile.file.endswith((".csv", ".tsv"))


def named(chosen: Callable[[Hostile], bool]) -> Any:
    """The parameter of a test of the hostile files of some kind."""
    found = {name: hostile for name, hostile in TABLE.items() if chosen(hostile)}
    return pytest.mark.parametrize("hostile", found.values(), ids=found)


def check_outcome(hostile: Hostile) -> None:
    """Check that a file ends as the table says."""
    outcome = family(hostile.family)[hostile.name]
    assert "Traceback" not in outcome.said
    assert "this is a bug" not in outcome.said
    assert not PYTHON.search(outcome.err)
    assert outcome.peak < MEMORY
    assert hostile.says in outcome.said
    if hostile.scored is None:
        assert outcome.code == 2
        assert "can't" in outcome.err or "SCORING_LIMITS" in outcome.err
        assert len(outcome.err.splitlines()) == 1
    elif hostile.kind == "rows":
        counts = outcome.counts
        found = {name: counts[name] for name in ("scored", "unscored", "unparsed") if counts[name]}
        assert counts["scored"] == hostile.scored
        assert counts["records"] - counts["scored"] == hostile.bad, found
        assert outcome.code == (0 if hostile.scored else 3)
    else:
        assert outcome.code == 0


@named(of_core)
def test_a_hostile_file_ends_as_the_table_says(hostile: Hostile) -> None:
    check_outcome(hostile)
