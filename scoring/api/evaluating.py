"""Evaluate whole data sets by the spec of a task or suite, given by path, as plain data, or loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from scoring.api.arguments import check_kinds, verb
from scoring.api.opening import SUITE_FILES, Opened, SpecSource, reopened
from scoring.api.sources import GivenData
from scoring.compiler.tasks.task import CompiledTask
from scoring.registry.effect import EffectOptions

if TYPE_CHECKING:
    from scoring.api.run import Run

OPENING = ("dialect", "locked", "frozen", *SUITE_FILES)


class MoreOptions(TypedDict, total=False):
    """Further keyword arguments of `evaluate`.

    Args:
        dialect: The dialect that defines the names in task files of other tools.
        locked: Whether to refuse a spec that has no lock, or does not match it. None refuses only one that does not
            match the lock it has, and False ignores locks.
        frozen: Whether to require that the project's lock exists and matches the project file and the specs.
        tasks: The path of a suite's tasks, in place of that in the spec.
        attributes: The path of the attributes of a suite's tasks, in place of that in the spec.
        results: The path of task results from which a suite is computed, instead of scoring data.
        layout: The layout of the files, one of those that the task names; None for the one that fits.
        force: Whether to replace an older run in the run folder.
        scores: The format of the scores file: ``jsonl``, the default, or ``parquet``.
        html: Whether to add a page, ``report.html``, to the run folder.
        plots: A folder to which the plots of the page are written as SVG files for papers.
        write_back: A file to which the scored log of an evaluation host is written, with a score beside each sample.
        batch_size: The number of records that are scored together; it changes no number.
        judge_workers: The number of records that are scored concurrently, in threads, if the task calls a judge.
        keep_values: Whether results keep the parsed and compared values.
        keep_records: Whether the run keeps results in memory, in addition to what it writes; without them, its memory
            does not grow with the data.
        state: What figures keep of records: ``exact``, the default, counts all distinct units; ``sums`` has constant
            size. It computes intervals from sums of squares if there are more than 1,000 distinct units.
        parts: A folder in which finished parts of the run are kept, so that it can be resumed if it is interrupted.
        engine: Who scores a file in parts: ``local`` processes, the default, ``ray`` or ``spark``.
        part: The part of a run that the data is, such as ``3/10``. `scoring.runs.merge` joins the parts.
        on_progress: Called with the number of records done, and with the finished share of the input, None if unknown.
        on_note: Called with each remark about the run, as a line of text.
    """

    dialect: str | None
    locked: bool | None
    frozen: bool
    tasks: str | Path | None
    attributes: str | Path | None
    results: str | Path | None
    layout: str | None
    force: bool
    scores: Literal["jsonl", "parquet"]
    html: bool
    plots: str | Path | None
    write_back: str | Path | None
    batch_size: int | None
    judge_workers: int
    keep_values: bool
    keep_records: bool
    state: Literal["exact", "sums"]
    parts: str | Path | None
    part: str | None
    engine: str
    on_progress: Callable[[int, float | None], None] | None
    on_note: Callable[[str], None] | None


@verb
def evaluate(
    spec: SpecSource | CompiledTask | Opened,
    data: Any = None,
    *,
    references: Any = None,
    input_format: str | None = None,
    reference_format: str | None = None,
    limit: int | None = None,
    by: Sequence[str] = (),
    seed: int | None = None,
    output: str | Path | None = None,
    processes: int = 1,
    judge: EffectOptions | None = None,
    **more: Unpack[MoreOptions],
) -> Run:
    """Score data by a task over records, a suite of tasks, or a task over a data set of images, and return the run.

    Args:
        spec: A task, the path of its file, its content as plain data, or the path or name of a suite.
        data: The records, or for a data set of images the predictions: a path (for a suite also of a folder with a file
            for each task), an iterable of mappings, a pandas or polars data frame, or an Arrow table.
        references: The references to join to the records by id, or the paths of several files with parts of them; for a
            data set of images, the ground truth.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        reference_format: The format of ``references``.
        limit: The maximum number of records or images to score, for a suite of each task.
        by: Attributes by which figures are broken down, in addition to those of the spec.
        seed: The seed of the intervals, in place of the spec's.
        output: The run folder to write. By default none is written.
        processes: The number of processes that score. The numbers are the same for any.
        judge: The judge's options; None keeps the judge that this process has.
        more: The options in `MoreOptions`.

    Raises:
        SpecError: with all findings, when the spec is invalid.
        InputError: when the data can't be read, the folder must not be written to, or this kind of task does not
            support an option.

    Examples:
        >>> task = {"kind": "task", "name": "t", "score": "equal"}
        >>> evaluate(task, [{"id": 1, "response": "a", "reference": "a"}])
        <Run of t: 1 record, mean 1.0000>
    """
    from scoring.api.running import RunOptions, run_opened
    from scoring.diagnostics.suggest import nearest

    settings: dict[str, Any] = dict(more)
    layout = settings.pop("layout", None)
    loading = {name: settings.pop(name) for name in OPENING if name in settings}
    unknown = [name for name in settings if name not in MoreOptions.__annotations__]
    if unknown:
        close = nearest(unknown[0], [*MoreOptions.__annotations__, *GivenData.__annotations__, "by", "seed"])
        hint = f"; did you mean `{close}`?" if close else ""
        raise TypeError(f"evaluate() has no option `{unknown[0]}`{hint}")
    check_kinds("evaluate", more.items(), MoreOptions.__annotations__)
    options = RunOptions(output=output, processes=processes, judge=judge, **settings)
    options.check()
    opened = reopened(spec, by=by, seed=seed, **loading)
    given = GivenData(data, references, input_format, limit, reference_format=reference_format, layout=layout)
    return run_opened(opened, given, options)
