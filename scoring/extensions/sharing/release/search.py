"""Looks for an input that tells two editions of a definition apart: examples first, then drawn ones, many at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from scoring.compiler.program import Program
from scoring.extensions.sharing.release.comparison_run import Moved, Trial, TriedInput, hindrance, run_of
from scoring.extensions.sharing.release.formatting import Refusal
from scoring.extensions.sharing.release.inputs import Inputs, constants_of
from scoring.extensions.sharing.release.judgement import Counterexample
from scoring.extensions.sharing.release.settings import settings_of
from scoring.extensions.sharing.release.shrink import most_moved, shrunk
from scoring.extensions.sharing.release.surface import ORDER
from scoring.extensions.sharing.release.versions import Definitions

TRIES = 20_000
"""So many inputs are tried of a definition whose programs are not known to be equal."""
_SLOW = frozenset({"sympy", "nltk", "jieba", "spacy", "shapely"})
_SLOWER = 20
_BATCH = 512
_BETTER = 2_048
_USUAL = ("a", "1", 1, ["a"], {"a": 1})


@dataclass(frozen=True, slots=True)
class Search:
    """What was found of one definition.

    Args:
        found: The input that tells the editions apart, as small as it gets; None where none was found.
        tries: How many inputs were tried.
        scored: For how many of them the old edition gave a score, or a value.
        more: Settings that the new edition takes and the old one does not.
        hindrance: Why it could not be run here, "" where it could.
    """

    found: Counterexample | None = None
    tries: int = 0
    scored: int = 0
    more: tuple[Mapping[str, Any], ...] = ()
    hindrance: str = ""


class CounterexampleSearch:
    """Tries the editions of one definition."""

    def __init__(
        self,
        old: Definitions,
        new: Definitions,
        name: str,
        *,
        tries: int = TRIES,
        is_by_default: bool = False,
        records: Sequence[TriedInput] = (),
    ) -> None:
        self.old, self.new, self.name, self.tries = old, new, name, tries
        self.role = new.named[name].role
        self.is_by_default = is_by_default
        self.records = records
        self.examples = [*_examples(new, name), *_examples(old, name)]
        self.tried = 0

    def search(self, calls: Mapping[str, Counterexample]) -> Search:
        """Return the first input found that tells the editions apart, made small."""
        self.tried = 0  # it may be begun again, on a stack for values that are nested deeply
        programs = [*self._programs({}), *self._freed()]
        if told := next(filter(None, map(hindrance, programs)), ""):
            return Search(hindrance=told)
        trials, more = self._trials(self._settings(programs))
        trials = [trial for trial in trials if not (calls and self._is_refused(trial))]
        refused = next((self._refused(trial) for trial in trials if self._is_refused(trial)), None)
        found = self._hunted(trials, programs)
        if found is None or (refused is not None and found[1].kind[0] > 1):
            found = refused or found
        if found is None:
            return Search(None, self.tried, sum(trial.scored for trial in trials), tuple(more))
        return Search(self._told(*found), self.tried, more=tuple(more))

    def refused_with(self, params: Sequence[str]) -> Counterexample | None:
        """Return a call that gives these parameters, and those that the old edition wants, where the new one refuses
        it."""
        for settings in self._settings(self._freed()):
            if settings.keys() >= set(params):
                trials, _ = self._trials([settings])
                if trials and self._is_refused(trials[0]) and not hindrance(self._programs(settings)[0]):
                    return self._told(*self._refused(trials[0]))
        return None

    def moved_by_order(self, before: Sequence[str], after: Sequence[str]) -> Counterexample | None:
        """Return a call that gives its arguments by their places, where they mean something else in the new edition."""
        settings = self._settings(self._freed())
        held = {param: [one[param] for one in settings if param in one][1:] for param in before}
        for turn in range(4):
            values = [held[param][turn % len(held[param])] for param in before if held[param]]
            if len(values) < len(before):
                return None
            by_place = {f"argument {place}": value for place, value in enumerate(values, 1)}
            old = self.old.program(self.name, dict(zip(before, values, strict=True)))
            new = self.new.program(self.name, dict(zip(after, values, strict=False)))
            if isinstance(old, Refusal) or hindrance(old):
                continue
            trial = Trial(by_place, run_of(self.role, old), run_of(self.role, new))
            if isinstance(new, Refusal):
                return self._told(*self._refused(trial))
            given = [one for _, one in self.examples]
            drawn = islice(iter(Inputs(self.name, self.role, [old, new], given)), _BETTER)
            if (moved := self._tried(trial, [*given, *drawn])) is not None:
                smallest, _ = shrunk(trial.moved, moved)
                return Counterexample(self.name, smallest.given, smallest.before, smallest.after, by_place)
        return None

    def _settings(self, programs: Sequence[Program]) -> list[dict[str, Any]]:
        given = [one for one, _ in self.examples if one]
        return settings_of(self.old, self.new, self.name, given, constants_of(programs))

    def _freed(self) -> list[Program]:
        return [one for edition in (self.old, self.new) if (one := edition.freed(self.name)) is not None]

    def _programs(self, settings: Mapping[str, Any]) -> list[Program]:
        """Return the programs of the editions that take some settings."""
        made = [edition.program(self.name, settings) for edition in (self.old, self.new)]
        return [one for one in made if not isinstance(one, Refusal)]

    def _trials(self, settings: Sequence[dict[str, Any]]) -> tuple[list[Trial], list[dict[str, Any]]]:
        """Return the settings that the old edition takes, ready to be run; and those that only the new one takes."""
        trials, more = [], []
        for one in settings:
            before, after = (edition.program(self.name, one) for edition in (self.old, self.new))
            if isinstance(before, Refusal):
                more += [] if isinstance(after, Refusal) else [one]
            else:
                trials.append(Trial(one, run_of(self.role, before), run_of(self.role, after)))
        return trials, more

    @staticmethod
    def _is_refused(trial: Trial) -> bool:
        return isinstance(trial.after([{}])[0], Refusal)

    def _refused(self, trial: Trial) -> tuple[Trial, Moved]:
        """Settings that are no longer taken, on an example where there is one."""
        known = [*(one for _, one in self.examples), *({"prediction": one, "reference": one} for one in _USUAL)]
        found = [Moved(given, trial.before([given])[0], trial.after([given])[0]) for given in known[:_BATCH]]
        return trial, min(found, key=lambda one: one.kind[1] != "scored")

    def _hunted(self, every: Sequence[Trial], programs: Sequence[Program]) -> tuple[Trial, Moved] | None:
        trials = [trial for trial in every if not self._is_refused(trial)]
        known = [given for _, given in self.examples] + list(self.records)
        for trial in trials:  # the author's own inputs, with all settings
            own = [given for settings, given in self.examples if settings == trial.settings]
            if (moved := self._tried(trial, [*own, *known])) is not None:
                return trial, moved
        alike = [(one, name) for one in (self.new, self.old) for name in one.named if one.named[name].role == self.role]
        others = [given for one, name in alike for _, given in _examples(one, name)]
        drawn = iter(Inputs(self.name, self.role, programs, [*known, *others]))
        best: tuple[Trial, Moved] | None = None
        used = {name for one in programs for node in one.all_nodes() for name in node.primitive.uses}
        end = self.tries // (_SLOWER if _SLOW & used else 1)
        for trial, size in self._turns(trials):
            if self.tried >= end:
                break
            moved = self._tried(trial, list(islice(drawn, min(size, end - self.tried))))
            if moved is not None and (best is None or moved.kind < best[1].kind):
                best = trial, moved
                if moved.kind[0] == 0:
                    break
                end = min(end, self.tried + _BETTER)  # a score that moves says more than one that is gone
        return best

    def _turns(self, trials: Sequence[Trial]) -> Iterator[tuple[Trial, int]]:
        """Yield which settings are tried next, and on how many inputs; those of a call without any most often."""
        plain = [trial for trial in trials if not trial.settings and not self.is_by_default]
        others = [trial for trial in trials if trial not in plain]
        while trials:
            yield from ((trial, _BATCH if others else 4 * _BATCH) for trial in plain)
            yield from ((trial, max(_BATCH // 8, _BATCH // len(others))) for trial in others)

    def _tried(self, trial: Trial, given: Sequence[TriedInput]) -> Moved | None:
        self.tried += len(given)
        return most_moved(trial.moved, given)

    def _told(self, trial: Trial, moved: Moved) -> Counterexample:
        """Return the counterexample with as few settings, and as short, as it gets."""
        origin = "an example" if any(moved.given is given for _, given in self.examples) else "drawn"
        origin = "a record" if any(moved.given is given for given in self.records) else origin
        if not isinstance(moved.after, Refusal):
            trial = self._with_fewer(trial, moved)
            moved, steps = shrunk(trial.moved, moved)
            self.tried += steps
        return Counterexample(self.name, moved.given, moved.before, moved.after, dict(trial.settings), origin)

    def _with_fewer(self, trial: Trial, moved: Moved) -> Trial:
        for name in list(trial.settings):
            fewer, _ = self._trials([{key: value for key, value in trial.settings.items() if key != name}])
            if fewer and [one.kind for one in fewer[0].moved([moved.given])] == [moved.kind]:
                trial = fewer[0]
        return trial


def refused_calls(old: Definitions, new: Definitions, name: str) -> dict[str, Counterexample]:
    """Calls of a definition that the new edition refuses because of its parameters, each on an example.

    By the parameter: one that is gone, one that has to be given now; and by `ORDER` one that means something else
    because parameters changed places.
    """
    before, after = (one.named[name].params for one in (old, new))
    places = [param.name for param in after]
    gone = [param.name for param in before if param.name not in places]
    wanted = [param.name for param in after if param.is_required]
    had = {param.name: param.is_required for param in before}
    hunt = CounterexampleSearch(old, new, name)
    found = {param: hunt.refused_with([param]) for param in gone}
    found |= {param: hunt.refused_with([]) for param in wanted if not had.get(param)}
    if not gone and [param.name for param in before] != places[: len(before)]:
        found[ORDER] = hunt.moved_by_order([param.name for param in before], places)
    return {param: moved for param, moved in found.items() if moved is not None}


def _examples(edition: Definitions, name: str) -> list[tuple[dict[str, Any], TriedInput]]:
    """Return the examples of a definition: their settings, and their inputs."""
    definition = edition.named.get(name)
    found: list[tuple[dict[str, Any], TriedInput]] = []
    for one in definition.examples if definition is not None else ():
        given = {key: value for key, value in one.data.items() if key not in ("params", "expect")}
        found.append((dict(one.data.get("params") or {}), given))
    return found
