"""Scoring SQL queries by whether they return the rows of the gold query."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from msgspec.structs import replace

from scoring.effects import leave_note
from scoring.extensions.sandbox import Case, SandboxJob, current_sandbox
from scoring.extensions.sandbox.primitives.cases import Megabytes, find_case_path_fault, limits_of
from scoring.extensions.sandbox.protocol import Database, Limits
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import Between, checks, primitive
from scoring.registry.annotations import FolderText, SettingFault, SpecFolder
from scoring.result import Unscored
from scoring.values import Score

RowsRule: TypeAlias = Literal["bag", "set"]
OrderRule: TypeAlias = Literal["as_gold", "never", "always"]
ColumnsRule: TypeAlias = Literal["any_order", "in_order"]
ResultRow: TypeAlias = tuple[Any, ...]
MOST_CELLS = 200_000_000


def same_rows(
    ours: Sequence[ResultRow], theirs: Sequence[ResultRow], *, rows: RowsRule, ordered: bool, columns: ColumnsRule
) -> bool:
    """Return True if the results of two queries have the same rows.

    Cells are equal by Python's rules. Two empty results are the same, whatever their columns.

    Args:
        ours: The rows of the answer's query.
        theirs: The rows of the gold query.
        rows: Whether repetitions of a row count (``bag``) or not (``set``).
        ordered: Whether the order of rows counts.
        columns: Whether the columns must be in the same order, or in any.

    Examples:
        >>> same_rows([(1, "a")], [("a", 1)], rows="bag", ordered=False, columns="any_order")
        True
        >>> same_rows([(1,), (1,)], [(1,)], rows="set", ordered=False, columns="in_order")
        True
    """
    if not ours and not theirs:
        return True
    if columns == "in_order" or not ours or not theirs:
        return _alike(ours, theirs, rows, ordered)
    width = len(ours[0])
    if len(theirs[0]) != width or (rows == "bag" and len(ours) != len(theirs)):
        return False
    compare = _alike if width == 1 else _in_some_order
    return _may_be_alike(ours, theirs, ordered) and compare(ours, theirs, rows, ordered)


def _alike(ours: Sequence[ResultRow], theirs: Sequence[ResultRow], rows: RowsRule, ordered: bool) -> bool:
    if ordered:
        return list(ours) == list(theirs)
    return set(ours) == set(theirs) if rows == "set" else Counter(ours) == Counter(theirs)


def _may_be_alike(ours: Sequence[ResultRow], theirs: Sequence[ResultRow], ordered: bool) -> bool:
    """Return False if two results surely differ: their rows differ even when the cells of each row are sorted. A quick
    check before orders of columns are tried.

    Cells are sorted by their strings, so equal rows can look different if they have 1 and 1.0 in different columns, as
    in the released code.

    Source:
        Spider, test-suite-sql-eval, exec_eval.py, quick_rej.
    """
    left, right = (
        [tuple(sorted(row, key=lambda cell: str(cell) + str(type(cell)))) for row in one] for one in (ours, theirs)
    )
    return left == right if ordered else set(left) == set(right)


def _in_some_order(ours: Sequence[ResultRow], theirs: Sequence[ResultRow], rows: RowsRule, ordered: bool) -> bool:
    """Return True if some order of the columns makes one query's rows equal to the other's.

    Columns are matched one by one; an order is given up as soon as the rows of the matched columns differ.
    """
    width = len(ours[0])
    collect: Callable[[Iterable[Any]], Any] = list if ordered else set if rows == "set" else Counter
    mine, other = list(zip(*ours, strict=True)), list(zip(*theirs, strict=True))
    found = list(map(collect, other))
    candidates = [[place for place in range(width) if found[place] == column] for column in map(collect, mine)]
    pending: list[list[int]] = [[]]
    tries = 0
    while pending:
        chosen = pending.pop()
        if len(chosen) == width:
            return True
        for place in (one for one in reversed(candidates[len(chosen)]) if one not in chosen):
            tries += 1
            if tries * len(ours) * width > MOST_CELLS:
                raise Unscored(f"the columns of {len(ours)} rows of {width} can be put in too many orders")
            longer = [*chosen, place]
            left = list(zip(*mine[: len(longer)], strict=True))
            right = list(zip(*(other[one] for one in longer), strict=True))
            if _alike(left, right, rows, ordered):
                pending.append(longer)
    return False


RESULT_BYTES = 64 << 20
_MOST_DATABASES = 200
_ORDER_BY = "order by"
# Parts that may contain the word: strings, quoted names and comments, which are left alone. An unclosed one extends to
# the end, as in SQLite, so that the search doesn't start again at each position in it.
_SQL_WORDS = lazy_pattern(r"""'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|/\*.*?(?:\*/|\Z)|\w+""", re.DOTALL)
_NEEDS_FOLDER = 'name the folder of the databases next to the spec: `folder="databases"`'


