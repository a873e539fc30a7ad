"""The results of scoring one pair or one record, and the exceptions that primitives raise.

An outcome is ``scored`` with a value, or states why there is none: ``not_applicable`` (nothing to score here),
``unparsed`` (the response did not parse), ``unscored`` (something failed, with the reason). Never a silent 0.

Results are created by the million, so they are plain classes with slots: a frozen one takes four times as long to
create. They should be treated as read-only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec import Struct

Status: TypeAlias = Literal["scored", "not_applicable", "unparsed", "unscored"]
_STATUSES: Final = frozenset(get_args(Status))


class Missing(Enum):
    """The type of `MISSING`, the marker of an absent value; None is a value that a record may have."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""The value that a host passes in place of a reference that it does not have."""


class Unscored(Exception):
    """The exception of a primitive for a pair that can't be scored; the message gives the reason."""


class Unparsed(Exception):
    """The exception of a parser for a response without a readable answer; the message describes what was tried."""


class NotApplicable(Exception):
    """The exception of a primitive for a pair in which there is nothing to score.

    ``mark`` is the number that a benchmark's released code prints in this case, such as -1; it is shown as the
    outcome's value but is never aggregated.
    """

    def __init__(self, reason: str = "", mark: float | None = None) -> None:
        super().__init__(reason)
        self.mark = mark


class Outcome(Struct, frozen=True):
    """The outcome of one scorer on one pair of prediction and reference.

    It has a value and a status, for a failure the reason, and in ``notes`` what steps recorded about how it came about.

    Raises:
        ValueError: when the status is none of `Status`.

    Examples:
        >>> Outcome(1.0)
        Outcome(value=1.0, status='scored', reason=None)
        >>> Outcome.unscored("no judge configured").value is None
        True
        >>> Outcome.unparsed("no number was found")
        Outcome(value=None, status='unparsed', reason='no number was found')
    """

    value: Any
    status: Status = "scored"
    reason: str | None = None
    notes: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.status not in _STATUSES:
            known = ", ".join(sorted(_STATUSES))
            raise ValueError(
                f"an outcome has no status {self.status!r:.60}: there are {known}; write Outcome.unparsed(reason) or "
                "Outcome.unscored(reason) where there is no value"
            )

    def __hash__(self) -> int:
        return hash((self.value, self.status, self.reason))  # notes are mappings

    def __repr__(self) -> str:
        return f"Outcome(value={self.value!r}, status={self.status!r}, reason={self.reason!r})"

    @property
    def score(self) -> Any:
        """The value; results of records have it under this name, too."""
        return self.value

    @property
    def is_scored(self) -> bool:
        """Whether the outcome has the status "scored", so that its score counts in figures."""
        return self.status == "scored"

    @classmethod
    def unscored(cls, reason: str) -> Outcome:
        """Return the outcome of a pair whose scoring failed for the given reason."""
        return cls(None, "unscored", reason)

    @classmethod
    def unparsed(cls, reason: str) -> Outcome:
        """Return the outcome of a response that has no readable answer, for the given reason."""
        return cls(None, "unparsed", reason)

    @classmethod
    def of_exception(cls, error: BaseException) -> Outcome:
        """Return the outcome that corresponds to an exception of a primitive: unscored, except for Unparsed and
        NotApplicable."""
        if isinstance(error, NotApplicable):
            return cls(error.mark, "not_applicable", str(error) or None)
        if isinstance(error, Unparsed):
            return cls.unparsed(str(error) or "no answer was found")
        if isinstance(error, Unscored):
            return cls.unscored(str(error) or "no reason was given")
        return cls.unscored(describe_error(error))

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain data, with the reason only if there is one."""
        data: dict[str, Any] = {"score": self.value, "status": self.status}
        if self.reason:
            data["reason"] = self.reason
        if self.notes:
            data["notes"] = dict(self.notes)
        return data


def describe_error(error: BaseException) -> str:
    """Describe an exception raised by other people's code in one printable line of limited length.

    Examples:
        >>> describe_error(KeyError("town"))
        "its own error: KeyError: 'town'"
    """
    try:
        text = str(error)[:1000]
    except Exception:  # the `__str__` of an exception is other people's code, which may fail, too
        text = ""
    message = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())[:200]
    name = type(error).__name__[:60]
    return f"its own error: {name}: {message}" if message else f"its own error: {name}"


def cause_of(error: BaseException) -> str:
    """Describe in a few words what went wrong, given the exception that Python raised.

    Examples:
        >>> cause_of(IndexError("list index out of range")), cause_of(ZeroDivisionError())
        ('it reads more items than there are', 'it would divide by 0')
    """
    if isinstance(error, ImportError) and error.name:
        return f"it needs the package `{error.name.partition('.')[0]}`, which can't be imported"
    if (code := getattr(error, "sqlite_errorcode", None)) is not None:
        return _SQLITE.get(code & 0xFF, "the database can't do it")
    if isinstance(error, OSError):
        reason = "it took too long" if isinstance(error, TimeoutError) else error.strerror
        return (reason or "it can't be reached").lower()
    return next((words for kinds, words in _CAUSES if isinstance(error, kinds)), describe_error(error))


# By SQLite's error codes, since its messages differ between releases.
_SQLITE = {
    5: "another program holds it locked; wait for it, or work on a copy",
    6: "another program holds it locked; wait for it, or work on a copy",
    8: "it can't be written; work on a copy in a folder that can",
    10: "the disk failed to read or write it",
    11: "it is damaged; take a copy that is whole, or begin a new one",
    13: "the disk is full",
    14: "it can't be opened",
    26: "it is no SQLite file",
}
# The first match counts: RecursionError is a RuntimeError, UnicodeError a ValueError.
_CAUSES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (RecursionError, "the values are nested too deeply"),
    (MemoryError, "it takes more memory than there is"),
    (ZeroDivisionError, "it would divide by 0"),
    (OverflowError, "a number is too large to compute with"),
    (UnicodeDecodeError, "it is not UTF-8; save it as UTF-8"),
    (UnicodeError, "a text holds half of a surrogate pair, which is no character"),
    (IndexError, "it reads more items than there are"),
    (KeyError, "it reads a key that is not there"),
    ((TypeError, AttributeError), "it takes values of another kind"),
    ((ValueError, SyntaxError), "a value can't be read"),
    (ArithmeticError, "the numbers can't be computed with"),
)


_SHOWN_FIELDS = 50


class WithOutcome:
    """Mixin that adds to a class with an ``outcome`` the outcome's score, status and reason as properties."""

    __slots__ = ()
    outcome: Outcome

    @property
    def score(self) -> Any:
        """The score, None where there is none."""
        return self.outcome.value

    @property
    def status(self) -> Status:
        """The outcome's status."""
        return self.outcome.status

    @property
    def reason(self) -> str | None:
        """The reason why there is no score, None where there is one."""
        return self.outcome.reason


