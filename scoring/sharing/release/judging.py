"""Which part of a version must be raised: what importers see, what it means by proof, and inputs that tell it apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from scoring.format.model import Pack
from scoring.late import dataclass, pattern
from scoring.sharing.release import surface
from scoring.sharing.release.editions import Definitions, Edition
from scoring.sharing.release.judgement import Reason, ReleaseJudgement, in_order
from scoring.sharing.release.proof import equality

TRIES = 20_000
"""So many inputs are tried of a definition whose programs are not known to be equal."""
_VERSION = pattern(r"(?m)^[ \t{]*\"?version\"?[ \t]*:.*$")


@dataclass(frozen=True, slots=True)
class Effort:
    """What is done to find out whether scores move.

    Args:
        tries: How many inputs are drawn for each definition that may move.
        accepted: Definitions whose programs differ and of which no input was found that moves, by name, with the
            reason why the author says that none does.
        records: Records to try, too.
    """

    tries: int = TRIES
    accepted: Mapping[str, str] = field(default_factory=dict)
    records: tuple[Mapping[str, Any], ...] = ()


def judged(old: Edition, new: Edition, effort: Effort | None = None) -> ReleaseJudgement:
    """Which part of the version must be raised from an old edition of a spec to a new one, and why.

    Args:
        old: The edition that importers have.
        new: The edition that is to be released.
        effort: What is done to find out whether scores move.

    Raises:
        SpecError: when one of them does not compile.
    """
    how = effort or Effort()
    before, after = old.loaded.spec, new.loaded.spec
    reasons: list[Reason] = []
    untried: list[str] = []
    if isinstance(before, Pack) and isinstance(after, Pack):
        for reason, notes in _of_packs(old, new, how):
            reasons.append(reason)
            untried += notes
    if before.name != after.name:
        text = f"it was called `{before.name}`, and importers find it by its name"
        reasons.append(Reason("major", "", text, "surface", span=after.span))
    if not reasons and text_of(old) != text_of(new):
        reasons.append(Reason("patch", "", "nothing that moves a score was changed", "proof", span=after.span))
    return ReleaseJudgement(after.name, old.version, new.version, in_order(reasons), tuple(untried))


def text_of(edition: Edition) -> str:
    """The text of a spec's file, its version aside; of one that was given as data, its content."""
    spec = edition.loaded.spec
    return _VERSION.sub("", spec.span.source.text, count=1) if spec.span is not None else repr(dict(spec.data))


def _of_packs(old: Edition, new: Edition, effort: Effort) -> Iterable[tuple[Reason, list[str]]]:
    before, after = Definitions(old), Definitions(new)
    fresh = [name for name in after.named if name not in before.named]
    for name, definition in before.named.items():
        if name not in after.named:
            yield surface.gone(definition, fresh), []
            continue
        now = after.named[name]
        for reason in surface.compared(definition, now):
            yield reason, []
        if definition.role == now.role:
            yield from _meaning(before, after, name, effort)
    for name in fresh:
        yield surface.came(after.named[name]), []


def _meaning(old: Definitions, new: Definitions, name: str, effort: Effort) -> Iterable[tuple[Reason, list[str]]]:
    held = equality(old, new, name)
    span = new.named[name].span
    if held == "same":
        return
    if held == "proved":
        yield Reason("patch", name, "rewritten, and proved to mean the same", "proof", span=span), []
        return
    how = "means something else" if held == "differs" else "means something else with other settings"
    yield Reason("major", name, how, "meaning", span=span), []
