"""Results as Arrow tables and data frames."""

from __future__ import annotations

import pytest

import scoring
from tests.unit.api.test_runs import RECORDS, SPEC


def test_ids_of_several_types_are_texts_in_an_arrow_table() -> None:
    pytest.importorskip("pandas")
    run = scoring.evaluate(SPEC, RECORDS)
    assert list(run.to_pandas()["id"]) == [1, "q2"]
    assert run.to_arrow()["id"].to_pylist() == ["1", "q2"]


@pytest.mark.parametrize("name", ["id", "kind"])
def test_half_a_character_of_an_answer_that_was_cut_makes_a_table_all_the_same(name: str) -> None:
    """JSON has lone surrogates, and the texts of Arrow and pandas, which are UTF-8, do not."""
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    cut = {**RECORDS[0], name: "a\ud83d"}
    run = scoring.evaluate(SPEC, [cut, {**cut, "id": "b"}])
    assert run.to_pandas()[name][0] in ("a\\ud83d", "a\ud83d"), "as pandas holds texts"
    assert run.to_arrow()[name][0].as_py() == "a\\ud83d"


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    run = scoring.evaluate(SPEC, RECORDS)
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(scoring.InputError, match=r"needs pandas: pip install 'scoring-dsl\[pandas\]'"):
        run.to_pandas()
    with pytest.raises(scoring.InputError, match=r"needs pyarrow: pip install 'scoring-dsl\[parquet\]'"):
        run.to_arrow()
