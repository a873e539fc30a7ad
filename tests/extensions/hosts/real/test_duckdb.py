"""The functions of `scoring.tables.register`, called from SQL of the real DuckDB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import scoring.tables  # noqa: E402
from scoring.errors import InputError  # noqa: E402
from scoring.extensions.hosts.columns import column_values  # noqa: E402
from tests.extensions.hosts.real.table_cases import FORMS, columns_of, held, made, right_or_refused  # noqa: E402
from tests.support.host_adapters import parts_in_columns  # noqa: E402
from tests.support.host_cases import Answers, HostCase  # noqa: E402
from tests.support.host_outcomes import check_held  # noqa: E402

TASK = {"kind": "task", "name": "t", "score": "lower | equal", "pass": "score == 1"}


def connected(spec: Any, name: str = "score", **more: Any) -> Any:
    """A connection that has the functions."""
    connection = duckdb.connect()
    scoring.tables.register(connection, spec, name, **more)
    return connection


def results(case: HostCase, connection: Any) -> dict[str, list[Any]]:
    """The columns of the struct for each record of a case."""
    response, reference = columns_of(case)
    parts = f"{response}, {reference}"
    query = f"SELECT score({parts}), score_result({parts}) FROM read_json_auto('{case.data}')"
    rows = connection.sql(query).fetchall()
    found = {name: [row[1][name] for row in rows] for name in ("score", "status", "reason", "passed")}
    assert [row[0] for row in rows] == found["score"]
    return found | {f"field.{name}": [row[1]["fields"][name] for row in rows] for name in case.lines[0]["fields"]}


@pytest.mark.parametrize(("name", "answers"), FORMS)
def test_every_record_is_as_by_the_command(name: str, answers: Answers, tmp_path: Path) -> None:
    """Also where DuckDB made its type JSON of values of several types, at any depth."""
    case = made(name, answers, tmp_path)
    with case.replaying():
        held(case, results(case, connected(case.spec)))


@pytest.mark.parametrize("name", ["invoices", "landmark"])
def test_its_own_average_is_the_headline(name: str, tmp_path: Path) -> None:
    """`favg` adds exactly; `avg` adds in the order of its threads, and was up to 5 units in the last place off."""
    case = made(name, "texts", tmp_path)
    response, reference = columns_of(case)
    query = f"SELECT favg(score({response}, {reference})) FROM read_json_auto('{case.data}')"
    connection = connected(case.spec)  # which ends with its name
    ((mean,),) = connection.sql(query).fetchall()
    case.check(case.scores, mean, host_adds=True)


@pytest.mark.parametrize(("name", "answers"), FORMS)
@pytest.mark.parametrize("export", ["df", "pl", "to_arrow_table"])
def test_what_it_exports_is_right_or_refused(name: str, answers: Answers, export: str, tmp_path: Path) -> None:
    pytest.importorskip({"df": "pandas", "pl": "polars"}.get(export, "pyarrow"))
    case = made(name, answers, tmp_path)
    relation = duckdb.sql(f"FROM read_json_auto('{case.data}')")
    names, table = relation.columns, getattr(relation, export)()

    def added() -> dict[str, list[Any]]:
        found = scoring.tables.add_scores(table, case.spec)
        new = [name for name in getattr(found, "column_names", None) or found.columns if name not in names]
        return {name: column_values(found[name]) for name in new}

    why = "holds JSON of texts" if answers == "mixed" or name == "landmark" else None
    right_or_refused(case, added, why)


@pytest.mark.parametrize(("name", "answers"), FORMS)
def test_its_export_without_loss_is_right(name: str, answers: Answers, tmp_path: Path) -> None:
    case = made(name, answers, tmp_path)
    connection = duckdb.connect()
    connection.execute("SET arrow_lossless_conversion = true").fetchall()
    table = connection.sql(f"FROM read_json_auto('{case.data}')").to_arrow_table()
    with case.replaying():
        case.check(scoring.tables.add_scores(table, case.spec)["score"].to_pylist())
        _, reference = columns_of(case)
        if name != "invoices" and answers == "texts":
            found = scoring.load(case.spec).score_columns(table["response"], table[reference])
            case.check(found.scores.tolist())


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("score('Rome', 'rome')", 1.0),
        ("score(NULL, 'rome')", None),
        ("score('Rome')", None),
        ("score('Rome', '\"rome\"'::JSON)", 1.0),
        ("score('Rome', '\"rome\"')", 0.0),
        ("score('Rome', 'rome'::ENUM('rome', 'x'))", 1.0),
        ("score([{'role': 'user', 'content': '?'}, {'role': 'assistant', 'content': 'Rome'}], 'rome')", 1.0),
        ("(score_result('Rome', 'rome')).passed", True),
        ("(score_result('Rome', 'rome')).fields['answer']", 1.0),
        ("(score_result(NULL, 'rome')).reason", "the record has no response"),
        ("(score_result(NULL, 'rome')).fields['answer']", None),
    ],
)
def test_an_argument_is_what_its_type_says(call: str, found: Any) -> None:
    assert connected(TASK).sql(f"SELECT {call}").fetchall() == [(found,)]


def test_references_that_are_json_as_text() -> None:
    task = {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}}
    connection = connected(task, references_as="json")
    query = "SELECT (score_result(x, y)).status FROM (VALUES ('{\"a\": 1}', '{\"a\": 1}'), ('{}', '{')) AS t(x, y)"
    assert connection.sql(query).fetchall() == [("scored",), ("unscored",)]


def test_context_and_record_are_parts_too() -> None:
    fields = {
        "a": {"prediction": "prediction", "reference": "record.n", "score": "equal"},
        "b": {"prediction": "prediction", "reference": "context.at[0]", "score": "equal"},
    }
    connection = connected({"kind": "task", "name": "t", "fields": fields})
    query = "SELECT (score_result(x, NULL, {'at': [x]}, t)).fields FROM (VALUES ('a', 'a'), ('a', 'b')) AS t(x, n)"
    assert connection.sql(query).fetchall() == [({"a": 1.0, "b": 1.0},), ({"a": 0.0, "b": 1.0},)]


def test_columns_of_several_types_that_are_text_already_are_refused() -> None:
    connection = connected({"kind": "task", "name": "t", "score": "any_reference(equal)"})
    rows = [*[("a", "a")] * 5000, ("a", json.dumps(["a", "b"]))]
    connection.execute("CREATE TABLE t(answer VARCHAR, gold VARCHAR)").fetchall()
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    with pytest.raises(duckdb.Error, match="the column `reference` holds texts"):
        connection.sql("SELECT sum(score(answer, gold)) FROM t").fetchall()


def test_names() -> None:
    connection = connected(TASK)
    scoring.tables.register(connection, {**TASK, "score": "equal"})
    assert connection.sql("SELECT score('A', 'a')").fetchall() == [(0.0,)]
    scoring.tables.register(connection, TASK, "loose")
    assert connection.sql("SELECT score('A', 'a'), loose('A', 'a')").fetchall() == [(0.0, 1.0)]
    with pytest.raises(InputError, match="DuckDB has a function `lower` already"):
        scoring.tables.register(connection, TASK, "lower")
    with pytest.raises(InputError, match="`a b` is no name of a function in SQL"):
        scoring.tables.register(connection, TASK, "a b")
    with pytest.raises(InputError, match=r"a relation of DuckDB is scored in SQL"):
        scoring.tables.add_scores(connection.sql("SELECT 1 AS response"), TASK)


@pytest.mark.parametrize(("host", "call"), [("duckdb_score", "score"), ("duckdb_result", "score_result")])
def test_each_outcome_is_held_as_the_page_says(host: str, call: str) -> None:
    arrow = pytest.importorskip("pyarrow")

    def held(task: Any, said: Any, golds: Any) -> list[Any]:
        connection, parts = connected(task, references_as="json"), arrow.table(parts_in_columns(said, golds))
        connection.register("parts", parts)
        rows = connection.sql(f"SELECT {call}(response, reference) FROM parts").fetchall()
        return [row[0] if isinstance(row[0], dict) else {"score": row[0]} for row in rows]

    check_held(host, held)
