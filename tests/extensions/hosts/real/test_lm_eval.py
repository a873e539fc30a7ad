"""Specs are scored by lm-evaluation-harness itself, and its logs by `scoring score`, to the same bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval")

import scoring
from scoring.extensions.hosts.exports.exporting import export
from tests.support.golden import REPOSITORY
from tests.support.host_cases import CASES, HostCase, host_case

MODEL = Path(__file__).with_name("harness_model.py")


class Harness:
    """A folder of tasks, and what the harness's own command made of them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tasks, self.out = folder, folder / "tasks", folder / "out"
        self.tasks.mkdir()

    def run(self, names: list[str], answers: dict[str, list[Any]], environ: dict[str, str]) -> None:
        """Run the command over some tasks, with the answers by prompt."""
        said = self.folder / "answers.json"
        said.write_text(json.dumps(answers), encoding="utf-8")
        command = [sys.executable, str(MODEL), str(said), "--model", "answers-of-file", "--tasks", ",".join(names)]
        command += ["--include_path", str(self.tasks), "--log_samples", "--output_path", str(self.out)]
        quiet = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(self.folder / "hf"), "WANDB_MODE": "disabled"}
        path = {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])}
        found = subprocess.run(
            command, env={**os.environ, **quiet, **path, **environ}, cwd=self.tasks, capture_output=True, text=True
        )
        assert found.returncode == 0, found.stderr[-3000:]

    def samples(self, task: str) -> Path:
        """The file of samples of a task."""
        (found,) = self.out.glob(f"*/samples_{task}_*.jsonl")
        return found

    @property
    def results(self) -> Path:
        """The file of results."""
        (found,) = self.out.glob("*/results_*.json")
        return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


# ---- tasks that `scoring export lm-eval` writes

NAMES = {"invoices": "quickstart_invoices", "landmark": "demo_landmark", "judged": "demo_cascade"}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, HostCase]:
    folder = tmp_path_factory.mktemp("cases")
    return {name: host_case(name, folder, "texts") for name in CASES}


@pytest.fixture(scope="module")
def exported(cases: dict[str, HostCase], tmp_path_factory: pytest.TempPathFactory) -> Harness:
    harness = Harness(tmp_path_factory.mktemp("exported"))
    for name, case in cases.items():
        folder = harness.tasks / name
        export("lm-eval", case.spec, folder)
        functions = folder / f"{NAMES[name]}.py"
        text = functions.read_text("utf-8")
        asked = f'raise NotImplementedError("say what the model is asked: write `prompt` in {functions.name}")'
        assert asked in text
        functions.write_text(text.replace(asked, 'return doc["id"]'), encoding="utf-8")
        (folder / "records.jsonl").write_bytes(case.data.read_bytes())
    answers = {one.id: [one.response] for case in cases.values() for one in case.records}
    harness.run(list(NAMES.values()), answers, dict(cases["judged"].environ))
    return harness


@pytest.mark.parametrize("name", CASES)
def test_the_harness_has_our_scores_and_figures(name: str, cases: dict[str, HostCase], exported: Harness) -> None:
    case, samples = cases[name], lines(exported.samples(NAMES[name]))
    results = json.loads(exported.results.read_text("utf-8"))
    own = results["results"][NAMES[name]]
    case.check([one["scoring"]["score"] for one in samples], own["mean,none"])
    kept = [(one["scoring"]["status"], one["scoring"]["reason"]) for one in samples]
    assert kept == [(one["status"], one.get("reason")) for one in case.lines]
    figure = case.summary["metrics"][0]
    assert [own["mean_low,none"], own["mean_high,none"]] == figure["interval"]
    assert own["scoring,none"] == 200
    assert own["coverage,none"] == case.summary["coverage"]
    assert own["unparsed_rate,none"] == case.summary["counts"]["not_parsed"] / 200
    assert own["unscored_rate,none"] == case.summary["counts"]["unscored"] / 200
    meaning = scoring.load(case.spec).signature.meaning if name != "judged" else samples[0]["scoring"]["meaning"]
    assert {one["scoring"]["meaning"] for one in samples} == {meaning}
    assert f"|meaning:{meaning.partition('|')[0]}|" in case.summary["signature"]
    assert results["higher_is_better"][NAMES[name]]["unparsed_rate"] is False


def test_the_rates_have_the_harness_s_standard_error(exported: Harness) -> None:
    own = json.loads(exported.results.read_text("utf-8"))["results"]["quickstart_invoices"]
    share = own["unparsed_rate,none"]
    assert own["unparsed_rate_stderr,none"] == pytest.approx((share * (1 - share) / 199) ** 0.5)
    assert own["mean_stderr,none"] == "N/A"


