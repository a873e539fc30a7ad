"""`scoring.tables.add_scores` with the real pyarrow: a table in, a table out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

arrow = pytest.importorskip("pyarrow")

import scoring.tables  # noqa: E402
from tests.extensions.hosts.real.table_cases import columns_of, held, made  # noqa: E402
from tests.support.host_cases import CASES, Answers  # noqa: E402


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("answers", ["texts", "messages"])
def test_every_record_is_as_by_the_command(name: str, answers: Answers, tmp_path: Path) -> None:
    case = made(name, answers, tmp_path)
    _, gold = columns_of(case)
    rows = [dict(one.whole) for one in case.records]
    if name == "landmark":  # Arrow itself refuses values of several types
        with pytest.raises(arrow.ArrowInvalid):
            arrow.Table.from_pylist(rows)
        rows = [{**row, gold: json.dumps(row[gold])} for row in rows]
    table = arrow.Table.from_pylist(rows)
    with case.replaying():
        found = scoring.tables.add_scores(table, case.spec, references_as="json" if name == "landmark" else "values")
        stream = scoring.tables.add_scores(
            arrow.RecordBatchReader.from_batches(table.schema, table.to_batches(16)),
            case.spec,
            references_as="json" if name == "landmark" else "values",
        )
    held(case, {name: found[name].to_pylist() for name in found.column_names if name not in table.column_names})
    assert found.column("score").type == arrow.float64()
    assert stream.equals(found)
