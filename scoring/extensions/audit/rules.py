"""The key `audit`: the laws that `scoring audit` tests, and what a spec file says about them.

The laws are described here, by name, because specs refer to them; `laws.py` and `figures.py` test them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from scoring.format.forms import list_of, map_of, one_of, section, text
from scoring.format.keys import SpecSection, key

LawGroup: TypeAlias = Literal["right", "wrong", "form", "data", "declared"]


@dataclass(frozen=True, slots=True)
class Law:
    """A law: a statement that must hold for every sound scorer or metric, such as that a right answer scores 1, and
    that an audit tests.

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


_EXACT = "compare more strictly: raise the threshold, or compare whole values instead of parts of them"
_FORM = "normalise both sides first"
_FIGURE = "check what the metric reads: the columns that it names, their order, and what it divides by"

LAWS: Final[Mapping[str, Law]] = {
    "reference": Law(
        "right",
        "the reference given as the answer scores 1; with several references, each of them does",
        "the reference itself does not score 1",
        "check how each side is read: both must give the same value",
    ),
    "empty": Law(
        "wrong",
        "an empty text, list or map, whitespace only, or null, scores 0",
        "an empty answer scores",
        "score an empty answer 0 before anything is compared",
    ),
    "empty_reference": Law(
        "wrong",
        "an empty reference does not equal every answer",
        "every answer equals an empty reference",
        "leave records without a reference unscored, or let only an empty text equal an empty reference",
    ),
    "others": Law(
        "wrong",
        "another record's reference, clearly different, scores lower than the right one",
        "another record's reference scores like the right one",
        _EXACT,
    ),
    "letter": Law(
        "wrong",
        "a single letter scores lower than the longer text it stands for",
        "a single letter scores like the right answer",
        "look for a loop over the characters of a text where one over a list is meant",
    ),
    "part": Law(
        "wrong",
        "one word of several, one item of a list or one key of a map scores lower than the whole",
        "part of the right answer scores like all of it",
        "divide by the longer side, or require equal lengths first",
    ),
    "affix": Law(
        "wrong",
        "an answer that only begins or ends with the right one, inside another word or after others, scores lower",
        "an answer that merely begins or ends with the right one scores like it",
        "compare whole answers instead of using `in`, a prefix or a suffix",
    ),
    "stuffing": Law(
        "wrong",
        "all references one after the other score lower than the right one alone",
        "an answer that names everything scores like the right one",
        "penalise what is named in addition to the right answer",
    ),
    "long": Law(
        "wrong",
        "very long text, and the reference repeated many times, score lower",
        "very long or repeated text scores like the right answer",
        "limit the length of the answer, or penalise what it has in addition to the reference",
    ),
    "anagram": Law(
        "wrong",
        "the letters of the right answer in another order score lower",
        "the same letters in another order score like the right answer",
        "look for a set built from the characters of a text",
    ),
    "question": Law(
        "wrong",
        "the question given as the answer scores lower",
        "the question repeated scores like the right answer",
        _EXACT,
        is_advice=True,
    ),
    "threshold": Law(
        "wrong",
        "an answer that is half wrong, and a number that is far off, score lower",
        "an answer that is half wrong scores like the right one",
        "raise the threshold: nearly everything passes as it is",
    ),
    "boundary": Law(
        "wrong",
        "a character similarity that is kept above one half and set to 0 below is 0 at exactly one half",
        "exactly one half still counts, and anything below counts for nothing",
        "say which side the boundary is on: `above` and `more_than` exclude it, `cutoff` and `at_least` include it",
    ),
    "negation": Law(
        "wrong",
        "an added or dropped `not` scores lower, where any other word does",
        "an added or dropped `not` is overlooked, any other word is not",
        "keep `not`, `no` and `never` where stop words are dropped",
    ),
    "word_order": Law(
        "wrong",
        "the words in reverse order score lower, where a typo does",
        "the same words in reverse order score like the right answer",
        "compare words in order; where order does not matter, use a list or a set: `words | as_set | jaccard`",
    ),
    "spaces": Law(
        "wrong",
        "the words run together score lower, where a typo does",
        "words that are run together score like separate words",
        "replace several spaces by one (`collapse_spaces`), not by none",
    ),
    "position": Law(
        "wrong",
        "a wrong first, middle or last word, line, item or part of a date scores lower, where one elsewhere does",
        "a mistake at one position is overlooked, the same one at another is not",
        "look for an index or a slice that is off by one, or for text that is cut off off",
    ),
    "repeats": Law(
        "wrong",
        "a list with a repeated item scores lower, where one with another extra item does",
        "a repeated item is overlooked, another extra item is not",
        "compare lists or counts; where repeats are allowed, say so with a set: `as_set | equal`",
    ),
    "digits": Law(
        "wrong",
        "1 is not 1,234, nor is 1.234, and 35 is not 3.5",
        "a number with digits or other characters left out scores like the right one",
        "parse the whole number, with its comma and decimal point: `number`",
    ),
    "dates": Law(
        "wrong",
        "the date with day and month swapped scores lower, where any other date does",
        "day and month may be swapped",
        "read both sides with the same order of day and month",
    ),
    "typos": Law(
        "wrong",
        "an answer with more typos never scores higher",
        "an answer with more typos scores higher",
        "look for a step that normalises by something that depends on the answer itself",
    ),
    "newline": Law(
        "form",
        "a newline after the right answer changes nothing",
        "a newline after the right answer changes the score",
        f"{_FORM}: `strip`",
        is_advice=True,
    ),
    "whitespace": Law(
        "form",
        "extra space, around the answer or within it, changes nothing",
        "extra space changes the score",
        f"{_FORM}: `collapse_spaces`",
        is_advice=True,
    ),
    "case": Law(
        "form",
        "letters in the other case change nothing",
        "letters in the other case change the score",
        f"{_FORM}: `casefold`",
        is_advice=True,
    ),
    "numbers": Law(
        "form",
        "3 and 3.0 are the same",
        "3 and 3.0 are scored differently",
        f"{_FORM}: `number`, then compare numbers",
        is_advice=True,
    ),
    "marks": Law(
        "form",
        "of the marks after a chess move, `+` and `#`, a scorer overlooks both or neither",
        "one mark after a move is overlooked, the other is not",
        "strip `+` and `#` alike",
    ),
    "accents": Law(
        "form",
        "where the case of plain letters changes nothing, that of accented letters changes nothing either",
        "the case of accented letters counts, that of plain letters does not",
        f"{_FORM}: `casefold`, which knows the letters of every language",
    ),
    "order": Law(
        "declared",
        "another order of a list, or of the records, changes nothing",
        "another order changes the score",
        "turn lists into sets or bags before they are compared",
    ),
    "keys": Law(
        "declared",
        "another order of the keys of a map changes nothing",
        "another order of keys changes the score",
        "compare maps by key",
    ),
    "swapped": Law(
        "declared",
        "answer and reference may be swapped: the metric is symmetric",
        "answer and reference may not be swapped",
        "divide by something symmetric, such as the length of the longer side",
    ),
    "constant": Law(
        "data",
        "one answer for all records gives a worse figure than the right ones",
        "one answer for all records gives as good a figure as the right answers",
        _FIGURE,
    ),
    "shuffled": Law(
        "data",
        "the right answers on the wrong records give a worse figure",
        "the right answers on the wrong records give as good a figure",
        _FIGURE,
    ),
    "ranking": Law(
        "data",
        "relevant items at the top of a ranking give a better figure than at the bottom",
        "the figure does not rise when relevant items are ranked first",
        _FIGURE,
    ),
    "single": Law(
        "data",
        "one wrong answer among right ones gives a worse figure, at least for some record",
        "one wrong answer among right ones changes nothing, whichever it is",
        "check what it leaves out: the best of a group, a median of 0 and 1, a mean without zeros hide errors",
    ),
    "share": Law(
        "data",
        "half of the answers wrong give a worse figure than one of them, unless one is as bad as all of them",
        "half of the answers wrong give as good a figure as one of them",
        "count every record: equal scores are not a single score, and a set of scores is not a list",
    ),
    "labels": Law(
        "data",
        "other names for the same labels change nothing",
        "other names for the same labels change the figure",
        "name the label that the metric is about, or average over all; no label is special because of its position",
    ),
    "twice": Law(
        "data",
        "a data set in which everything appears twice has the same figure",
        "duplicated records change the figure",
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
        "Laws that do not hold here, each with the reason; one that does hold is reported as idle.",
        moves="nothing",
        name="except",
        default=dict,
    )
    must: tuple[str, ...] = key(
        list_of(one_of(*DECLARED), unique=True),
        "Further laws that must hold: laws of form, such as `case`, or `order`, `keys`, `swapped` (it is symmetric).",
        moves="nothing",
        default=(),
    )

    def joined(self, other: AuditRules) -> AuditRules:
        """Return both sets of rules combined; where both have a reason for an exception, this object's is kept."""
        return AuditRules({**other.exceptions, **self.exceptions}, tuple(dict.fromkeys((*self.must, *other.must))))


NO_RULES: Final = AuditRules({}, ())
SECTION: Final = SpecSection(
    ("task", "pack", "definition", "field"),
    section(AuditRules),
    "Which laws of `scoring audit` do not hold here, and which others must.",
    moves="nothing",
)


def rules_of(part: Any) -> AuditRules:
    """Return the audit rules that a spec, a definition or a scope declares by its key `audit`; empty rules if it has
    none."""
    found: AuditRules = part.sections.get("audit", NO_RULES)
    return found
