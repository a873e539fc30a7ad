"""Detect values that an engine of columns converted: whole numbers to floats, and references of mixed types to text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from scoring.compiler.programs.program import Program
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.compiler.tasks.fields import FieldRunner
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_read import NotJson, parse
from scoring.data.rows.batch import LOOKED_AT
from scoring.data.rows.memory import shape_of
from scoring.data.rows.report import InputReport
from scoring.depth import DEEPEST
from scoring.errors import InputError
from scoring.extensions.columns.memory import turned_columns
from scoring.values import ANY, TEXT, Type

TextPlace: TypeAlias = tuple[str, ...]
"""The keys that lead to a value; `[]` stands for every item of a list."""


def check_turned(
    task: CompiledTask, sources: Iterable[Any], records: Iterable[Mapping[str, Any]], report: InputReport
) -> None:
    """Check tables whose first records are `records` for two conversions of types, if any has typed columns.

    Columns whose whole numbers became floats are reported; references of mixed types must not have become text.

    Raises:
        InputError: when references were converted to text.
    """
    tables = [source for source in sources if shape_of(source) == "columns"]
    for name in sorted({name for table in tables for name in turned_columns(table)}):
        report.add("turned_numbers", f"`{name}`")
    if tables:
        refuse_mixed(task, map(task.reader_of("reference"), records))


def refuse_mixed(task: CompiledTask, references: Iterable[Any], column: str = "") -> None:
    """Raise an exception if references have, at one path, both texts and lists or objects converted to text.

    Paths whose values are meant to be texts are not checked: those whose first step accepts a text or parses it.

    Args:
        task: The task that will compare the references.
        references: The references, of which only the first are examined.
        column: The name of their column for the message; by default that in the records of the task.

    Raises:
        InputError: for such a path; the message has an example of each.
    """
    if task.parts.parse_reference is not None:
        return
    plain, written = dict[TextPlace, str](), dict[TextPlace, str]()
    for reference in islice(references, LOOKED_AT):
        for place, text in _texts(reference):
            known = written if _is_written(text) else plain
            known.setdefault(place, text)
    for place in sorted(plain.keys() & written.keys()):
        if TEXT in set(_wanted(task, place)):
            continue
        name = column or task.spec.parts.paths().get("reference", DEFAULTS["reference"])
        whole = ".".join((name, *place)).replace(".[]", "[]")
        raise InputError(
            f"the column `{whole}` holds texts (`{plain[place]:.40}`) and lists or objects that are written as text "
            f"(`{written[place]:.40}`): what wrote it turned values of several types into one. Write JSON Lines, or a "
            "list in each row; where they are meant as texts, begin with `to_text`"
        )


def _texts(value: Any) -> Iterator[tuple[TextPlace, str]]:
    """Yield every text within a value, with the keys that lead to it."""
    waiting: list[tuple[TextPlace, Any]] = [((), value)]
    while waiting:
        place, one = waiting.pop()
        if isinstance(one, str):
            yield place, one
        elif len(place) < DEEPEST:
            if isinstance(one, dict):
                waiting += [((*place, str(key)), inner) for key, inner in one.items()]
            elif isinstance(one, list | tuple):
                waiting += [((*place, "[]"), inner) for inner in one]


def _wanted(task: CompiledTask, place: TextPlace) -> Iterator[Type]:
    """Yield the input type of the first step of each pipeline that reads the reference at `place`; if none, text."""
    parts, roots = task.parts, {(), place[:1]}
    heads = [value for value in parts.values if value.head.root == "reference"]
    values = [value.program for value in heads if not place or tuple(map(str, value.head.segments[:1])) in roots]
    fields = [field.scorer.program for field in parts.fields if _reads(task, field, place)]
    yield from (_first(program, program.reference) for program in fields)
    yield from (_first(program, program.prediction) for program in values)
    known = {tuple(map(str, path.segments[:1])) for path in parts.paths if path.root == "reference"}
    if not (fields or values or roots & known):
        yield TEXT


def _reads(task: CompiledTask, field: FieldRunner, place: TextPlace) -> bool:
    """Return whether a field compares the value at a path of the reference."""
    if field.reference is not None or not place:
        return field.reference is None
    read = field.places["reference"]
    return read == () or place[0] == str(field.name if read is None else read[0])


def _first(program: Program, steps: Sequence[Any]) -> Type:
    first = steps[0] if steps else program.join
    if first is None:
        return ANY
    primitive, inputs = first.primitive, first.primitive.inputs
    return TEXT if primitive.family == "parsing" or primitive.name == "to_text" else inputs[-1] if inputs else ANY


def _is_written(text: str) -> bool:
    """Return whether a string is a JSON list or object with a string in it, as columnar engines write nested values.

    Examples:
        >>> _is_written('["a", "b"]'), _is_written("[0, 1]"), _is_written("Paris"), _is_written('{"a": 1}')
        (True, False, False, True)
    """
    if text[:1] not in ("[", "{") or '"' not in text:
        return False
    try:
        return isinstance(parse(text), list | dict)
    except NotJson:
        return False
