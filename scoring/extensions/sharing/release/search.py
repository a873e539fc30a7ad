"""The search for an input on which two versions of a definition differ: known inputs first, then drawn ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from scoring.compiler.programs.program import Program
from scoring.extensions.sharing.release.comparison_run import Moved, Trial, TriedInput, hindrance, run_of
from scoring.extensions.sharing.release.constants import constants_of
from scoring.extensions.sharing.release.formatting import Refusal
from scoring.extensions.sharing.release.judgement import Counterexample
from scoring.extensions.sharing.release.near import near_pairs
from scoring.extensions.sharing.release.settings import settings_to_try
from scoring.extensions.sharing.release.smallest import SmallestInput, plainest, strategies
from scoring.extensions.sharing.release.surface import ORDER
from scoring.extensions.sharing.release.versions import Definitions

TRIES = 5_000
"""The approximate number of inputs to draw, besides the fixed ones, if programs are not proved to be equal."""
_SLOW = frozenset({"sympy", "nltk", "jieba", "spacy", "shapely"})
_SLOWER = 20
_FEW = 1_500
"""The number of inputs to try in order to replace a difference by a more convincing one."""
_STEP = 5
"""If there are several rows, each is tried with one in this many pairs."""
_USUAL: tuple[TriedInput, ...] = tuple({"prediction": one, "reference": one} for one in ("a", "1", 1, ["a"], {"a": 1}))


class Search(Struct, frozen=True):
    """The result of a search for an input for which two versions of a definition give different results.

    Args:
        found: An input on which the versions differ, as small as was found; None if there was none.
        tries: The number of inputs that were tried.
        scored: The number of these for which the old version returned a score or a value.
        more: Settings that the new version accepts and the old one refuses.
        hindrance: The reason why the definition can't be run here; "" if it can.
    """

    found: Counterexample | None = None
    tries: int = 0
    scored: int = 0
    more: tuple[Mapping[str, Any], ...] = ()
    hindrance: str = ""


class CounterexampleSearch:
    """A search for an input for which two versions of a definition give different results.

    Args:
        old: The definitions of the old version.
        new: The definitions of the new version.
        name: The name of the definition, which both have.
        tries: About how many inputs to draw.
        is_by_default: Whether both versions are known to be equal with the defaults of their parameters.
        records: Inputs given by the author, which are tried, too.
    """

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
        self.role = new.by_name[name].role
        self.is_by_default = is_by_default
        self.records = records
        self.examples = [*_examples(new, name), *_examples(old, name)]
        self.smallest = SmallestInput(name)

    def search(self, calls: Mapping[str, Counterexample]) -> Search:
        """Search for an input for which the versions give different results: among known inputs, nearly equal values,
        then drawn ones.

        Args:
            calls: Calls that the new version refuses, by parameter, see `refused_calls`; they are reported already.
        """
        self.smallest = SmallestInput(self.name)  # it may be called again, on a stack for deeply nested values
        programs = [*self._programs({}), *self._freed()]
        if why_not := next(filter(None, map(hindrance, programs)), ""):
            return Search(hindrance=why_not)
        trials, more = self._trials(self._settings(programs))
        trials = [trial for trial in trials if not (calls and self._is_refused(trial))]
        refused = next((self._refused(trial) for trial in trials if self._is_refused(trial)), None)
        taken = [trial for trial in trials if not self._is_refused(trial)]
        found = self._known(taken) or self._near(taken, programs) or self._drawn(taken, programs) if taken else None
        if found is None or (refused is not None and found[1].kind[0] > 1):
            found = refused or found
        tried = self.smallest.tried
        if found is None:
            return Search(None, tried, sum(trial.scored for trial in trials), tuple(more))
        return Search(self._shown(*found), tried, more=tuple(more))

    def refused_with(self, params: Sequence[str]) -> Counterexample | None:
        """Return a call that gives these parameters and that only the new version refuses, with an input; None if there
        is none.

        Args:
            params: The names of the parameters.
        """
        for settings in self._settings(self._freed()):
            if settings.keys() >= set(params):
                trials, _ = self._trials([settings])
                if trials and self._is_refused(trials[0]) and not hindrance(self._programs(settings)[0]):
                    return self._shown(*self._refused(trials[0]))
        return None

    def moved_by_order(self, before: Sequence[str], after: Sequence[str]) -> Counterexample | None:
        """Return a call with arguments by position that has another result in the new version, because parameters are
        in another order; None if none was found.

        Args:
            before: The parameters of the old version, in order.
            after: The parameters of the new version, in order.
        """
        settings = self._settings(self._freed())
        values = {param: [one[param] for one in settings if param in one][1:] for param in before}
        for turn in range(4):
            arguments = [values[param][turn % len(values[param])] for param in before if values[param]]
            if len(arguments) < len(before):
                return None
            by_position = {f"argument {place}": value for place, value in enumerate(arguments, 1)}
            old = self.old.program(self.name, dict(zip(before, arguments, strict=True)))
            new = self.new.program(self.name, dict(zip(after, arguments, strict=False)))
            if isinstance(old, Refusal) or hindrance(old):
                continue
            trial = Trial(by_position, run_of(self.role, old), run_of(self.role, new))
            if isinstance(new, Refusal):
                return self._shown(*self._refused(trial))
            if (found := self._drawn([trial], [old, new], _FEW)) is not None:
                return self._counterexample(*found)
        return None

    def _settings(self, programs: Sequence[Program]) -> list[dict[str, Any]]:
        settings = [one for one, _ in self.examples if one]
        return settings_to_try(self.old, self.new, self.name, settings, constants_of(programs))

    def _freed(self) -> list[Program]:
        return [one for version in (self.old, self.new) if (one := version.freed(self.name)) is not None]

    def _programs(self, settings: Mapping[str, Any]) -> list[Program]:
        """Return the compiled programs of the two versions with these settings of parameters, without a version that
        refuses them."""
        made = [version.program(self.name, settings) for version in (self.old, self.new)]
        return [one for one in made if not isinstance(one, Refusal)]

    def _trials(self, settings: Sequence[dict[str, Any]]) -> tuple[list[Trial], list[dict[str, Any]]]:
        """Return a pair of versions to run (a trial) for each of the settings that the old version accepts, and the
        settings that only the new one accepts.

        Args:
            settings: Values of the definition's parameters, by name.
        """
        trials, more = [], []
        for one in settings:
            before, after = (version.program(self.name, one) for version in (self.old, self.new))
            if isinstance(before, Refusal):
                more += [] if isinstance(after, Refusal) else [one]
            else:
                trials.append(Trial(one, run_of(self.role, before), run_of(self.role, after)))
        return trials, more

    @staticmethod
    def _is_refused(trial: Trial) -> bool:
        return isinstance(trial.after([{}])[0], Refusal)

    def _refused(self, trial: Trial) -> tuple[Trial, Moved]:
        """Return a trial whose settings the new version refuses, with an input that shows it, if possible an example
        that the old version scores."""
        known = [*(one for _, one in self.examples), *_USUAL]
        found = [
            Moved(tried_input, trial.before([tried_input])[0], trial.after([tried_input])[0]) for tried_input in known
        ]
        return trial, min(found, key=lambda one: one.kind[1] != "scored")

    def _known(self, trials: Sequence[Trial]) -> tuple[Trial, Moved] | None:
        """Return the first trial in which the versions differ on an example or a record from the author, with that
        difference; None if there is none.

        Args:
            trials: Both versions, with each of several settings.
        """
        every = [tried_input for _, tried_input in self.examples] + list(self.records)
        for trial in trials:
            own = [tried_input for settings, tried_input in self.examples if settings == trial.settings]
            self.smallest.tried += len(own) + len(every)
            if (moved := plainest(trial, [*own, *every])) is not None:
                return trial, moved
        return None

    def _near(self, trials: Sequence[Trial], programs: Sequence[Program]) -> tuple[Trial, Moved] | None:
        """Return the trial in which a pair of nearly equal values has different results, with the simplest such
        difference; None if there is none.

        Args:
            trials: Both versions, with each of several settings.
            programs: Their programs, near whose constants values are tried.
        """
        if self.role in ("aggregate", "metric") or self._is_slow(programs):
            return None
        pairs = near_pairs(constants_of(programs).numbers)
        rows = strategies().make_rows_to_try(programs, [tried_input for _, tried_input in self.examples])
        step = 1 if len(rows) == 1 else _STEP
        pairs_tried = [
            {"prediction": left, "reference": right, **row}
            for turn, row in enumerate(rows)
            for left, right in pairs[turn % step :: step]
        ]
        plain, others = self._groups(trials)
        turns = [(trial, pairs_tried) for trial in plain]
        turns += [(trial, pairs_tried[turn :: len(others)]) for turn, trial in enumerate(others)]
        found = []
        for trial, inputs in turns:
            self.smallest.tried += len(inputs)
            if (moved := plainest(trial, inputs)) is not None:
                found.append((trial, moved))
        return min(found, key=lambda one: one[1].kind, default=None)

    def _drawn(
        self, trials: Sequence[Trial], programs: Sequence[Program], tries: int = 0
    ) -> tuple[Trial, Moved] | None:
        """Return a trial in which a randomly drawn input has different results, with the difference, preferably in the
        score; None if none was found.

        Args:
            trials: Both versions, with each of several settings.
            programs: Their programs, near whose constants inputs are drawn.
            tries: About how many inputs to draw; 0 for the number given to the search.
        """
        most = (tries or self.tries) // (_SLOWER if self._is_slow(programs) else 1)
        groups = [group for group in self._groups(trials) if group]
        inputs = strategies().draw_inputs(self.role, programs, self._alike())
        found = None
        for group in groups:
            found = found or self.smallest.find(group, inputs, most // len(groups))
        if found is None or found[1].kind[0] == 0:
            return found
        return self.smallest.find(trials, inputs, min(_FEW, most), best=found[1].kind[0]) or found

    def _groups(self, trials: Sequence[Trial]) -> tuple[list[Trial], list[Trial]]:
        """Return two lists: the trials with default settings (empty if both versions are known to be equal with the
        defaults), and all other trials."""
        plain = [trial for trial in trials if not trial.settings and not self.is_by_default]
        return plain, [trial for trial in trials if trial not in plain]

    @staticmethod
    def _is_slow(programs: Sequence[Program]) -> bool:
        return any(_SLOW & set(node.primitive.uses) for one in programs for node in one.all_nodes())

    def _alike(self) -> list[TriedInput]:
        """Return the inputs near which others are drawn: records from the author, and examples of all definitions with
        the same role."""
        alike = [
            (one, name) for one in (self.new, self.old) for name in one.by_name if one.by_name[name].role == self.role
        ]
        others = [tried_input for one, name in alike for _, tried_input in _examples(one, name)]
        return [*(tried_input for _, tried_input in self.examples), *self.records, *others]

    def _shown(self, trial: Trial, moved: Moved) -> Counterexample:
        """Return a difference as a counterexample, reduced to the settings and the parts of a known input that are
        needed to show it.

        Args:
            trial: The two versions with their settings.
            moved: The input and both results.
        """
        is_example = any(moved.tried_input is tried_input for _, tried_input in self.examples)
        is_record = any(moved.tried_input is tried_input for tried_input in self.records)
        origin = "an example" if is_example else "a record" if is_record else "drawn"
        if not isinstance(moved.after, Refusal):
            trial = self._with_fewer(trial, moved)
            if is_example or is_record:
                parts = self.smallest.find(
                    [trial], strategies().draw_parts_of_input(moved.tried_input), _FEW, best=moved.kind[0] + 1
                )
                moved = parts[1] if parts is not None else moved
        return self._counterexample(trial, moved, origin)

    def _counterexample(self, trial: Trial, moved: Moved, origin: str = "drawn") -> Counterexample:
        return Counterexample(self.name, moved.tried_input, moved.before, moved.after, dict(trial.settings), origin)

    def _with_fewer(self, trial: Trial, moved: Moved) -> Trial:
        for name in list(trial.settings):
            fewer, _ = self._trials([{key: value for key, value in trial.settings.items() if key != name}])
            if fewer and [one.kind for one in fewer[0].moved([moved.tried_input])] == [moved.kind]:
                trial = fewer[0]
        return trial


def refused_calls(old: Definitions, new: Definitions, name: str) -> dict[str, Counterexample]:
    """Return calls of a definition that its new version refuses because its parameters changed, each with an input.

    The keys are the parameters responsible: removed ones, and ones that are required now. The key `ORDER` is for a call
    with another meaning because the order of parameters changed.
    """
    before, after = (one.by_name[name].params for one in (old, new))
    names = [param.name for param in after]
    gone = [param.name for param in before if param.name not in names]
    wanted = [param.name for param in after if param.is_required]
    had = {param.name: param.is_required for param in before}
    hunt = CounterexampleSearch(old, new, name)
    found = {param: hunt.refused_with([param]) for param in gone}
    found |= {param: hunt.refused_with([]) for param in wanted if not had.get(param)}
    if not gone and [param.name for param in before] != names[: len(before)]:
        found[ORDER] = hunt.moved_by_order([param.name for param in before], names)
    return {param: moved for param, moved in found.items() if moved is not None}


def _examples(version: Definitions, name: str) -> list[tuple[dict[str, Any], TriedInput]]:
    """Return the examples of a definition, each as its settings of parameters and its input; none if this version lacks
    the definition.

    Args:
        version: The definitions of the version.
        name: The name of the definition.
    """
    definition = version.by_name.get(name)
    found: list[tuple[dict[str, Any], TriedInput]] = []
    for one in definition.examples if definition is not None else ():
        tried_input = {key: value for key, value in one.data.items() if key not in ("params", "expect")}
        found.append((dict(one.data.get("params") or {}), tried_input))
    return found
