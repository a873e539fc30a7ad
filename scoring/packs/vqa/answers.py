"""The treatment of punctuation, numbers, articles and contractions by the released evaluation of VQA."""

from __future__ import annotations

import re

from scoring.registry import primitive

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_COMMA_WITHIN = re.compile(r"\d,\d")
_COMMAS_WITHIN = re.compile(r"\d,+(?=\d)")
_PERIOD = re.compile(r"\.(?!\d)")
_PERIOD_OF_NO_NUMBER = re.compile(r"(?<!\d)\.(?!\d)")
# The released code passes a flag (re.UNICODE, 32) as the number of replacements.
_MOST_PERIODS = 32
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_ARTICLES = ("a", "an", "the")
_CONTRACTIONS = """
'ow's'at 'twas ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't
he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am might've mightn't mightn't've must've mustn't
needn't not've o'clock oughtn't shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's
someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're
there's they'd they'd've they'll they're they've wasn't we'd've we've weren't what'll what're what's what've when's
where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've
y'all y'all'd've y'all'll you'd you'd've you'll you're you've
"""


def _words() -> dict[str, str]:
    """Return the replacements of words: numbers by digits, and contractions without one of their apostrophes by full
    ones."""
    found = {name: str(number) for number, name in enumerate(_NUMBERS)} | {"none": "0"}
    for word in _CONTRACTIONS.split():
        for place in (at for at, sign in enumerate(word) if sign == "'"):
            found[word[:place] + word[place + 1 :]] = word
    return found | {"somebody'd": "somebodyd"}  # the only one that loses its apostrophe


_WORDS = _words()


@primitive(topics=("answers", "text"))
def vqa_upstream_punctuation(text: str, /, *, keep_after_digits: bool = False, several_commas: bool = False) -> str:
    """Return the text without punctuation, as the evaluation of VQA removes it.

    A mark that is next to a space anywhere in the text is deleted, any other becomes a space; if a comma is between two
    digits, all marks are deleted. The first 32 periods are deleted, except those before a digit.

    Args:
        keep_after_digits: Whether periods after a digit are kept, too, as VLMEvalKit does.
        several_commas: Whether several commas between two digits do what one does, as in the processor of EvalAI.

    Examples:
        >>> (
        ...     vqa_upstream_punctuation("red-brown (dark) cat"),
        ...     vqa_upstream_punctuation("1,000-2.5."),
        ...     vqa_upstream_punctuation("a -b-"),
        ... )
        ('red brown dark cat', '10002.5', 'a b')
        >>> vqa_upstream_punctuation("about 2.", keep_after_digits=True)
        'about 2.'

    Source:
        Antol et al., VQA, 2015: vqaEval.py, processPunctuation; VLMEvalKit, smp/misc.py, process_punctuation.
    """
    within = _COMMAS_WITHIN if several_commas else _COMMA_WITHIN
    has_comma_within, found = within.search(text) is not None, text
    for mark in _MARKS:
        is_removed = has_comma_within or f"{mark} " in text or f" {mark}" in text
        found = found.replace(mark, "" if is_removed else " ")
    period = _PERIOD_OF_NO_NUMBER if keep_after_digits else _PERIOD
    return period.sub("", found, count=_MOST_PERIODS)


@primitive(topics=("answers", "text"))
def vqa_upstream_words(text: str, /) -> str:
    """Return the words of a text in lower case, as the evaluation of VQA writes them.

    Numbers up to ten become digits, `none` becomes 0, articles are removed, and contractions get their apostrophes.

    Examples:
        >>> vqa_upstream_words("The two  dont"), vqa_upstream_words("None")
        ("2 don't", '0')

    Source:
        Antol et al., VQA, 2015: vqaEval.py, processDigitArticle.
    """
    words = (word for word in text.lower().split() if word not in _ARTICLES)
    return " ".join(_WORDS.get(word, word) for word in words)
