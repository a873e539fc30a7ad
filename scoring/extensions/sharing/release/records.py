"""The search for a record whose score differs between two versions of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.compiler.tasks.task import CompiledTask
from scoring.extensions.audit.pairs import examples_of
from scoring.extensions.examples.running import direct
from scoring.extensions.sharing.release.comparison_run import Moved, TriedInput, hindrance, same_result
from scoring.extensions.sharing.release.constants import constants_of
from scoring.extensions.sharing.release.judgement import Counterexample
from scoring.extensions.sharing.release.near import near_pairs
from scoring.extensions.sharing.release.smallest import SmallestInput, plainest, strategies

_SLOWER = 4
"""The number of pairs whose scoring takes about as long as that of a record."""
_PARTS = 1_000
_NEAR = 3_000


class RecordSearch:
    """A search for a record that two versions of a task score differently.

    In examples and drawn records, parts are found under the names that the spec gives them; in records from the author,
    at the paths that the task declares.

    Attributes:
        hindrance: The reason why records can't be scored here; "" if they can.
    """

    def __init__(self, old: CompiledTask, new: CompiledTask, records: Sequence[Mapping[str, Any]] = ()) -> None:
        self.old, self.new, self.records = old, new, records
        examples = [*examples_of(new), *examples_of(old)]
        self.examples = [{key: value for key, value in one.items() if key != "id"} for one in examples]
        self.programs = (*old.parts.programs, *new.parts.programs)
        images = "records are images" if new.spec.records is not None or old.spec.records is not None else ""
        self.hindrance = images or next(filter(None, map(hindrance, self.programs)), "")
        self.smallest = SmallestInput(new.name)

    @property
    def names(self) -> list[str]:
        """The names of the fields that either version looks up in responses by name; [] if they compare the whole."""
        fields = (field for task in (self.new, self.old) for field in task.parts.fields)
        return list(dict.fromkeys(field.name for field in fields if field.finds_by_name("response")))

    def search(self, tries: int) -> Counterexample | None:
        """Return the smallest record found on which the versions differ: an example, one from the author, or a drawn
        one; None if there is none.

        Args:
            tries: About how many records to draw.
        """
        self.smallest = SmallestInput(self.new.name)  # it may be called again, on a stack for deeply nested values
        drawn = _Versions(direct(self.old), direct(self.new))
        known = (
            (drawn, self.examples, "an example"),
            (_Versions(self.old, self.new), self.records, "a record"),
            (drawn, self._near(), "drawn"),
        )
        for versions, group, origin in known:
            self.smallest.tried += len(group)
            if (moved := plainest(versions, group)) is not None:
                smaller = self.smallest.find(
                    [versions], strategies().draw_parts_of_input(moved.tried_input), _PARTS, best=moved.kind[0] + 1
                )
                return _shown(smaller[1] if smaller is not None else moved, origin)
        inputs = strategies().draw_records(self.names, self.programs, self.examples)
        found = self.smallest.find([drawn], inputs, tries // _SLOWER)
        return None if found is None else _shown(found[1], "drawn")

    def _near(self) -> list[dict[str, Any]]:
        """Return records in which the response nearly equals the reference; fields by name all have the same values."""
        names = self.names
        pairs = near_pairs(constants_of(self.programs).numbers)
        some = pairs[:: 1 + len(pairs) // _NEAR]
        if not names:
            return [{"response": left, "reference": right} for left, right in some]
        return [
            {"response": dict.fromkeys(names, left), "reference": dict.fromkeys(names, right)} for left, right in some
        ]


def _shown(moved: Moved, origin: str) -> Counterexample:
    return Counterexample("", moved.tried_input, moved.before, moved.after, {}, origin)


class _Versions:
    def __init__(self, old: CompiledTask, new: CompiledTask) -> None:
        self.old, self.new = old, new

    def moved(self, inputs: Sequence[TriedInput]) -> list[Moved]:
        """Score records with both versions, and return those with another result, each with the first part that
        differs: outcome, passed, or a field."""
        found = []
        for record in inputs:
            complete = {"id": "a record", **record}
            one, other = self.old.score(complete), self.new.score(complete)
            parts: list[tuple[Any, Any]] = [(one.outcome, other.outcome)]
            parts += [] if one.passed is None else [(one.passed, other.passed)]
            shared = [name for name in one.fields if name in other.fields]
            parts += [(one.fields[name].outcome, other.fields[name].outcome) for name in shared]
            differing = next((pair for pair in parts if not same_result(*pair)), None)
            if differing is not None:
                found.append(Moved(record, *differing))
        return found
