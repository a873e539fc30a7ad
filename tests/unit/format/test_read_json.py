"""The JSON reader: values, places and refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.read import read_file
from scoring.format.read_json import read_data, read_json
from tests.support.golden import read_jsonl, require_golden


def test_every_value_and_key_knows_its_place() -> None:
    node = read_json('\ufeff{"a": [1, {"日": "\\n𝔘"}],\n "b": null}')
    assert node["a"][1]["日"].span.text == '"\\n𝔘"'
    assert node["a"].span.text.startswith("[1,")
    assert str(node["b"].span) == "<json>:2:7"
    assert str(node["b"].key_span) == "<json>:2:2"


@pytest.mark.parametrize(
    ("text", "id_", "column", "words"),
    [
        ('{"a": 1,}', "syntax-json", 8, "comma"),
        ("{a: 1}", "syntax-json", 2, "no quotes"),
        ("{'a': 1}", "syntax-json", 2, "single quotes"),
        ("[1 2]", "syntax-json", 4, "expected `,`"),
        ('{"a" 1}', "syntax-json", 6, "expected `:`"),
        ('["abc', "syntax-json", 2, "never closed"),
        ('["a\nb"]', "syntax-json", 4, "end of its line"),
        ('["\\q"]', "syntax-json", 3, "backslash"),
        ("[True]", "syntax-json", 2, "not a word of JSON"),
        ("[01]", "syntax-json", 2, "not a JSON number"),
        ("[.5]", "syntax-json", 2, "not a JSON number"),
        ("[+1]", "syntax-json", 2, "not a JSON number"),
        ("[1] x", "syntax-json", 5, "continues"),
        ("[// c\n1]", "syntax-json", 2, "comments"),
        ("[1", "syntax-json", 3, "ends here"),
        ('{"a": word}', "syntax-json", 7, "quotes"),
        ("[NaN]", "number-not-finite", 2, "NaN"),
        ("[-Infinity]", "number-not-finite", 2, "Infinity"),
        ("[1e999]", "number-not-finite", 2, "too large"),
        ("[" + "9" * 401 + "]", "number-too-long", 2, "401"),
        ('{"a": 1, "a": 2}', "duplicate-key", 10, "twice"),
        ('["\\ud800"]', "lone-surrogate", 2, "half a character"),
        ("", "empty-file", 1, "empty"),
        ("[" * 65, "too-deep", 65, "64"),
        ("\x00", "unprintable-character", 1, "U+0000"),
    ],
)
def test_refusals(text: str, id_: str, column: int, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_json(text)
    found = caught.value.diagnostics[0]
    assert (found.id, found.span.column if found.span else None) == (id_, column)
    assert words in found.message


def test_a_hostile_nesting_ends_at_the_limit() -> None:
    for text in ("[" * 1_000_000, '{"a":' * 300_000):
        with pytest.raises(SpecError) as caught:
            read_json(text)
        assert caught.value.diagnostics[0].id == "too-deep"


def test_plain_data_gets_places_in_its_own_json() -> None:
    node = read_data({"kind": "task", "by": ("a", "b")}, "<mapping>")
    assert node.plain() == {"kind": "task", "by": ["a", "b"]}
    assert str(node["kind"].span) == "<mapping>:2:11"


@pytest.mark.parametrize("data", [{"a": {1, 2}}, {1: "x"}, {"a": object()}])
def test_data_that_json_can_not_say_are_refused(data: object) -> None:
    with pytest.raises(SpecError, match="not-json-data"):
        read_data(data)


def test_cyclic_and_not_finite_data_are_refused() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    for data, id_ in ((cycle, "not-json-data"), ([math.nan], "number-not-finite")):
        with pytest.raises(SpecError, match=id_):
            read_data(data)


def test_real_task_specs_read_as_the_standard_library_reads_them() -> None:
    for row in read_jsonl(require_golden("megabench/tasks.jsonl")):
        text = row["metrics"] if isinstance(row["metrics"], str) else json.dumps(row["metrics"], indent=2)
        assert read_json(text).plain() == json.loads(text)


def test_the_file_name_says_the_format(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    (tmp_path / "a.yaml").write_text("a: no")
    assert read_file(tmp_path / "a.json").plain() == {"a": 1}
    assert read_file(tmp_path / "a.yaml", "a.yaml")["a"].span.source.name == "a.yaml"


def test_unreadable_files_are_findings(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"a: caf\xe9")
    cases = {"missing.yaml": "no-such-file", "latin.yaml": "not-utf-8", "": "no-such-file", "\0": "no-such-file"}
    for name, id_ in cases.items():
        with pytest.raises(SpecError, match=id_):
            read_file(tmp_path / name)
