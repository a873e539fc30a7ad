"""A run of a few records imports no extension, and where all of them are there none is looked for."""

from __future__ import annotations

from importlib.util import find_spec

from tests.unit.cli.test_start import HEAVY, NEW, PROJECT, ROOMS, RUNS, SPECS, imported, ours

QUICKSTART = SPECS / "quickstart"


def test_scoring_a_dozen_records_imports_no_solver_and_no_processes() -> None:
    modules = imported("score", str(QUICKSTART / "invoices.yaml"), str(QUICKSTART / "invoices.jsonl"))
    assert not modules & (HEAVY | ROOMS - {"scoring.engine", "scoring.report.document"})
    assert not PROJECT & modules
    assert (
        not {
            "scoring.extensions.suites",
            "scoring.extensions.columns.delimited",
            "scoring.extensions.vision.data_set",
            "scoring.extensions.judge.programs",
        }
        & modules
    )
    assert len(ours(modules)) <= 199


def test_every_module_that_is_counted_exists() -> None:
    missing = [name for name in sorted(NEW | RUNS | PROJECT | ROOMS) if find_spec(name) is None]
    assert not missing
