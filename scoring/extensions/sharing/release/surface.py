"""Comparison of the visible parts of two versions of a pack: its definitions and parameters, as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.extensions.sharing.changes.trees import other_words
from scoring.extensions.sharing.release.formatting import value_in_backticks
from scoring.extensions.sharing.release.judgement import Reason, VersionPart
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.model import Pack
from scoring.lang.printer import print_pipeline
from scoring.values import same_value

ORDER = "(order)"
"""The name in a reason that concerns the order of parameters."""


def of_pack(old: Pack, new: Pack) -> Iterator[Reason]:
    """Yield reasons to raise the version of a pack because its requirements changed or it was deprecated; its
    definitions are not compared."""
    before, after = ({str(one) for one in pack.requires} for pack in (old, new))
    said: list[tuple[VersionPart, str]] = [("minor", f"requires `{one}`") for one in sorted(after - before)]
    said += [("patch", f"requires `{one}` no longer") for one in sorted(before - after)]
    if new.deprecated is not None and old.deprecated is None:
        said.append(("minor", f"deprecated for `{new.deprecated.instead}`"))
    yield from (Reason(part, "", text, "surface", span=new.span) for part, text in said)


def compare_surfaces(old: Definition, new: Definition) -> Iterator[Reason]:
    """Yield reasons to raise a pack's version because a definition's role, parameters, deprecation or documentation
    changed; the results that it computes are not compared."""
    spans = {param.name: param.span for param in new.params}
    for part, text, param, place in _said(old, new):
        span = spans[place] if place else new.span
        yield Reason(part, new.name, text, "surface", param=param, span=span)


def _said(old: Definition, new: Definition) -> Iterator[tuple[VersionPart, str, str, str]]:
    """Yield the reasons of `compare_surfaces`, each as a tuple.

    The tuple has the part of the version, the text, the parameter that the reason is about, and the parameter whose
    location is shown; "" for no parameter.
    """
    if old.role != new.role:
        yield "major", f"a {old.role} became a {new.role}", "", ""
    yield from _parameters(old, new)
    if old.deprecated is None and new.deprecated is not None:
        yield "minor", f"deprecated for `{print_pipeline(new.deprecated.instead)}`", "", ""
    elif old.deprecated != new.deprecated:
        yield "patch", "what its deprecation says", "", ""
    if changed := other_words(old, new):
        words = " and ".join(filter(None, [", ".join(changed[:-1]), changed[-1]]))
        yield "patch", f"{words}, which move no score", "", ""


def _parameters(old: Definition, new: Definition) -> Iterator[tuple[VersionPart, str, str, str]]:
    before, after = ({param.name: param for param in one.params} for one in (old, new))
    for name in before.keys() - after.keys():
        candidates = [other for other in after if other not in before]
        hint = f"; is it `{candidates[0]}` now?" if len(candidates) == 1 else ""
        yield "major", f"the parameter `{name}` is gone{hint}", name, ""
    for name in after:
        if name not in before and after[name].is_required:
            yield "major", f"the new parameter `{name}` has no default, so calls without it are refused", name, name
        elif name not in before:
            yield "minor", f"a new parameter `{name}`", "", name
    kept = [name for name in before if name in after]
    moved = [name for name in kept if list(after).index(name) != list(before).index(name)]
    if moved and len(kept) == len(before):
        text = f"the parameter `{moved[0]}` has another position, so calls that give it by position change"
        yield "major", text, ORDER, moved[0]
    for name in kept:
        yield from ((part, text, name, name) for part, text in _parameter(before[name], after[name]))


def _parameter(old: Parameter, now: Parameter) -> Iterator[tuple[VersionPart, str]]:
    name = now.name
    if old.takes_pipeline != now.takes_pipeline:
        kinds = ("a value", "a pipeline")
        yield "major", f"the parameter `{name}` took {kinds[old.takes_pipeline]} and takes {kinds[now.takes_pipeline]}"
        return
    if now.is_required and not old.is_required:
        yield "major", f"the parameter `{name}` no longer has a default, so calls without it are refused"
    elif old.is_required and not now.is_required:
        yield "minor", f"the parameter `{name}` has a default now"
    elif not old.is_required and old.default is not NO_DEFAULT and not same_value(old.default, now.default):
        yield "patch", f"the default of `{name}` {value_in_backticks(old.default)} → {value_in_backticks(now.default)}"
    if old.doc != now.doc:
        yield "patch", f"the doc of `{name}`, which moves no score"
