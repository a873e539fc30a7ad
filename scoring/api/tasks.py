"""Tasks: loaded from a file or from plain data, ready to score records and to evaluate data sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.compiler.compile import compile_task
from scoring.compiler.task import CompiledTask
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.load import Loader
from scoring.format.model import SuiteSpec, TaskSpec

if TYPE_CHECKING:
    from scoring.engine.data_set.evaluate import VisionResult
    from scoring.engine.road.run import Run


class Task(CompiledTask):
    """A task that scores records and evaluates data sets."""

    warnings: tuple[Diagnostic, ...] = ()
    folder: Path | None = None

    def evaluate(
        self,
        records: Any,
        *,
        processes: int = 1,
        batch_size: int = 512,
        seed: int | None = None,
        judge_workers: int = 8,
    ) -> Run:
        """Score every record and join the scores into data-set metrics.

        Args:
            records: A path to a file of any format, an iterable of mappings, a pandas or polars data frame, or an Arrow
                table. In memory, NaN, NaT and NA are missing.
            processes: How many processes score; the numbers are the same for any.
            batch_size: How many records are scored together; the numbers are the same for any.
            seed: The seed of the confidence intervals, 0 by default.
            judge_workers: How many records of a task that asks a judge are under way at once, in threads.

        Raises:
            ValueError: for a task over a whole data set of images or labels.
            InputError: when the records are no table, or can't be read.
        """
        if self.spec.records is not None:
            raise ValueError(f"{self.name} scores a whole data set of {self.spec.records}: call `evaluate_files`")
        from scoring.engine.road.evaluate import Options
        from scoring.engine.road.run import run_records

        task = self if seed is None else self.seeded(seed)
        threads = judge_workers if self.asks_judge else 1
        return run_records(task, records, options=Options(processes, batch_size, threads=threads))

    def evaluate_files(
        self,
        *,
        ground_truth: Any = None,
        predictions: Any = None,
        processes: int = 1,
        limit: int | None = None,
        seed: int | None = None,
    ) -> VisionResult:
        """Score a whole data set of images or labels: the files that the spec names, or others.

        Args:
            ground_truth: In place of the spec's, whose predictions are then left aside: a path, or in memory a document
                such as a JSON document, a list of records, a data frame, an Arrow table, or label maps by name.
            predictions: In place of the spec's, likewise.
            processes: How many processes match; the numbers are the same for any.
            limit: Only so many images, the first ones.
            seed: The seed of the confidence intervals, 0 by default.

        Raises:
            ValueError: for a task that scores record by record, and for a data set that can't be scored.
            InputError: when a file can't be read.
        """
        if self.spec.records is None:
            raise ValueError(f"{self.name} scores record by record: call `evaluate`")
        from scoring.engine.data_set.evaluate import How
        from scoring.engine.data_set.from_spec import evaluate_spec

        how = How(self.intervals, self.seed if seed is None else seed, processes, limit)
        given = {"ground_truth": ground_truth, "predictions": predictions}
        return evaluate_spec(self.spec, self.metrics, self.folder or Path(), **given, how=how)


def load(spec: str | Path | Mapping[str, Any], *, dialect: str | None = None) -> Task:
    """A task from a file, or from plain data; a file of a foreign form loads as it is.

    Args:
        spec: A path, or the mapping that a file would hold.
        dialect: What the names in a file of a foreign form mean, by default what its front end takes them for.

    Raises:
        SpecError: with every finding, when the spec is not in order.
    """
    loader = Loader(dialect=dialect)
    loaded = loader.data(spec) if isinstance(spec, Mapping) else loader.file(Path(spec), str(spec))
    if not isinstance(loaded.spec, TaskSpec):
        kind = "suite" if isinstance(loaded.spec, SuiteSpec) else "pack"
        raise SpecError.of(
            "wrong-kind",
            f"this is a {kind}, not a task",
            loaded.spec.span,
            help="a pack's scorers are read with `scoring.scorer`, a suite is run with `scoring score`",
        )
    compiled, warnings = compile_task(loaded, loader)
    task = Task(compiled.parts)
    task.warnings = warnings
    task.folder = loaded.folder
    return task
