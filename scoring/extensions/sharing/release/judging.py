"""Judgement of which part of a version must be raised, by visible changes, by proof, and by inputs whose score
moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.checks.definitions import is_private
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.meaning import path_meaning, program_meaning
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Computed, show_path
from scoring.compiler.tasks.checking import check_spec
from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import Diagnostics
from scoring.diagnostics.suggest import nearest
from scoring.extensions.sharing.release import surface
from scoring.extensions.sharing.release.comparison_run import Trial, hindrance, run_of
from scoring.extensions.sharing.release.equal import canonical_program
from scoring.extensions.sharing.release.formatting import Refusal, value_in_backticks
from scoring.extensions.sharing.release.judgement import PARTS, Counterexample, Reason, ReleaseJudgement
from scoring.extensions.sharing.release.search import TRIES, CounterexampleSearch, refused_calls
from scoring.extensions.sharing.release.smallest import SmallestInput, searched_with, strategies
from scoring.extensions.sharing.release.tasks import suite_reasons, task_reasons
from scoring.extensions.sharing.release.versions import Definitions, Edition, equality, own_text
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.model import Pack, TaskSpec
from scoring.lazy_pattern import lazy_pattern

_ABOUT_MEANING = ("counterexample", "unproved", "meaning", "accepted")
_MOST_CHANGES = 4
_VERSION = lazy_pattern(r"(?m)^[ \t{]*\"?version\"?[ \t]*:.*$")


class Effort(Struct, frozen=True):
    """The effort to spend on finding out whether scores change, and the author's own input to it.

    Args:
        tries: The number of inputs to draw for each definition whose scores may change.
        accepted: The author's reasons why no score changes, by the names of definitions whose programs differ although
            no such input was found.
        records: Further inputs to try, with the keys of an example: ``prediction``, ``reference``, ``record``.
    """

    tries: int = TRIES
    accepted: Mapping[str, str] = field(default_factory=dict)
    records: tuple[Mapping[str, Any], ...] = ()


def judge_release(old: Edition, new: Edition, effort: Effort | None = None) -> ReleaseJudgement:
    """Return which part of the version number must be raised from an old to a new version of a spec, and why.

    Args:
        effort: The effort to spend on the search for inputs whose score changes; by default that of `Effort()`.

    Raises:
        SpecError: when one of them does not compile.
    """
    how = effort or Effort()
    before, after = old.loaded.spec, new.loaded.spec
    reasons: list[Reason] = []
    untried: list[str] = []
    if isinstance(before, Pack) and isinstance(after, Pack):
        reasons += surface.of_pack(before, after)
        reasons += _of_packs(old, new, how, untried)
    elif isinstance(before, TaskSpec) and isinstance(after, TaskSpec):
        reasons, untried = task_reasons(old, new, how.tries, how.records)
    elif isinstance(before, SuiteSpec) and isinstance(after, SuiteSpec):
        reasons = suite_reasons(old, new)
    else:
        text = f"it was a {before.kind}, and is a {after.kind}"
        reasons.append(Reason("major", "", text, "surface", span=after.span))
    reasons = _with_changes([_accepted(one, how) for one in reasons], old, new)
    if before.name != after.name:
        text = f"it was called `{before.name}`, and importers find it by its name"
        reasons.append(Reason("major", "", text, "surface", span=after.span))
    if not reasons and (_text_without_version(old) != _text_without_version(new) or _imported(old) != _imported(new)):
        reasons.append(Reason("patch", "", "nothing that moves a score was changed", "proof", span=after.span))
    reasons.sort(key=lambda one: -PARTS.index(one.part))  # otherwise in the order of the file
    tool = searched_with() if any(one.basis in ("counterexample", "unproved") for one in reasons) else ""
    return ReleaseJudgement(after.name, old.version, new.version, tuple(reasons), tuple(untried), tool)


def _with_changes(reasons: Sequence[Reason], old: Edition, new: Edition) -> list[Reason]:
    """Return the reasons, where each about the meaning of a definition or task also has the edits of the file or its
    imports that caused it."""
    kinds = (type(old.loaded.spec), type(new.loaded.spec))
    # For a suite the reasons name the changed tasks already; their edits belong to the tasks' judgements.
    if kinds[0] is not kinds[1] or SuiteSpec in kinds or not any(reason.basis in _ABOUT_MEANING for reason in reasons):
        return list(reasons)
    from scoring.extensions.sharing.changes.found import compare_loaded_specs

    found = [one for one in compare_loaded_specs(old.loaded, old.loader, new.loaded, new.loader) if one.moves]
    return [
        replace(one, changes=tuple(str(change) for change in found if one.name in change.parts)[:_MOST_CHANGES])
        if one.basis in _ABOUT_MEANING
        else one
        for one in reasons
    ]


def _text_without_version(edition: Edition) -> str:
    """Return the text of a spec's file without its version, to compare two versions; of a spec without a file the repr
    of its data."""
    spec = edition.loaded.spec
    return _VERSION.sub("", spec.span.source.text, count=1) if spec.span is not None else repr(dict(spec.data))


def _imported(edition: Edition) -> dict[str, str]:
    """Return the digest of every pack that a spec imports, directly or through others, by name; empty for a suite."""
    if isinstance(edition.loaded.spec, SuiteSpec):
        return {}
    return {name: pack.digest for name, pack in Definitions(edition).scope.packs().items()}


def _of_packs(old: Edition, new: Edition, effort: Effort, untried: list[str]) -> Iterator[Reason]:
    for one in (old, new):
        Diagnostics(check_spec(one.loaded, one.loader)).raise_errors()
    before, after = Definitions(old), Definitions(new)
    public = [name for name in after.by_name if not is_private(after.by_name[name])]
    fresh = [name for name in public if name not in before.by_name]
    for name, definition in before.by_name.items():
        if is_private(definition):
            continue
        if name not in after.by_name:
            likely = nearest(name, fresh)
            hint = f"; is it `{likely}` now? keep the old name, deprecated, and minor is enough" if likely else ""
            yield Reason("major", name, f"the {definition.role} is gone{hint}", "surface")
            continue
        now = after.by_name[name]
        calls = refused_calls(before, after, name) if definition.role == now.role else {}
        reasons = list(_meaning(before, after, name, effort, calls, untried)) if definition.role == now.role else []
        is_moved = any(reason.part == "major" for reason in reasons)
        for reason in surface.compare_surfaces(definition, now):
            if is_moved and reason.part == "patch":  # the reasons about the meaning show its effect
                continue
            moved = calls.get(reason.param) if reason.part == "major" else None
            yield replace(reason, counterexample=moved) if moved else reason
        yield from reasons
    for name in fresh:
        yield Reason("minor", name, f"a new {after.by_name[name].role}", "surface", span=after.by_name[name].span)
    yield from _of_values(before, after, effort.tries)


def _meaning(
    old: Definitions, new: Definitions, name: str, effort: Effort, calls: Mapping[str, Any], untried: list[str]
) -> Iterator[Reason]:
    """Yield the reasons to raise the version because a definition's results changed, or were not proved unchanged.

    Args:
        old: The definitions of the old version.
        new: The definitions of the new version.
        name: The name of the definition, which both have.
        effort: The effort to spend on the search.
        calls: Calls that the new version refuses, by parameter, which other reasons report.
        untried: The list to which a line is appended if the definition can't be run here.
    """
    relation = equality(old, new, name)
    span = new.by_name[name].span
    if relation == "same":
        return
    if relation == "proved":
        # The definitions that it uses count, so an unchanged definition may need a proof, too.
        is_rewritten = own_text(old.by_name[name]) != own_text(new.by_name[name])
        text = f"{'rewritten' if is_rewritten else 'uses what was changed'}, and proved to mean the same"
        yield Reason("patch", name, text, "proof", span=span)
        return
    is_by_default = relation == "by default"
    search = CounterexampleSearch(
        old, new, name, tries=effort.tries, is_by_default=is_by_default, records=effort.records
    )
    found = in_full_depth(search.search, calls)
    if found.hindrance:
        text = f"means something else, by its program alone: {found.hindrance}, so nothing was tried"
        untried.append(f"`{name}`: {found.hindrance}")
        yield Reason("major", name, text, "meaning", span=span)
        return
    known = {param.name for param in old.by_name[name].params}
    for settings in [one for one in found.more if one.keys() <= known][:1]:
        taken = ", ".join(f"{key}={value_in_backticks(value)}" for key, value in settings.items())
        yield Reason("minor", name, f"takes more: {taken}", "surface", span=span)
    if found.found is not None:
        text = "refuses what it took" if isinstance(found.found.after, Refusal) else "means something else"
        yield Reason("major", name, text, "counterexample", found.found, found.tries, span=span)
        return
    where = "" if relation == "differs" else " with settings other than the defaults"
    # Inputs that neither version can score show no difference.
    scored = "" if found.scored * 2 >= found.tries else f", {found.scored:,} of which gave a score"
    text = f"not proved equal{where}; no counterexample in {found.tries:,} tries{scored}"
    yield Reason("major", name, text, "unproved", tries=found.tries, span=span)


def _accepted(reason: Reason, effort: Effort) -> Reason:
    """Return a reason that lacks a counterexample as one of part "patch" if the author accepted the difference; any
    other reason unchanged.

    Args:
        reason: The reason.
        effort: The author's input, with the differences accepted.
    """
    why = effort.accepted.get(reason.name)
    if why is None or reason.basis not in ("unproved", "meaning"):
        return reason
    return replace(reason, part="patch", text=f"{reason.text}; accepted: {why}", basis="accepted")


def _of_values(old: Definitions, new: Definitions, tries: int) -> Iterator[Reason]:
    """Yield a reason for each value computed from records (importers read it as `alias.name`) that was removed, added
    or changed between two versions of a pack; for a changed one up to `tries` inputs are drawn to show it."""
    before, after = _computed(old), _computed(new)
    for name in old.spec.values:
        if name not in new.spec.values:
            yield Reason("major", name, "the value is gone", "surface")
    for name, value in new.spec.values.items():
        if name not in old.spec.values:
            yield Reason("minor", name, "a new value", "surface", span=value.span)
        elif name in before and name in after and before[name].digest != after[name].digest:
            yield _of_value(name, before[name], after[name], tries)


def _computed(edition: Definitions) -> dict[str, Computed]:
    paths = Resolver(Findings()).computed.declared(edition.scope)
    return {str(path.segments[0]): path.value for path in paths if path.value is not None}


def _of_value(name: str, old: Computed, new: Computed, tries: int) -> Reason:
    """Return the reason about a computed value whose program changed, by proof, or by a search for an input that shows
    it.

    Args:
        name: The name of the value.
        old: The old version.
        new: The new version.
        tries: The number of inputs to draw.
    """
    span = new.program.span
    if path_meaning(old.head) != path_meaning(new.head):
        text = f"begins with `{show_path(new.head)}`, and began with `{show_path(old.head)}`"
        return Reason("major", name, text, "meaning", span=span)
    if canonical_program(program_meaning(old.program)) == canonical_program(program_meaning(new.program)):
        return Reason("patch", name, "rewritten, and proved to mean the same", "proof", span=span)
    programs = (old.program, new.program)
    if why_not := next(filter(None, map(hindrance, programs)), ""):
        text = f"means something else, by its program alone: {why_not}, so nothing was tried"
        return Reason("major", name, text, "meaning", span=span)
    trial = Trial({}, run_of("transform", old.program), run_of("transform", new.program))
    smallest = SmallestInput(name)
    found = in_full_depth(smallest.find, [trial], strategies().draw_inputs("transform", programs), tries)
    if found is not None:
        _, least = found
        shown = Counterexample(name, least.tried_input, least.before, least.after)
        text = "is computed differently"
        return Reason("major", name, text, "counterexample", shown, smallest.tried, span=span)
    text = f"not proved equal; no counterexample in {smallest.tried:,} tries"
    return Reason("major", name, text, "unproved", tries=smallest.tried, span=span)
