"""Detect values that an engine of columns converted: whole numbers to floats, and references of mixed types to text."""

from __future__ import annotations

import re
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
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.model import Primitive
from scoring.values import AS_IT_IS, TEXT

TextPlace: TypeAlias = tuple[str, ...]
"""The keys that lead to a value; `[]` stands for every item of a list."""
_SHARE = 20
_SCALAR = lazy_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null", re.ASCII)


def check_turned(
    task: CompiledTask, sources: Iterable[Any], records: Iterable[Mapping[str, Any]], report: InputReport
) -> None:
    """Check tables whose first records are `records` for two conversions of types, if any has typed columns.

    Columns whose whole numbers became floats are reported; values of mixed types must not have become text.

    Raises:
        InputError: when references or responses were converted to text.
    """
    tables = [source for source in sources if shape_of(source) == "columns"]
    for name in sorted({name for table in tables for name in turned_columns(table)}):
        report.add("turned_numbers", f"`{name}`")
    if tables:
        first = list(islice(records, LOOKED_AT))
        ReferenceTexts(task).check(map(task.reader_of("reference"), first))
        ResponseTexts(task).check(map(task.reader_of("response"), first))


class ReferenceTexts:
    """The texts in a column of references that an engine may have converted, by their places; the column is checked
    block by block.

    Args:
        task: The task that will compare the references.
        column: The name of their column for messages; by default that in the records of the task.
    """

    def __init__(self, task: CompiledTask, column: str = "") -> None:
        self._task = task
        self._column = column or task.spec.parts.paths().get("reference", DEFAULTS["reference"])
        self._plain, self._written = dict[TextPlace, str](), dict[TextPlace, str]()
        # The same texts as JSON, of texts and of other values, and the places where one is no JSON.
        self._quoted, self._others, self._natural = dict[TextPlace, str](), dict[TextPlace, str](), set[TextPlace]()

    def check(self, references: Iterable[Any]) -> None:
        """Raise an exception if the references, with those of earlier calls, have values of several types converted to
        text at one path.

        That is so where texts stand beside lists or objects written as text, unless texts are meant: the first step
        that reads them accepts a text or parses it. It is also so where all texts are JSON, some of a text and some of
        another value, as DuckDB exports its type JSON, unless the first step parses them or is `to_text`.

        Raises:
            InputError: for such a path; the message has an example of each.
        """
        if self._task.parts.parse_reference is not None:
            return
        values = list(references)
        for text in dict.fromkeys(value for value in values if type(value) is str):
            self._add((), text)
        for value in values:
            if type(value) not in AS_IT_IS:
                for place, text in _texts(value):
                    self._add(place, text)
        for place in sorted((self._quoted.keys() & self._others.keys()) - self._natural):
            first_steps = list(_first_steps(self._task, place))
            if first_steps and not any(map(_reads_text, first_steps)):
                raise InputError(
                    f"the column `{self._name(place)}` holds JSON of texts (`{self._quoted[place]:.40}`) and of other "
                    f"values (`{self._others[place]:.40}`) as text: DuckDB exports its type JSON so. Write all "
                    'references as JSON (`to_json(gold)`), and say `references_as="json"`; where they are meant as '
                    "texts, begin with `to_text`"
                )
        for place in sorted(self._plain.keys() & self._written.keys()):
            first_steps = list(_first_steps(self._task, place))
            if first_steps and not any(map(_means_text, first_steps)):
                raise InputError(
                    f"the column `{self._name(place)}` holds texts (`{self._plain[place]:.40}`) and lists or objects "
                    f"that are written as text (`{self._written[place]:.40}`): what wrote it turned values of several "
                    "types into one. Write JSON Lines, or a list in each row; where they are meant as texts, begin "
                    "with `to_text`"
                )

    def _name(self, place: TextPlace) -> str:
        return ".".join((self._column, *place)).replace(".[]", "[]")

    def _add(self, place: TextPlace, text: str) -> None:
        (self._written if _is_written(text) else self._plain).setdefault(place, text)
        if place not in self._natural:
            if not _is_json(text):
                self._natural.add(place)
            else:
                (self._quoted if text[0] == '"' else self._others).setdefault(place, text)


