"""The judgement of a new version: the part that must be raised, the reasons, and an input whose score moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.diagnostics.source import Span
from scoring.diagnostics.words import counted, shown
from scoring.errors import InputError
from scoring.extensions.sharing.release.formatting import show_input, show_result
from scoring.project.versions import parse_version
from scoring.value_base import PartlyCompared

VersionPart: TypeAlias = Literal["", "patch", "minor", "major"]
"""A part of a version; "" for none, if nothing was changed."""
Basis: TypeAlias = Literal["surface", "proof", "counterexample", "unproved", "meaning", "accepted"]
"""The basis of a reason.

surface: names, parameters and keys as written in the files. proof: the canonical programs are equal.
counterexample: an input whose score moves. unproved: the programs differ, but no input was found on which their results
do. meaning: the programs differ, and can't be run here. accepted: the author stated that no score moves.
"""
PARTS: tuple[VersionPart, ...] = ("", "patch", "minor", "major")


class Counterexample(Struct, frozen=True):
    """An input for which two versions of a definition or of a task give different results.

    Args:
        name: The name of the definition; "" for a whole task.
        tried_input: The input: ``prediction`` and ``reference`` of a scorer, ``prediction`` of a parser, and anything
            else that is read, such as ``record``.
        before: The result of the old version: an outcome, a parsed value, or a refusal.
        after: The result of the new version.
        settings: The values of the definition's parameters, except those with their default.
        origin: Where the input comes from: an example, a record, or drawn and shrunk.

    Examples:
        >>> print(Counterexample("close", {"prediction": "cafe", "reference": "café"}, 1.0, 0.0))
        `cafe` / `café`: 1.0 → 0.0
    """

    name: str
    tried_input: Mapping[str, Any]
    before: Any
    after: Any
    settings: Mapping[str, Any] = {}
    origin: str = "drawn"

    def __str__(self) -> str:
        before, after = show_result(self.before), show_result(self.after)
        if before == after:  # they differ in what is not shown, such as the mark of an outcome that does not apply
            before, after = repr(self.before), repr(self.after)
        return f"{show_input(self.tried_input, self.settings)}: {before} → {after}"

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as plain data."""
        from scoring.data.json_write import plain

        data: dict[str, Any] = plain(
            {
                "definition": self.name,
                "given": dict(self.tried_input),
                "settings": dict(self.settings),
                "before": show_result(self.before),
                "after": show_result(self.after),
                "origin": self.origin,
                "text": str(self),
            }
        )
        return data


class Reason(PartlyCompared, frozen=True, eq=False):
    """One reason why a part of the version number (major, minor or patch) must be raised.

    Args:
        part: The part of the version: major, minor or patch.
        name: The definition, field or key that the reason concerns; "" for the whole file.
        text: What was changed, in one line that starts in lower case.
        basis: The kind of evidence, see `Basis`.
        counterexample: An input for which scores change; None if there is none.
        tries: The number of inputs that were tried.
        changes: The edits that caused it, a line each: "`close_text.threshold` 0.8 → 0.5".
        param: The parameter that it concerns; "" if it concerns none.
        span: The location in the new version.
    """

    part: VersionPart
    name: str
    text: str
    basis: Basis
    counterexample: Counterexample | None = None
    tries: int = 0
    changes: tuple[str, ...] = ()
    param: str = ""
    span: Span | None = None

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


class ReleaseJudgement(Struct, frozen=True):
    """The part of the version number that a new version of a spec must raise, with the reasons.

    Args:
        name: The name of the spec.
        old: The version that it is compared with.
        new: The version in the file.
        reasons: All reasons, the highest part first; none if nothing was changed.
        untried: Checks that could not be made here, a line each.
        searched_with: The library that searched for inputs, with its version; "" if nothing was searched. The verdict
            does not depend on that version, but the inputs that are shown may.
    """

    name: str
    old: str
    new: str
    reasons: tuple[Reason, ...] = ()
    untried: tuple[str, ...] = ()
    searched_with: str = ""

    @property
    def part(self) -> VersionPart:
        """The part of the version that must be raised; "" if nothing was changed."""
        return max((reason.part for reason in self.reasons), key=PARTS.index, default="")

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """The inputs for which scores change, of all reasons that have one."""
        return tuple(reason.counterexample for reason in self.reasons if reason.counterexample is not None)

    @property
    def written(self) -> VersionPart:
        """The part by which the version in the file is raised over the old one; "" if it is not newer."""
        return raised(self.old, self.new)

    @property
    def suffices(self) -> bool:
        """True if the version in the file is raised by the required part or a higher one."""
        return PARTS.index(self.written) >= PARTS.index(self.part)

    @property
    def needed(self) -> str:
        """The lowest version number that is raised enough; the old one if nothing was changed."""
        return raised_by(self.old, self.part)

    def __str__(self) -> str:
        if not self.part:
            return f"`{self.name}` {self.new}: nothing was changed since {self.old}"
        return f"`{self.name}` {self.old} → {self.new}: {self.part} ({counted(len(self.reasons), 'reason')})"

    def lines(self) -> list[str]:
        """Return the judgement as lines: the part to raise, each reason with its counterexample, checks not made."""
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
    """Return which part of the version number (major, minor, patch) a new version raises over an old one; "" if it is
    not newer.

    The first number is the major part even before 1.0, since an import of `close@0` accepts every 0.x. From a
    pre-release to the release of the same numbers anything may change, so that is "major".

    Examples:
        >>> raised("1.2.0", "2.0.0"), raised("1.2", "1.3"), raised("1.2.0", "1.2.1"), raised("1.2.0", "1.2")
        ('major', 'minor', 'patch', '')
        >>> raised("2.0.0-rc.1", "2.0.0"), raised("1.2.0", "1.1.9")
        ('major', '')
    """
    before, after = parse_version(old), parse_version(new)
    if after <= before:
        return ""
    positions = [
        position for position, (one, other) in enumerate(zip(before[0], after[0], strict=True)) if one != other
    ]
    if not positions:  # from one that comes before a release to the release, or to the next of its kind
        return "major"
    return ("major", "minor", "patch", "patch")[positions[0]]


def raised_by(old: str, part: VersionPart) -> str:
    """Return the lowest version number that raises the given part (major, minor, patch) of an old one; the old one for
    "".

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
    """Check that each definition whose difference the author accepted (`--accept`) has a difference that needed it.

    Args:
        accepted: The names of the definitions.
        judgements: The judgements of the releases.

    Raises:
        InputError: with the name of the first such definition.
    """
    used = {reason.name for one in judgements for reason in one.reasons if reason.basis == "accepted"}
    for name in accepted:
        if name not in used:
            raise InputError(
                f"--accept {name} has no effect: nothing about {shown(name)} is for the author to decide; leave it out"
            )
