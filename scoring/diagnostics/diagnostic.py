"""Findings as values, and collections of them; they are printed by `render_diagnostics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from msgspec import Struct

from scoring.diagnostics.source import Span
from scoring.diagnostics.visible import safe_line

if TYPE_CHECKING:
    from scoring.diagnostics.meant import Meant

Severity = Literal["error", "warning"]
Lines = str | Iterable[str]


class _More(TypedDict, total=False):
    """The optional parts of a finding; `help` and `note` may be one line or several."""

    secondary: Iterable[Label]
    help: Lines
    note: Lines
    fixes: Iterable[Fix]
    meant: Iterable[Meant]


class Label(Struct, frozen=True):
    """A location in a file with a text about it; without a span the location is unknown or outside any file."""

    span: Span | None
    text: str = ""


class Fix(Struct, frozen=True):
    """A change of a file that would resolve a finding: a replacement of a part of its text.

    Args:
        span: The part to replace.
        text: The replacement, quoted and escaped as the file requires.
        is_safe: Whether it may be applied unseen: it can't alter any score, or of a file that has an error it is the
            only sensible correction.
        title: What it does, in words, such as "write `equal`"; "" if the finding says so.
    """

    span: Span
    text: str
    is_safe: bool = True
    title: str = ""


class Diagnostic(Struct, frozen=True):
    """One finding: an error or a warning about a spec, with its location and advice.

    Args:
        id: The stable name of the kind of finding, also that of its page in the catalog.
        severity: Whether it is an error, which stops the work, or a warning.
        message: A description of the problem, in one line that starts in lower case.
        primary: The location to change, with a short text on what is expected there.
        secondary: Locations that explain the first one.
        help: Edits or commands that would resolve it.
        note: The source of the rule, or the reason for it.
        fixes: Changes of the file, which `scoring fmt --fix`, `scoring check --fix` and editors can make.
        meant: What was most likely meant, from which fixes are made.
    """

    id: str
    severity: Severity
    message: str
    primary: Label = Label(None)
    secondary: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    note: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    meant: tuple[Meant, ...] = ()

    @property
    def span(self) -> Span | None:
        """The location of the finding, which is that to change; None if unknown."""
        return self.primary.span

    def sort_key(self) -> tuple[str, int, bool, str, str]:
        """Return a key that sorts findings by file, offset, severity and id; those without a location come first."""
        name, start = (self.span.source.name, self.span.start) if self.span else ("", -1)
        return name, start, self.severity != "error", self.id, self.message

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        return safe_line(f"{place}{self.severity}[{self.id}]: {self.message}")


class Diagnostics(list[Diagnostic]):
    """A list that collects the findings of one phase, such as reading or checking a spec.

    Examples:
        >>> found = Diagnostics()
        >>> found.error("unknown-name", "nothing is called `numbr`", help="did you mean `number`?")
        >>> found.has_errors, len(found)
        (True, 1)
    """

    def error(self, id: str, message: str, span: Span | None = None, label: str = "", **more: Unpack[_More]) -> None:
        """Add an error, which stops the work; `span` is its location, `label` the text there."""
        self.append(diagnostic("error", id, message, span, label, **more))

    def warning(self, id: str, message: str, span: Span | None = None, label: str = "", **more: Unpack[_More]) -> None:
        """Add a warning, which the author should see but which does not stop the work."""
        self.append(diagnostic("warning", id, message, span, label, **more))

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(found.severity == "error" for found in self)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return the findings in the order of `sort_key`, each only once."""
        return tuple(sorted(dict.fromkeys(self), key=Diagnostic.sort_key))

    def raise_errors(self) -> None:
        """Raise a SpecError with all findings, if any of them is an error."""
        if self.has_errors:
            raise SpecError(self)


class SpecError(Exception):
    """The exception for a spec that can't be used; `diagnostics` are the findings, in reading order.

    `load` is the root node of a file that was read, but is invalid, with the function that loads a node of it.
    """

    load: tuple[Any, Callable[[Any], Any]] | None = None

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = Diagnostics(diagnostics).sorted()
        super().__init__(self.diagnostics)

    @classmethod
    def of(cls, id: str, message: str, span: Span | None = None, label: str = "", **more: Unpack[_More]) -> SpecError:
        """Return the exception for a single error at `span`, where `label` is shown."""
        return cls([diagnostic("error", id, message, span, label, **more)])

    def __str__(self) -> str:
        parts = ((str(one), *map(safe_line, filter(None, (one.primary.text, *one.help)))) for one in self.diagnostics)
        return "\n".join(map("\n  ".join, parts))


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
    meant: Iterable[Meant] = (),
) -> Diagnostic:
    """Return a finding at `span`, where `label` is shown; `help` and `note` may be one line or several.

    What was meant is `meant`, else what an `Advice` in `help` says, else the name of a question made by `did_you_mean`.
    """
    advice = _lines(help)
    found = (*meant,) or tuple(one for line in advice for one in getattr(line, "meant", ()))
    if not found and span is not None and label.startswith("did you mean"):
        from scoring.diagnostics.meant import meant_by  # what only a file with mistakes needs

        found = meant_by(label, span)
    return Diagnostic(
        id, severity, message, Label(span, label), tuple(secondary), advice, _lines(note), (*fixes,), found
    )


def _lines(value: Lines) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(value)