@primitive(
    uses=("programs", "notes"),
    traits=("queries",),
    topics=("code", "tables"),
    aka=("execution accuracy", "text to SQL", "text2sql", "SQL", "execution match"),
)
def sql_equal(
    prediction: str,
    reference: str,
    /,
    *,
    database: object = None,
    folder: SpecFolder = None,
    script: str | None = None,
    rows: RowsRule = "bag",
    order: OrderRule = "as_gold",
    columns: ColumnsRule = "any_order",
    distinct: bool = True,
    steps: Annotated[int, Between(1000, 10_000_000_000)] = 200_000_000,
    max_rows: Annotated[int, Between(1, 1_000_000)] = 100_000,
    seconds: Annotated[float, Between(0.1, 600)] = 60.0,
    memory_mb: Megabytes = 512,
) -> Score:
    """Return 1 if a query gives the same rows as the gold query on an SQLite database, else 0: execution accuracy.

    Both run in the sandbox (docs/sandbox.md), read-only, with limited steps, rows and memory. A query that fails,
    writes, or exceeds a limit scores 0 with that reason; if the gold query does, the record is unscored.

    Args:
        database: The path of the file below the folder; with a list of paths, the rows must be the same on each.
        folder: The folder of the databases, relative to the spec.
        script: Instead of a file: SQL statements that build the database in memory.
        rows: ``bag``: each row as often as in the gold result; ``set``: how often does not count.
        order: ``as_gold``: the order of rows counts if the gold query contains "order by"; ``never``; ``always``.
        columns: ``any_order``: some order of the columns gives the rows; ``in_order``: the order of columns counts.
        distinct: Whether the word DISTINCT counts; otherwise it is removed from both queries.
        steps: The maximum number of steps of SQLite's virtual machine for each query.
        max_rows: The maximum number of rows that a query may return.
        seconds: The time after which a query is stopped even if it has not reached the limit of steps.

    Raises:
        Unscored: when there is no such database, the gold query can't be run, or no sandbox can run here.

    Examples:
        >>> script = "CREATE TABLE town (name, people); INSERT INTO town VALUES ('Bern', 134), ('Chur', 38);"
        >>> sql_equal("SELECT name FROM town WHERE people > 99", "SELECT 'Bern'", script=script)
        1.0

    Source:
        Spider, test-suite-sql-eval, exec_eval.py, eval_exec_match, whose rules are the defaults; those of BIRD,
        llm/src/evaluation.py, execute_sql, are ``rows="set", order="never", columns="in_order"``.
    """
    ours, theirs = (prediction, reference) if distinct else (_undoubled(prediction), _undoubled(reference))
    ordered = order == "always" or (order == "as_gold" and _ORDER_BY in reference.lower())
    same = functools.partial(same_rows, rows=rows, ordered=ordered, columns=columns)
    limits = replace(limits_of(seconds, memory_mb, 1), output_bytes=RESULT_BYTES)
    for one in _databases(database, folder, script, steps, max_rows):
        if fault := _fault(ours, theirs, one, limits, same):
            leave_note("reason", fault)
            return 0.0
    return 1.0


