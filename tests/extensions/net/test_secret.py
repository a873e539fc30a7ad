"""A key is hidden in any text, however it is written there."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.net.secret import hider

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)


@given(KEYS, st.text(max_size=30), st.text(max_size=30))
def test_whatever_the_key_it_is_hidden_wherever_it_stands(key: str, before: str, after: str) -> None:
    assert key not in hider(key)(before + key + after)
    packed = base64.b64encode(f"{before}\n{key}".encode("utf-8", "replace")).decode()
    assert "[key]" in hider(key)(packed)


@given(KEYS, st.text(st.characters(min_codepoint=0x3040, max_codepoint=0x9FFF)))
def test_a_text_without_the_key_stays_as_it_is(key: str, text: str) -> None:
    assert hider(key)(text) == text
