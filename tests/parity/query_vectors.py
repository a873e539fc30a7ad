"""Queries in SQL for `tree_vectors.py`, sound and unsound ones, and what the evaluation of Spider makes of them."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]
SPIDER = "taoyds/spider@b7b5b8c evaluation.py::evaluate"
TABLES = {
    "town": ["town_id", "name", "size", "land_id"],
    "Land": ["Land_ID", "Name", "area", "größe"],
    "visit": ["visit_id", "town_id", "year", "land_id"],
}
KEYS = [["town.land_id", "Land.Land_ID"], ["visit.town_id", "town.town_id"], ["visit.land_id", "land.land_id"]]
PARTS = {
    "select": "select", "select_columns": "select(no AGG)", "where": "where", "where_columns": "where(no OP)",
    "group": "group(no Having)", "having": "group", "order": "order", "logic": "and/or", "sets": "IUEN",
    "keywords": "keywords",
}  # fmt: skip
FIGURES = ("select", "where", "group", "order", "sets", "keywords")


def _name(draw: Random, names: list[tuple[str, str]]) -> str:
    table, alias = draw.choice(names)
    column = draw.choice(TABLES[table])
    return f"{alias}.{column}" if alias != table or draw.random() < 0.4 else column


def _aggregate(draw: Random, names: list[tuple[str, str]]) -> str:
    if draw.random() < 0.3:
        return "count ( * )"
    distinct = "distinct " if draw.random() < 0.2 else ""
    return f"{draw.choice(['max', 'min', 'count', 'sum', 'avg'])} ( {distinct}{_name(draw, names)} )"


def _condition(draw: Random, names: list[tuple[str, str]], depth: int) -> str:
    left = _aggregate(draw, names) if draw.random() < 0.2 else _name(draw, names)
    if draw.random() < 0.1:
        left = f"{left} {draw.choice('+-*/')} {_name(draw, names)}"
    value = draw.choice(["3", "2.5", "'Rome'", '"São, (Paulo"', "-1", _name(draw, names)])
    kind = draw.random()
    if kind < 0.25 and depth < 2:
        return f"{left} {draw.choice(['in', 'not in', '=', '>'])} ( {_query(draw, depth + 1)} )"
    if kind < 0.35:
        return f"{left} between {draw.randint(1, 4)} and 9"
    if kind < 0.45:
        return f"{left} {draw.choice(['like', 'not like'])} '%a%'"
    return f"{left} {draw.choice(['=', '>', '<', '>=', '<=', '!='])} {value}"


def _query(draw: Random, depth: int = 0) -> str:
    tables = draw.sample(sorted(TABLES), draw.choice([1, 1, 2]))
    names = [(table, f"T{at}{depth}" if draw.random() < 0.5 else table) for at, table in enumerate(tables)]
    joined = " join ".join(table if alias == table else f"{table} as {alias}" for table, alias in names)
    if len(names) == 2 and draw.random() < 0.8:
        joined += f" on {names[0][1]}.land_id = {names[1][1]}.land_id"
    if draw.random() < 0.08 and depth == 0:
        joined = f"( {_query(draw, 2)} )"
    terms = [
        _aggregate(draw, names) if draw.random() < 0.4 else _name(draw, names) for _ in range(draw.choice([1, 1, 2]))
    ]
    text = f"select {'distinct ' * (draw.random() < 0.2)}{' , '.join(terms)} from {joined}"
    if draw.random() < 0.5:
        some = [_condition(draw, names, depth) for _ in range(draw.choice([1, 1, 2, 3]))]
        text += f" where {draw.choice([' and ', ' or ']).join(some)}"
    if draw.random() < 0.3:
        text += f" group by {_name(draw, names)}"
        if draw.random() < 0.5:
            text += f" having {_aggregate(draw, names)} > {draw.randint(1, 3)}"
    if draw.random() < 0.3:
        text += f" order by {_name(draw, names)}{draw.choice(['', ' desc', ' asc'])}"
        text += f" limit {draw.randint(1, 3)}" if draw.random() < 0.5 else ""
    if draw.random() < 0.15 and depth < 2:
        text += f" {draw.choice(['union', 'intersect', 'except'])} {_query(draw, depth + 1)}"
    return text


SWAPS = [(">", "<"), ("3", "4"), ("distinct ", ""), ("town", "Land"), ("max", "min"), ("and", "or"), ("T00", "T1"),
         ("limit 1", "limit 3"), ("desc", "asc"), ("name", "NAME"), ("= ", "="), ("in ", "not in "), (" limit 2", ""),
         ("'Rome'", '"Oslo"'), ("land_id", "Land_ID"), ("T10.", "T00."), (" )", ")"), ("( ", "("), (" ,", ","),
         ("count ( * )", "count(*)"), ("select", "SELECT"), ("union", "except")]  # fmt: skip
ODD = """
select
select * from town
SELECT * FROM town ;
select name from nowhere
select nothing from town
select 'a from town
select name from town t1
select name , size from town , visit
(select name from town)
select size , name from town
select name from town limit x
select name from town limit 5 offset 3
select name from town where name = "it's"
select name from town where size>=3
name from town
select name from town where size = 3 or size = 4
select name from town where name is not null
select count(distinct name) from town group by size having count(*) > 3
select größe from Land
select name from town where exists ( select * from visit )
select T.name from town as T order by T.size
select town.name from town join visit on town.town_id = visit.town_id join Land on Land.land_id = town.land_id
select town_id from visit
select visit.town_id from town join visit on town.town_id = visit.town_id
select name from town as visit
select max(size) - min(size) from town
select name from town.
select name from town where size between 1 and 3 and name like 'a%'
cannot select from town""".splitlines()
# The words of a query may stand in places where its grammar has none for them.
WRONG_PLACES = """
select name from town where size = 3 name = 'a'
select name from town where size = 3 name = 'b'
select name from town where size = 4 land_id = 3 and name = 'a'
select name from town where size = 4 land_id = 3 town_id = 1 or name = 'a'
select name from town where size = 4 or land_id in ( select land_id from land where area = 3 name = 'a' )
select name from town group by name having count(*) > 3 max(size) > 2
select name from town join land on town.land_id = land.land_id land.area = 3
select name from town union select name from land where area = 3 name = 'a'
select name from town order by name as
select as from town""".splitlines()[1:]


def query_pairs(official: Spider, draw: Random, number: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of a predicted query, which may be none, and one that is right, at which the code does not break."""
    whole = [one for one in ODD if official.over([(one, one)]) is not None]
    pairs = [(one, draw.choice(whole)) for one in ODD] + [(one, one) for one in whole]
    for _ in range(number):
        right = said = _query(draw)
        for old, new in draw.sample(SWAPS, draw.choice([0, 1, 3, 5])):
            said = said.replace(*draw.choice([(old, new), (new or "$", old)]), draw.choice([1, 9]))
        words = said.split()
        if draw.random() < 0.2:
            del words[draw.randrange(len(words))]
        pairs.append((_query(draw) if draw.random() < 0.15 else " ".join(words), right))
    yield from (pair for pair in pairs if official.over([pair]) is not None)


