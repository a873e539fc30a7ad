"""What happens to the records of a task, stage by stage: the one list that single calls and columns both follow.

A response and a reference first become what the task takes; computed values and the parse stage follow, then each field
is scored, and then the fields that are formulas over others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scoring.compiler.programs.expression_values import NO_REFERENCE, NO_RESPONSE
from scoring.compiler.programs.stages import (
    REFERENCE,
    RESPONSE,
    ROW_VALUES,
    ColumnClasses,
    Stage,
    Stages,
    ValueChange,
    ValueChanges,
)
from scoring.compiler.records.record_reader import PARSED
from scoring.compiler.tasks.chat import SIDES, column_of_texts, message_text, reads_text
from scoring.compiler.tasks.compiled_parts import TaskParts
from scoring.data.normalize import NESTED, column_without_nulls, without_nulls
from scoring.result import MISSING

_PREPARED = "prepared"
_NOTHING = type(None)


@dataclass(frozen=True, slots=True)
class TaskNeeds:
    """What a task needs of a record.

    ``response`` and ``reference`` say that a record without one has no score, since something looks at it and the spec
    does not compare missing things as nothing. ``roots`` are the values of the row that anything reads, and
    ``texts`` the sides that are used as one text, so that chat messages count as the text that was said.
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
    """The stages of a task: all of them, and those alone that prepare what fields compare.

    ``answer`` and ``wanted`` are the names of what fields compare: the response and the reference, or what the parse
    stages made of them.
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
        """Return the stages that parse, and those that compute values before and after it."""
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
    """Return the change that leaves out nulls of mappings; none where the spec takes null for a value."""
    return [] if parts.has_nulls else [ValueChange(NESTED, without_nulls, column_without_nulls)]


def _with_parsed(row: Any, parsed: Any) -> Any:
    row[PARSED] = parsed
    return row


def _value_stages(parts: TaskParts, needs: TaskNeeds) -> list[Stage]:
    """Return the stages that make of a response and a reference what the task takes.

    A response comes without nulls that count as missing. Where nothing is made of references as a whole, fields look
    for nulls in what they compare.
    """
    as_text = ValueChange((list, tuple), message_text, column_of_texts)
    response = [as_text] if "prediction" in needs.texts else []
    response += [ValueChange((_NOTHING,), lambda nothing: NO_RESPONSE())] if needs.response else []
    absent = (type(MISSING),) if parts.has_nulls else (type(MISSING), _NOTHING)
    reference = [ValueChange(absent, lambda nothing: NO_REFERENCE() if needs.reference else None)]
    reference += [as_text] if "reference" in needs.texts else []
    reference += pruning(parts) if parts.parse_reference is not None else []
    return [*ValueChanges(response).stage(RESPONSE), *ValueChanges(reference).stage(REFERENCE)]
