"""A run in the forms of other tools: valid by their schemas, with the figures of the run, and nothing made into a 0."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

import scoring
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import export
from tests.support.host_cases import CASES, SIZE, host_case

TASK: dict[str, Any] = {
    "kind": "task", "name": "towns/near", "version": "1.2.0", "record": {"reference": "gold", "id": "key"},
    "parse": 'find("[a-z]+")', "score": "levenshtein", "pass": "score >= 0.7", "on_unparsed": "unscored",
    "metrics": ["mean", "pass_rate"], "by": ["kind"],
}  # fmt: skip
AWKWARD = 'a "b"\\ \n é'
RECORDS: list[dict[str, Any]] = [
    {"key": 1, "gold": "paris", "kind": "a", "response": "paris", "context": "Where?"},
    {"key": 2, "gold": "rome", "kind": AWKWARD, "response": "rom"},
    {"key": 3, "gold": "oslo", "kind": "b", "response": "???"},
    {"key": 4, "kind": "b", "response": "bern", "gold": "riga"},
    {"key": 5, "kind": "b", "gold": "riga"},
]
SCHEMAS = Path(os.environ.get("SCORING_EVERY_EVAL_EVER", "no repository"))
"""A git directory of evaleval/every_eval_ever, whose schemas files are checked by."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    records = tmp_path / "records.jsonl"
    records.write_text("".join(json.dumps(one) + "\n" for one in RECORDS), encoding="utf-8")
    scoring.evaluate(TASK, records, output=tmp_path / "run")
    return tmp_path / "run"


def summary_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "summary.json").read_text("utf-8"))
    return found


# ---- Every Eval Ever