class Spider:
    """The released evaluation, over a database with the tables above.

    Args:
        checkout: The folder with `evaluation.py` and `process_sql.py`.
        folder: An empty folder, for the database.
    """

    def __init__(self, checkout: Path, folder: Path) -> None:
        sys.path.insert(0, str(checkout))
        self._process, self._module = import_module("process_sql"), import_module("evaluation")
        # A query is one sentence, so NLTK need not look for several, for which it would want a model.
        self._process.word_tokenize = partial(import_module("nltk").word_tokenize, preserve_line=True)  # type: ignore[attr-defined]
        (folder / "d").mkdir()
        with sqlite3.connect(folder / "d" / "d.sqlite") as connection:
            for table, columns in TABLES.items():
                connection.execute(f"create table {table} ({', '.join(columns)})")
        self._folder = folder
        places = [(-1, "*"), *((at, name) for at, names in enumerate(TABLES.values()) for name in names)]
        names = [f"{[*TABLES][at]}.{name}".lower() if at >= 0 else name for at, name in places]
        entry = {
            "column_names_original": places,
            "table_names_original": [*TABLES],
            "foreign_keys": [[names.index(key.lower()) for key in pair] for pair in KEYS],
        }
        self._keys = {"d": self._module.build_foreign_key_map(entry)}

    def over(self, pairs: list[tuple[str, str]]) -> Any:
        """Return what `evaluate` computes for pairs, before it prints it; None where it breaks off."""
        files = [self._folder / name for name in ("gold", "predicted")]
        files[0].write_text("".join(f"{right}\td\n" for _, right in pairs), encoding="utf-8")
        # An empty line would be left out.
        files[1].write_text("".join(f"{said or 'none'}\n" for said, _ in pairs), encoding="utf-8")
        kept: list[Row] = []
        module: Any = self._module
        module.print_scores = lambda scores, _: kept.append(deepcopy(scores))
        module.print = lambda *_: None
        try:
            module.evaluate(str(files[0]), str(files[1]), str(self._folder), "match", self._keys)
        except Exception:
            return None
        return kept[0]["all"]


def spider(checkout: Path) -> Iterator[Row]:
    """Yield pairs of queries with what the evaluation says of each part: right, and whether each side has it."""
    odd = [(one, other) for one in WRONG_PLACES for other in (WRONG_PLACES[0], one)]
    note = "NLTK reads each query as one sentence; for each part: right, predicted, expected"
    yield {"official": SPIDER, "note": note, "tables": TABLES, "foreign_keys": KEYS}
    with tempfile.TemporaryDirectory() as folder:
        official = Spider(checkout, Path(folder))
        for said, right in [*query_pairs(official, Random(71), 400), *odd]:
            made = official.over([(said, right)])
            if made is None:
                continue
            parts = {
                name: [part["acc"], part["acc_count"], part["rec_count"]]
                for name, part in ((name, made["partial"][PARTS[name]]) for name in PARTS)
            }
            yield {"prediction": said, "reference": right, "exact": float(made["exact"]), **parts}


def spider_recipe(checkout: Path) -> Iterator[Row]:
    """Yield sets of queries with the figures of the evaluation."""
    note = "match, not exec; NLTK reads each query as one sentence; a response that is no query has no clauses; "
    note += "F1 of a clause that is nowhere right is 1, as the code has it"
    yield {"official": SPIDER, "per": "set", "tolerance": 1e-12, "note": note}
    draw = Random(73)
    with tempfile.TemporaryDirectory() as folder:
        official = Spider(checkout, Path(folder))
        pairs = [*query_pairs(official, draw, 200)]
        for size in [2] * 5 + [6] * 15 + [20] * 15:
            some = draw.sample(pairs, size)
            made = official.over(some)
            figures = {name: float(made["partial"][PARTS[name]]["f1"]) for name in FIGURES}
            shared = {"tables": TABLES, "foreign_keys": KEYS}
            records = [{"response": said, "reference": right, **shared} for said, right in some]
            yield {"records": records, "figures": {"exact": float(made["exact"]), **figures}}
