"""What results are broken down by: declared names, paths, crossings; each read once."""

from __future__ import annotations

from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.compiler.records import record_reader as module
from scoring.compiler.records.record_reader import RecordReader
from scoring.diagnostics.diagnostic import SpecError

RECORD = {"id": 1, "pages": [3, 4], "meta": {"kind": "report", "languages": ["de", "en"]}, "kind": "raw"}
SPAN = "(length(pages) > `1` && 'cross_page') || 'single_page'"


def test_crossed_attributes_are_read_part_by_part() -> None:
    reader = RecordReader({"kind": "meta.kind", "span": SPAN}, ("kind x meta.languages[]", "span", "span x kind"))
    assert reader.attributes(RECORD) == {"kind": "report", "meta.languages[]": ["de", "en"], "span": "cross_page"}


def test_a_declared_name_within_a_path_is_the_declared_one() -> None:
    reader = RecordReader({"languages": "meta.languages"}, ("languages[]", "languages[0]", "meta.languages[1]"))
    assert reader.attributes(RECORD) == {"languages[]": ["de", "en"], "languages[0]": "de", "meta.languages[1]": "en"}


def test_a_name_in_quotes_may_hold_a_cross() -> None:
    reader = RecordReader({}, ('"a x b" x kind',))
    assert reader.attributes({"a x b": 1, "kind": 2}) == {'"a x b"': 1, "kind": 2}


def test_an_attribute_that_the_row_holds_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    make = module.reader

    def counting(path: str, span: Any = None) -> Any:
        inner = make(path, span)

        def count(value: Any) -> Any:
            read.append(path)
            return inner(value)

        return count

    monkeypatch.setattr(module, "reader", counting)
    reader = RecordReader({"span": SPAN}, ("span", "pages"))
    row = reader.row(RECORD)
    assert reader.attribute_columns([RECORD], [row]) == {"span": ["cross_page"], "pages": [[3, 4]]}
    assert reader.attributes(RECORD) == {"span": "cross_page", "pages": [3, 4]}
    assert read.count(SPAN) == 2  # once for the row, once for the attributes without a row


def test_dynamic_and_plain_tasks_have_the_same_attributes() -> None:
    spec = {"kind": "task", "name": "t", "record": {"span": SPAN}, "by": ["span x meta.kind"]}
    records = [{**RECORD, "response": "a", "reference": "a"}]
    plain = scoring.load({**spec, "score": "equal"}).evaluate(records)
    dynamic = scoring.load({**spec, "score": "switch(record.span, cross_page=equal, single_page=equal)"})
    assert dynamic.evaluate(records).summary["by"] == plain.summary["by"]
    (group,) = plain.summary["by"]["span x meta.kind"]
    assert group["group"] == "cross_page x report"
    assert group["values"] == {"span": "cross_page", "meta.kind": "report"}


def test_a_path_that_is_none_is_found_where_it_was_written() -> None:
    with pytest.raises(SpecError) as raised:
        scoring.load({"kind": "task", "name": "t", "score": "equal", "by": ["a", "b x c["]})
    (found,) = raised.value.diagnostics
    assert found.id == "bad-path"
    assert found.primary.span is not None
    assert found.primary.span.text.strip('"') == "b x c["


def check_finding_of_metric(metric: str, finding: str, place: str) -> None:
    with pytest.raises(SpecError) as raised:
        scoring.load({"kind": "task", "name": "t", "fields": {"vendor": "equal"}, "metrics": ["mean", metric]})
    (found,) = raised.value.diagnostics
    assert found.id == finding
    assert found.primary.span is not None
    assert found.primary.span.source.text[found.primary.span.start :].replace('\\"', '"').startswith(place)


@pytest.mark.parametrize(
    ("metric", "finding", "place"), [('mean(field="vednor")', "unknown-field", 'mean(field="vednor")')]
)
def test_metrics_are_tried_before_a_record_is_read(metric: str, finding: str, place: str) -> None:
    check_finding_of_metric(metric, finding, place)


def test_a_metric_of_a_field_that_no_record_got_as_far_as_is_undefined() -> None:
    task = scoring.load(
        {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}, "metrics": ['mean(field="a")']}
    )
    run = task.evaluate([{"id": 1, "reference": {"a": 1}}])
    assert run.metrics == {'mean(field="a")': None}


@pytest.mark.parametrize("path", ["tags[]", "meta.tags[]"])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
        max_leaves=10,
    )
)
def test_flat_lists_are_read_as_jmespath_reads_them(path: str, value: Any) -> None:
    record = {"tags": value, "meta": {"tags": value}}
    assert module.reader(path)(record) == jmespath.search(path, record)
