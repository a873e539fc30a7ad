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

_TITLES = (
    "Adm|Attys?|Ave|Brig|Capt|Cmdr|Col|Cpl|Dept|Det|Drs?|Elec|Gen|Govs?|Hon|Lieut|Lt|Maj|Messrs|Mfg|Mrs?|Ms|Mt|Natl|Pfc|"
    "Pres|Profs?|Pvt|Reps?|Rev|Sens?|Sgt|Ste?|Supt|cf|ft|vs"
)
"""Abbreviations that keep their full stop, unless a letter follows it."""
_ENDS = (
    "Assn|Bancorp|Bhd|Bldg|Blvd|Bros|Cos?|Corp|Esq|Inc|Intl|Jr|Ltd|Ph|Plc|Pty|Rd|Sr|Sys|Univ|al|est|etc|ext|seq|sq|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tues?|Wed|Thu|Thurs|Fri|Ala|Ariz|Calif|Colo|Conn|Fla|Ga|Ind|Kan|"
    "Ky|Md|Mich|Minn|Mo|Neb|Nev|Okla|Penn|Tenn|Va|Wis|Wyo|"
    "(?-i:Ark|ARK|Del|DEL|Ill|ILL|La|LA|Mass|MASS|Miss|MISS|Ore|ORE|Pa|PA|Tex|TEX|Wash|WASH)"
)
"""Abbreviations that always keep their full stop; those of states that are also words need a capital."""
_STARTS = (
    "A|About|After|An|As|At|But|He|Her|Here|However|If|In|It|Last|Many|Now|One|Our|She|Since|So|Some|Such|That|The|"
    "Their|Then|There|These|They|This|We|What|When|While|Yet|You"
)
"""Words that begin a sentence, so that a letter before them has no full stop of its own."""
_LETTER, _DASH = r"[^\W\d_]", r"[-\u2010\u2011]"
_NAME = rf"(?:[dlo]'(?={_LETTER}{_LETTER}))?+[^\W_]+"
_PIECES = lazy_pattern(
    rf"""
      (?P<smile>[:;=]-?'?[()DP\[\]](?!{_LETTER}) | \^_\^)
    | (?P<address>https?://[^\s"<>]*[^\s"<>.,;:!?)'\]] | www\.(?:[\w-]{{1,64}}+\.)*+[\w-]{{1,64}}+
        | [^\W_][\w.+-]{{0,63}}+@(?:[^\s"<>|(){{}}.@]{{1,64}}+\.)*[^\s"<>|(){{}}\[\].,;:@]{{1,64}}+ )
    | (?P<tag></?[A-Za-z][^<>]{{0,999}}+>)
    | (?P<phone>\(\d{{2,3}}\)(?=[ ]?\d{{3,4}}-\d{{3,5}}))
    | (?P<short>(?<![^\W\d])(?: (?:[A-Za-z]|Ph|Ed)(?:\.[A-Za-z])+\.(?:(?:-\w+)+|(?!\w))
        | (?:{_TITLES})\.(?!{_LETTER}) | (?:{_ENDS})\. | (?:art|ca|figs?|nos?|op|pp|prop)\.(?=\s*\d)
        | [A-Za-z]\.(?!{_LETTER}|\s+(?-i:{_STARTS})\b) ))
    | (?P<cut>(?<!\w)(?: '(?:[2-9]0s|\d\d|em|cause|till?|tis|twas)(?![\w-]) | ol'(?!\w) | y'(?={_LETTER})
        | [dl]'(?!{_LETTER}{_LETTER}) | j' ) | '[nN]\b'?)
    | (?P<clitic>'(?:s|m|d|re|ve|ll)\b)
    | (?P<dollar>(?-i:[A-Z]+)\$)
    | (?P<number>\d+(?:[.,]\d+)+{_DASH}\d+ | [+-]?\d*(?:[.,:]\d+)+ | [+-]\d+)
    | (?P<word>(?: C\+\+ | [CF]\# | [@\#]{_LETTER}[^\W_]* | (?-i:[A-Z]+(?:[+&][A-Z]+)+)
        | {_LETTER}*n't(?!\w) | (?:c'mon|c'est|n'est|s'mores|ev'ry|li'l|nat'l|cont'd)\b
        | {_LETTER}[^\W_]*(?:[.!?]{_LETTER}[^\W_]*)+(?:{_DASH}[^\W_]+)*
        | {_NAME}(?:(?<=[aeiouy])'(?=[aeiou]){_LETTER}+)?(?:(?:{_DASH}|[_/])(?:{_NAME}|o'(?=-)))*
      )(?:\.(?=[,;:]))?)
    | (?P<dots>\.{{2,}}|…) | (?P<marks>[!?]{{2,}}|[*]{{2,}}|[@]{{2,}}|[\#]{{2,}}|_{{2,}}) | (?P<dash>-{{2,}}|[–—])
    | (?P<sign>\S)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENTITIES = {"amp": "&", "lt": " < ", "gt": " > ", "quot": '"', "nbsp": " "}
_ENTITY = lazy_pattern(f"&({'|'.join(_ENTITIES)});", re.IGNORECASE)
_QUOTES = str.maketrans("“”«»‘’‛‹›\u00a0\u200b\ufeff£€", "\"\"\"\"'''''   #$") | {
    ord("½"): " 1/2", ord("¼"): " 1/4", ord("¾"): " 3/4", 0xAD: "",
}  # fmt: skip
_SIGNS = {"¢": "cents", "\u2010": "-", "\u2011": "-"}
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-", '"': "''"}
_PARTED = {
    "cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "lemme": 3, "gimme": 3, "'tis": 2, "'twas": 2,
}  # fmt: skip
_CLITICS = frozenset(("n't", "'re", "'ve", "'ll", "'s", "'m", "'d"))
_PUNCTUATION = frozenset(("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", *".?!,:;-", "--", "..."))


@primitive(revision=2, topics=("text", "writing"), aka=("ptb tokenizer", "penn treebank", "treebank tokens"))
def penn_words(text: str, /, *, lowercase: bool = True, punctuation: Literal["kept", "dropped"] = "kept") -> list[str]:
    """Split an English text into words and punctuation as in the Penn Treebank: `do n't`, `man 's`, `-LRB-` for `(`.

    Numbers with their signs, addresses, abbreviations (`Mr.`, `U.S.`), words with hyphens or slashes and smiles (`:)`)
    stay whole. Symbols beyond Unicode's first plane, such as emoji, are left out.

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
    found = [part.lower() if lowercase else part for part in _cut(_ENTITY.sub(_meant, text).translate(_QUOTES))]
    return [part for part in found if part not in _PUNCTUATION] if punctuation == "dropped" else found


def _meant(entity: re.Match[str]) -> str:
    return _ENTITIES[entity[1].lower()]


def _cut(text: str) -> Iterator[str]:
    for match in _PIECES.finditer(text):
        part, kind = match[0], match.lastgroup
        if kind in ("word", "cut"):
            yield from _parts(part)
        elif kind == "dots":
            yield from (".", ".") if part == ".." else ("...",)
        elif kind == "dash":
            yield "--"
        elif kind in ("smile", "phone"):
            yield "".join(_BRACKETS[sign] if sign in "()" else sign for sign in part)
        elif kind == "sign":
            if ord(part) <= 0xFFFF:
                yield _BRACKETS.get(part, _SIGNS.get(part, part))
        else:
            yield from part.split()


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
