"""What lm-evaluation-harness calls in a task that `scoring export lm-eval` has written.

The harness averages a column of numbers for each metric. A figure of ours is made of all samples at once, so the first
metric of such a task, `scoring`, carries the samples themselves. It is aggregated first, and the figures after it are
those of the same samples.

Source:
    EleutherAI, lm-evaluation-harness 0.4.13, lm_eval/evaluator.py and lm_eval/evaluator_utils.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.api.tasks import ReferencesAs
from scoring.data.file import InputFile
from scoring.data.rows.read import read_blocks
from scoring.errors import InputError
from scoring.extensions.hosts.modules.host_task import HostSample, HostTask, shared_rates, target_text
from scoring.result import MISSING

SAMPLES = "scoring"
"""The name of the metric that carries the samples."""
SPLIT = "test"


class HarnessDocs(list[dict[str, Any]]):
    """The documents of a task as lm-evaluation-harness reads them: plain records, whose values keep their types."""

    @property
    def features(self) -> dict[str, None]:
        """The names of the columns, which templates of prompts may use."""
        return dict.fromkeys(name for doc in self for name in doc)


class HarnessTask:
    """The functions of a task of lm-evaluation-harness.

    Args:
        bundle: The file of the task's bundle.
    """

    def __init__(self, bundle: str | Path) -> None:
        self.host = HostTask.of_file(bundle)
        self.folder = Path(bundle).parent
        self._found: tuple[int, dict[str, float | None]] = 0, {}

    def documents(self, data: str) -> dict[str, HarnessDocs]:
        """Return the documents of the task, read as `scoring score` reads its data.

        Args:
            data: The name of a file; a relative one is looked for beside the bundle.

        Raises:
            InputError: when the file can't be read, or a row of it is no record.
        """
        found = HarnessDocs()
        for block in read_blocks(InputFile(str(self.folder / data))):
            for place, record in enumerate(block.records):
                if record is None:
                    raise InputError(f"{data}, {block.unit} {block.numbers[place]}: {block.problems[place]}")
                found.append(record)
        return {SPLIT: found}

    def reference(self, doc: dict[str, Any]) -> Any:
        """Return the reference of a document at the path that the spec states; MISSING if it has none."""
        return self.host.reference_in(doc)

    def target(self, reference: Any) -> str:
        """Return a reference as the text that the harness shows and logs."""
        return target_text(reference)

    def process_results(
        self,
        doc: dict[str, Any],
        results: Sequence[Any],
        reference: Any = MISSING,
        references_as: ReferencesAs = "values",
    ) -> dict[str, Any]:
        """Score what a model said to a document, and return the values of all metrics of the sample.

        Args:
            doc: The document.
            results: The filtered responses of its requests, of which there is one; a list of responses is scored one by
                one where the spec says ``answers: many``.
            reference: The reference.
            references_as: ``json`` if the reference is given as JSON text.

        Raises:
            InputError: for several responses to a task that takes one.
        """
        said = results[0] if results else None
        responses = said if isinstance(said, list | tuple) else [said]
        if len(responses) != 1 and self.host.task.spec.answers == "one":
            raise InputError(
                f"{self.host.task.name} takes one answer, and here are {len(responses)}: write `answers: many` in the "
                "spec, or `filter_list: null` in the task, so that the first counts"
            )
        samples = [self.host.sample(one, reference, doc, references_as) for one in responses]
        head = self.host.figures[0].name
        ends: dict[str, Any] = {f"{head}_low": None, f"{head}_high": None}
        own = samples[0] if len(samples) == 1 else samples
        return {SAMPLES: own, **self.host.values(samples), **ends, **shared_rates(samples)}

    def of_samples(self, items: Sequence[HostSample | list[HostSample]]) -> int:
        """Return the number of all samples, of which the figures are made from now on."""
        samples = [one for item in items for one in (item if isinstance(item, list) else [item])]
        self._found = len(items), self.host.all_figures(samples)
        return len(samples)

    def figure(self, name: str, items: Sequence[Any]) -> float | None:
        """Return a figure of the samples that `of_samples` was given last.

        Args:
            name: The name of the figure.
            items: Its values for the single documents.

        Raises:
            InputError: when these are of other documents, as in a task whose metrics were renamed.
        """
        size, found = self._found
        if len(items) != size or name not in found:
            raise InputError(
                f"`{name}` of {self.host.task.name} follows the metric `{SAMPLES}`, which carries the samples; leave "
                "`process_results` and `metric_list` as `scoring export lm-eval` wrote them"
            )
        return found[name]
