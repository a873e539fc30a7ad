"""Words of Chinese text, which has no spaces between them."""

from __future__ import annotations

import functools
import re
import threading
import warnings
from collections.abc import Callable
from typing import Any, Literal

from scoring.primitives.extras import optional
from scoring.registry import primitive
from scoring.result import Unscored

_LOADING = threading.Lock()
MAX_CHARACTERS = 200_000
"""The most characters of a text that is segmented."""
MOST_STEPS = 400_000_000
"""The most that the squares of the lengths of all runs of Chinese characters come to: where it knows no word, the
library copies what it has so far at each character. A run of 20,000 is cut, and 200,000 with a mark in each 2,000."""
_RUNS = re.compile("[\u4e00-\u9fd5]+")


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
    """The words of a Chinese text, as jieba cuts it.

    Args:
        mode: ``search`` also gives the shorter words inside a long one, as a search engine indexes it.

    Examples:
        >>> chinese_words("今天天气很好")
        ['今天天气', '很', '好']

    Raises:
        Unscored: for a text of more than 200,000 characters, and for runs of Chinese characters of which the squares
            of the lengths come to more than 400,000,000.

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
