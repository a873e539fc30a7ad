"""The old names of `scoring.evaluate` for suites, for one version more."""

from __future__ import annotations

import warnings
from pathlib import Path

from scoring.engine.road.evaluate import BATCH_SIZE, Options
from scoring.engine.suite.compile import compile_suite
from scoring.engine.suite.items import read_items
from scoring.engine.suite.layout import open_source
from scoring.engine.suite.model import Suite
from scoring.engine.suite.oddities import SuiteReport
from scoring.engine.suite.results import read_results
from scoring.engine.suite.run import SuiteRun, recompute, run_suite
from scoring.format.load import Loader


def load_suite(
    path: str | Path,
    *,
    tasks: str | Path | None = None,
    attributes: str | Path | None = None,
    results: str | Path | None = None,
    dialect: str | None = None,
) -> Suite:
    """The compiled suite of a file; `scoring.evaluate` takes the same options."""
    _renamed("load_suite(path)", "scoring.evaluate(path, …)")
    given = {"tasks": tasks, "attributes": attributes, "results": results}
    paths = {name: None if value is None else Path(value) for name, value in given.items()}
    return compile_suite(Loader(dialect=dialect).file(Path(path), str(path)), **paths, dialect=dialect)


def evaluate_suite(
    suite: Suite,
    data: str | Path,
    references: str | Path | None = None,
    *,
    processes: int = 1,
    batch_size: int = BATCH_SIZE,
) -> SuiteRun:
    """Score the records of every task and join the task scores; `scoring.evaluate` takes the same options."""
    _renamed("evaluate_suite(suite, data)", "scoring.evaluate(path, data)")
    report = SuiteReport()
    gold = open_source(str(references)) if references is not None else None
    tasks, _ = read_items(suite, open_source(str(data)), gold, report)
    return run_suite(suite, tasks, options=Options(processes, batch_size), report=report)


def suite_of_results(suite: Suite, results: str | Path) -> SuiteRun:
    """The suite's figures from a file of task results alone, as `scoring.evaluate(path, results=…)` gives them."""
    _renamed("suite_of_results(suite, results)", "scoring.evaluate(path, results=…)")
    report = SuiteReport()
    return recompute(suite, read_results(Path(results), report), report)


def _renamed(old: str, new: str) -> None:
    warnings.warn(f"`{old}` is now `{new}`", DeprecationWarning, stacklevel=3)
