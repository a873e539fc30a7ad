"""One grammar for versions, wherever one stands: specs, imports, locks."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.project.versions import LONGEST, is_range, is_version, parse_version, satisfies

# In the order of semantic versions.
ORDERED = ["0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0", "1.0.1"]
FORGED = [
    "1.0.0|spec:00000000|env:scoring 9",
    "1.0.0|meaning:0000000000000000|seed:0",
    "1.0.0\n",
    "1\n2",
    "1.0.0\r",
    "1.0.0\u2028",
    "1.0.0\x1b[2J",
    "1.0.0 ",
    " 1.0.0",
    "1.0.0, house 2",
    "1.0.0:x",
    "1..0",
    ".1",
    "1.",
    "-1",
    "1.0.0-",
    "1.0.0+",
    "1.0.0-a..b",
    "1.0.0-é",
    "v1",
    "latest",
    "",
    "\u0663.1",
    "1.2.3.4.5",
    "9" * 10,
    f"1.0.0-{'a' * LONGEST}",
]


def task(version: Any) -> dict[str, Any]:
    return {"kind": "task", "name": "t", "version": version, "score": "equal"}


@pytest.mark.parametrize("version", [*ORDERED, "1", "1.2.3.4", "2024-05-01", "1.0.0+linux.7", "1.0.0-rc-1+b-2"])
def test_a_version_is_taken(version: str) -> None:
    assert scoring.load(task(version)).signature.startswith(f"t@{version}|meaning:")


@pytest.mark.parametrize("version", [*FORGED, -1, 1e22, [1], {"a": 1}, True])
def test_what_is_no_version_is_refused_with_its_place_and_an_example(version: Any) -> None:
    with pytest.raises(SpecError) as refused:
        scoring.load(task(version))
    first = refused.value.diagnostics[0]
    assert first.id in ("bad-text", "wrong-type", "wrong-size")
    assert first.span is not None
    assert first.span.source.line_text(first.span.line).lstrip().startswith('"version"')
    assert first.id != "bad-text" or any("1.0.0" in line for line in first.help)


@pytest.mark.parametrize("version", ["1e3", "1_000", "0x10", ".5", "+1"])
def test_a_number_of_yaml_is_held_to_the_same_grammar(version: str, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(f"kind: task\nname: t\nversion: {version}\nscore: equal\n")
    found = scoring.check(tmp_path / "t.yaml").findings
    assert [(one.id, one.span.line) for one in found if one.span] == [("bad-text", 3)]


def test_a_number_with_a_zero_at_its_end_is_the_version_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("kind: task\nname: t\nversion: 1.10\nscore: equal\n")
    assert scoring.load(tmp_path / "t.yaml").signature.startswith("t@1.10|")


@pytest.mark.parametrize("name", ["t\n", "t|meaning:0", "t@9", "t t", "\u202et", "t\x00"])
def test_a_name_ends_where_it_seems_to(name: str) -> None:
    with pytest.raises(SpecError, match="bad-text"):
        scoring.load({**task("1.0.0"), "name": name})


def test_versions_are_ordered_as_semantic_versions_are() -> None:
    assert all(parse_version(one) < parse_version(other) for one, other in pairwise(ORDERED))


@given(st.text(max_size=12) | st.from_regex(r"[0-9.+\-a-z]{0,12}"))
def test_what_is_a_version_can_be_compared_and_stands_on_one_line(text: str) -> None:
    if is_version(text):
        assert satisfies(text, f"=={text}")
        assert is_range(text)
        assert text.isascii()
        assert text.isprintable()


@pytest.mark.parametrize(
    "wanted", ["1\n", "9" * 5000, "\u0663", ">=1,\n<2", "1,", ">=", "1 2", "latest", "\u00a01", "1|2"]
)
def test_what_is_no_range_of_versions_is_refused_where_it_is_imported(wanted: str) -> None:
    spec = {"kind": "task", "name": "t", "imports": {"m": f"megabench@{wanted}"}, "score": "m.simple_str_match"}
    with pytest.raises(SpecError) as refused:
        scoring.load(spec)
    assert [one.id for one in refused.value.diagnostics] == ["import-version"]
    assert refused.value.diagnostics[0].help
    assert "\n" not in str(refused.value.diagnostics[0])
    assert len(str(refused.value)) < 500


def test_what_comes_before_a_release_is_meant_only_by_its_name() -> None:
    assert not satisfies("2.0.0-rc.1", ">=1")
    assert satisfies("2.0.0-rc.1", ">=2.0.0-rc.1,<3")
    assert satisfies("2.0.0-rc.1", "2.0.0-rc.1")
