"""What is said where the extensions for columns and remote files are not there, as in a core that stands alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.data import file_format
from scoring.data.file import InputFile
from scoring.data.file_format import find_format, holds_rows, suffixes
from scoring.data.rows.memory import rows_of
from scoring.data.rows.read import read_rows
from scoring.errors import InputError
from scoring.registry import plugins

MISSING = ("scoring.extensions.columns.", "scoring.extensions.layouts.", "scoring.extensions.remote_files.")
WORDS = {"kind": "task", "name": "words", "score": "lower | equal"}
PAIR = {"id": "1", "response": "A", "reference": "a"}


class Streams:
    """What offers Arrow batches, as tables of any library do."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise NotImplementedError


@contextmanager
def without_extensions() -> Iterator[None]:
    """Take away what the extensions provide."""
    left = {
        group: {name: place for name, place in own.items() if not place.startswith(MISSING)}
        for group, own in plugins.PLUG_INS.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugins, "PLUG_INS", left)
        file_format.own_formats.cache_clear()
        yield
    file_format.own_formats.cache_clear()


@pytest.fixture(autouse=True)
def _without_extensions() -> Iterator[None]:
    with without_extensions():
        yield


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as error:
        call()
    return str(error.value)


def needs(what: str, provides: str) -> str:
    return f"{what} needs an extension that provides `{provides}`, and none is installed"


def test_a_file_whose_format_is_not_there_is_refused_by_its_name() -> None:
    assert refused(lambda: read_rows(InputFile("a.parquet", b""))) == needs("a.parquet", "parquet")
    assert refused(lambda: read_rows(InputFile("a.feather.gz", b""))) == needs("a.feather.gz", "arrow")


def test_a_file_that_begins_like_one_is_refused_whatever_its_name() -> None:
    assert refused(lambda: read_rows(InputFile("a.jsonl", b"PAR1...."))) == needs("a.jsonl", "parquet")


def test_a_format_that_is_said_and_not_there_is_refused() -> None:
    assert refused(lambda: find_format("arrow")) == needs("the format `arrow`", "arrow")
    assert "the known kinds are jsonl" in refused(lambda: find_format("xml"))


def test_its_files_are_files_of_rows_all_the_same() -> None:
    """So that a folder of them is not said to hold no records."""
    assert holds_rows("a.parquet")
    assert ".parquet" in set(suffixes())


def test_a_table_of_columns_is_refused_and_records_are_read() -> None:
    assert refused(lambda: rows_of(Streams())) == needs("a `Streams`", "tables-in-memory")
    assert [row.record for row in rows_of([PAIR])] == [PAIR]


def test_scores_as_parquet_are_refused(tmp_path: Path) -> None:
    run = scoring.load(WORDS).evaluate([PAIR])
    message = needs("--scores parquet", "parquet-scores")
    assert refused(lambda: run.write(tmp_path / "run", layout="parquet")) == message
    assert not (tmp_path / "run").exists()


def check_no_table(found: Any) -> None:
    """Check that what was found is refused as a table."""
    assert refused(found.to_arrow) == needs("an Arrow table", "result-tables")
    assert refused(found.to_pandas) == needs("a data frame", "result-tables")


def test_results_are_no_tables() -> None:
    task = scoring.load(WORDS)
    check_no_table(task.evaluate([PAIR]))


def test_data_and_runs_at_addresses_are_refused_without_their_credentials() -> None:
    address = "https://me:secret@host/a.jsonl"
    shown = "https://…@host/a.jsonl"
    assert refused(lambda: scoring.evaluate(WORDS, address)) == needs(shown, "remote-files")
    assert refused(lambda: scoring.evaluate(WORDS, [PAIR], output="memory://run")) == needs(
        "memory://run", "remote-runs"
    )
