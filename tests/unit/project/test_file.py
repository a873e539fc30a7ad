"""A project's file: what findings show of it, and what reading it costs."""

from __future__ import annotations

from contextlib import suppress

import pytest

from scoring.diagnostics.diagnostic import SpecError
from scoring.project.file import parse_project_file
from tests.support.cost import grows_with_the_length


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("https://user:token@host/x#part", "https://…………@host/x#………"),
        ("https://token@host/x?key=secret#part", "https://…………@host/x?…………"),
        ("git@host:pack", "……@host:pack"),
        ("https://host/x?key=secret", "https://host/x?…………"),
        ("folder/pack", "folder/pack"),
    ],
)
def test_no_finding_shows_what_may_be_secret_of_an_address(written: str, shown: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_project_file(f'[packs]\na = "{written}"  # a: b # c\n')
    span = refused.value.diagnostics[0].span
    assert span is not None
    (line,) = (one for one in span.source.text.splitlines() if one.startswith("a"))
    assert "token" not in line
    assert "secret" not in line
    assert [*filter(None, line.split("…"))] == [*filter(None, f'a = "{shown}"  # a: b # c'.split("…"))]


@pytest.mark.parametrize("piece", ["a", "a:", "//", "a://", "a://b?", "#a:", '"a@', "//@", ". ", '"'])
def test_hiding_goes_over_a_text_once(piece: str) -> None:
    def call(text: str) -> None:
        with suppress(SpecError):
            parse_project_file(text)

    grows_with_the_length(call, f"[packs]\n{piece * (20_000 // len(piece))} = 1", freely=0.5)