class ResponseTexts:
    """The texts in a column of responses that an engine may have made of chat messages and parsed answers; the column
    is checked block by block.

    Args:
        task: The task that will score the responses.
        column: The name of their column for messages; by default that in the records of the task.
    """

    def __init__(self, task: CompiledTask, column: str = "") -> None:
        self._column = column or task.spec.parts.paths().get("response", DEFAULTS["response"])
        self._count = self._of_texts = self._of_chats = 0
        self._quoted = self._other = self._chat = ""
        self._are_json = True

    def check(self, responses: Iterable[Any]) -> None:
        """Raise an exception if the responses, with those of earlier calls, are chat messages or parsed answers that
        were written as text.

        One answer of a model may look like that by chance: so it has to be one in twenty that is chat messages, or all
        are JSON, of a text in most or of chat messages in some, as DuckDB exports its type JSON.

        Raises:
            InputError: if so; the message has an example.
        """
        texts = [response for response in responses if type(response) is str and response]
        chats = [text for text in texts if text[0] == "[" and '"role"' in text and _is_json(text)]
        self._count, self._of_chats = self._count + len(texts), self._of_chats + len(chats)
        self._chat = chats[0] if chats else self._chat
        for text in texts:
            self._are_json = self._are_json and text[0] in ('"', "[", "{") and _is_json(text)
            if not self._are_json:
                break
            if text[0] == '"':
                self._quoted, self._of_texts = text, self._of_texts + 1
            else:
                self._other = text
        advice = "Give responses of one type, each a text or each chat messages, or score them in DuckDB itself"
        if self._are_json and self._quoted and self._other and (self._of_chats or 2 * self._of_texts > self._count):
            raise InputError(
                f"the column `{self._column}` holds JSON of texts (`{self._quoted:.40}`) and of other values "
                f"(`{self._other:.40}`) as text: DuckDB exports its type JSON so. {advice}"
            )
        if self._of_chats * _SHARE > self._count:
            raise InputError(
                f"the column `{self._column}` holds chat messages that are written as text (`{self._chat:.40}`). "
                + advice
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


def _first_steps(task: CompiledTask, place: TextPlace) -> Iterator[Primitive | None]:
    """Yield the first step of each pipeline that reads the reference at `place`; None for a pipeline without steps."""
    parts, roots = task.parts, {(), place[:1]}
    heads = [value for value in parts.values if value.head.root == "reference"]
    values = [value.program for value in heads if not place or tuple(map(str, value.head.segments[:1])) in roots]
    fields = [field.scorer.program for field in parts.fields if _reads(task, field, place)]
    yield from (_first(program, program.reference) for program in fields)
    yield from (_first(program, program.prediction) for program in values)
    known = {tuple(map(str, path.segments[:1])) for path in parts.paths if path.root == "reference"}
    if not fields and not values and roots & known:
        yield None


def _reads(task: CompiledTask, field: FieldRunner, place: TextPlace) -> bool:
    """Return whether a field compares the value at a path of the reference."""
    if field.reference is not None or not place:
        return field.reference is None
    read = field.places["reference"]
    return read == () or place[0] == str(field.name if read is None else read[0])


def _first(program: Program, steps: Sequence[Any]) -> Primitive | None:
    first = steps[0] if steps else program.join
    return None if first is None else first.primitive


def _means_text(first: Primitive | None) -> bool:
    """Return whether a first step says that values are texts: it accepts a text, or is one that `_reads_text`."""
    return first is not None and (_reads_text(first) or first.inputs[-1:] == (TEXT,))


def _reads_text(first: Primitive | None) -> bool:
    """Return whether a first step parses a text, or makes one of any value."""
    return first is not None and (first.family == "parsing" or first.name == "to_text")


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


def _is_json(text: str) -> bool:
    """Return whether a string is a JSON text.

    Examples:
        >>> [_is_json(text) for text in ('"Paris"', "Paris", "3.5", "3 apples", "[0, 1]", "true", "")]
        [True, False, True, False, True, True, False]
    """
    if text[:1] not in ('"', "[", "{"):
        return _SCALAR.fullmatch(text) is not None
    try:
        parse(text)
    except NotJson:
        return False
    return True
