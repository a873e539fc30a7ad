"""The kind of file `kind: suite`, as the core knows it; its code is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.extensions.suites.spec import SuiteSpec
from scoring.registry.spec_kind import SpecKind

if TYPE_CHECKING:
    from scoring.api.opening import Opened
    from scoring.api.run import Run
    from scoring.api.running import RunInProgress
    from scoring.api.sources import GivenData
    from scoring.data.rows.report import InputReport
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.engine.road.evaluate import Lane
    from scoring.extensions.suites.compile import PackedSuite
    from scoring.extensions.suites.model import Suite
    from scoring.format.bundle import Bundle
    from scoring.format.load import Loaded


def _check(loaded: Loaded, dialect: str | None) -> tuple[Diagnostic, ...]:
    from scoring.extensions.suites.compile import check_suite

    return check_suite(loaded, dialect=dialect)


def _compile(loaded: Loaded, dialect: str | None, files: Mapping[str, Path | None]) -> Suite:
    from scoring.extensions.suites.compile import compile_suite

    return compile_suite(loaded, **files, dialect=dialect)


def _pack(suite: Suite) -> PackedSuite:
    from scoring.extensions.suites.compile import PackedSuite

    return PackedSuite.of(suite)


def _unpack(
    bundle: Bundle,
    tasks: Sequence[tuple[str, Bundle, Mapping[str, Any], Mapping[str, Any]]],
    table: Mapping[str, Any] | None,
    results: Path | None,
) -> Suite:
    from scoring.extensions.suites.compile import PackedSuite

    return PackedSuite(bundle, tuple(tasks), None if table is None else dict(table), results).suite()


def _run(way: RunInProgress) -> Run:
    from scoring.extensions.suites.running import score_suite

    return score_suite(way)


def _lanes(opened: Opened, given: GivenData, report: InputReport) -> list[Lane]:
    from scoring.extensions.suites.running import suite_lanes

    return suite_lanes(opened, given, report)


SUITE = SpecKind(
    SuiteSpec,
    _check,
    _compile,
    _pack,
    _unpack,
    _run,
    _lanes,
    {
        "--parts": "a suite is read as a whole; score each task's own file in parts",
        "--engine": "a suite is read as a whole; score each task's own file on the cluster",
        "--state sums": "a suite's figures are over its tasks, which are few; score a task's own file",
        "`intervals: strata`": "a suite's figures are over its tasks, which are few; "
        "give its tasks `strata` of their own",
        "`examples:`": "a suite has no records of its own; its tasks state their examples",
        "--dialects": "scorers are compared on the answers of one task; name the task's own file",
        "scoring audit": "a suite joins the scores of its tasks; audit each task's own file",
    },
)
