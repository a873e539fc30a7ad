"""The key `audit`: the laws that `scoring audit` tests, and what a spec file says about them.

The laws are described here, by name, because specs refer to them; the extension `audit` tests them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from scoring.format.forms import list_of, map_of, one_of, text
from scoring.format.keys import key

LawGroup: TypeAlias = Literal["right", "wrong", "form", "data", "declared"]


@dataclass(frozen=True, slots=True)
class Law:
    """A law of scorers or of metrics.

    Args:
        group: The subject of the law: ``right`` answers, ``wrong`` ones, the ``form`` of an answer, the figures of a
            ``data`` set; ``declared`` laws apply only if they are declared.
        doc: The statement of the law.
        broken: The statement of its violation, in the words of a finding.
        help: Advice for the author in case of a violation.
        is_advice: Whether sound scorers may break it, so that a violation is only mentioned unless the law is required.
    """

    group: LawGroup
    doc: str
    broken: str
    help: str
    is_advice: bool = False


_EXACT = "compare more exactly, with a greater threshold, or whole values in place of parts of them"
_FORM = "bring both sides to one form first"
_FIGURE = "look at what the metric reads: the columns that it names, their order, and what it divides by"

LAWS: Final[Mapping[str, Law]] = {
    "reference": Law(
        "right",
        "the reference as the answer scores 1; where there are several references, each of them does",
        "the reference itself does not score 1",
        "look at how each side is read: both have to come to the same value",
    ),
    "empty": Law(
        "wrong",
        "an empty text, list or map, white space alone, or nothing, scores 0",
        "an empty answer scores",
        "give an empty answer 0 before anything is compared",
    ),
    "empty_reference": Law(
        "wrong",
        "an empty reference does not equal every answer",
        "every answer equals an empty reference",
        "leave records without a reference unscored, or compare with an empty text exactly",
    ),
    "others": Law(
        "wrong",
        "the reference of another record, clearly different, scores less than the right one",
        "another record's reference scores like the right one",
        _EXACT,
    ),
    "letter": Law(
        "wrong",
        "a single letter scores less than the longer text it stands for",
        "a single letter scores like the right answer",
        "look for a loop over the characters of a text that should be one over a list",
    ),
    "part": Law(
        "wrong",
        "one word of several, one item of a list or one key of a map scores less than the whole",
        "a part of the right answer scores like all of it",
        "divide by the longer side, or demand equal lengths first",
    ),
    "affix": Law(
        "wrong",
        "an answer that only begins or ends with the right one, inside another word or after others, scores less",
        "an answer that merely begins or ends with the right one scores like it",
        "compare whole answers in place of `in`, a prefix or a suffix",
    ),
    "stuffing": Law(
        "wrong",
        "all references one after the other score less than the right one alone",
        "an answer that names everything scores like the right one",
        "count what is named beside the right answer against it",
    ),
    "long": Law(
        "wrong",
        "very long text, and the reference repeated again and again, scores less",
        "very long or repeated text scores like the right answer",
        "bound the answer, or count what it holds beside the reference",
    ),
    "anagram": Law(
        "wrong",
        "the letters of the right answer in another order score less",
        "the same letters in another order score like the right answer",
        "look for a set made of the characters of a text",
    ),
    "question": Law(
        "wrong",
        "the question itself as the answer scores less",
        "the question repeated scores like the right answer",
        _EXACT,
        is_advice=True,
    ),
    "threshold": Law(
        "wrong",
        "an answer of which half is wrong, and a number that is far off, score less",
        "an answer that is half wrong scores like the right one",
        "raise the threshold: as it is, nearly everything passes",
    ),
    "boundary": Law(
        "wrong",
        "a similarity of letters that is kept above one half and 0 below is 0 at exactly one half",
        "exactly one half still counts, and anything below counts nothing",
        "say which side the boundary is on: `above` and `more_than` leave it out, `cutoff` and `at_least` keep it",
    ),
    "negation": Law(
        "wrong",
        "a `not` that is put in or left out scores less, where any other word does",
        "a `not` that is put in or left out is overlooked, any other word is not",
        "keep `not`, `no` and `never` where words are dropped that say little",
    ),
    "word_order": Law(
        "wrong",
        "the words in the opposite order score less, where a typo does",
        "the same words in the opposite order score like the right answer",
        "compare words in their order; what may change places is a list or a set: `words | as_set | jaccard`",
    ),
    "spaces": Law(
        "wrong",
        "the words written together score less, where a typo does",
        "words that are written together score like words apart",
        "put one space where there were several, `collapse_spaces`, in place of none",
    ),
    "position": Law(
        "wrong",
        "a wrong first, middle or last word, line, item or part of a date scores less, where one elsewhere does",
        "a fault at one place is overlooked, the same at another is not",
        "look for an index or a slice that is off by one, or for text that is cut",
    ),
    "repeats": Law(
        "wrong",
        "a list with an item twice scores less, where another item more does",
        "an item that is named twice is overlooked, another item more is not",
        "compare lists or counts; where items may come again, say so with a set: `as_set | equal`",
    ),
    "digits": Law(
        "wrong",
        "1 is not 1,234, nor is 1.234, and 35 is not 3.5",
        "a number of which signs or digits were left out scores like the right one",
        "read the whole number, with its comma and its point: `number`",
    ),
    "dates": Law(
        "wrong",
        "another day with the figures of day and month exchanged scores less, where any other does",
        "day and month may be exchanged",
        "read both sides in one order of day and month",
    ),
    "typos": Law(
        "wrong",
        "an answer with more of its letters mistyped never scores higher",
        "an answer with more typos scores higher",
        "look for a step that normalises by something the answer itself decides",
    ),
    "newline": Law(
        "form",
        "a line end after the right answer changes nothing",
        "a line end after the right answer is scored otherwise",
        f"{_FORM}: `strip`",
        is_advice=True,
    ),
    "whitespace": Law(
        "form",
        "space around and twice within changes nothing",
        "more space is scored otherwise",
        f"{_FORM}: `collapse_spaces`",
        is_advice=True,
    ),
    "case": Law(
        "form",
        "letters in the other case change nothing",
        "letters in the other case are scored otherwise",
        f"{_FORM}: `casefold`",
        is_advice=True,
    ),
    "numbers": Law(
        "form",
        "3 and 3.0 are the same",
        "3 and 3.0 are scored otherwise",
        f"{_FORM}: `number`, then compare numbers",
        is_advice=True,
    ),
    "marks": Law(
        "form",
        "of the marks behind a chess move, `+` and `#`, a scorer overlooks both or none",
        "one mark behind a move is overlooked, another is not",
        "strip `+` and `#` alike",
    ),
    "accents": Law(
        "form",
        "where the case of plain letters changes nothing, that of letters with accents changes nothing either",
        "the case of letters with accents counts, that of plain letters does not",
        f"{_FORM}: `casefold`, which knows the letters of every language",
    ),
    "order": Law(
        "declared",
        "another order of a list, or of the records, changes nothing",
        "another order is scored otherwise",
        "make sets or bags of lists before they are compared",
    ),
    "keys": Law(
        "declared",
        "another order of the keys of a map changes nothing",
        "another order of keys is scored otherwise",
        "compare maps by key",
    ),
    "swapped": Law(
        "declared",
        "answer and reference may change places: the metric is symmetric",
        "answer and reference may not change places",
        "divide by what both sides share, such as the longer one",
    ),
    "constant": Law(
        "data",
        "one answer for all records makes a worse figure than the right ones",
        "one answer for all makes as good a figure as the right answers",
        _FIGURE,
    ),
    "shuffled": Law(
        "data",
        "the right answers in the wrong places make a worse figure",
        "the right answers in the wrong places make as good a figure",
        _FIGURE,
    ),
    "ranking": Law(
        "data",
        "what is relevant at the head of a ranking makes a better figure than at its end",
        "the figure does not rise when what is relevant is ranked first",
        _FIGURE,
    ),
    "single": Law(
        "data",
        "where all other answers are right, one that is wrong makes a worse figure, at least for some record",
        "one wrong answer among right ones changes nothing, whichever it is",
        "look at what it leaves out: the best of a group, a median of 0 and 1, a mean without zeros hide what is wrong",
    ),
    "share": Law(
        "data",
        "half of the answers wrong make a worse figure than one of them, unless one makes it as bad as all of them do",
        "half of the answers wrong make as good a figure as one of them",
        "count every record: equal scores are no single score, and a set of scores is no list",
    ),
    "labels": Law(
        "data",
        "other names for the same labels change nothing",
        "other names for the same labels change the figure",
        "name the label that the metric is about, or average over all; no label is special by its place",
    ),
    "twice": Law(
        "data",
        "a data set in which everything stands twice has the same figure",
        "what is listed twice changes the figure",
        "divide by the number of records",
    ),
}
"""The laws by name."""

LAW_NAMES: Final = tuple(LAWS)
DECLARED: Final = tuple(name for name, law in LAWS.items() if law.is_advice or law.group in ("form", "declared"))
"""The names of the laws that can be required with `must`, or with `--invariant`."""


@dataclass(frozen=True, slots=True)
class AuditRules:
    """The content of a file's key `audit`: laws that its scorers and metrics may break, and further laws that they must
    keep.

    Examples:
        >>> AuditRules({"case": "names are written as in the document"}).joined(AuditRules(must=("order",))).must
        ('order',)
    """

    exceptions: Mapping[str, str] = key(
        map_of(text(minLength=1), names={"enum": list(LAW_NAMES)}),
        "Laws that do not hold here, each with the reason; one that holds all the same is reported as idle.",
        moves="nothing",
        name="except",
        default=dict,
    )
    must: tuple[str, ...] = key(
        list_of(one_of(*DECLARED), unique=True),
        "Further laws that have to hold: of form, such as `case`, or `order`, `keys`, `swapped` (it is symmetric).",
        moves="nothing",
        default=(),
    )

    def joined(self, other: AuditRules) -> AuditRules:
        """Return both sets of rules combined; where both give a reason for an exception, that of this set is kept."""
        return AuditRules({**other.exceptions, **self.exceptions}, tuple(dict.fromkeys((*self.must, *other.must))))


NO_RULES: Any = AuditRules({}, ())
AUDIT_MEANING = "Which laws of `scoring audit` do not hold here, and which more have to."
