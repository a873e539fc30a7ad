"""A spec becomes a task of lm-evaluation-harness: files that hold no path, and functions that give our figures."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import export
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.lm_eval import HarnessTask
from tests.support.golden import REPOSITORY

SPEC: dict[str, Any] = {
    "kind": "task", "name": "towns/near", "version": "1.2.0", "record": {"reference": "gold", "id": "key"},
    "parse": 'find("[a-z]+")', "score": "levenshtein", "pass": "score == 1",
    "metrics": ["mean", "pass_rate", "coverage"], "by": ["kind"],
}  # fmt: skip
RECORDS: list[dict[str, Any]] = [
    {"key": 1, "gold": "paris", "kind": "a", "response": "paris"},
    {"key": 2, "gold": "rome", "kind": "a", "response": "Is it rom?"},
    {"key": 3, "gold": "oslo", "kind": "b", "response": "???"},
    {"key": 4, "kind": "b", "response": "bern"},
]


def written(folder: Path, **changes: Any) -> Path:
    spec = folder / "towns.json"
    spec.write_text(json.dumps({**SPEC, **changes}), encoding="utf-8")
    assert main(["export", "lm-eval", str(spec), "-o", str(folder / "tasks")]) == 0
    return folder / "tasks"


def imported(file: Path) -> Any:
    found = spec_from_file_location(file.stem, file)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_files_of_a_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = written(tmp_path)
    names = ["towns_near.yaml", "towns_near_scoring.yaml", "towns_near.py", "towns_near.json"]
    assert [line for line in capsys.readouterr().out.split("\n") if line] == [f"written {tasks / one}" for one in names]
    assert sorted(path.name for path in tasks.iterdir()) == sorted(names)
    assert not [path for path in tasks.iterdir() if str(tmp_path) in path.read_text("utf-8")]
    text = (tasks / "towns_near_scoring.yaml").read_text("utf-8")
    figures = ["scoring", "mean", "pass_rate", "coverage_2", "mean_low", "mean_high"]
    rates = ["unparsed_rate", "unscored_rate", "coverage"]
    assert [line.split()[-1] for line in text.split("\n") if "metric: " in line] == figures + rates
    assert "aggregation: mean\n    higher_is_better: false" in text


def test_its_figures_are_those_of_a_run(tmp_path: Path) -> None:
    tasks = written(tmp_path)
    functions = imported(tasks / "towns_near.py")
    (tasks / "records.jsonl").write_text("".join(json.dumps(one) + "\n" for one in RECORDS), encoding="utf-8")
    docs = functions.records("records.jsonl", version="1.2.0")["test"]
    assert list(docs.features) == ["key", "gold", "kind", "response"]
    with pytest.raises(NotImplementedError, match=r"write `prompt` in towns_near\.py"):
        functions.prompt(docs[0])
    assert functions.target(docs[0]) == "paris"
    kept = [functions.process_results(doc, [doc["response"]]) for doc in docs]
    kept = pickle.loads(pickle.dumps(kept))  # as they come from the other processes of a run
    run = scoring.evaluate(SPEC, RECORDS)
    assert [json.loads(one["scoring"])["score"] for one in kept] == [one.score for one in run.records]
    assert functions.of_samples([one["scoring"] for one in kept]) == 4
    for name in ("mean", "pass_rate"):
        assert getattr(functions, f"figure_{name}")([one[name] for one in kept]) == run.metrics[name]
    ends = [getattr(functions, f"figure_mean_{end}")([None] * 4) for end in ("low", "high")]
    assert ends == list(run.summary["metrics"][0]["interval"])
    assert [one["unparsed_rate"] for one in kept] == [0.0, 0.0, 1.0, 0.0]
    assert [functions.figure_unparsed_rate(kept), functions.figure_unscored_rate(kept)] == [0.25, 0.25]
    assert functions.figure_coverage(kept) == run.coverage == 0.5
    json.dumps(kept, allow_nan=False)


def test_figures_of_other_samples_are_refused(tmp_path: Path) -> None:
    task = HarnessTask(written(tmp_path) / "towns_near.json")
    with pytest.raises(InputError, match="`mean` of towns/near follows the metric `scoring`, which carries"):
        task.figure("mean", [1.0])


def test_several_answers_are_samples_of_their_own(tmp_path: Path) -> None:
    one = HarnessTask(written(tmp_path) / "towns_near.json")
    with pytest.raises(InputError, match="towns/near takes one answer, and here are 2: write `answers: many`"):
        one.process_results(RECORDS[0], [["paris", "rome"]], "paris")
    (tmp_path / "many").mkdir()
    tasks = written(tmp_path / "many", answers="many")
    assert "take_first_k" in (tasks / "towns_near.yaml").read_text("utf-8")
    assert "figure_unparsed_rate" in (tasks / "towns_near_scoring.yaml").read_text("utf-8")
    many = HarnessTask(tasks / "towns_near.json")
    kept = many.process_results(RECORDS[0], [["paris", "?"]], "paris")
    assert [sample["status"] for sample in json.loads(kept["scoring"])] == ["scored", "unparsed"]
    assert [kept["mean"], kept["unparsed_rate"]] == [1.0, 0.5]
    assert many.of_samples([kept["scoring"]]) == 2


def test_a_bad_row_or_bundle_is_told(tmp_path: Path) -> None:
    tasks = written(tmp_path)
    (tasks / "records.jsonl").write_text('{"key": 1}\n[1]\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"records\.jsonl, line 2: a record must be an object, found a list"):
        HarnessTask(tasks / "towns_near.json").documents("records.jsonl")
    with pytest.raises(InputError, match=r"can't read the task in .*nothing\.json: No such file"):
        HostTask.of_file(tmp_path / "nothing.json")


@pytest.mark.parametrize("name", ["scoring.py", "scoring/__init__.py"])
def test_a_file_that_hides_the_package_is_named_in_one_line(tmp_path: Path, name: str) -> None:
    tasks = written(tmp_path)
    hiding = tasks / name
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text("print('run')\n", encoding="utf-8")
    code = f"import sys; sys.path[1:1] = [{str(REPOSITORY)!r}]; import towns_near"
    found = subprocess.run([sys.executable, "-c", code], cwd=tasks, capture_output=True, text=True)
    last = found.stderr.strip().split("\n")[-1]
    assert last.startswith(f"ImportError: {hiding.resolve()} hides the package `scoring` of scoring-dsl")
    assert found.stdout == ""


def test_a_task_called_scoring_hides_nothing(tmp_path: Path) -> None:
    tasks = written(tmp_path, name="scoring")
    assert (tasks / "scoring_task.py").is_file()
    assert not (tasks / "scoring.py").exists()


def test_what_has_no_samples_is_refused(tmp_path: Path) -> None:
    specs = (REPOSITORY / "specs").rglob("*.yaml")
    images = next(path for path in specs if "\nrecords: detection" in path.read_text("utf-8"))
    with pytest.raises(InputError, match="scores detection as a whole, and a harness has its samples scored"):
        export("lm-eval", images, tmp_path / "t")


# ---- lighteval's calls, by stand-ins for its types


@dataclass
class Doc:
    specific: dict[str, Any] | None
    choices: list[str]
    gold_index: int = 0

    def get_golds(self) -> list[str]:
        return [self.choices[self.gold_index]]


@dataclass
class Said:
    final_text: list[str]


@dataclass
class Detail:
    metric: dict[str, Any]


def test_what_lighteval_is_given() -> None:
    from scoring.extensions.hosts.modules.lighteval import SpecScorer

    scorer = SpecScorer(HostTask(scoring.load(SPEC)), "values")
    docs = [Doc(record, []) for record in RECORDS]
    docs[3] = Doc({"key": 4, "kind": "b"}, ["bern"])
    kept = [
        scorer.compute(doc=doc, model_response=Said([record["response"]]))
        for doc, record in zip(docs, RECORDS, strict=True)
    ]
    run = scoring.evaluate(SPEC, [*RECORDS[:3], {**RECORDS[3], "gold": "bern"}])
    found = scorer.figures([one["scoring"] for one in kept])
    assert found["mean"] == run.metrics["mean"]
    assert {name: found[name] for name in ("scoring", "unparsed_rate", "unscored_rate", "coverage")} == {
        "scoring": 4.0, "unparsed_rate": 0.25, "unscored_rate": 0.0, "coverage": 0.75,
    }  # fmt: skip
    assert asdict(Detail(kept[0]))["metric"]["scoring"] == kept[0]["scoring"]  # as its details are written
    with pytest.raises(InputError, match="takes one answer, and here are 2"):
        scorer.compute(doc=docs[0], model_response=Said(["a", "b"]))
