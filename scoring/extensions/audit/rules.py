"""The key `audit`: the laws that `scoring audit` tests, and what a spec file says about them.

The laws are named here, because specs refer to them; `described.py` puts them in words, and `laws.py` and `figures.py`
test them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from scoring.format.forms import list_of, map_of, one_of, section, text
from scoring.format.keys import SpecPart, SpecSection, key

LawGroup: TypeAlias = Literal["right", "wrong", "form", "data", "declared"]

LAWS_OF: Final[Mapping[LawGroup, tuple[str, ...]]] = {
    "right": ("reference",),
    "wrong": (
        "empty",
        "empty_reference",
        "others",
        "letter",
        "part",
        "affix",
        "stuffing",
        "long",
        "anagram",
        "question",
        "threshold",
        "boundary",
        "negation",
        "word_order",
        "spaces",
        "position",
        "repeats",
        "digits",
        "dates",
        "typos",
    ),
    "form": ("newline", "whitespace", "case", "numbers", "marks", "accents"),
    "declared": ("order", "keys", "swapped"),
    "data": ("constant", "shuffled", "ranking", "single", "share", "labels", "twice"),
}
"""The names of the laws by subject: ``right`` answers, ``wrong`` ones, the ``form`` of an answer, the figures of a
``data`` set; ``declared`` laws apply only if they are declared."""

GROUP_OF: Final = {name: group for group, names in LAWS_OF.items() for name in names}
LAW_NAMES: Final = tuple(GROUP_OF)
ADVICE: Final = ("question", "newline", "whitespace", "case", "numbers")
"""The laws that sound scorers may break, so that a violation is only mentioned unless the law is required."""
DECLARED: Final = tuple(name for name in LAW_NAMES if name in ADVICE or GROUP_OF[name] in ("form", "declared"))
"""The names of the laws that can be required with `must`, or with `--invariant`."""


class AuditRules(SpecPart, frozen=True):
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
