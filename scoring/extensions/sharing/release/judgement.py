"""The judgement of a new version: the part that must be raised, the reasons, and an input whose score moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from scoring.diagnostics.source import Span
from scoring.diagnostics.words import counted, shown
from scoring.errors import InputError
from scoring.extensions.sharing.release.formatting import show_given, show_result
from scoring.project.versions import parse_version

VersionPart: TypeAlias = Literal["", "patch", "minor", "major"]
"""A part of a version, "" for none: where nothing at all was changed."""
Basis: TypeAlias = Literal["surface", "proof", "counterexample", "unproved", "meaning", "accepted"]
"""The basis of a reason.

surface: names, parameters and keys, as they are written. proof: the canonical programs are equal.
counterexample: an input whose score moves. unproved: the programs differ, and no input was found that tells them
apart. meaning: the programs differ, and can't be run here. accepted: the author answers for it.
"""
PARTS: tuple[VersionPart, ...] = ("", "patch", "minor", "major")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input for which two versions of a definition, or of a task, do not give the same.

    Args:
        name: The definition's; "" for that of a whole task.
        given: The input: ``prediction`` and ``reference`` of a scorer, ``prediction`` of a parser, and what else is
            read, such as ``record``.
        before: What the old version gives: an outcome, a parsed value, or what it refuses.
        after: The same of the new version.
        settings: Values of the definition's parameters; those by default are not among them.
        origin: Where the input comes from: an example, a record, or drawn and shrunk.

    Examples:
        >>> print(Counterexample("close", {"prediction": "cafe", "reference": "café"}, 1.0, 0.0))
        `cafe` / `café`: 1.0 → 0.0
    """

    name: str
    given: Mapping[str, Any]
    before: Any
    after: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "drawn"

    def __str__(self) -> str:
        before, after = show_result(self.before), show_result(self.after)
        if before == after:  # they differ in what is not shown, such as the mark of an outcome that does not apply
            before, after = repr(self.before), repr(self.after)
        return f"{show_given(self.given, self.settings)}: {before} → {after}"

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as plain data."""
        from scoring.data.json_write import plain

        held: dict[str, Any] = plain(
            {
                "definition": self.name,
                "given": dict(self.given),
                "settings": dict(self.settings),
                "before": show_result(self.before),
                "after": show_result(self.after),
                "origin": self.origin,
                "text": str(self),
            }
        )
        return held


@dataclass(frozen=True, slots=True)
class Reason:
    """Return why a part of the version must be raised.

    Args:
        part: Which.
        name: The definition, field or key that it is about; "" for the whole file.
        text: What was changed, in one line that starts in lower case.
        basis: What it rests on.
        counterexample: An input for which scores move.
        tries: How many inputs were tried.
        changes: What was changed where, a line each: "`close_text.threshold` 0.8 → 0.5".
        param: The parameter that it is about, "" where it is about none.
        span: Where the new version says it.
    """

    part: VersionPart
    name: str
    text: str
    basis: Basis
    counterexample: Counterexample | None = None
    tries: int = 0
    changes: tuple[str, ...] = ()
    param: str = ""
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        about = f"`{self.name}`: " if self.name else ""
        moved = "" if self.counterexample is None else f"; {self.counterexample}"
        because = f" ({'; '.join(self.changes)})" if self.changes else ""
        return f"{self.part}: {about}{self.text}{moved}{because}"

    def to_json(self) -> dict[str, Any]:
        """Return the reason as plain data."""
        found: dict[str, Any] = {"part": self.part, "name": self.name, "text": self.text, "basis": self.basis}
        if self.counterexample is not None:
            found["counterexample"] = self.counterexample.to_json()
        if self.tries:
            found["tries"] = self.tries
        return {**found, "changes": list(self.changes)} if self.changes else found


@dataclass(frozen=True, slots=True)
class ReleaseJudgement:
    """The part of a version that must be raised, with the reasons.

    Args:
        name: The spec's.
        old: The version that it is held against.
        new: The version that is written.
        reasons: Every reason, the weightiest first; none where nothing was changed.
        untried: What could not be run here, or not tried, a line each.
        searched_with: The library that searched for inputs, with its version; "" if nothing was searched. The verdict
            is the same for all its versions, the input that is shown may be another one.
    """

    name: str
    old: str
    new: str
    reasons: tuple[Reason, ...] = ()
    untried: tuple[str, ...] = ()
    searched_with: str = ""

    @property
    def part(self) -> VersionPart:
        """The part that must be raised, "" where nothing was changed."""
        return max((reason.part for reason in self.reasons), key=PARTS.index, default="")

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """The inputs for which scores move, the first of each definition."""
        return tuple(reason.counterexample for reason in self.reasons if reason.counterexample is not None)

    @property
    def written(self) -> VersionPart:
        """The part that the written version raises."""
        return raised(self.old, self.new)

    @property
    def suffices(self) -> bool:
        """Whether the written version raises as much as is needed."""
        return PARTS.index(self.written) >= PARTS.index(self.part)

    @property
    def needed(self) -> str:
        """The lowest version that raises enough; the old one where nothing was changed."""
        return raised_by(self.old, self.part)

    def __str__(self) -> str:
        if not self.part:
            return f"`{self.name}` {self.new}: nothing was changed since {self.old}"
        return f"`{self.name}` {self.old} → {self.new}: {self.part} ({counted(len(self.reasons), 'reason')})"

    def lines(self) -> list[str]:
        """Return what was judged, a line each: what is needed, each reason, what moves, and what could not be tried."""
        found = [str(self)]
        for reason in self.reasons:
            about = f"`{reason.name}`: " if reason.name else ""
            found.append(f"  {reason.part:5}  {about}{reason.text}")
            found += [f"         {reason.counterexample}"] if reason.counterexample is not None else []
            found += [f"         {change}" for change in reason.changes]
        return [*found, *(f"  not tried: {one}" for one in self.untried)]

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as plain data."""
        return {
            "name": self.name,
            "old": self.old,
            "new": self.new,
            "part": self.part or "none",
            "written": self.written or "none",
            "needed": self.needed,
            "suffices": self.suffices,
            "reasons": [reason.to_json() for reason in self.reasons],
            "untried": list(self.untried),
            "searched_with": self.searched_with,
        }


