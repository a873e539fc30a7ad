"""Stages run on one record and on columns; what a host passes in parts gives what a record gives."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.compiler.programs.stages import Stage, Stages, ValueChange, ValueChanges

NOTHING = type(None)


def test_a_stage_written_for_one_record_runs_on_columns() -> None:
    stages = Stages([Stage("size", ("text",), len), Stage("whole", ("size", "text"), lambda size, text: text * size)])
    assert stages.one({"text": "ab"})["whole"] == "abab"
    assert stages.columns({"text": ["ab", ""]})["whole"] == ["abab", ""]


def test_a_form_for_columns_is_used_where_there_is_one() -> None:
    calls: list[int] = []

    def column(texts: list[str]) -> list[int]:
        calls.append(len(texts))
        return [len(text) for text in texts]

    assert Stages([Stage("size", ("text",), len, column)]).columns({"text": ["a", "bc"]})["size"] == [1, 2]
    assert calls == [2]


@given(st.lists(st.none() | st.text(max_size=2) | st.lists(st.text(max_size=2), max_size=2)))
def test_changes_of_columns_are_those_of_values(values: list[object]) -> None:
    changes = ValueChanges([ValueChange({list}, lambda one: one[-1] if one else None), ValueChange({NOTHING}, repr)])
    assert changes.column(values) == list(map(changes.one, values))
    assert not set(map(type, changes.column(values))) & {NOTHING}


def test_parts_of_a_host_are_read_as_those_of_a_record() -> None:
    # A null in the reference was a value for expressions where a host passed it, and no value in a record.
    task = scoring.load(
        {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal | scale(by=reference.w)"}}
    )
    record = {"id": "1", "response": {"a": "x"}, "reference": {"a": "x", "w": None}}
    of_parts = task.score_parts(record["response"], record["reference"])
    assert of_parts.reason == task.score(record).reason == task.score_batch([record])[0].reason
    assert of_parts.reason == "the record has no `reference.w`"


def test_the_reason_of_a_formula_over_failed_fields_is_the_same_in_every_process() -> None:
    program = """if True:
        import scoring

        fields = {name: "number | equal" for name in "cdab"} | {"all": "a + b + c + d"}
        task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": "all"})
        record = {"response": dict.fromkeys("abcd", "x"), "reference": dict.fromkeys("abcd", 1)}
        print(task.score(record).fields["all"].reason)
    """
    found = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in "12345678"
    }
    assert found == {"a: not a number: 'x'\n"}
