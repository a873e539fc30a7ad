"""What a trainer needs beside a reward, of the smallest kind: a tokenizer whose tokens are the letters of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


class Letters:
    """A tokenizer with a token for each letter, and one that ends a text."""

    END = 0x110000
    eos_token = "<|im_end|>"

    def __call__(self, text: str, **_: Any) -> Any:
        torch = pytest.importorskip("torch")
        return {"input_ids": torch.tensor([[ord(letter) for letter in text]])}

    def decode(self, tokens: Iterable[Any], skip_special_tokens: bool = False, **_: Any) -> str:
        """Return the text of tokens, with or without the one that ends it."""
        end = "" if skip_special_tokens else self.eos_token
        return "".join(end if int(token) == self.END else chr(int(token)) for token in tokens)
