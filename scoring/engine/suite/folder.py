"""What the run folder of a suite holds beside the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scoring.data.strict_json import digest, dumps_pretty
from scoring.engine.runs.folder import MANIFEST, SUMMARY, TASK_RESULTS, RunFolder
from scoring.engine.runs.manifest import FORMAT
from scoring.engine.runs.versions import versions
from scoring.engine.suite.exports import exported
from scoring.engine.suite.results import results_json

if TYPE_CHECKING:
    from scoring.engine.suite.run import SuiteRun


def finish_suite(
    folder: RunFolder, run: SuiteRun, inputs: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None = None
) -> None:
    """Write what stands beside the scores: task results, summary, manifest, and the layouts of others."""
    folder.write_text(TASK_RESULTS, dumps_pretty(results_json(run.tasks)))
    for layout in run.suite.exports:
        name, data = exported(layout, run.summary)
        folder.write_json(name, data)
    folder.write_json(SUMMARY, run.summary)
    folder.write_json(MANIFEST, suite_manifest(run, inputs, settings))


def suite_manifest(
    run: SuiteRun, inputs: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What the run was made of, as plain data; files stand as the user named them.

    Args:
        run: The finished run.
        inputs: The files that were read.
        settings: How the run was asked for, from which it can be repeated.
    """
    resolved = run.suite.resolved()
    return {
        "format": FORMAT,
        "created": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "suite": {"name": run.suite.name, "version": run.suite.version},
        "signature": run.signature,
        "seed": run.suite.seed,
        "digests": {
            "spec": resolved["digest"],
            "tasks": {name: digest(task["program"]) for name, task in sorted(resolved["tasks"].items())},
            "packs": {name: pack["digest"] for name, pack in sorted(resolved["packs"].items())},
        },
        "inputs": list(inputs),
        "settings": dict(settings or {}),
        "versions": versions(),
        "spec": resolved,
    }
