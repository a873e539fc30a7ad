"""Word segmentation of Chinese text, which has no spaces between words."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any, Literal

from scoring.extensions.extras import optional
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unscored

_LOADING = threading.Lock()
MAX_CHARACTERS = 200_000
"""The limit on characters of a text that is segmented."""
MOST_STEPS = 400_000_000
"""The limit on the sum of squared lengths of all runs of Chinese characters: where the library knows no word, it copies
the text so far at each character. So a single run of 20,000 is allowed, or 200,000 with punctuation every 2,000."""
_RUNS = lazy_pattern("[\u4e00-\u9fd5]+")


@functools.cache
def _segmenter() -> Any:
    with _LOADING, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library's own escapes and its use of pkg_resources
        jieba = optional("jieba", extra="chinese", purpose="cutting Chinese text into words")
        jieba.setLogLevel("ERROR")
        segmenter = jieba.Tokenizer()
        segmenter.initialize()
        return segmenter


@primitive(uses=("jieba",), topics=("text",), aka=("jieba", "chinese tokenizer", "word segmentation"))
def chinese_words(text: str, /, *, mode: Literal["exact", "search"] = "exact") -> list[str]:
    """Split a Chinese text into words with jieba.

    Args:
        mode: ``search`` also returns the shorter words inside a long one, as for the index of a search engine.

    Examples:
        >>> chinese_words("今天天气很好")
        ['今天天气', '很', '好']

    Raises:
        Unscored: when the text has more than 200,000 characters, or the squared lengths of its runs of Chinese
            characters sum to more than 400,000,000.

    Source:
        jieba 0.42, accurate mode and search-engine mode.
    """
    if len(text) > MAX_CHARACTERS:
        raise Unscored(f"a text of {len(text):,} characters is not cut into words: at most {MAX_CHARACTERS:,} are")
    if sum((run.end() - run.start()) ** 2 for run in _RUNS.finditer(text)) > MOST_STEPS:
        raise Unscored("a text with too many Chinese characters in a row is not cut into words: 20,000 at once are")
    segmenter = _segmenter()
    cut: Callable[[str], list[str]] = segmenter.lcut_for_search if mode == "search" else segmenter.lcut
    return cut(text)
