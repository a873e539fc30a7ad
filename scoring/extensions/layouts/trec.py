"""The file formats of TREC: runs, which rank documents for topics, and qrels, which say how relevant documents are.

The lines of a topic need not follow each other, so a file is read as a whole before its first record is known.

Source:
    trec_eval 10.0: get_trec_results.c, get_qrels.c, form_res_rels.c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.limits import limit_message, limits
from scoring.data.rows.decoded import block_of
from scoring.data.rows.row import SIZE, Block
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.extensions.layouts.text_lines import CELL, numbered_lines, plain_setting
from scoring.lazy_pattern import lazy_pattern

_RUN, _QRELS = "topic Q0 document rank score tag", "topic 0 document relevance"
_DOCUMENT = 2
# Possessive, so that a long text is searched once.
_NUMBER = lazy_pattern(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+")
_WHOLE = lazy_pattern(r"[+-]?[0-9]{1,18}")


@dataclass(slots=True)
class _Topic:
    """A topic: the number of its first line, its documents with their values, and its first problem."""

    start: int
    documents: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None

    def add(self, cells: list[str], value: Callable[[list[str]], float], most: int) -> None:
        """Add the document of a line with the right number of columns.

        Raises:
            ValueError: when the document or its value can't be taken; the message says why.
        """
        name = cells[_DOCUMENT]
        if name in self.documents:
            raise ValueError(f"the document `{name:.80}` a second time in this topic")
        if 2 * len(self.documents) >= most:
            raise ValueError(limit_message("a topic of more values", "values"))
        self.documents[name] = value(cells)


def _read_trec(
    columns: str, value: Callable[[list[str]], float], record: Callable[[str, Any], dict[str, Any]], file: InputFile
) -> Iterator[Block]:
    """Yield the topics of a file as records, in the order of their first lines; one with a faulty line is a bad row.

    Args:
        columns: The names of the columns, for messages.
        value: A function from the cells of a line to the value of its document; it raises ValueError with the reason.
        record: A function from a topic and its documents with their values to the record.
        file: The file.

    Raises:
        InputError: when the file has another number of columns, or is too large to be kept in memory as a whole.
    """
    pending = iter(_topics(columns, value, file).items())
    while some := list(islice(pending, SIZE)):
        problems = [None if topic.problem is None else ValueError(topic.problem) for _, topic in some]
        found = zip(some, problems, strict=True)
        yield block_of("line", ((one.start, why or record(name, one.documents)) for (name, one), why in found))


def _topics(columns: str, value: Callable[[list[str]], float], file: InputFile) -> dict[str, _Topic]:
    topics: dict[str, _Topic] = {}
    size, most, width = 0, limits(), len(columns.split())
    for first, lines in numbered_lines(file):
        for number, line in enumerate(lines, start=first):
            if not isinstance(line, str):
                raise InputError(f"can't read {file.name}: line {number}: {line}, so its topic is unknown")
            cells = CELL.findall(line)
            if not cells or cells[0].startswith("#"):  # trec_eval skips comments from version 10 on
                continue
            why = f"{counted(len(cells), 'column')}, but a line is `{columns}`" if len(cells) != width else None
            if why and not topics:
                raise InputError(f"can't read {file.name}: line {number}: {why}")
            topic = topics.setdefault(cells[0], _Topic(number))
            size += len(line)
            if topic.problem is not None:
                continue
            try:
                if why:
                    raise ValueError(why)
                topic.add(cells, value, most.values)
            except ValueError as error:
                topic.problem = str(error) if number == topic.start else f"in line {number}: {error}"
                topic.documents = {}
        if size > most.whole:
            raise InputError(f"can't read {file.name}: {limit_message('its topics are too long', 'whole')}")
    return topics


def _score(cells: list[str]) -> float:
    if _NUMBER.fullmatch(cells[4]) is None or not math.isfinite(found := float(cells[4])):
        raise ValueError(f"the score `{cells[4]:.40}` is not a number")
    return found


def _relevance(cells: list[str]) -> int:
    if _WHOLE.fullmatch(cells[3]) is None:
        raise ValueError(f"the relevance `{cells[3]:.40}` is not a whole number")
    return int(cells[3])


def _ranked(topic: str, documents: dict[str, float]) -> dict[str, Any]:
    """Return the record of a run's topic, with documents by score, equal ones by name, both descending.

    Examples:
        >>> _ranked("q1", {"a": 1.0, "b": 1.0, "c": 2.0})
        {'id': 'q1', 'documents': ['c', 'b', 'a'], 'scores': [2.0, 1.0, 1.0]}
    """
    order = sorted(documents, key=lambda name: (documents[name], name), reverse=True)
    return {"id": topic, "documents": order, "scores": [documents[name] for name in order]}


def _judged(topic: str, documents: dict[str, int]) -> dict[str, Any]:
    return {"id": topic, "relevance": documents}


def _format(name: str, title: str, suffixes: tuple[str, ...], *how: Any) -> FileFormat:
    read = partial(_read_trec, *how)
    return FileFormat(name, title, suffixes, read, settings=("encoding",), shape="fixed", plain=plain_setting)


RUN = _format("trec-run", "a TREC run", (".trec", ".run"), _RUN, _score, _ranked)
QRELS = _format("trec-qrels", "TREC qrels", (".qrels",), _QRELS, _relevance, _judged)
