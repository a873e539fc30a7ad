"""What a spec means stays as it was: its own names, and the edition that it states, decide which names are taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import scoring
from scoring.compiler.tasks.checking import check_spec
from scoring.diagnostics.diagnostic import SpecError
from scoring.format.load import Loader
from scoring.registry import DeclarationError, primitive, registry


@pytest.fixture
def _later(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The step `gist`, which came with an edition after the oldest one."""
    monkeypatch.setattr("scoring.registry.declare.EDITIONS", (2027, 2028))

    @primitive(since=2028)
    def gist(text: str, /) -> str:
        """Return the first letter of a text.

        Examples:
            >>> 1
            1
        """
        return text[:1]

    yield
    del vars(registry)["_steps"]["gist"]


def score(spec: dict[str, Any], response: str, reference: str) -> float | None:
    record = {"id": "a", "response": response, "reference": reference, "gist": "whole"}
    return scoring.load({"kind": "task", "name": "t", **spec}).evaluate([record]).records[0].score


def found(spec: dict[str, Any]) -> list[tuple[str, str, str]]:
    loader = Loader()
    findings = check_spec(loader.data({"kind": "task", "name": "t", **spec}), loader)
    return [(one.severity, one.id, one.message) for one in findings]


def test_a_definition_precedes_the_primitive_of_its_name_with_a_warning() -> None:
    spec = {"score": "words", "scorers": {"words": "lower | equal"}}
    assert score(spec, "One", "one") == 1
    assert found(spec) == [
        ("warning", "shadowed-name", "`words` means this definition in this file, and not the primitive of that name")
    ]


def test_a_definition_that_wraps_the_primitive_needs_no_warning() -> None:
    assert found({"score": "equal", "scorers": {"equal": "lower | equal"}}) == []


@pytest.mark.usefixtures("_later")
@pytest.mark.parametrize("edition", [{}, {"edition": 2027}])
def test_a_later_name_is_free_for_a_file_of_an_earlier_edition(edition: dict[str, int]) -> None:
    definition = {"score": "gist", "scorers": {"gist": "lower | equal"}}
    assert score({**edition, **definition}, "One", "one") == 1
    assert score({**edition, **definition}, "Ounce", "one") == 0
    assert found({**edition, **definition}) == []
    # Where a step could stand, too, the file's own value is read.
    value = {"score": "sides(prediction=gist) | equal", "values": {"gist": "record.gist"}}
    assert score({**edition, **value}, "anything", "whole") == 1


@pytest.mark.usefixtures("_later")
def test_a_later_step_is_used_unless_the_file_states_an_earlier_edition() -> None:
    assert score({"score": "gist | equal"}, "one", "other") == 1
    with pytest.raises(SpecError) as refused:
        scoring.load({"kind": "task", "name": "t", "edition": 2027, "score": "gist | equal"})
    assert [one.message for one in refused.value.diagnostics] == [
        "`gist` came with edition 2028, and this file states edition 2027"
    ]
    help_text = "state `edition: 2028`, or define what `gist` means in this file"
    assert refused.value.diagnostics[0].help == (help_text,)


def test_an_unknown_edition_is_refused() -> None:
    with pytest.raises(SpecError, match="expected `2027`, found the number `1999`"):
        scoring.load({"kind": "task", "name": "t", "edition": 1999, "score": "equal"})
    with pytest.raises(DeclarationError, match="there is no edition 1999; they are 2027"):

        @primitive(since=1999)
        def gist(text: str, /) -> str:
            """Return the first letter of a text.

            Examples:
                >>> 1
                1
            """
            return text[:1]
