"""Texts that are nearly right: good ones with a few cuts, insertions and repetitions."""

from __future__ import annotations

from hypothesis import strategies as st

_SIGNS = "[]{}()|>&*!%@`\"'#:,-? \t\n\r\x00\ufeff\u2028\x85=.0"
_PIECES = st.sampled_from(
    [
        *_SIGNS,
        ": ",
        " #",
        "- ",
        "---\n",
        "&a ",
        "*a",
        "<<: ",
        "a: ",
        "日本",
        "\ud800",
        "!!str ",
        "{a: 1}",
        "\\",
        "'''",
        "|\n",
        ">-\n  ",
        " | ",
        "equal",
        "null",
        "1e999",
        "record.x",
        "(0.5)",
    ]
)


@st.composite
def mutated(draw: st.DrawFn, original: str) -> str:
    """A text with a few cuts, insertions and repetitions."""
    result = original
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(result)))
        length = draw(st.integers(0, 12))
        inserted = draw(st.one_of(_PIECES, st.text(max_size=5), st.just(result[place : place + 40])))
        result = result[:place] + inserted + result[place + length :]
    return result
