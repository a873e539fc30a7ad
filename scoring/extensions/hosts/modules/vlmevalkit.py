"""What a data set of VLMEvalKit answers to `evaluate(eval_file)`: the figures of a spec.

    class Receipts(ImageBaseDataset):
        def evaluate(self, eval_file, **judge_kwargs):
            return evaluate_predictions("receipts.yaml", eval_file)

Source:
    open-compass/VLMEvalKit, run.py, vlmeval/inference.py, and `_choose_primary_metric_key` of
    vlmeval/dataset/image_base.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file import InputFile
from scoring.data.json_write import dumps
from scoring.errors import InputError
from scoring.extensions.hosts.given import given_task
from scoring.extensions.hosts.logs.vlmevalkit import LOG
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.result import MISSING

OVERALL = "Overall"
"""The figure that VLMEvalKit reports as the primary one of a data set; without it, it takes one whose name has `score`
in it, such as `unscored_rate`."""


def evaluate_predictions(
    spec: SpecSource | Task, eval_file: str | Path, *, references_as: ReferencesAs = "values", seed: int | None = None
) -> dict[str, float | None]:
    """Score a table of predictions by a spec, and return the figures by name, the first of them as `OVERALL`, too.

    What is known of each row is written beside the table, as ``NAME_scoring.jsonl``.

    Args:
        spec: The path or the name of the task, its content, or a loaded one.
        eval_file: The table that VLMEvalKit wrote, as .xlsx, .tsv or .csv.
        references_as: ``json`` if the column ``answer`` holds JSON texts.
        seed: The seed of the intervals, in place of the spec's, as in `scoring score --seed`.

    Raises:
        InputError: when the table can't be read.
        SpecError: when the spec is invalid.
    """
    host, path = HostTask(given_task(spec, seed)), Path(eval_file)
    samples = []
    for number, record in LOG.samples(InputFile(str(path))):
        if not isinstance(record, dict):
            raise InputError(f"can't read row {number} of {path.name}: {record}")
        reference = record["reference"]
        given = MISSING if reference is None else reference
        samples.append(host.sample(record["response"], given, record, references_as))
    lines = [dumps({"id": one.record["id"], **one}) + "\n" for one in samples]
    path.with_name(f"{path.stem}_scoring.jsonl").write_text("".join(lines), encoding="utf-8")
    figures = host.all_figures(samples)
    return {OVERALL: figures[host.figures[0].name], **figures}


def evaluate_hook(spec: SpecSource | Task, *, references_as: ReferencesAs = "values", seed: int | None = None) -> Any:
    """Return the method `evaluate` of a data set that is scored by a spec.

    Args:
        spec: The path or the name of the task, its content, or a loaded one.
        references_as: ``json`` if the column ``answer`` holds JSON texts.
        seed: The seed of the intervals, in place of the spec's, as in `scoring score --seed`.
    """

    def evaluate(self: Any, eval_file: str, **judge_kwargs: Any) -> dict[str, float | None]:
        return evaluate_predictions(spec, eval_file, references_as=references_as, seed=seed)

    return evaluate
