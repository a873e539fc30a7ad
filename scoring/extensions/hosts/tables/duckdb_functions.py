"""Functions of DuckDB that score: `score(answer, gold)` is a number, `score_result(answer, gold)` everything.

Python's functions have fixed types of arguments, and DuckDB exports its type JSON as if it were text. So people call a
macro, which passes texts as they are and the JSON of all other values, and says which of the two an argument is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from scoring.api.arguments import verb
from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.errors import InputError
from scoring.extensions.columns.turned import ReferenceTexts
from scoring.extensions.hosts.columns import Columns
from scoring.extensions.hosts.given import given_task
from scoring.extensions.hosts.json_references import reference_of_json
from scoring.extensions.hosts.tables.added import added_values
from scoring.extensions.hosts.tables.forms import arrow_array
from scoring.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"[A-Za-z_]\w{0,60}", re.ASCII)
_PARTS = ("response", "reference", "context", "record")
_RESULT = (
    "STRUCT(score DOUBLE, status VARCHAR, reason VARCHAR, passed BOOLEAN, fields MAP(VARCHAR, DOUBLE), meaning VARCHAR)"
)


@verb
def register(
    connection: Any,
    spec: SpecSource | Task,
    name: str = "score",
    *,
    references_as: Literal["values", "json"] = "values",
) -> None:
    """Add two functions to a connection of DuckDB: ``score(response, reference)`` returns the score, NULL where there
    is none, and ``score_result(response, reference)`` a struct of score, status, reason, passed, fields, and the
    meaning of the score.

    ``score(response)`` does without a reference; a third argument is the context, and a fourth the record. Each may
    have any type; one of the type JSON is what its text says. Functions that were registered under the same name are
    replaced.

    Args:
        connection: The connection.
        spec: A task, the path of its file, or its content as plain data.
        name: The name of the first function; that of the second has ``_result`` behind it.
        references_as: ``json`` if texts among the references are JSON, though their type is VARCHAR.

    Raises:
        InputError: when the name is not one of SQL, or another function has it.
        SpecError: when the spec is invalid.
    """
    duckdb = require("a function of DuckDB", "duckdb", "scoring-dsl[duckdb]")
    require("a function of DuckDB", "pyarrow", "scoring-dsl[duckdb]")
    if _NAME.fullmatch(name) is None:
        raise InputError(f"`{name}` is no name of a function in SQL; use letters, digits and `_`")
    scorer = _ChunkScorer(given_task(spec), references_as)
    functions = {name: (scorer.numbers, "DOUBLE"), f"{name}_result": (scorer.results, _RESULT)}
    for macro in functions:
        _check_free(connection, macro)
    for macro, (function, returned) in functions.items():
        inner = _inner(macro)
        if _is_there(connection, inner):
            connection.remove_function(inner)
        types = ["VARCHAR", "BOOLEAN"] * len(_PARTS)
        connection.create_function(
            inner, _of_eight(function), types, duckdb.sqltype(returned), type="arrow", null_handling="special"
        )
        connection.execute(_macro(macro, inner)).fetchall()


def _inner(macro: str) -> str:
    """Return the name of the Python function behind a macro.

    Examples:
        >>> _inner("score")
        '__scoring_score'
    """
    return f"__scoring_{macro}"


def _macro(name: str, inner: str) -> str:
    """Return the statement that makes a macro, with one to four of the parts."""
    forms = []
    for count in range(1, len(_PARTS) + 1):
        given = [part if place < count else "NULL" for place, part in enumerate(_PARTS)]
        forms.append(f"({', '.join(_PARTS[:count])}) AS {inner}({', '.join(map(_argument, given))})")
    return f"CREATE OR REPLACE TEMP MACRO {name}{', '.join(forms)}"


def _argument(part: str) -> str:
    """Return the SQL of the two arguments for a part: the text or JSON of its value, and whether it is a text."""
    is_text = f"typeof({part}) = 'VARCHAR'"
    return f"CASE WHEN {is_text} THEN {part}::VARCHAR ELSE to_json({part})::VARCHAR END, {is_text}"


def _check_free(connection: Any, name: str) -> None:
    if _is_there(connection, name) and not _is_there(connection, _inner(name)):
        raise InputError(f"DuckDB has a function `{name}` already; say name=…")


def _is_there(connection: Any, name: str) -> bool:
    query = "SELECT count(*) FROM duckdb_functions() WHERE function_name = ?"
    ((count,),) = connection.execute(query, [name.lower()]).fetchall()  # all, which ends the query
    return bool(count)


class _ChunkScorer:
    """The scorer of the chunks that DuckDB passes to a function: two columns of Arrow for each part."""

    def __init__(self, task: Task, references_as: ReferencesAs) -> None:
        self._task, self._are_json = task, references_as == "json"
        self._texts, self._meaning = ReferenceTexts(task, "reference"), task.signature.meaning

    def numbers(self, *columns: Any) -> Any:
        """Return the score of each row as a column of Arrow."""
        return arrow_array("number", self._score(columns).scores)

    def results(self, *columns: Any) -> Any:
        """Return the score, status, reason, pass, fields and meaning of each row as a column of Arrow."""
        import pyarrow as arrow

        found = self._score(columns)
        score, status, reason, passed, *fields = added_values(found)
        names = [*found.fields]
        rows = zip(*(column.tolist() for column in fields), strict=True) if fields else [()] * len(found)
        kind = arrow.map_(arrow.string(), arrow.float64())
        maps = [[(name, one if one == one else None) for name, one in zip(names, row, strict=True)] for row in rows]
        return arrow.StructArray.from_arrays(
            [
                arrow_array("number", score),
                arrow_array("text", status),
                arrow_array("text", reason),
                arrow_array("truth", passed),
                arrow.array(maps, kind),
                arrow.repeat(self._meaning, len(found)),
            ],
            ["score", "status", "reason", "passed", "fields", "meaning"],
        )

    def _score(self, columns: Any) -> Columns:
        parts = dict(zip(_PARTS, zip(columns[::2], columns[1::2], strict=True), strict=True))
        values = {part: _values(*given, are_json=False) for part, given in parts.items()}
        references = _values(*parts["reference"], are_json=self._are_json)
        if not self._are_json:
            self._texts.check(references)
        found: Columns = self._task.score_columns(
            values["response"],
            references,
            contexts=values["context"],
            records=values["record"] if any(values["record"]) else None,
        )
        return found


def _of_eight(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as one of the eight arguments that DuckDB counts."""
    return lambda a, is_a, b, is_b, c, is_c, d, is_d: function(a, is_a, b, is_b, c, is_c, d, is_d)


def _values(column: Any, is_text: Any, *, are_json: bool) -> list[Any]:
    """Return the values of a part, given as texts or as JSON."""
    texts: list[Any] = column.to_pylist()
    if column.null_count == len(column) or (is_text[0].as_py() and not are_json):
        return texts
    return list(map(reference_of_json, texts))