@pytest.mark.parametrize("name", CASES)
def test_the_log_is_scored_as_the_data_were(name: str, cases: dict[str, HostCase], exported: Harness) -> None:
    case = cases[name]
    form = "lm-eval" if name == "judged" else "lm-eval,reference=json"
    with case.replaying():
        run = scoring.evaluate(case.spec, exported.samples(NAMES[name]), input_format=form)
    # What is absent is the text "None" in the harness's files, and stands as a response there.
    absent = {place for place, one in enumerate(case.records) if one.response is None}
    found = [None if place in absent else one.score for place, one in enumerate(run.records)]
    assert found == [None if place in absent else score for place, score in enumerate(case.scores)]
    assert f"meaning:{run.signature.meaning.partition('|')[0]}" == case.meaning


# ---- logs of the harness's own tasks

DOCS = [
    {"q": "two?", "a": "4", "many": ["4", "four"], "options": ["3", "four", "11"], "gold": 1},
    {"q": "where\u2028?", "a": "café 😀", "many": ["café", 'it\'s "x"'], "options": ["abcd", "b", "c"], "gold": 2},
    {"q": "three?", "a": "6", "many": ["6"], "options": ["6", "4", "5"], "gold": 0},
]
SAID = {
    "two?": ["it is 4", "so 4", "I say 5"],
    "where\u2028?": ["a\u2028café 😀", "\x00 nowhere", "café"],
    "three?": ["six", "is 7", "is 6"],
}
TASK = {
    "test_split": "test",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": "docs.jsonl"}},
    "doc_to_text": "{{q}}",
}
FILTERS = [
    {"name": "last", "filter": [{"function": "regex", "regex_pattern": "is (\\S+)$"}, {"function": "take_first"}]},
    {"name": "two", "filter": [{"function": "take_first_k", "k": 2}]},
]
KINDS: dict[str, dict[str, Any]] = {
    "k_gen": {"doc_to_target": "a", "repeats": 3, "filter_list": FILTERS},
    "k_list": {"doc_to_target": "many"},
    "k_choice": {"doc_to_target": "gold", "doc_to_choice": "options", "output_type": "multiple_choice"},
    "k_mutual": {"doc_to_target": "gold", "doc_to_choice": "options", "output_type": "multiple_choice"},
    "k_one": {"doc_to_target": "a", "output_type": "loglikelihood"},
    "k_rolling": {"doc_to_target": "a", "output_type": "loglikelihood_rolling"},
}
METRICS = {"k_mutual": ("acc", "acc_mutual_info"), "k_rolling": ("word_perplexity",), "k_one": ("acc",)}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    harness = Harness(tmp_path_factory.mktemp("kinds"))
    (harness.tasks / "docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in DOCS), encoding="utf-8")
    for name, own in KINDS.items():
        is_text = "output_type" not in own
        metrics = METRICS.get(name, ("exact_match",) if is_text else ("acc", "acc_norm"))
        listed = [{"metric": one, "aggregation": "mean", "higher_is_better": True} for one in metrics]
        if name == "k_rolling":
            listed[0]["aggregation"] = "weighted_perplexity"
        more = {"generation_kwargs": {"until": []}} if is_text else {}
        text = {"task": name, **TASK, **own, "metric_list": listed, **more}
        if name == "k_gen":  # its own metric takes no list of responses
            text["metric_list"] = [{"metric": "same", "aggregation": "mean", "higher_is_better": True}]
        written = json.dumps(text)
        if name == "k_gen":
            written = written[:-1] + ', "process_results": !function own.same}'
        (harness.tasks / f"{name}.yaml").write_text(written, encoding="utf-8")
    (harness.tasks / "own.py").write_text(
        'def same(doc, results):\n    return {"same": float(results[0] == doc["a"])}\n'
    )
    harness.run(list(KINDS), {asked: list(said) for asked, said in SAID.items()} | {"": [""]}, {})
    return harness


SAME = {"kind": "task", "name": "same", "score": "equal"}


def scores(kinds: Harness, task: str, spec: Any, settings: str = "") -> list[float | None]:
    run = scoring.evaluate(spec, kinds.samples(task), input_format=f"lm-eval{settings}")
    return [one.score for one in run.records]


def test_filtered_and_raw_responses(kinds: Harness) -> None:
    with pytest.raises(
        scoring.InputError, match="has what the filters `last` and `two` made of each response; score one of"
    ):
        scores(kinds, "k_gen", SAME)
    logged = [one["same"] for one in lines(kinds.samples("k_gen")) if one["filter"] == "last"]
    assert scores(kinds, "k_gen", SAME, ",filter=last") == logged == [1.0, 0.0, 0.0]
    last = {**SAME, "parse": 'find("[^ ]+$")'}
    assert scores(kinds, "k_gen", last, ",responses=first") == [1.0, 0.0, 0.0]
    said = {**last, "answers": "many"}
    assert scores(kinds, "k_gen", said, ",responses=all") == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert scores(kinds, "k_gen", said, ",responses=all,filter=two") == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_targets_are_texts_literals_or_values_of_documents(kinds: Harness) -> None:
    any_of = {**SAME, "parse": 'find("[^ ]+$")', "score": "any_reference(equal)"}
    assert scores(kinds, "k_list", any_of, ",target=literal") == [0.0, 1.0, 1.0]
    assert scores(kinds, "k_list", any_of, ",target=doc.many") == [0.0, 1.0, 1.0]
    with pytest.raises(scoring.InputError, match="`target` of lm-eval is `text`, `literal` or a path such as"):
        scores(kinds, "k_list", any_of, ",target=answer")


@pytest.mark.parametrize("task", ["k_choice", "k_mutual"])
def test_the_likeliest_option_is_the_response(task: str, kinds: Harness) -> None:
    logged = [one["acc"] for one in lines(kinds.samples(task))]
    assert scores(kinds, task, SAME) == logged == [1.0, 0.0, 1.0]
    assert scores(kinds, task, SAME, ",choice=text,target=doc.a") == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("task", ["k_one", "k_rolling"])
def test_a_log_without_responses_says_so(task: str, kinds: Harness) -> None:
    with pytest.raises(scoring.InputError, match="line 1: the sample has the log-likelihood of a text, and no resp"):
        scores(kinds, task, SAME)


# ---- logs with our scores in them


def test_a_scored_log_is_read_by_the_harness_s_own_tools(kinds: Harness, tmp_path: Path) -> None:
    import datasets
    from lm_eval.utils import get_latest_filename, get_results_filenames, get_sample_results_filenames, make_table

    source = kinds.samples("k_choice")
    out = tmp_path / "model" / source.name
    out.parent.mkdir()
    scoring.evaluate(SAME, source, input_format="lm-eval", write_back=out)
    other = kinds.samples("k_gen")
    scoring.evaluate(SAME, other, input_format="lm-eval,filter=two", write_back=out.with_name(other.name))
    names = [str(path) for path in out.parent.iterdir()]
    (samples,) = [name for name in get_sample_results_filenames(names) if "k_choice" in name]
    (results,) = get_results_filenames(names)
    assert get_latest_filename([Path(results).name]) == kinds.results.name
    assert [one["scoring"]["score"] for one in lines(Path(samples))] == [1.0, 0.0, 1.0]
    table = datasets.load_dataset("json", data_files=samples, split="train", cache_dir=str(tmp_path / "cache"))
    assert [one["score"] for one in table["scoring"]] == [1.0, 0.0, 1.0]
    figures = json.loads(Path(results).read_text("utf-8"))
    own = figures["results"]["k_choice"]
    assert own["scoring_mean,none"] == own["acc,none"] == 2 / 3
    assert figures["results"]["k_gen"]["scoring_mean,two"] == 0.0
    assert figures["scoring"]["k_choice"]["metrics"][0]["interval"] == [
        own[f"scoring_mean_{end},none"] for end in ("low", "high")
    ]
    assert "scoring_mean" in make_table(figures)
    given = json.loads(kinds.results.read_text("utf-8"))
    assert {name: value for name, value in own.items() if "scoring" not in name} == given["results"]["k_choice"]


def test_samples_of_an_exported_task_are_read_by_its_visualisers(exported: Harness) -> None:
    from lm_eval.loggers.wandb_logger import WandbLogger

    results = json.loads(exported.results.read_text("utf-8"))
    for name in NAMES.values():
        samples = lines(exported.samples(name))
        for one in samples:  # in memory, where the logger finds them, arguments are tuples
            one["arguments"] = [tuple(asked.values()) for asked in one["arguments"].values()]
        table = WandbLogger._generate_dataset(object(), samples, results["configs"][name])
        assert list(table["mean"].notna()) == [one["scoring"]["score"] is not None for one in samples]
        assert {"scoring", "unparsed_rate", "coverage"} <= set(table.columns)
