"""The laws that `scoring audit` tests in words: what each says, what breaks it, and what helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct


class Law(Struct, frozen=True):
    """A law: a statement that must hold for every sound scorer or metric, such as that a right answer scores 1, and
    that an audit tests.

    Args:
        doc: The statement of the law.
        broken: The statement of its violation, in the words of a finding.
        help: Advice for the author in case of a violation.
    """

    doc: str
    broken: str
    help: str


_EXACT = "compare more strictly: raise the threshold, or compare whole values instead of parts of them"
_FORM = "normalise both sides first"
_FIGURE = "check what the metric reads: the columns that it names, their order, and what it divides by"

LAWS: Final[Mapping[str, Law]] = {
    "reference": Law(
        "the reference given as the answer scores 1; with several references, each of them does",
        "the reference itself does not score 1",
        "check how each side is read: both must give the same value",
    ),
    "empty": Law(
        "an empty text, list or map, whitespace only, or null, scores 0",
        "an empty answer scores",
        "score an empty answer 0 before anything is compared",
    ),
    "empty_reference": Law(
        "an empty reference does not equal every answer",
        "every answer equals an empty reference",
        "leave records without a reference unscored, or let only an empty text equal an empty reference",
    ),
    "others": Law(
        "another record's reference, clearly different, scores lower than the right one",
        "another record's reference scores like the right one",
        _EXACT,
    ),
    "letter": Law(
        "a single letter scores lower than the longer text it stands for",
        "a single letter scores like the right answer",
        "look for a loop over the characters of a text where one over a list is meant",
    ),
    "part": Law(
        "one word of several, one item of a list or one key of a map scores lower than the whole",
        "part of the right answer scores like all of it",
        "divide by the longer side, or require equal lengths first",
    ),
    "affix": Law(
        "an answer that only begins or ends with the right one, inside another word or after others, scores lower",
        "an answer that merely begins or ends with the right one scores like it",
        "compare whole answers instead of using `in`, a prefix or a suffix",
    ),
    "stuffing": Law(
        "all references one after the other score lower than the right one alone",
        "an answer that names everything scores like the right one",
        "penalise what is named in addition to the right answer",
    ),
    "long": Law(
        "very long text, and the reference repeated many times, score lower",
        "very long or repeated text scores like the right answer",
        "limit the length of the answer, or penalise what it has in addition to the reference",
    ),
    "anagram": Law(
        "the letters of the right answer in another order score lower",
        "the same letters in another order score like the right answer",
        "look for a set built from the characters of a text",
    ),
    "question": Law(
        "the question given as the answer scores lower", "the question repeated scores like the right answer", _EXACT
    ),
    "threshold": Law(
        "an answer that is half wrong, and a number that is far off, score lower",
        "an answer that is half wrong scores like the right one",
        "raise the threshold: nearly everything passes as it is",
    ),
    "boundary": Law(
        "a character similarity that is kept above one half and set to 0 below is 0 at exactly one half",
        "exactly one half still counts, and anything below counts for nothing",
        "say which side the boundary is on: `zero_below` and `at_least` include it, and exclude it with `strict=true`",
    ),
    "negation": Law(
        "an added or dropped `not` scores lower, where any other word does",
        "an added or dropped `not` is overlooked, any other word is not",
        "keep `not`, `no` and `never` where stop words are dropped",
    ),
    "word_order": Law(
        "the words in reverse order score lower, where a typo does",
        "the same words in reverse order score like the right answer",
        "compare words in order; where order does not matter, use a list or a set: `words | to_set | jaccard`",
    ),
    "spaces": Law(
        "the words run together score lower, where a typo does",
        "words that are run together score like separate words",
        "replace several spaces by one (`collapse_spaces`), not by none",
    ),
    "position": Law(
        "a wrong first, middle or last word, line, item or part of a date scores lower, where one elsewhere does",
        "a mistake at one position is overlooked, the same one at another is not",
        "look for an index or a slice that is off by one, or for text that is cut off off",
    ),
    "repeats": Law(
        "a list with a repeated item scores lower, where one with another extra item does",
        "a repeated item is overlooked, another extra item is not",
        "compare lists or counts; where repeats are allowed, say so with a set: `to_set | equal`",
    ),
    "digits": Law(
        "1 is not 1,234, nor is 1.234, and 35 is not 3.5",
        "a number with digits or other characters left out scores like the right one",
        "parse the whole number, with its comma and decimal point: `number`",
    ),
    "dates": Law(
        "the date with day and month swapped scores lower, where any other date does",
        "day and month may be swapped",
        "read both sides with the same order of day and month",
    ),
    "typos": Law(
        "an answer with more typos never scores higher",
        "an answer with more typos scores higher",
        "look for a step that normalises by something that depends on the answer itself",
    ),
    "newline": Law(
        "a newline after the right answer changes nothing",
        "a newline after the right answer changes the score",
        f"{_FORM}: `strip`",
    ),
    "whitespace": Law(
        "extra space, around the answer or within it, changes nothing",
        "extra space changes the score",
        f"{_FORM}: `collapse_spaces`",
    ),
    "case": Law(
        "letters in the other case change nothing", "letters in the other case change the score", f"{_FORM}: `casefold`"
    ),
    "numbers": Law(
        "3 and 3.0 are the same", "3 and 3.0 are scored differently", f"{_FORM}: `number`, then compare numbers"
    ),
    "marks": Law(
        "of the marks after a chess move, `+` and `#`, a scorer overlooks both or neither",
        "one mark after a move is overlooked, the other is not",
        "strip `+` and `#` alike",
    ),
    "accents": Law(
        "where the case of plain letters changes nothing, that of accented letters changes nothing either",
        "the case of accented letters counts, that of plain letters does not",
        f"{_FORM}: `casefold`, which knows the letters of every language",
    ),
    "order": Law(
        "another order of a list, or of the records, changes nothing",
        "another order changes the score",
        "turn lists into sets or bags before they are compared",
    ),
    "keys": Law(
        "another order of the keys of a map changes nothing",
        "another order of keys changes the score",
        "compare maps by key",
    ),
    "swapped": Law(
        "answer and reference may be swapped: the metric is symmetric",
        "answer and reference may not be swapped",
        "divide by something symmetric, such as the length of the longer side",
    ),
    "constant": Law(
        "one answer for all records gives a worse figure than the right ones",
        "one answer for all records gives as good a figure as the right answers",
        _FIGURE,
    ),
    "shuffled": Law(
        "the right answers on the wrong records give a worse figure",
        "the right answers on the wrong records give as good a figure",
        _FIGURE,
    ),
    "ranking": Law(
        "relevant items at the top of a ranking give a better figure than at the bottom",
        "the figure does not rise when relevant items are ranked first",
        _FIGURE,
    ),
    "single": Law(
        "one wrong answer among right ones gives a worse figure, at least for some record",
        "one wrong answer among right ones changes nothing, whichever it is",
        "check what it leaves out: the best of a group, a median of 0 and 1, a mean without zeros hide errors",
    ),
    "share": Law(
        "half of the answers wrong give a worse figure than one of them, unless one is as bad as all of them",
        "half of the answers wrong give as good a figure as one of them",
        "count every record: equal scores are not a single score, and a set of scores is not a list",
    ),
    "labels": Law(
        "other names for the same labels change nothing",
        "other names for the same labels change the figure",
        "name the label that the metric is about, or average over all; no label is special because of its position",
    ),
    "twice": Law(
        "a data set in which everything appears twice has the same figure",
        "duplicated records change the figure",
        "divide by the number of records",
    ),
}
"""The laws by name."""