def ever(run: Path, out: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    files = [Path(name) for name in export("every-eval-ever", run, out).to_json()["files"]]
    about = json.loads(files[0].read_text("utf-8"))
    lines = [json.loads(line) for path in files[1:] for line in path.read_text("utf-8").splitlines()]
    check_aggregate(about)
    for line in lines:
        check_sample(line, about)
    return about, lines


def check_aggregate(about: dict[str, Any]) -> None:
    """Check what the schema of the aggregate requires of the keys that are written."""
    assert about["schema_version"] == "0.3.0"
    assert all(isinstance(about[name], str) for name in ("evaluation_id", "retrieved_timestamp"))
    assert {"source_type", "source_organization_name", "evaluator_relationship"} <= set(about["source_metadata"])
    assert {"name", "version"} <= set(about["eval_library"])
    assert {"name", "id", "additional_details"} <= set(about["model_info"])
    for one in about["evaluation_results"]:
        assert one["source_data"]["source_type"] == "other"
        assert isinstance(one["metric_config"]["lower_is_better"], bool)
        assert type(one["score_details"]["score"]) in (int, float)
        assert all(isinstance(value, str) for value in one["score_details"]["details"].values())
    if "detailed_evaluation_results" in about:
        version_4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
        path = about["detailed_evaluation_results"]["file_path"]
        assert re.fullmatch(rf"data/[^/]+/[^/]+/[^/]+/{version_4}_samples\.jsonl", path)


def check_sample(line: dict[str, Any], about: dict[str, Any]) -> None:
    """Check what the schema of samples requires of the keys that are written."""
    assert line["schema_version"] == "0.3.0"
    if line["interaction_type"] == "multi_turn":
        assert line["output"] is None
        said = [one["content"] for one in line["messages"]]
        assert [one["turn_idx"] for one in line["messages"]] == list(range(len(said)))
    else:
        assert (line["interaction_type"], line["messages"]) == ("single_turn", None)
        said = line["output"]["raw"]
    assert line["evaluation_id"] == about["evaluation_id"]
    assert line["evaluation_result_id"] in [one["evaluation_result_id"] for one in about["evaluation_results"]]
    texts = [line["sample_id"], line["input"]["raw"], *line["input"]["reference"], *said]
    assert all(isinstance(one, str) for one in [*texts, *line["metadata"].values()])
    assert type(line["evaluation"]["score"]) in (int, float)
    assert isinstance(line["evaluation"]["is_correct"], bool)


def test_every_eval_ever(run: Path, tmp_path: Path) -> None:
    about, lines = ever(run, tmp_path / "e")
    summary = summary_of(run)
    figures = [(one["evaluation_result_id"], one["score_details"]["score"]) for one in about["evaluation_results"]]
    assert figures == [(one["metric"], one["value"]) for one in summary["metrics"]]
    low, high = summary["metrics"][0]["interval"]
    interval = about["evaluation_results"][0]["score_details"]["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (low, high, 0.95)
    assert [(one["sample_id"], one["evaluation"]) for one in lines] == [
        ("1", {"score": 1.0, "is_correct": True}),
        ("2", {"score": 0.75, "is_correct": True}),
        ("4", {"score": 0.0, "is_correct": False}),
    ]
    assert lines[0]["input"] == {"raw": "Where?", "reference": ["paris"]}
    assert lines[0]["sample_hash"] == sha256(b"Where?paris").hexdigest()
    assert lines[1]["metadata"]["kind"] == AWKWARD
    details = about["source_metadata"]["additional_details"]
    assert (details["samples_without_score"], details["samples_without_score_ids"]) == ("2", '["3", "5"]')
    assert json.loads(details["samples_without_score_statuses"]) == {"unparsed": 1, "unscored": 1}
    assert details["note"].endswith("file of samples: 2; none of them counts as 0.")
    told = about["detailed_evaluation_results"]
    content = (tmp_path / "e" / told["file_path"]).read_bytes()
    assert (told["total_rows"], told["checksum"]) == (3, sha256(content).hexdigest())


def test_every_eval_ever_is_read_back(run: Path, tmp_path: Path) -> None:
    about, lines = ever(run, tmp_path / "e")
    path = tmp_path / "e" / about["detailed_evaluation_results"]["file_path"]
    again = scoring.evaluate({**TASK, "record": {}}, path)
    assert [one.score for one in again.records] == [one["evaluation"]["score"] for one in lines]


@cache
def schema(name: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    show = ["git", "-C", str(SCHEMAS), "show", f"HEAD:every_eval_ever/schemas/{name}.schema.json"]
    found = subprocess.run(show, capture_output=True, check=True)
    return jsonschema.Draft7Validator(json.loads(found.stdout))


@pytest.mark.skipif(not SCHEMAS.is_dir(), reason="the schemas of every_eval_ever are not here")
def test_every_eval_ever_is_valid_by_its_schemas(run: Path, tmp_path: Path) -> None:
    about, lines = ever(run, tmp_path / "e")
    schema("eval").validate(about)
    for line in lines:
        schema("instance_level_eval").validate(line)
    (tmp_path / "records.jsonl").unlink()
    schema("eval").validate(ever(run, tmp_path / "f")[0])


def test_records_that_changed_or_came_from_memory_give_the_aggregate_alone(run: Path, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"key": 1}\n')
    about, lines = ever(run, tmp_path / "e")
    assert lines == []
    assert "records.jsonl has changed since it was scored" in about["source_metadata"]["additional_details"]["note"]
    scoring.evaluate(TASK, RECORDS, output=tmp_path / "memory")
    about, lines = ever(tmp_path / "memory", tmp_path / "f")
    assert lines == []
    assert "There is no file of samples" in about["source_metadata"]["additional_details"]["note"]


@pytest.mark.parametrize("name", CASES)
def test_of_200_records_each_score_is_that_of_the_run(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path)
    about, lines = ever(case.run, tmp_path / "e")
    scored = {one["id"]: one["score"] for one in case.lines if one["score"] is not None}
    assert {one["sample_id"]: one["evaluation"]["score"] for one in lines} == scored
    assert about["evaluation_results"][0]["score_details"]["score"] == case.headline
    left = about["source_metadata"]["additional_details"]["samples_without_score"]
    assert int(left) == SIZE - len(scored)
    if SCHEMAS.is_dir():
        for line in lines:
            schema("instance_level_eval").validate(line)


# ---- OpenMetrics and model cards

LINE = re.compile(r'([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"')


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def points(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return the points of OpenMetrics text by family and labels, and check that the text has the grammar of it."""
    *lines, end, rest = text.split("\n")
    assert (end, rest) == ("# EOF", "")
    family, families, found = "", [], {}
    for line in lines:
        if line.startswith("# TYPE "):
            family = line.split()[2]
            assert line == f"# TYPE {family} gauge"
            families.append(family)
        elif not line.startswith(f"# HELP {family} "):
            parts = LINE.fullmatch(line)
            assert parts is not None, line
            labels = frozenset((name, unescaped(value)) for name, value in LABEL.findall(parts[2]))
            assert parts[1] == family
            assert (family, labels) not in found
            found[family, labels] = float(parts[3])
    assert len(set(families)) == len(families)
    return found


def test_openmetrics(run: Path, tmp_path: Path) -> None:
    export("openmetrics", run, tmp_path / "m.prom")
    found = points((tmp_path / "m.prom").read_bytes().decode())
    summary = summary_of(run)
    meaning = scoring.load(TASK).signature.meaning
    about = {"task": "towns/near", "version": "1.2.0", "meaning": meaning}

    def point(family: str, **labels: str) -> float:
        return found[family, frozenset({**about, **labels}.items())]

    for one in summary["metrics"]:
        assert point("scoring_figure", figure=one["metric"]) == one["value"]
        more = {"figure": one["metric"], "level": "0.95", "method": one["method"]}
        ends = [point(f"scoring_figure_{end}", **more) for end in ("low", "high")]
        assert ends == one["interval"]
    assert point("scoring_coverage") == summary["coverage"]
    counts = {status: point("scoring_records", status=status) for status in ("scored", "unparsed", "unscored")}
    assert counts == {"scored": 3, "unparsed": 1, "unscored": 1}
    assert point("scoring_figure", figure="mean", dimension="kind", group=AWKWARD) == 0.75


def test_a_model_card(run: Path, tmp_path: Path) -> None:
    export("hf-results", run, tmp_path / "card.yaml")
    text = (tmp_path / "card.yaml").read_text("utf-8")
    assert "# Records: 3 scored, 1 unparsed, 1 unscored.\n" in text
    (model,) = yaml.safe_load(text)["model-index"]
    (result,) = model["results"]
    summary = summary_of(run)
    assert [(one["type"], one["value"]) for one in result["metrics"]] == [
        (one["metric"], one["value"]) for one in summary["metrics"]
    ]
    assert result["metrics"][0]["args"]["interval"] == summary["metrics"][0]["interval"]
    assert set(result) == {"task", "dataset", "metrics"}
    assert (result["dataset"]["type"], result["dataset"]["args"]["coverage"]) == ("towns/near", summary["coverage"])


def test_a_result_in_the_repository_of_a_model(run: Path, tmp_path: Path) -> None:
    repository = tmp_path / "model"
    repository.mkdir()
    (repository / "README.md").write_text("a card")
    done = export("hf-results,dataset=org/towns,task=near,source=https://example.org/logs", run, repository)
    path = repository / ".eval_results/near.yaml"
    assert done.data["files"] == [str(path)]
    (entry,) = yaml.safe_load(path.read_text("utf-8"))
    headline = summary_of(run)["metrics"][0]
    assert entry["dataset"] == {"id": "org/towns", "task_id": "near"}
    assert (entry["value"], entry["source"]) == (headline["value"], {"url": "https://example.org/logs"})
    assert set(entry) == {"dataset", "value", "date", "source", "notes"}
    assert "3 scored; 1 unparsed; 1 unscored" in entry["notes"]
    with pytest.raises(InputError, match=r"near\.yaml: it is there already"):
        export("hf-results,dataset=org/towns,task=near", run, repository)
    export("hf-results,dataset=org/towns,task=near,scale=100", run, repository, force=True)
    assert yaml.safe_load(path.read_text("utf-8"))[0]["value"] == headline["value"] * 100


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("hf-results", "a result names the benchmark and its task"),
        ("hf-results,dataset=towns,task=near", "`dataset` is the id of a data set"),
        ("hf-results,dataset=org/towns,task=near,scale=10", "`scale` of `hf-results` is 1, or 100"),
        ("hf-results,datset=org/towns", "`hf-results` has no setting `datset`; did you mean `dataset`"),
        ("hf-results,task", "write the setting `task` of `hf-results` once"),
        ("openmetrics,task=near", "`openmetrics` has no setting `task`; it takes none"),
    ],
)
def test_settings_of_an_export(tool: str, said: str, run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        export(tool, run, tmp_path / "model")


def test_settings_of_a_result_have_no_effect_on_a_card(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a model card; name the repository's folder"):
        export("hf-results,dataset=org/towns,task=near", run, tmp_path / "card.yaml")


def test_numbers_and_names_of_a_model_card_are_read_as_they_are(run: Path, tmp_path: Path) -> None:
    summary = summary_of(run)
    summary["task"]["name"] = AWKWARD
    values = [1e-07, 1e22, -1.5e-300, 0.0, 3]
    summary["metrics"] = [{"metric": f'f("{value}"): #x', "value": value, "interval": None} for value in values]
    (run / "summary.json").write_text(json.dumps(summary))
    export("hf-results", run, tmp_path / "card.yaml")
    (result,) = yaml.safe_load((tmp_path / "card.yaml").read_text("utf-8"))["model-index"][0]["results"]
    assert [one["value"] for one in result["metrics"]] == values
    assert [one["name"] for one in result["metrics"]] == [one["metric"] for one in summary["metrics"]]
    assert result["task"]["name"] == AWKWARD


def test_figures_without_a_value_are_left_out(tmp_path: Path) -> None:
    scoring.evaluate(TASK, [{"key": 1, "gold": "x", "kind": "a", "response": "?"}], output=tmp_path / "run")
    about, _ = ever(tmp_path / "run", tmp_path / "e")
    assert about["evaluation_results"] == []
    named = about["source_metadata"]["additional_details"]["figures_without_value"]
    assert json.loads(named) == ["mean", "pass_rate"]
    export("openmetrics", tmp_path / "run", tmp_path / "m.prom")
    assert {family for family, _ in points((tmp_path / "m.prom").read_text("utf-8"))} == {
        "scoring_records", "scoring_coverage",
    }  # fmt: skip
    with pytest.raises(InputError, match="has no figure with a value"):
        export("hf-results", tmp_path / "run", tmp_path / "card.yaml")
