"""A finding as a value; building one never prints, and drawing one is the work of `render`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

from scoring.diagnostics.source import Span
from scoring.diagnostics.visible import safe_line

Severity = Literal["error", "warning"]
Lines = str | Iterable[str]


class _More(TypedDict, total=False):
    """Optional parts of a finding: `help` and `note` in one line or several."""

    secondary: Iterable[Label]
    help: Lines
    note: Lines
    fixes: Iterable[Fix]


@dataclass(frozen=True)
class Label:
    """A place and what to say about it; without a span the place is unknown or outside any file."""

    span: Span | None
    text: str = ""


@dataclass(frozen=True)
class Fix:
    """A change of a file that would mend a finding: what to write in the place of a part of it.

    Args:
        span: The part that is replaced.
        text: What to write there, quoted and escaped as the file wants it.
        is_safe: Whether no score can move by it.
    """

    span: Span
    text: str
    is_safe: bool = True


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    Args:
        id: Its stable name, also the name of its page in the catalog.
        severity: Whether it stops the work.
        message: What is wrong, in one line that starts in lower case.
        primary: The place to change, with a short word on what is expected there.
        secondary: Places that explain the first one.
        help: Edits or commands that would mend it.
        note: Where the rule comes from, or why it is so.
        fixes: Changes of the file, which `scoring fmt --fix` and editors can make.
    """

    id: str
    severity: Severity
    message: str
    primary: Label = Label(None)
    secondary: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    note: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def span(self) -> Span | None:
        """The place to change."""
        return self.primary.span

    def sort_key(self) -> tuple[str, int, bool, str, str]:
        """File, offset, errors before warnings, id; a finding without a place comes first."""
        name, start = (self.span.source.name, self.span.start) if self.span else ("", -1)
        return name, start, self.severity != "error", self.id, self.message

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        return safe_line(f"{place}{self.severity}[{self.id}]: {self.message}")


class Diagnostics(list[Diagnostic]):
    """Collects the findings of one phase.

    Examples:
        >>> found = Diagnostics()
        >>> found.error("unknown-name", "nothing is called `numbr`", help="did you mean `number`?")
        >>> found.has_errors, len(found)
        (True, 1)
    """

    def error(self, id: str, message: str, span: Span | None = None, label: str = "", **more: Unpack[_More]) -> None:
        """Keep a finding that stops the work."""
        self.append(diagnostic("error", id, message, span, label, **more))

    def warning(self, id: str, message: str, span: Span | None = None, label: str = "", **more: Unpack[_More]) -> None:
        """Add a warning, after which work continues."""
        self.append(diagnostic("warning", id, message, span, label, **more))

    @property
    def has_errors(self) -> bool:
        """Whether any finding stops the work."""
        return any(found.severity == "error" for found in self)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return the findings in reading order, each once."""
        return tuple(sorted(dict.fromkeys(self), key=Diagnostic.sort_key))

    def raise_errors(self) -> None:
        """Raise a SpecError with everything found, if any of it is an error."""
        if self.has_errors:
            raise SpecError(self)


class SpecError(Exception):
    """A spec that cannot be used; `diagnostics` says why, in reading order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = Diagnostics(diagnostics).sorted()
        super().__init__(self.diagnostics)

    @classmethod
    def of(cls, id: str, message: str, span: Span | None = None, label: str = "", **more: Unpack[_More]) -> SpecError:
        """Return the error made of a single finding."""
        return cls([diagnostic("error", id, message, span, label, **more)])

    def __str__(self) -> str:
        return "\n".join(str(found) for found in self.diagnostics)


def diagnostic(
    severity: Severity,
    id: str,
    message: str,
    span: Span | None = None,
    label: str = "",
    *,
    secondary: Iterable[Label] = (),
    help: Lines = (),
    note: Lines = (),
    fixes: Iterable[Fix] = (),
) -> Diagnostic:
    """Build a finding; `help` and `note` may be one line or several."""
    primary, others = Label(span, label), tuple(secondary)
    return Diagnostic(id, severity, message, primary, others, _lines(help), _lines(note), tuple(fixes))


def _lines(value: Lines) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(value)
