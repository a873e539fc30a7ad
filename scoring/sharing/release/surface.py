"""What importers can see of a pack: its definitions, and the parameters of each, as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.diagnostics.suggest import did_you_mean
from scoring.format.model import NO_DEFAULT, Definition, Pack, Parameter
from scoring.lang.printer import print_pipeline
from scoring.sharing.release.judgement import Reason
from scoring.sharing.release.shown import show_value
from scoring.values import same_value

ORDER = "(order)"
"""What stands for the order of the parameters where a reason is about it."""


def gone(old: Definition, others: list[str]) -> Reason:
    """A definition that the new version does not have; ``others`` are new in it."""
    meant = did_you_mean(old.name, others)
    told = f"; is it `{meant}` now? keep the old name, deprecated, and minor is enough" if meant else ""
    return Reason("major", old.name, f"the {old.role} is gone{told}", "surface")


def came(new: Definition) -> Reason:
    """A definition that the old version did not have."""
    return Reason("minor", new.name, f"a new {new.role}", "surface", span=new.span)


def of_pack(old: Pack, new: Pack) -> Iterator[Reason]:
    """What is said of a pack beside its definitions: what has to be installed for it, and that it is deprecated."""
    before, after = ({str(one) for one in pack.requires} for pack in (old, new))
    for one in sorted(after - before):
        yield Reason("minor", "", f"requires `{one}`", "surface", span=new.span)
    for one in sorted(before - after):
        yield Reason("patch", "", f"requires `{one}` no longer", "surface", span=new.span)
    if new.deprecated is not None and old.deprecated is None:
        yield Reason("minor", "", f"deprecated for `{new.deprecated.instead}`", "surface", span=new.span)


def compared(old: Definition, new: Definition) -> Iterator[Reason]:
    """What is said of a definition before its meaning is looked at: its role, parameters and documentation."""
    if old.role != new.role:
        text = f"a {old.role} became a {new.role}"
        yield Reason("major", new.name, text, "surface", span=new.span)
    yield from _parameters(old, new)
    if old.deprecated is None and new.deprecated is not None:
        text = f"deprecated for `{print_pipeline(new.deprecated.instead)}`"
        yield Reason("minor", new.name, text, "surface", span=new.span)
    elif old.deprecated != new.deprecated:
        yield Reason("patch", new.name, "what is said of it as deprecated", "surface", span=new.span)
    told = [name for name in ("doc", "source", "examples", "audit") if _of(old, name) != _of(new, name)]
    if told:
        yield Reason("patch", new.name, f"{_listed(told)}, which move no score", "surface", span=new.span)


def _of(definition: Definition, name: str) -> object:
    if name == "examples":
        return [(dict(one.data), one.expect) for one in definition.examples]
    return getattr(definition, name)


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _parameters(old: Definition, new: Definition) -> Iterator[Reason]:
    before, after = ({param.name: param for param in one.params} for one in (old, new))
    for name in before.keys() - after.keys():
        meant = [other for other in after if other not in before]
        told = f"; is it `{meant[0]}` now?" if len(meant) == 1 else ""
        yield Reason("major", new.name, f"the parameter `{name}` is gone{told}", "surface", param=name, span=new.span)
    kept = [name for name in before if name in after]
    for name in after:
        if name not in before:
            yield _added(new, after[name])
    places = {name: list(after).index(name) for name in kept}
    moved = [name for name in kept if places[name] != list(before).index(name)]
    if moved and len(kept) == len(before):
        text = f"the parameter `{moved[0]}` stands in another place, so calls that give it by its place change"
        yield Reason("major", new.name, text, "surface", param=ORDER, span=after[moved[0]].span)
    for name in kept:
        yield from _parameter(new, before[name], after[name])


def _added(new: Definition, param: Parameter) -> Reason:
    if param.is_required:
        text = f"the new parameter `{param.name}` has no default, so calls without it are refused"
        return Reason("major", new.name, text, "surface", param=param.name, span=param.span)
    return Reason("minor", new.name, f"a new parameter `{param.name}`", "surface", span=param.span)


def _parameter(new: Definition, old: Parameter, now: Parameter) -> Iterator[Reason]:
    name = now.name
    if old.takes_pipeline != now.takes_pipeline:
        kinds = ("a value", "a pipeline")
        text = f"the parameter `{name}` took {kinds[old.takes_pipeline]} and takes {kinds[now.takes_pipeline]}"
        yield Reason("major", new.name, text, "surface", param=name, span=now.span)
        return
    had, has = not old.is_required, not now.is_required
    if had and not has:
        text = f"the parameter `{name}` has no default any more, so calls without it are refused"
        yield Reason("major", new.name, text, "surface", param=name, span=now.span)
    elif has and not had:
        text = f"the parameter `{name}` has a default now"
        yield Reason("minor", new.name, text, "surface", param=name, span=now.span)
    elif had and old.default is not NO_DEFAULT and not same_value(old.default, now.default):
        text = f"the default of `{name}` {show_value(old.default)} → {show_value(now.default)}"
        yield Reason("patch", new.name, text, "surface", param=name, span=now.span)
    if old.doc != now.doc:
        yield Reason(
            "patch", new.name, f"the doc of `{name}`, which moves no score", "surface", param=name, span=now.span
        )
