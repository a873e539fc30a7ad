"""The values that a pack computes from records: whoever imports it reads them as `alias.name`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from scoring.compiler.meaning import path_meaning, program_meaning
from scoring.compiler.messages import Findings
from scoring.compiler.program import Computed
from scoring.compiler.resolve import Resolver
from scoring.compiler.row import show_path
from scoring.depth import in_full_depth
from scoring.sharing.release.editions import Definitions
from scoring.sharing.release.equal import canonical
from scoring.sharing.release.inputs import Inputs
from scoring.sharing.release.judgement import Counterexample, Reason
from scoring.sharing.release.shrink import shrunk
from scoring.sharing.release.trial import Trial, hindrance, run_of

_BATCH = 1_024


def value_reasons(old: Definitions, new: Definitions, tries: int) -> Iterator[Reason]:
    """What is said of the values of a pack."""
    before, after = _computed(old), _computed(new)
    for name in old.spec.values:
        if name not in new.spec.values:
            yield Reason("major", name, "the value is gone", "surface")
    for name, value in new.spec.values.items():
        if name not in old.spec.values:
            yield Reason("minor", name, "a new value", "surface", span=value.span)
        elif name in before and name in after:
            yield from _moved(name, before[name], after[name], tries)


def _computed(edition: Definitions) -> dict[str, Computed]:
    paths = Resolver(Findings()).computed.declared(edition.scope)
    return {str(path.segments[0]): path.value for path in paths if path.value is not None}


def _moved(name: str, old: Computed, new: Computed, tries: int) -> Iterator[Reason]:
    if old.digest == new.digest:
        return
    if path_meaning(old.head) != path_meaning(new.head):
        text = f"begins with `{show_path(new.head)}`, and began with `{show_path(old.head)}`"
        yield Reason("major", name, text, "meaning", span=new.program.span)
        return
    if canonical(program_meaning(old.program)) == canonical(program_meaning(new.program)):
        yield Reason("patch", name, "rewritten, and proved to mean the same", "proof", span=new.program.span)
        return
    programs = (old.program, new.program)
    if told := next(filter(None, map(hindrance, programs)), ""):
        text = f"means something else, by its program alone: {told}, so nothing was tried"
        yield Reason("major", name, text, "meaning", span=new.program.span)
        return
    trial = Trial({}, run_of("transform", old.program), run_of("transform", new.program))
    drawn, tried = iter(Inputs(name, "transform", programs, [])), 0
    while tried < tries:
        given = list(islice(drawn, _BATCH))
        tried += len(given)
        moved = in_full_depth(trial.moved, given)
        if moved:
            least, steps = shrunk(trial, min(moved, key=lambda one: one.kind))
            found = Counterexample(name, least.given, least.before, least.after)
            text = "is computed otherwise"
            yield Reason("major", name, text, "counterexample", found, tried + steps, span=new.program.span)
            return
    text = f"not proved equal; no counterexample in {tried:,} tries"
    yield Reason("major", name, text, "unproved", tries=tried, span=new.program.span)
