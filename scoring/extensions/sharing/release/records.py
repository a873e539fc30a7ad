"""Looks for a record whose score two editions of a task do not agree on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from scoring.compiler.task import CompiledTask
from scoring.data.normalize import NESTED
from scoring.engine.examples import direct
from scoring.extensions.audit.pairs import examples_of
from scoring.extensions.sharing.generators.near import LISTS, WORDS, nearly
from scoring.extensions.sharing.release.comparison_run import Moved, TriedInput, hindrance, same_result
from scoring.extensions.sharing.release.inputs import constants_of
from scoring.extensions.sharing.release.judgement import Counterexample
from scoring.extensions.sharing.release.shrink import CanMove, most_moved, shrunk

_BATCH = 256
_SLOWER = 4
"""A record costs as much as so many pairs."""
_RESPONSES = ("", "no answer", "null", "[]", "{}", "Answer: ", "{")


class RecordHunt:
    """Tries two editions of a task on records, whose parts are named as the spec names them."""

    def __init__(self, old: CompiledTask, new: CompiledTask, records: Sequence[Mapping[str, Any]] = ()) -> None:
        self.old, self.new = direct(old), direct(new)
        self.whole = partial(_moved, old, new)
        self.records = records
        self.tried = 0
        examples = [*examples_of(new), *examples_of(old)]
        self.examples = [{key: value for key, value in one.items() if key != "id"} for one in examples]
        programs = (*old.parts.programs, *new.parts.programs)
        images = "records are images" if new.spec.records is not None or old.spec.records is not None else ""
        self.hindrance = images or next(filter(None, map(hindrance, programs)), "")
        self.constants = constants_of(programs)
        self.random = Random(f"scoring release {new.name}")

    def search(self, tries: int) -> Counterexample | None:
        """Return the first record found that tells the editions apart, made small."""
        trial, self.tried = partial(_moved, self.old, self.new), 0
        found = self._first(trial, self.examples, "an example") or self._first(self.whole, self.records, "a record")
        drawn = self._drawn()
        while found is None and self.tried < tries // _SLOWER:
            found = self._first(trial, list(islice(drawn, _BATCH)), "drawn")
        return found

    def _first(self, trial: CanMove, given: Sequence[TriedInput], origin: str) -> Counterexample | None:
        self.tried += len(given)
        found = most_moved(trial, given)
        if found is None:
            return None
        smallest, steps = shrunk(trial, found)
        self.tried += steps
        return Counterexample("", smallest.given, smallest.before, smallest.after, {}, origin)

    def _drawn(self) -> Iterator[dict[str, Any]]:
        """Records near the examples, or made of the task's fields, with parts changed, nothing, or left out."""
        random, names = self.random, [field.name for field in self.new.spec.fields]
        while True:
            record = dict(random.choice(self.examples)) if self.examples and random.randrange(4) else self._made(names)
            for name in list(record):
                kind = random.randrange(10)
                if kind < 4:
                    record[name] = self._changed(record[name])
                elif kind == 4:
                    record[name] = None
                elif kind == 5:
                    del record[name]
                elif kind == 6 and name == "response":
                    record[name] = random.choice((*_RESPONSES, *self.constants.texts[:20]))
            yield record

    def _made(self, names: Sequence[str]) -> dict[str, Any]:
        word = self._value()
        if len(names) < 2:
            return {"response": word, "reference": word}
        held = {name: self._value() for name in names}
        written = json.dumps(held) if self.random.randrange(3) else held
        return {"response": written, "reference": dict(held)}

    def _value(self) -> Any:
        random, kind = self.random, self.random.randrange(6)
        if kind == 0 and self.constants.numbers:
            return random.choice(self.constants.numbers)
        if kind == 1:
            return random.choice(LISTS)
        return str(random.randrange(20)) if kind == 2 else random.choice(WORDS)

    def _changed(self, value: Any) -> Any:
        random = self.random
        if isinstance(value, dict) and value and random.randrange(2):
            name = random.choice(list(value))
            return {**value, name: None if type(value[name]) in NESTED else nearly(random, value[name], WORDS)}
        return nearly(random, value, WORDS)


def _moved(old: CompiledTask, new: CompiledTask, given: Sequence[TriedInput]) -> list[Moved]:
    """Return the records for which two editions do not give the same, with the first that they do not agree on."""
    found = []
    for record in given:
        held = {"id": "a record", **record}
        one, other = old.score(held), new.score(held)
        parts: list[tuple[Any, Any]] = [(one.outcome, other.outcome)]
        parts += [] if one.passed is None else [(one.passed, other.passed)]
        shared = [name for name in one.fields if name in other.fields]
        parts += [(one.fields[name].outcome, other.fields[name].outcome) for name in shared]
        differing = next((pair for pair in parts if not same_result(*pair)), None)
        if differing is not None:
            found.append(Moved(record, *differing))
    return found