@checks(sql_equal)
def _one_database(database: object, folder: str | None, script: str | None, **_: Any) -> SettingFault | None:
    if folder is not None and (fault := folder not in (".", "") and find_case_path_fault(folder.rstrip("/"))):
        return SettingFault("folder", f"the folder `{folder}` {fault}: it must be next to the spec or below it")
    if isinstance(database, str) and not folder:
        return SettingFault("database", "`database` is relative to a `folder`, but there is none", help=_NEEDS_FOLDER)
    if database is not None and script is not None:
        return SettingFault("script", "a `script` replaces a `database`, but both are given")
    return None


def _undoubled(query: str) -> str:
    return _SQL_WORDS.sub(lambda found: "" if found[0].lower() == "distinct" else found[0], query)


def _fault(
    query: str,
    gold_query: str,
    database: Database,
    limits: Limits,
    same: Callable[[list[ResultRow], list[ResultRow]], bool],
) -> str:
    """Run a query and the gold query on one database, and return what is wrong with the query's rows; "" if they are
    those of the gold query.

    Args:
        query: The query of the answer.
        gold_query: The query of the reference.
        database: The database.
        limits: The limits of each query.
        same: Returns whether two lists of rows count as the same.
    """
    gold, found = (_rows(SandboxJob(one, (Case(),), limits, "query", database=database)) for one in (gold_query, query))
    if isinstance(gold, str):
        raise Unscored(f"the gold query can't be run: {gold}")
    if isinstance(found, str):
        return found
    return "" if same(found, gold) else f"it gives {_shape(found)}, the gold query {_shape(gold)}"


def _rows(job: SandboxJob) -> list[ResultRow] | str:
    """Run the query of a job, and return its rows, or the reason why it gives none.

    Raises:
        Unscored: when the database can't be read.
    """
    (result,) = current_sandbox().run(job)
    try:
        answer = json.loads(result.stdout) if result.stdout else {}
    except ValueError:
        answer = {}
    if "broken" in answer:
        raise Unscored(f"the database can't be read: {answer['broken']}")
    if "failed" in answer:
        return f"the query fails: {answer['failed']}"
    if "rows" not in answer:
        return f"the query {_ENDED.get(result.status, 'fails')}"
    return [
        tuple(bytes.fromhex(cell["blob"]) if isinstance(cell, dict) else cell for cell in row) for row in answer["rows"]
    ]


_ENDED = {"too_slow": "takes too long", "too_much_output": "gives too much", "killed": "needs more than allowed"}


def _shape(rows: list[ResultRow]) -> str:
    return f"{len(rows)} rows of {len(rows[0])}" if rows else "no rows"


def _databases(database: object, folder: str | None, script: str | None, steps: int, rows: int) -> list[Database]:
    if script is not None:
        return [Database(script=script, steps=steps, rows=rows)]
    paths = [database] if isinstance(database, str) else database
    if not isinstance(paths, list | tuple) or not paths or not all(isinstance(path, str) for path in paths):
        raise Unscored("there is no database: neither a path nor a script")
    if len(paths) > _MOST_DATABASES:
        raise Unscored(f"a query is run on at most {_MOST_DATABASES} databases")
    if folder is None:
        raise Unscored(_NEEDS_FOLDER)
    files = [_file(path, folder) for path in paths]
    leave_note("database", ", ".join(f"{file.name} {_digest(file, file.stat().st_mtime_ns)}" for file in files))
    return [Database(str(file), steps=steps, rows=rows) for file in files]


def _file(path: str, folder: str) -> Path:
    """Return the database file at the path `path` below `folder`, with links resolved.

    Raises:
        Unscored: when there is none, or it is outside of the spec's folder.
    """
    base = Path(folder.base if isinstance(folder, FolderText) else "").resolve()
    fault = find_case_path_fault(path)
    if fault:
        raise Unscored(f"the database `{path[:200]}` {fault}")
    found = (base / folder / path).resolve()
    if not found.is_relative_to(base) or not found.is_file():
        what = "is outside the spec's folder" if found.exists() else "is not there"
        raise Unscored(f"the database `{path[:200]}` {what}: it is searched for in `{folder}` next to the spec")
    return found


@functools.lru_cache(maxsize=1000)
def _digest(file: Path, changed: int) -> str:
    """Return the digest of a file's content; the modification time ``changed`` is only part of the cache's key."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()[:16]
