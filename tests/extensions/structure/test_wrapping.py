"""What fences and quotes hold."""

from __future__ import annotations

import pytest

from scoring.extensions.structure.wrapping import unfence, unquote


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("```python\nx = 1\n```", "x = 1"),
        ("before\n```\n  a\n```\nafter", "  a"),
        ("```7```", "7"),
        ("```\n\na\n\n```", "a"),
        ("no fence", "no fence"),
        ("```\nnever closed", "```\nnever closed"),
        ("```a\n```\n```\nb\n```", ""),
    ],
)
def test_unfence_takes_the_first_closed_fence(text: str, content: str) -> None:
    assert unfence(text) == content


@pytest.mark.parametrize(
    ("value", "plain"), [("'B'", "B"), ('"a" "b"', "ab"), ("'open", "'open"), (5, 5), ("['a']", "['a']"), ("''", "")]
)
def test_unquote_reads_quoted_texts_only(value: object, plain: object) -> None:
    assert unquote(value) == plain
