"""Results of scoring: outcomes of a pair, results of a record, and the exceptions that primitives raise.

An outcome is ``scored`` with a value, or it says why there is none: ``not_applicable`` (nothing to score here),
``unparsed`` (the response did not parse), ``unscored`` (something failed, with the reason). Never a silent 0.

Results are made by the million, so they are plain classes with slots: a frozen one takes four times as long to make.
They are for reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, TypeAlias, get_args

Status: TypeAlias = Literal["scored", "not_applicable", "unparsed", "unscored"]
_STATUSES: Final = frozenset(get_args(Status))


class Missing(Enum):
    """The class of `MISSING`, which marks an absent value; None is a value."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""What a host passes for a reference that it does not have."""


class Unscored(Exception):
    """Raised by a primitive: this pair can't be scored, and why."""


class Unparsed(Exception):
    """Raised by a parser: the response has no readable answer, and what was tried."""


class NotApplicable(Exception):
    """Raised by a primitive: there is nothing to score here.

    ``mark`` is the number that a benchmark's released code prints in this case, such as -1; it is shown
    as the outcome's value but never joins an aggregate.
    """

    def __init__(self, reason: str = "", mark: float | None = None) -> None:
        super().__init__(reason)
        self.mark = mark


@dataclass(slots=True, unsafe_hash=True)
class Outcome:
    """The outcome of one scorer on one pair; ``notes`` say how it came about, where a step has something to say.

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
    notes: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)

    def __post_init__(self) -> None:
        if self.status not in _STATUSES:
            known = ", ".join(sorted(_STATUSES))
            raise ValueError(
                f"an outcome has no status {self.status!r:.60}: there are {known}; write Outcome.unparsed(reason) or "
                "Outcome.unscored(reason) where there is no value"
            )

    @property
    def score(self) -> Any:
        """The value, under the name that record results use."""
        return self.value

    @property
    def is_scored(self) -> bool:
        """Whether there is a score to aggregate."""
        return self.status == "scored"

    @classmethod
    def unscored(cls, reason: str) -> Outcome:
        """Return an outcome without a value, since something failed."""
        return cls(None, "unscored", reason)

    @classmethod
    def unparsed(cls, reason: str) -> Outcome:
        """Return an outcome without a value, since a response has no readable answer."""
        return cls(None, "unparsed", reason)

    @classmethod
    def of_exception(cls, error: BaseException) -> Outcome:
        """Return the outcome that represents an exception of a primitive."""
        if isinstance(error, NotApplicable):
            return cls(error.mark, "not_applicable", str(error) or None)
        if isinstance(error, Unparsed):
            return cls.unparsed(str(error) or "no answer was found")
        if isinstance(error, Unscored):
            return cls.unscored(str(error) or "no reason was given")
        return cls.unscored(describe_error(error))

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain data; the reason only where there is one."""
        data: dict[str, Any] = {"score": self.value, "status": self.status}
        if self.reason:
            data["reason"] = self.reason
        if self.notes:
            data["notes"] = dict(self.notes)
        return data


def describe_error(error: BaseException) -> str:
    """One bounded line for an exception of code that is not ours: what it says itself, on one line and printable.

    Examples:
        >>> describe_error(KeyError("town"))
        "its own error: KeyError: 'town'"
    """
    try:
        said = str(error)[:1000]
    except Exception:  # the text of an exception is code of its class, which may fail, too
        said = ""
    message = " ".join("".join(mark if mark.isprintable() else " " for mark in said).split())[:200]
    name = type(error).__name__[:60]
    return f"its own error: {name}: {message}" if message else f"its own error: {name}"


def cause_of(error: BaseException) -> str:
    """Return what kind of failure an exception of Python is, in words.

    Examples:
        >>> cause_of(IndexError("list index out of range")), cause_of(ZeroDivisionError())
        ('it reads more items than there are', 'it would divide by 0')
    """
    if isinstance(error, ImportError) and error.name:
        return f"it needs the package `{error.name.partition('.')[0]}`, which can't be imported"
    if (code := getattr(error, "sqlite_errorcode", None)) is not None:
        return _SQLITE.get(code & 0xFF, "the database can't do it")
    if isinstance(error, OSError):
        said = "it took too long" if isinstance(error, TimeoutError) else error.strerror
        return (said or "it can't be reached").lower()
    return next((words for kinds, words in _CAUSES if isinstance(error, kinds)), describe_error(error))


# By SQLite's own codes, whose words differ between its releases.
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
# The first that fits: RecursionError is a RuntimeError, UnicodeError a ValueError.
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


class WithOutcome:
    """An object that carries an outcome as its own."""

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
        """Return why there is no score."""
        return self.outcome.reason


@dataclass(slots=True)
class FieldResult(WithOutcome):
    """One field of one record: its outcome, its weight, and the two values that were compared."""

    name: str
    outcome: Outcome
    weight: float = 1.0
    prediction: Any = None
    reference: Any = None


@dataclass(slots=True)
class RecordResult(WithOutcome):
    """One record: its score, whether it passed, its fields, what was parsed, and the attributes for breakdowns.

    ``values`` holds the record's computed values by the names that the spec gives them, None where one failed.
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
        held = (self.id, self.outcome, self.fields, self.passed, self.parsed, self.unparsed_reason, self.attributes)
        return RecordResult, (*held, self.weight, None, self.values)

    def explain(self) -> Any:
        """Return what happened to the record, stage by stage; only results of ``Task.score`` know it.

        Raises:
            ValueError: for a result of a batch, which keeps no record.
        """
        if self.explainer is None:
            raise ValueError("this result comes from a batch; score the record alone to have it explained")
        return self.explainer()

    @property
    def parsed_ok(self) -> bool:
        """Whether the response was parsed; if it was not, a policy may still have scored it."""
        return self.unparsed_reason is None

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data, as written to the run folder."""
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
