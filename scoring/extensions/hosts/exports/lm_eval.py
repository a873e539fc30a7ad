"""A task of lm-evaluation-harness that scores by a spec: its files of YAML, the Python that they name, and the bundle.

Source:
    EleutherAI, lm-evaluation-harness 0.4.13, docs/new_task_guide.md and lm_eval/tasks/_yaml_loader.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from scoring.api.tasks import load
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.modules.host_task import COVERAGE, UNPARSED, UNSCORED, HostTask, python_name
from scoring.extensions.hosts.modules.lm_eval import SAMPLES, SPLIT

_DIGITS = 18
_RUN = "lm_eval --model MODEL --tasks {name} --include_path {folder} --log_samples --output_path runs"


def _write(spec: Path, out: Path, settings: Mapping[str, str]) -> Sequence[Path]:
    """Write the files of a task that scores by a spec into a folder.

    Raises:
        InputError: when the seed is no whole number.
    """
    seed = settings.get("seed", "0")
    if not seed.isascii() or not seed.isdigit() or len(seed) > _DIGITS:
        raise InputError(f"`seed` of `lm-eval` is that of `scoring score --seed`, a whole number, not {shown(seed)}")
    host = HostTask(load(spec, seed=int(seed)))
    name = python_name(host.task.name)
    name = f"{name}_task" if name == "scoring" else name  # a file of that name would be imported as our package
    files = {
        f"{name}.yaml": _task_text(host, name),
        f"{name}_scoring.yaml": _scoring_text(host, name),
        f"{name}.py": _python_text(host, name),
        f"{name}.json": host.task.to_bytes().decode() + "\n",
    }
    out.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (out / file).write_text(text, encoding="utf-8")
    return [out / file for file in files]


def _title(host: HostTask) -> str:
    return f"{host.task.name} {host.task.version}".rstrip()


def _task_text(host: HostTask, name: str) -> str:
    many = dedent("""\
        repeats: 4  # the responses to a document, each of which is scored
        filter_list:
          - name: samples
            filter: [{function: take_first_k, k: 4}]
        """)
    return dedent(f"""\
        # A task of lm-evaluation-harness, scored by {_title(host)}. It is yours to edit. Run it, from the folder above:
        #   {_RUN.format(name=name, folder="FOLDER")}
        # For the data and prompts of a task that the harness has, name its file first, and state no more than `task`:
        #   include: [PATH/OF/ITS/TASK.yaml, {name}_scoring.yaml]
        include: {name}_scoring.yaml
        task: {name}
        custom_dataset: !function {name}.records
        dataset_kwargs: {{data: records.jsonl}}  # a file beside this one, in any format that `scoring score` reads
        test_split: {SPLIT}
        doc_to_text: !function {name}.prompt
        doc_to_target: !function {name}.target
        generation_kwargs: {{until: [], do_sample: false}}
        """) + (many if host.task.spec.answers == "many" else "")


def _scoring_text(host: HostTask, name: str) -> str:
    text = dedent(f"""\
        # How lm-evaluation-harness scores by {_title(host)}: written by `scoring export lm-eval`; leave it as it is.
        output_type: generate_until
        filter_list: null  # the spec reads the response as the model gave it
        process_results: !function {name}.process_results
        metric_list:
        """)
    for metric, aggregation, higher in _metrics(host, name):
        text += f"  - metric: {metric}\n    aggregation: {aggregation}\n    higher_is_better: {json.dumps(higher)}\n"
    about = {"version": host.task.version or "0", "scoring": host.meaning}
    return f"{text}metadata: {json.dumps(about, ensure_ascii=False)}\n"


def _metrics(host: HostTask, name: str) -> Iterator[tuple[str, str, bool | None]]:
    """Yield the name of each metric, its aggregation, and whether higher values are better."""
    yield SAMPLES, f"!function {name}.of_samples", None
    for figure in host.figures:
        yield figure.name, f"!function {name}.figure_{figure.name}", figure.higher_is_better
    for end in _ends(host):
        yield end, f"!function {name}.figure_{end}", host.figures[0].higher_is_better
    # A rate of single answers is a mean of ones and zeros, to which the harness knows the standard error.
    is_mean = host.task.spec.answers == "one"
    for rate in (UNPARSED, UNSCORED):
        yield rate, "mean" if is_mean else f"!function {name}.figure_{rate}", False
    yield COVERAGE, f"!function {name}.figure_{COVERAGE}", True


def _ends(host: HostTask) -> list[str]:
    return [f"{host.figures[0].name}_{end}" for end in ("low", "high")]


def _python_text(host: HostTask, name: str) -> str:
    own = [*(one.name for one in host.figures), *_ends(host), UNPARSED, UNSCORED, COVERAGE]
    body = dedent(f'''\
        """What lm-evaluation-harness calls in the task {name}; written by `scoring export lm-eval`.

        `prompt` and `reference` are yours to write; the other functions are best left as they are.
        """

        from pathlib import Path

        from scoring_dsl import scoring  # not a file of that name in this folder: an error names one that hides it

        from scoring.extensions.hosts.modules.lm_eval import HarnessTask

        TASK = HarnessTask(Path(__file__).with_suffix(".json"))


        def prompt(doc):
            """Return what the model is asked about a record, such as doc["question"]."""
            raise NotImplementedError("say what the model is asked: write `prompt` in {name}.py")


        def reference(doc):
            """Return what the spec compares the answer with; by default what the record has at the spec's own path."""
            return TASK.reference(doc)


        def records(data, **_):
            return TASK.documents(data)


        def target(doc):
            return TASK.target(reference(doc))


        def process_results(doc, results):
            return TASK.process_results(doc, results, reference(doc))


        def of_samples(items):
            return TASK.of_samples(items)
        ''')
    figures = "".join(
        f'\n\ndef figure_{one}(items):\n    return TASK.figure("{one}", items)\n' for one in dict.fromkeys(own)
    )
    return body + figures


EXPORT = HostExport("a task of lm-evaluation-harness", "spec", _write, settings=("seed",))
