"""The stages of scoring the records of a task: one list of steps, for single records and for columns of them.

Responses and references are first converted to what the task expects; computed values and the parse stage follow, then
each field is scored, and then the fields that are formulas over others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from scoring.compiler.programs.stages import (
    NO_REFERENCE,
    NO_RESPONSE,
    REFERENCE,
    RESPONSE,
    ROW_VALUES,
    ColumnClasses,
    Stage,
    Stages,
    ValueChange,
    ValueChanges,
)
from scoring.compiler.running.run import ScorerRunner
from scoring.compiler.running.steps import Chain
from scoring.compiler.tasks.chat import SIDES, column_of_texts, message_text, reads_text
from scoring.compiler.tasks.compiled_parts import TaskParts
from scoring.data.nulls import NESTED, column_without_nulls, without_nulls
from scoring.lang.places import PARSED
from scoring.result import MISSING

_PREPARED = "prepared"
_NOTHING = type(None)


class TaskNeeds(Struct, frozen=True):
    """What a task needs from a record.

    ``response`` and ``reference`` are true if a record without one has no score, since the task reads it and does not
    compare missing values as null. ``roots`` are the first names of the paths that anything reads, and ``texts`` are
    the sides of which only the text is used, so that chat messages are replaced by their text.
    """

    response: bool
    reference: bool
    roots: frozenset[str]
    texts: frozenset[str]

    @classmethod
    def of(cls, parts: TaskParts) -> TaskNeeds:
        """Return the needs of a task."""
        return cls(
            parts.needs_response and not (parts.parse is not None and parts.passes_missing),
            parts.needs_reference and not parts.passes_missing,
            frozenset(path.root for path in parts.paths),
            frozenset(side for side in SIDES if reads_text(parts, side)),
        )


class TaskStages:
    """The stages that score a record (``all``), and those of them that come before the scoring of fields (``prepare``).

    ``answer`` and ``wanted`` are the names of the values that fields read: the response and the reference, or what the
    parse stages made of them.
    """

    def __init__(self, parts: TaskParts, needs: TaskNeeds) -> None:
        self.answer = RESPONSE if parts.parse is None else PARSED
        self.wanted = REFERENCE if parts.parse_reference is None else _PREPARED
        prepare = [*_value_stages(parts, needs), *self._parsed(parts, needs)]
        self.classes = ColumnClasses()
        fields = [field.stage(self.answer, self.wanted, self.classes) for field in parts.fields]
        self.prepare = Stages(prepare)
        self.all = Stages([*prepare, *fields, *(formula.stage() for formula in parts.formulas)])

    def _parsed(self, parts: TaskParts, needs: TaskNeeds) -> list[Stage]:
        """Return the stages that parse response and reference, and those that compute values before and after
        parsing."""
        stages: list[Stage] = []
        if parts.parse is not None:
            stages.append(Stage(self.answer, (RESPONSE, ROW_VALUES), parts.parse.one, parts.parse.column))
        if parts.parse_reference is not None:
            parse = parts.parse_reference
            stages.append(Stage(self.wanted, (REFERENCE, ROW_VALUES), parse.one, parse.column))
        if needs.roots.isdisjoint(("values", PARSED)):
            return stages
        from scoring.compiler.running.values_run import value_stages

        early, late = value_stages(parts.values, nothing_counts=parts.passes_missing)
        return [*early, *stages, Stage(ROW_VALUES, (ROW_VALUES, self.answer), _with_parsed), *late]


def pruning(parts: TaskParts) -> list[ValueChange]:
    """Return a list with the conversion that removes nulls from mappings; [] if the task treats null as a value."""
    return [] if parts.has_nulls else [ValueChange(NESTED, without_nulls, column_without_nulls)]


def _with_parsed(row: Any, parsed: Any) -> Any:
    row[PARSED] = parsed
    return row


def _value_stages(parts: TaskParts, needs: TaskNeeds) -> list[Stage]:
    """Return the stages that convert responses and references to what the task expects.

    Nulls that count as missing were already removed from a response. In a reference, the fields remove them from the
    values that they compare, unless it is parsed as a whole.
    """
    as_text = ValueChange((list, tuple), message_text, column_of_texts)
    response = [as_text] if "prediction" in needs.texts else []
    response += [ValueChange((_NOTHING,), lambda nothing: NO_RESPONSE)] if needs.response else []
    absent = (type(MISSING),) if parts.has_nulls else (type(MISSING), _NOTHING)
    reference = [ValueChange(absent, lambda nothing: NO_REFERENCE if needs.reference else None)]
    reference += [as_text] if "reference" in needs.texts else []
    reference += pruning(parts) if parts.parse_reference is not None else []
    return [*ValueChanges(response).stage(RESPONSE), *ValueChanges(reference).stage(REFERENCE)]


def share_chains(scorers: Sequence[ScorerRunner]) -> list[Chain]:
    """Let scorers with equal steps on a side share one chain, which then caches results; return the shared chains."""
    known: dict[tuple[str, str], Chain] = {}
    for scorer in scorers:
        for side, text in scorer.preparations().items():
            own, first = getattr(scorer, side), known.setdefault((side, text), getattr(scorer, side))
            if own is not first:
                setattr(scorer, side, first)
                first.is_shared = True
    return [chain for chain in known.values() if chain.is_shared]