class FieldResult(WithOutcome, Struct):
    """The result of one field of one record: its outcome, its weight, and the two compared values."""

    name: str
    outcome: Outcome
    weight: float = 1.0
    prediction: Any = None
    reference: Any = None


@dataclass(slots=True)
class RecordResult(WithOutcome):
    """The result of one record: its score, whether it passed, its fields, the parsed value, and its attributes.

    ``unparsed_reason`` is why the response did not parse, None if it did. ``attributes`` are used for breakdowns.
    ``values`` are the spec's computed values by name, None where one failed. ``explainer`` is called by `explain`.
    """

    id: Any
    outcome: Outcome
    fields: Mapping[str, FieldResult] = field(default_factory=dict)
    passed: bool | None = None
    parsed: Any = None
    unparsed_reason: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    explainer: Callable[[], Any] | None = field(default=None, compare=False, repr=False)
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # The explainer is a closure over the task, which stays where it is.
        state = (self.id, self.outcome, self.fields, self.passed, self.parsed, self.unparsed_reason, self.attributes)
        return RecordResult, (*state, self.weight, None, self.values)

    def _repr_html_(self) -> str:
        import html

        from scoring.diagnostics.visible import visible

        parts = [("record", self), *self.fields.items()]
        cells = [(name, one.score, one.status, one.reason or "") for name, one in parts[:_SHOWN_FIELDS]]
        rows = ("".join(f"<td>{html.escape(visible(str(cell))[:200])}</td>" for cell in row) for row in cells)
        head = "".join(f"<th>{title}</th>" for title in ("", "score", "status", "reason"))
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in (head, *rows))}</table>"

    def explain(self) -> Any:
        """Return how the record was scored, stage by stage; only for results of ``Task.score``.

        Raises:
            ValueError: for a result of a batch, which does not keep the record.
        """
        if self.explainer is None:
            raise ValueError("this result comes from a batch; score the record alone to have it explained")
        return self.explainer()

    @property
    def parsed_ok(self) -> bool:
        """Whether the response was parsed; by the spec's policy, an unparsed response may have a score, too."""
        return self.unparsed_reason is None

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data, as written to the run folder."""
        data: dict[str, Any] = {"id": self.id, **self.outcome.to_json()}
        if self.passed is not None:
            data["passed"] = self.passed
        if self.unparsed_reason is not None:
            data["unparsed"] = self.unparsed_reason
        data["fields"] = {name: part.outcome.to_json() for name, part in self.fields.items()}
        if self.values:
            data["values"] = dict(self.values)
        data["parsed"] = self.parsed
        return data
