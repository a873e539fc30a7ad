"""The clauses of a query, in the form in which two queries match exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec import Struct

from scoring.packs.spider.queries import Condition, Operand, Query, QueryColumn, Tables, Term, read_query
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored

_NONE: dict[str, Any] = {
    "select": [], "select_columns": [], "where": [], "where_columns": [], "group": [], "having": [], "order": [],
    "logic": [], "sets": [], "keywords": [], "tables": [],
}  # fmt: skip


@primitive(
    revision=2,
    topics=("code", "tables"),
    aka=("sql", "exact set match", "sql clauses", "text to sql", "component matching", "partial matching of queries"),
)
def sql_clauses(
    query: str,
    /,
    *,
    tables: dict[str, list[str]],
    foreign_keys: list[list[str]] | None = None,
    failed: Literal["empty", "refuse"] = "refuse",
) -> dict[str, Any]:
    """Read a query as the evaluation of Spider does, and return its clauses, without values, in a form to be compared.

    The clauses are `select`, `where`, `group`, `having` (with the columns it groups by), `order` (whether there is a
    limit, too), `logic` (`and`, `or`), `sets` (the query behind `intersect`, `union` or `except`), `keywords` and
    `tables`; `select_columns` is `select` without aggregates, `where_columns` is `where` without comparisons. Two
    queries match exactly if all of these are equal. What may come in any order is sorted; `distinct` counts only in
    queries within conditions, where limits count, too, and values only in those within `from`.

    Args:
        tables: The columns of each table, in the order of the database.
        foreign_keys: Pairs of columns, `table.column`, which count as the same in queries over their tables.
        failed: The result for what is no query of this subset of SQL over these tables: clauses without anything
            (empty), as officially, or a refusal (refuse).

    Raises:
        Unparsed: when it is no such query, if that is refused.
        Unscored: when a foreign key is no pair of columns of the tables.

    Examples:
        >>> found = sql_clauses("SELECT name FROM town WHERE size > 3 LIMIT 1", tables={"town": ["name", "size"]})
        >>> found["select"], found["where"], found["keywords"]
        (['town.name'], ['town.size >'], ['limit', 'where'])

    Source:
        Yu et al.: Spider: A large-scale human-labeled dataset for complex and cross-domain semantic parsing and
        text-to-SQL task, 2018; taoyds/spider evaluation.py and process_sql.py.
    """
    lower = {name.lower(): [column.lower() for column in columns] for name, columns in tables.items()}
    same = _same_columns(lower, foreign_keys or [])
    try:
        read = read_query(query, lower)
    except Unparsed:
        if failed == "refuse":
            raise
        return dict(_NONE)
    # Foreign keys count in the queries behind `intersect` and its like as in the first one.
    columns = {f"{table}.{column}" for table in read.tables if isinstance(table, str) for column in lower[table]}
    return _Form(lambda name: same.get(name, name) if name in columns else name).clauses(read)


def _same_columns(tables: Tables, foreign_keys: list[list[str]]) -> dict[str, str]:
    """Return, for each column of a foreign key, the one that it counts as: the first of those that are the same."""
    order = [f"{table}.{column}" for table, columns in tables.items() for column in columns]
    places = {name: place for place, name in reversed([*enumerate(order)])}
    groups: list[set[int]] = []
    for pair in foreign_keys:
        known = [places.get(name.lower()) for name in pair if isinstance(name, str)]
        if len(pair) != 2 or len(known) != 2 or None in known:
            raise Unscored(f"a foreign key is two columns of the tables, `table.column`, not {str(pair)[:80]}")
        ends = {place for place in known if place is not None}
        # The first group that has either takes both, as in the released code: groups are never joined.
        group = next((group for group in groups if group & ends), None)
        if group is None:
            groups.append(ends)
        else:
            group |= ends
    return {order[place]: order[min(group)] for group in groups for place in group}


class _Form(Struct, frozen=True):
    """A form in which parts of a query are written.

    Args:
        names: What columns count as.
        distinct: Whether `distinct` is written.
        values: Whether values are written that are no queries.
    """

    names: Callable[[str], str]
    distinct: bool = False
    values: bool = False

    def clauses(self, query: Query) -> dict[str, Any]:
        """Return the clauses of a query in which any order counts as one, sorted."""
        where = [one for one in query.where[::2] if isinstance(one, Condition)]
        terms = [(aggregate, self.term(term)) for aggregate, term in query.select]
        grouped = [self.column(column) for column in query.group]
        tables = [name if isinstance(name, str) else _WITH_VALUES.whole(name) for name in query.tables]
        order: list[str] = []
        if query.order is not None:
            order = [query.order[0], *map(self.term, query.order[1]), *["limit"] * (query.limit is not None)]
        return {
            "select": sorted(f"{aggregate} {term}" if aggregate != "none" else term for aggregate, term in terms),
            "select_columns": sorted(term for _, term in terms),
            "where": sorted(map(self.condition, where)),
            "where_columns": sorted(self.term(one.term) for one in where),
            "group": sorted(self.names(column.name).rpartition(".")[2] for column in query.group),
            "having": [*grouped, *self.conditions(query.having)] if grouped else [],
            "order": order,
            "logic": sorted(set(self.conditions(query.where)[1::2])),
            "sets": [query.further[0], self.clauses(query.further[1])] if query.further else [],
            "keywords": sorted(_keywords(query)),
            "tables": sorted(tables),
        }

    def column(self, column: QueryColumn) -> str:
        """Write a column with its aggregate."""
        name = "distinct " * (self.distinct and column.distinct) + self.names(column.name)
        return name if column.aggregate == "none" else f"{column.aggregate}({name})"

    def term(self, term: Term) -> str:
        """Write a column, or two with their operator."""
        first = self.column(term.first)
        return first if term.second is None else f"({first} {term.operator} {self.column(term.second)})"

    def condition(self, one: Condition) -> str:
        """Write a condition."""
        negated = "not " * one.negated
        return (
            f"{negated}{self.term(one.term)} {one.comparison} {self._value(one.low)} {self._value(one.high)}".rstrip()
        )

    def conditions(self, parts: Iterable[Condition | str]) -> list[str]:
        """Write conditions with what joins them, of which a condition counts as it stands, with its values."""
        forms = (self, _WITH_VALUES)
        return [part if isinstance(part, str) else forms[place % 2].condition(part) for place, part in enumerate(parts)]

    def _value(self, value: Operand) -> str:
        if isinstance(value, Query):
            return (_WITH_VALUES if self.values else _INSIDE).whole(value)
        if not self.values or value is None:
            return ""
        return self.column(value) if isinstance(value, QueryColumn) else str(value)

    def whole(self, query: Query) -> str:
        """Write a query with all that counts in one inside another, in its own order."""
        tables = [name if isinstance(name, str) else _WITH_VALUES.whole(name) for name in query.tables]
        selected = [f"{aggregate} {self.term(term)}" for aggregate, term in query.select]
        order = [query.order[0], *map(self.term, query.order[1])] if query.order is not None else []
        parts = {
            "select distinct" if query.distinct else "select": ", ".join(selected),
            "from": ", ".join(tables),
            "on": " ".join(self.conditions(query.joins)),
            "where": " ".join(self.conditions(query.where)),
            "group by": ", ".join(map(self.column, query.group)),
            "having": " ".join(self.conditions(query.having)),
            "order by": ", ".join(order),
            "limit": "" if query.limit is None else str(query.limit),
        }
        written = " ".join(f"{name} {part}" for name, part in parts.items() if part)
        return f"({written}{f' {query.further[0]} {self.whole(query.further[1])}' if query.further else ''})"


# Queries inside conditions are compared as they are written, but for values; those inside `from` with theirs.
_INSIDE, _WITH_VALUES = (_Form(lambda name: name, True, values) for values in (False, True))


def _keywords(query: Query) -> set[str]:
    parts = [*query.joins, *query.where, *query.having]
    compared = [*query.joins[::2], *query.where[::2], *query.having[::2]]
    conditions = [one for one in compared if isinstance(one, Condition)]
    found = {one.comparison for one in conditions} & {"in", "like"}
    found |= {"or"} & {one for one in parts if isinstance(one, str)}
    found |= {query.further[0]} if query.further else set()
    found |= {query.order[0], "order"} if query.order is not None else set()
    has = {"where": query.where, "group": query.group, "having": query.having, "limit": query.limit is not None}
    return found | {name for name, value in has.items() if value} | {"not" for one in conditions if one.negated}
