"""What fields compare: the sources of both values, and fields that are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from scoring.compiler.identity.meaning import path_meaning
from scoring.compiler.programs.program import Computed, ComputedPath, Program
from scoring.compiler.records.record_reader import WHOLE, part_reader
from scoring.format.model import FieldSpec
from scoring.lang.places import Segments, place_text
from scoring.result import Outcome
from scoring.values import Type


def may_hold_fields(kind: Type) -> bool:
    """Tell whether a value of a type may be a mapping, in which fields are found by their names.

    Examples:
        >>> [may_hold_fields(Type(name)) for name in ("Any", "Text", "Dict")]
        [True, False, True]
    """
    return any(
        one.variable or one.name in ("Any", "Dict", "Poison")
        for one in (kind.args if kind.name == "Union" else (kind,))
    )


class ValueSource(Struct, frozen=True):
    """The computed value that a field or a breakdown reads, and the keys and positions that it reads inside it.

    If ``each`` is set, it is a list, of which each item counts. If ``is_whole`` is set, null is a value like any other,
    not a missing one.
    """

    value: Computed
    segments: Segments = ()
    each: bool = False
    is_whole: bool = False

    @property
    def whole(self) -> ComputedPath:
        """The path to the whole computed value, as expressions write it."""
        return self.value.whole

    @property
    def meaning(self) -> list[Any]:
        """The source as canonical data for digests, with the value's computation in place of its name."""
        return [path_meaning(self.whole), place_text(("value", *self.segments)) + "[]" * self.each, self.is_whole]

    def reader(self) -> Callable[[Any], Any] | None:
        """Return a function that reads the part of the value and returns outcomes as they are; None for all of it."""
        if not (self.segments or self.each):
            return None
        read = part_reader(self.segments, self.each)
        return lambda value: value if type(value) is Outcome else read(value)

    def of_row(self) -> Callable[[Any], Any]:
        """Return a function that reads the part of the value from a row, for breakdowns; a value that failed is read as
        None."""
        name, inside = self.value.name, self.reader()

        def read(row: Any) -> Any:
            value = row["values"][name]
            if type(value) is Outcome:
                return None
            return value if inside is None else inside(value)

        return read


class FieldSource(Struct, frozen=True):
    """The source of one of the two values that a field compares.

    It is a computed value, if there is a ``source``, and else what stands at ``place`` in the parsed response or in the
    reference: all of it if this is empty, and what has the field's own name if it is None.
    """

    place: Segments | None = ()
    source: ValueSource | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the value is all of a response or reference, or what a stage makes of it, which can't lack it."""
        return self.place == () if self.source is None else self.source.is_whole

    @property
    def is_computed(self) -> bool:
        """Whether the value is the result of steps, or a value that the file declares, and so is never missing."""
        source = self.source
        return (
            source is not None
            and not source.segments
            and (source.value.is_declared or bool(source.value.program.prediction))
        )

    @property
    def meaning(self) -> Any:
        """The side as canonical data for digests; the task's parse stage is not included."""
        if self.source is not None:
            return self.source.meaning
        return None if self.place is None else place_text(self.place) or WHOLE


class CompiledField(Struct, frozen=True):
    """A compiled field: its scorer, and the two values that it compares."""

    spec: FieldSpec
    program: Program
    prediction: FieldSource = FieldSource()
    reference: FieldSource = FieldSource()

    @property
    def may_be_missing(self) -> bool:
        """Whether a response may lack the field by mistake: it is not optional, and not the whole response."""
        return not self.prediction.is_whole and not self.spec.optional

    @property
    def value_meanings(self) -> dict[str, Any]:
        """What the field compares as canonical data for digests, by side ("prediction", "reference")."""
        return {"prediction": self.prediction.meaning, "reference": self.reference.meaning}

    @property
    def sources(self) -> Iterator[ValueSource]:
        """The computed values that the field compares."""
        return (side.source for side in (self.prediction, self.reference) if side.source is not None)
