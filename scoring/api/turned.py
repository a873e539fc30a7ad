"""What tables of columns can't say: found in the first records, by name, before anything is scored.

Each row of a file of JSON has values of its own. Columns have one type: what wrote them may have turned lists into
text, and whole numbers into floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.compiler.task import CompiledTask
from scoring.data.json_text import NotJson, parse
from scoring.data.rows.memory import floats_for_whole_numbers, shape_of
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import InputError
from scoring.values import ANY, TEXT, Type


def check_turned(
    task: CompiledTask, sources: Iterable[Any], records: Sequence[Mapping[str, Any]], report: InputReport
) -> None:
    """Refuse a column of references of several types that became text, and note whole numbers that became floats.

    Args:
        task: What the records are for.
        sources: The tables that they come from.
        records: The first records.
        report: Told of whole numbers that became floats.

    Raises:
        InputError: naming the column.
    """
    shapes = {shape_of(source): source for source in sources}
    for name in sorted({name for source in shapes.values() for name in floats_for_whole_numbers(source)}):
        report.add("turned_numbers", f"`{name}`")
    if "columns" in shapes and not _reads_text(task):
        _refuse_mixed(task, list(map(task.reader_of("reference"), records)))


def _reads_text(task: CompiledTask) -> bool:
    """Whether references are texts for the task: it parses them, or begins with a step that takes texts alone."""
    parts = task.parts
    return parts.parse_reference is not None or TEXT in set(_wanted(task))


def _wanted(task: CompiledTask) -> Iterator[Type]:
    """What the first step of each field takes as a reference: a text, too, where it parses it or makes it one."""
    for field in task.parts.fields:
        program = field.scorer.program
        first = program.reference[0] if program.reference else program.join
        if first is not None:
            named, inputs = first.primitive, first.primitive.inputs
            yield TEXT if named.family == "parsing" or named.name == "to_text" else inputs[-1] if inputs else ANY


def _refuse_mixed(task: CompiledTask, references: Sequence[Any]) -> None:
    texts = [value for value in references if isinstance(value, str)]
    written = next(filter(_is_written, texts), None)
    bare = next((text for text in texts if not _is_written(text)), None)
    if written is None or bare is None:
        return
    column = task.spec.parts.paths().get("reference", "reference")
    raise InputError(
        f"the column `{column}` holds texts (`{bare:.40}`) and lists or objects that are written as text "
        f"(`{written:.40}`): what wrote it turned values of several types into one. Write JSON Lines, or a list in "
        "each row; where they are meant as texts, begin with `to_text`"
    )


def _is_written(text: str) -> bool:
    """Whether a text is a list or an object of JSON that holds a text, as engines write them.

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
