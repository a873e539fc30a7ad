"""Every tampering of the table is seen, by the command line."""

from __future__ import annotations

import pytest

from tests.extensions.verification.tampering import EDITS, RUNS, SEALED_AGAIN, WAYS, tried


@pytest.mark.parametrize("kind", RUNS)
def test_no_tampering_passes(kind: str) -> None:
    pytest.importorskip("pyarrow")
    lines = list(tried(kind))
    assert [line.name for line in lines if not line.verify] == []
    assert [line.name for line in lines if line.compare is False] == []
    assert len(lines) >= 100


def test_the_table_is_long_enough_and_names_each_way_once() -> None:
    names = [one.name for one in (*EDITS, *SEALED_AGAIN)]
    assert len(set(names)) == len(names)
    assert len(names) + len(WAYS) > 120
