"""Queries of Spider's subset of SQL, read word by word as the released evaluation reads them.

It follows `process_sql.py`: tables have names or aliases after `as`, are joined by `join … on …`, conditions compare a
column, or two with an operator between them, and a query may have one further query behind `intersect`, `union` or
`except`. Words behind a whole query are ignored there, and here.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from msgspec import Struct

from scoring.packs.spider.words import query_words
from scoring.result import Unparsed

_CLAUSES = ("select", "from", "where", "group", "order", "limit", "intersect", "union", "except")
_JOINS = ("join", "on", "as")
_ENDS = (")", ";")
_COMPARISONS = ("not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists")
_OPERATORS = ("none", "-", "+", "*", "/")
_AGGREGATES = ("none", "max", "min", "count", "sum", "avg")
_SETS = ("intersect", "union", "except")
MOST_NESTED = 40
"""Queries inside queries deeper than this are refused."""
MOST_WORDS = 20_000
"""Longer queries are refused."""


class QueryColumn(NamedTuple):
    """A column, `*` or `table.column`, with its aggregate, or `none`."""

    aggregate: str
    name: str
    distinct: bool


class Term(NamedTuple):
    """A column, or two with an operator between them."""

    operator: str
    first: QueryColumn
    second: QueryColumn | None


class Condition(NamedTuple):
    """A comparison of a term with one value, or with two between which it lies."""

    negated: bool
    comparison: str
    term: Term
    low: Operand
    high: Operand


class Query(Struct, frozen=True):
    """A query by its clauses; a condition stands at each even place of several, and at the others what joins them.

    That is `and`, `or`, or where neither stands between two conditions, the second of them, as in the released code.
    """

    select: tuple[tuple[str, Term], ...]
    distinct: bool
    tables: tuple[str | Query, ...]
    joins: tuple[Condition | str, ...]
    where: tuple[Condition | str, ...]
    group: tuple[QueryColumn, ...]
    having: tuple[Condition | str, ...]
    order: tuple[str, tuple[Term, ...]] | None
    limit: int | None
    further: tuple[str, Query] | None


Operand: TypeAlias = "Query | QueryColumn | str | float | None"
Tables: TypeAlias = dict[str, list[str]]


def read_query(text: str, tables: Tables) -> Query:
    """Read a query over some tables, whose names and columns are in lower case.

    Raises:
        Unparsed: when it is none that the released evaluation can read.
    """
    words = query_words(text)
    if len(words) > MOST_WORDS:
        raise Unparsed(f"a query of more than {MOST_WORDS:,} words")
    try:
        aliases = {words[at + 1]: words[at - 1] for at, word in enumerate(words) if word == "as"}
        if taken := sorted(aliases.keys() & tables.keys()):
            raise Unparsed(f"the alias `{taken[0]}` is the name of a table")
        return _Reader(words, {**aliases, **{name: name for name in tables}}, tables).query(0)
    except (IndexError, ValueError):  # it ends too early, or a limit is no number
        raise Unparsed("the query is incomplete") from None


def _in_places(parts: list[Condition | str]) -> tuple[Condition | str, ...]:
    """Return the parts of conditions; where a word stands in place of a condition, the released code breaks off."""
    if any(isinstance(part, str) for part in parts[::2]):
        raise Unparsed("neither `and` nor `or` stands between two conditions before others")
    return tuple(parts)


class _Reader:
    """A reader that goes through the words of a query; ``at`` is the place of the next one."""

    def __init__(self, words: list[str], names: dict[str, str], tables: Tables) -> None:
        self._words, self._names, self._tables = words, names, tables
        self._at = 0

    @property
    def _next(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _take(self, *expected: str) -> str:
        word = self._words[self._at]
        if expected and word not in expected:
            raise Unparsed(f"`{expected[0]}` was expected, not `{word[:40]}`")
        self._at += 1
        return word

    def _skip(self, word: str) -> bool:
        found = self._next == word
        self._at += found
        return found

    def query(self, depth: int) -> Query:
        """Read a query, in brackets or not; ``depth`` is that of the queries around it."""
        if depth > MOST_NESTED:
            raise Unparsed(f"queries are nested deeper than {MOST_NESTED}")
        start = self._at
        in_brackets = self._skip("(")
        begin = self._at
        # The tables come first: columns without one are looked up in them.
        self._at = self._words.index("from", start) + 1
        tables, joins, names = self._from(depth)
        behind, self._at = self._at, begin
        distinct, select = self._select(names)
        self._at = behind
        where = self._conditions(names, depth) if self._skip("where") else ()
        group = self._group(names)
        having = self._conditions(names, depth) if self._skip("having") else ()
        order = self._order(names)
        limit = int(self._take()) if self._skip("limit") else None
        self._semicolons()
        if in_brackets:
            self._take(")")
            self._semicolons()
        further = (self._take(), self.query(depth + 1)) if self._next in _SETS else None
        return Query(select, distinct, tables, joins, where, group, having, order, limit, further)

    def _semicolons(self) -> None:
        while self._skip(";"):
            pass

    def _from(self, depth: int) -> tuple[tuple[str | Query, ...], tuple[Condition | str, ...], list[str]]:
        tables: list[str | Query] = []
        joins: list[Condition | str] = []
        names: list[str] = []
        while self._next:
            in_brackets = self._skip("(")
            if self._take_ahead() == "select":
                tables.append(self.query(depth + 1))
            else:
                self._skip("join")
                name = self._table(self._take())
                if self._skip("as"):
                    self._take()
                tables.append(name)
                names.append(name)
            if self._skip("on"):
                joins += (["and"] if joins else []) + [*self._conditions(names, depth)]
            if in_brackets:
                self._take(")")
            if self._next in _CLAUSES or self._next in _ENDS:
                break
        return tuple(tables), _in_places(joins), names

    def _take_ahead(self) -> str:
        """Return the next word without taking it; there must be one."""
        return self._words[self._at]

    def _table(self, word: str) -> str:
        name = self._names.get(word)
        if name not in self._tables:
            raise Unparsed(f"no table is called `{word[:40]}`")
        return name

    def _select(self, names: list[str]) -> tuple[bool, tuple[tuple[str, Term], ...]]:
        self._take("select")
        distinct = self._skip("distinct")
        terms: list[tuple[str, Term]] = []
        while self._next and self._next not in _CLAUSES:
            aggregate = self._take() if self._next in _AGGREGATES else "none"
            terms.append((aggregate, self._term(names)))
            self._skip(",")
        return distinct, tuple(terms)

    def _term(self, names: list[str]) -> Term:
        in_brackets = self._skip("(")
        first = self._column(names)
        operator, second = "none", None
        if self._next in _OPERATORS:
            operator, second = self._take(), self._column(names)
        if in_brackets:
            self._take(")")
        return Term(operator, first, second)

    def _column(self, names: list[str]) -> QueryColumn:
        in_brackets = self._skip("(")
        if self._take_ahead() in _AGGREGATES:  # a bracket before it is not closed here, in the released code either
            aggregate = self._take()
            self._take("(")
            distinct = self._skip("distinct")
            name = self._name(names)
            self._take(")")
            return QueryColumn(aggregate, name, distinct)
        distinct = self._skip("distinct")
        name = self._name(names)
        if in_brackets:
            self._take(")")
        return QueryColumn("none", name, distinct)

    def _name(self, names: list[str]) -> str:
        word = self._take()
        if word == "*":
            return word
        if "." in word:
            alias, column = word.split(".")
            table = self._table(alias)
            if column in self._tables[table]:
                return f"{table}.{column}"
        else:
            for table in names:
                if word in self._tables[table]:
                    return f"{table}.{word}"
        raise Unparsed(f"no column is called `{word[:40]}`")

    def _conditions(self, names: list[str], depth: int) -> tuple[Condition | str, ...]:
        found: list[Condition | str] = []
        while self._next:
            term = self._term(names)
            negated = self._skip("not")
            comparison = self._take(*_COMPARISONS)
            low, high = self._value(names, depth), None
            if comparison == "between":
                self._take("and")
                high = self._value(names, depth)
            found.append(Condition(negated, comparison, term, low, high))
            if self._next in _CLAUSES or self._next in _ENDS or self._next in _JOINS:
                break
            if self._next in ("and", "or"):
                found.append(self._take())
        return _in_places(found)

    def _value(self, names: list[str], depth: int) -> Operand:
        start = self._at
        in_brackets = self._skip("(")
        word = self._take_ahead()
        value: Operand
        if word == "select":
            value = self.query(depth + 1)
        elif '"' in word:
            value = self._take()
        else:
            try:
                value = float(word)
                self._at += 1
            except ValueError:
                value = self._other_column(start, names)
        if in_brackets:
            self._take(")")
        return value

    def _other_column(self, start: int, names: list[str]) -> QueryColumn:
        """Return the column that is a value, of the words before the next comma, bracket, `and`, clause or join."""
        end = self._at
        while end < len(self._words) and self._words[end] not in (",", ")", "and", *_CLAUSES, *_JOINS):
            end += 1
        inner = _Reader(self._words[start:end], self._names, self._tables)
        self._at = end
        return inner._column(names)

    def _group(self, names: list[str]) -> tuple[QueryColumn, ...]:
        columns: list[QueryColumn] = []
        if self._skip("group"):
            self._take("by")
            while self._next and self._next not in _CLAUSES and self._next not in _ENDS:
                columns.append(self._column(names))
                if not self._skip(","):
                    break
        return tuple(columns)

    def _order(self, names: list[str]) -> tuple[str, tuple[Term, ...]] | None:
        if not self._skip("order"):
            return None
        self._take("by")
        direction, terms = "asc", []
        while self._next and self._next not in _CLAUSES and self._next not in _ENDS:
            terms.append(self._term(names))
            if self._next in ("desc", "asc"):
                direction = self._take()
            if not self._skip(","):
                break
        return direction, tuple(terms)