def raised(old: str, new: str) -> VersionPart:
    """Return the part that a new version raises over an old one, "" where it is not newer.

    The first number is the major part, also before 1.0: an import of `close@0` takes every 0.x. What comes before a
    release promises nothing to the versions of the same numbers that follow it.

    Examples:
        >>> raised("1.2.0", "2.0.0"), raised("1.2", "1.3"), raised("1.2.0", "1.2.1"), raised("1.2.0", "1.2")
        ('major', 'minor', 'patch', '')
        >>> raised("2.0.0-rc.1", "2.0.0"), raised("1.2.0", "1.1.9")
        ('major', '')
    """
    before, after = parse_version(old), parse_version(new)
    if after <= before:
        return ""
    places = [place for place, (one, other) in enumerate(zip(before[0], after[0], strict=True)) if one != other]
    if not places:  # from one that comes before a release to the release, or to the next of its kind
        return "major"
    return ("major", "minor", "patch", "patch")[places[0]]


def raised_by(old: str, part: VersionPart) -> str:
    """Return the lowest version that raises a part of an old one.

    Examples:
        >>> raised_by("1.2.3", "major"), raised_by("1.2.3", "minor"), raised_by("1.2", "patch"), raised_by("1.2.3", "")
        ('2.0.0', '1.3.0', '1.2.1', '1.2.3')
        >>> raised_by("2.0.0-rc.1", "major")
        '2.0.0'
    """
    numbers, is_release, _ = parse_version(old)
    if not part:
        return old
    first, second, third = numbers[:3]
    if not is_release:
        return f"{first}.{second}.{third}"
    if part == "major":
        return f"{first + 1}.0.0"
    return f"{first}.{second + 1}.0" if part == "minor" else f"{first}.{second}.{third + 1}"


def check_accepted(accepted: Iterable[str], judgements: Iterable[ReleaseJudgement]) -> None:
    """Refuse what an author answers for where nothing is left to him.

    Raises:
        InputError: naming the first such definition.
    """
    used = {reason.name for one in judgements for reason in one.reasons if reason.basis == "accepted"}
    for name in accepted:
        if name not in used:
            raise InputError(
                f"--accept {name} has no effect: nothing about {shown(name)} is for the author to decide; leave it out"
            )
