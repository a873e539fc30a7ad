"""Two columns of ratings are found at any place of a record."""

from __future__ import annotations

from tests.unit.compiler.test_findings import findings


def test_where_a_metric_takes_a_path_any_place_of_the_record_is_one() -> None:
    assert not findings('record: {a: a}\nscore: equal\nmetrics:\n  - cohen_kappa(first=record.a, second="b")\n')
