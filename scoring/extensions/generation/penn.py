"""The tokenisation of the Penn Treebank, used to compare English captions and summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unparsed

MOST_CHARACTERS = 1_000_000
"""The limit on characters of a text that is split into words."""

_ABBREVIATIONS = (
    "Adm|Ave|Blvd|Bros|Capt|Cmdr|Co|Col|Corp|Cpl|Dr|Fri|Gen|Gov|Hon|Inc|Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec|Jr|Lt|Ltd|"
    "Maj|Messrs|Mmes|Mon|Mr|Mrs|Ms|Mt|Pres|Prof|Rd|Rep|Reps|Rev|Sat|Sen|Sens|Sgt|Sr|St|Ste|Sun|Thu|Thurs|Tue|Tues|Wed|"
    "al|cf|etc|ft|vs"
)
_PIECES = lazy_pattern(
    rf"""
      (?P<address>(?:https?://|www\.)[^\s"<>]*[^\s"<>.,;:!?)'\]]
        | [\w.+-]{{1,64}}+@[\w-]{{1,64}}+(?:\.[\w-]{{1,64}}+)++ )
    | (?P<tag></?[A-Za-z][^<>\s]*>)
    | (?P<short>(?<!\w)(?:{_ABBREVIATIONS})\.(?!\w) | (?<!\w)(?:[A-Za-z]{{1,2}}\.)+[A-Za-z]\.
        | (?<!\w)No\.(?=\s*\d) | (?<!\w)[A-Z]\.(?!\w))
    | (?P<cut>(?<!\w)'(?:\d0s|em|cause|til|bout|round|tis|twas)\b | (?<!\w)'n' | (?<!\w)ol'(?!\w) | (?<!\w)y'(?=all\b) )
    | (?P<clitic>'(?:s|m|d|re|ve|ll)\b)
    | (?P<number>\d+(?:[.,:]\d+)+(?!\w))
    | (?P<word>[@\#]?[^\W\d]\w*(?:[-/'&.]\w+)*(?:\+\+|\#)? | \w+(?:[-/&]\w+)*)
    | (?P<dots>\.{{2,}}|…) | (?P<marks>[!?]{{2,}}) | (?P<dash>-{{2,}}|[–—]) | (?P<sign>\S)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = str.maketrans("“”‘’´\u00a0£€", "\"\"''' #$") | {ord("½"): "1/2", ord("¼"): "1/4", ord("¾"): "3/4"}
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-", '"': "''"}
_PARTED = {
    "cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "lemme": 3, "gimme": 3, "'tis": 2, "'twas": 2,
}  # fmt: skip
_CLITICS = frozenset(("n't", "'re", "'ve", "'ll", "'s", "'m", "'d"))
_PUNCTUATION = frozenset(("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", *".?!,:;-", "--", "..."))


@primitive(topics=("text", "writing"), aka=("ptb tokenizer", "penn treebank", "treebank tokens"))
def penn_words(text: str, /, *, lowercase: bool = True, punctuation: Literal["kept", "dropped"] = "kept") -> list[str]:
    """Split an English text into words and punctuation as in the Penn Treebank: `do n't`, `man 's`, `-LRB-` for `(`.

    Numbers, addresses, abbreviations (`Mr.`, `U.S.`) and words with hyphens or slashes stay whole. Symbols beyond
    Unicode's first plane, such as emoji, are left out.

    Args:
        lowercase: Whether the text is converted to lower case, brackets included: `-lrb-`.
        punctuation: Whether punctuation marks, quotes, dashes and round and curly brackets are kept or dropped;
            lower-case brackets are never dropped, as in the released tools for captions.

    Raises:
        Unparsed: when the text has more than 1,000,000 characters.

    Examples:
        >>> penn_words("A man's dog isn't running (fast).")
        ['a', 'man', "'s", 'dog', 'is', "n't", 'running', '-lrb-', 'fast', '-rrb-', '.']
        >>> penn_words("Two-year-old boy, at 5 p.m.!", punctuation="dropped")
        ['two-year-old', 'boy', 'at', '5', 'p.m.']

    Source:
        The Penn Treebank's rules as in Stanford's PTBTokenizer; our own rules where it relies on long word lists.
    """
    if len(text) > MOST_CHARACTERS:
        raise Unparsed(f"a text of more than {MOST_CHARACTERS:,} characters")
    found = [part.lower() if lowercase else part for part in _cut(text.translate(_QUOTES))]
    return [part for part in found if part not in _PUNCTUATION] if punctuation == "dropped" else found


def _cut(text: str) -> Iterator[str]:
    for match in _PIECES.finditer(text):
        part, kind = match[0], match.lastgroup
        if kind in ("word", "cut"):
            yield from _parts(part)
        elif kind == "dots":
            yield from (".", ".") if part == ".." else ("...",)
        elif kind == "dash":
            yield "--"
        elif kind == "sign":
            if ord(part) <= 0xFFFF:
                yield _BRACKETS.get(part, part)
        else:
            yield part


def _parts(word: str) -> Iterator[str]:
    """Yield the parts of a word: the word without its clitics, such as `'s` and `n't`, then each clitic."""
    cut = _PARTED.get(word.lower())
    if cut:
        yield from (word[:cut], word[cut:])
        return
    end, behind = len(word), []
    while size := next((n for n in (3, 2) if n < end and word[end - n : end].lower() in _CLITICS), 0):
        behind.append(word[end - size : end])
        end -= size
    yield word[:end]
    yield from reversed(behind)
