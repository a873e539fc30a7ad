"""Adapters for evaluation platforms, each with a stand-in for the platform's own types where it is not installed."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import scoring
from scoring import InputError
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer, plain_messages, to_feedback
from tests.support.host_outcomes import HELD, RECORDS, held_by_real_hosts

TOWN: dict[str, Any] = {"kind": "task", "name": "demo/town", "score": "lower | equal", "pass": "score == 1"}
NUMBER: dict[str, Any] = {"kind": "task", "name": "demo/number", "parse": "number", "score": "equal"}
PAIR: dict[str, Any] = {"kind": "task", "name": "demo/pair", "parse": "json", "fields": {"a": "equal", "b": "equal"}}
SUM: dict[str, Any] = PAIR | {"aggregate": "a + b"}
CHAT = [{"role": "user", "content": "Of France?"}, {"role": "assistant", "content": "Paris"}]
MEANING = scoring.load(TOWN).signature.meaning


class Keywords(SimpleNamespace):
    """A stand-in for a type of a platform that has nothing but attributes."""


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that puts modules with the given attributes in the place of a platform's package."""

    def stand(**modules: dict[str, Any]) -> None:
        for name, attributes in modules.items():
            module = ModuleType(name.replace("__", "."))
            vars(module).update(attributes)
            monkeypatch.setitem(sys.modules, module.__name__, module)

    return stand


def test_feedback_is_plain() -> None:
    task = scoring.load(TOWN)
    assert to_feedback(task.score_parts("Paris", "paris"), task) == {
        "name": "town",
        "value": 1.0,
        "status": "scored",
        "reason": None,
        "passed": True,
        "fields": {"answer": 1.0},
        "meaning": MEANING,
    }


def test_what_the_spec_counts_has_its_value_and_its_status() -> None:
    task = scoring.load(NUMBER | {"on_unparsed": "zero"})
    told = to_feedback(task.score_parts("none", 3), task, "n")
    assert (told["name"], told["value"], told["status"], told["reason"]) == (
        "n",
        0.0,
        "unparsed",
        "not a number: 'none'",
    )


def test_a_mark_of_what_is_not_applicable_is_no_value() -> None:
    task = scoring.load(TOWN)
    marked = scoring.Outcome(-1.0, "not_applicable", "both are 0")
    told = to_feedback(scoring.RecordResult("a", marked), task)
    assert (told["value"], told["status"], told["reason"]) == (None, "not_applicable", "both are 0")


def test_messages_are_read_in_the_forms_of_other_libraries() -> None:
    human = SimpleNamespace(type="human", content="Of France?")
    said = SimpleNamespace(type="ai", content="Paris")
    spoken = SimpleNamespace(role="assistant", content="Paris")
    assert plain_messages([human, said]) == CHAT
    assert plain_messages(spoken) == CHAT[1:]
    assert plain_messages(CHAT) == CHAT
    for other in ("Paris", None, 3, ["Paris"], [{"type": "text", "text": "Paris"}], {"type": "ai", "content": ""}, []):
        assert plain_messages(other) is other
    scorer = FeedbackScorer.of(TOWN, None, "values")
    for response in ([human, said], spoken, CHAT, "Paris"):
        assert scorer.feedback(response, "paris")["value"] == 1.0


def test_references_that_are_json_are_read() -> None:
    scorer = FeedbackScorer.of(PAIR, None, "json")
    assert scorer.feedback('{"a": 1, "b": 2}', '{"a": 1, "b": 3}')["fields"] == {"a": 1.0, "b": 0.0}
    assert scorer.feedback('{"a": 1}', None)["reason"] == "a: the record has no reference"


@pytest.mark.parametrize("name", ["braintrust", "autoevals"])
def test_scores_beyond_what_a_platform_takes_are_refused(name: str, standing: Any) -> None:
    standing(autoevals={"score": SimpleNamespace(Scorer=object)})
    with pytest.raises(InputError, match=r"takes scores from 0 to 1, and those of demo/pair lie in \[0, 2\]"):
        getattr(scoring.platforms, name)(SUM)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("mlflow", "mlflow.genai.scorers"),
        ("weave", "weave"),
        ("langfuse", "langfuse"),
        ("deepeval", "deepeval.metrics"),
        ("autoevals", "autoevals"),
        ("ragas", "ragas.metrics.base"),
        ("phoenix", "phoenix.evals"),
        ("hf_evaluate", "evaluate"),
    ],
)
def test_a_package_that_is_missing_is_named(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"scoring\.platforms\.{name} needs {module}: pip install"):
        getattr(scoring.platforms, name)(TOWN)


def test_langsmith() -> None:
    score = scoring.platforms.langsmith(TOWN)
    assert score.__name__ == "town"
    found = score({"id": 1}, {"output": CHAT}, {"answer": "paris"})["results"]
    assert [(one["key"], one["score"]) for one in found] == [("town", 1.0), ("town.passed", True)]
    (one,) = score({}, {"output": "Paris"}, {"gold": "paris"})["results"]
    assert (one["score"], one["value"]) == (None, "unscored")
    assert one["comment"] == "the reference outputs have no 'answer', but 'gold'"
    (one,) = score({}, {}, {"answer": "paris"})["results"]
    assert one["comment"] == "the record has no response"
    assert scoring.platforms.langsmith(PAIR, response=None, reference=None)({}, {"a": 1}, {"a": 1, "b": 2})["results"]


def test_braintrust() -> None:
    score = scoring.platforms.braintrust(TOWN)
    found = asyncio.run(score(input={}, output=CHAT, expected="paris", metadata=None, tags=[]))
    assert [(one["name"], one["score"]) for one in found] == [("town", 1.0), ("town.passed", 1.0)]
    one = asyncio.run(score(input={}, output="Paris"))
    assert (one["score"], one["metadata"]["status"]) == (None, "unscored")


def test_mlflow(standing: Any) -> None:
    standing(
        mlflow={},
        mlflow__genai={},
        mlflow__genai__scorers={"scorer": lambda score, name: SimpleNamespace(score=score, name=name)},
        mlflow__entities={"Feedback": Keywords, "AssessmentError": lambda code, text: (code, text)},
    )
    scorer = scoring.platforms.mlflow(TOWN)
    assert scorer.name == "town"
    one, passed = scorer.score({"id": 1}, CHAT, {"expected_response": "paris"})
    assert (one.name, one.value, one.error, passed.name, passed.value) == ("town", 1.0, None, "town.passed", True)
    assert one.metadata == {"status": "scored", "passed": "true", "fields": '{"answer": 1.0}', "meaning": MEANING}
    (one,) = scorer.score({}, "Paris", {})
    assert (one.value, one.error) == (None, ("UNSCORED", "the record has no reference"))
    (one,) = scoring.platforms.mlflow(NUMBER).score({}, "none", {"expected_response": 3})
    assert (one.value, one.error, one.rationale) == (None, None, "not a number: 'none'")


def test_langfuse(standing: Any) -> None:
    standing(langfuse={"Evaluation": Keywords})
    score = scoring.platforms.langfuse(TOWN)
    one, passed = asyncio.run(score(input={}, output=CHAT, expected_output="paris", metadata={}))
    assert (one.name, one.value, passed.name, passed.value) == ("town", 1.0, "town.passed", True)
    (one,) = asyncio.run(score(input={}, output="Paris", expected_output=None))
    assert (one.name, one.value, one.data_type) == ("town.status", "unscored", "CATEGORICAL")
    assert one.comment == "the record has no reference"


def test_autoevals(standing: Any) -> None:
    standing(autoevals={"score": SimpleNamespace(Scorer=object), "Score": Keywords})
    scorer = scoring.platforms.autoevals(TOWN)
    assert scorer._name() == "town"
    assert scorer._run_eval_sync(CHAT, "paris").score == 1.0
    one = asyncio.run(scorer._run_eval_async("Paris"))
    assert (one.name, one.score, one.metadata["reason"]) == ("town", None, "the record has no reference")


def test_weave(standing: Any) -> None:
    standing(weave={"Scorer": Keywords, "op": lambda function: function})
    scorer = scoring.platforms.weave(TOWN, reference="gold")
    assert (scorer.name, scorer.meaning) == ("town", MEANING)
    assert asyncio.run(scorer.score(CHAT, gold="paris", id=1))["passed"] is True
    assert asyncio.run(scorer.score("Paris", id=1))["status"] == "unscored"


def test_phoenix(standing: Any) -> None:
    made: dict[str, Any] = {}

    def create_evaluator(**settings: Any) -> Any:
        made.update(settings)
        return lambda function: function

    standing(phoenix={}, phoenix__evals={"create_evaluator": create_evaluator, "Score": Keywords})
    score = scoring.platforms.phoenix(TOWN)
    assert made == {"name": "town", "kind": "code", "direction": "maximize"}
    assert score(output=CHAT, expected="paris").score == 1.0
    one = score(output="Paris")
    assert (one.score, one.label, one.explanation) == (None, "unscored", "the record has no reference")


def test_ragas(standing: Any) -> None:
    class Single(Keywords): ...

    class Several: ...

    standing(
        ragas={},
        ragas__metrics={},
        ragas__metrics__base={"SingleTurnMetric": Single, "MultiTurnMetric": Several},
        ragas__metrics__result={"MetricResult": lambda value, reason, traces: (value, reason, traces)},
    )
    metric = scoring.platforms.ragas(TOWN)
    metric.init(None)
    sample = SimpleNamespace(response="Paris", reference="paris", model_dump=dict)
    assert asyncio.run(metric._single_turn_ascore(sample, None)) == 1.0
    turns = [SimpleNamespace(type="human", content="Of France?"), SimpleNamespace(type="ai", content="Paris")]
    sample = SimpleNamespace(user_input=turns, reference="paris", model_dump=dict)
    assert asyncio.run(metric._multi_turn_ascore(sample, None)) == 1.0
    sample.reference = None
    assert str(asyncio.run(metric._multi_turn_ascore(sample, None))) == "nan"
    value, reason, traces = asyncio.run(metric.ascore(response="Paris"))
    assert (value, reason, traces["output"]["status"]) == (None, "the record has no reference", "unscored")


@dataclass
class Case:
    """A stand-in for DeepEval's test case."""

    actual_output: str | None
    expected_output: str | None = None
    metadata: dict[str, Any] | None = field(default_factory=dict)


def test_deepeval(standing: Any) -> None:
    standing(deepeval={}, deepeval__metrics={"BaseMetric": object})
    metric = scoring.platforms.deepeval(TOWN)
    assert metric.__name__ == "town"
    assert metric.measure(Case("Paris", "paris"), _show_indicator=False) == 1.0
    assert (metric.is_successful(), metric.skipped, metric.error) == (True, False, None)
    assert metric.measure(Case("Rome", "paris")) == 0.0
    assert metric.is_successful() is False
    assert asyncio.run(metric.a_measure(Case("Paris"))) is None
    assert (metric.is_successful(), metric.error) == (False, "unscored: the record has no reference")
    assert metric.score_breakdown == {"answer": None}
    half = scoring.platforms.deepeval(PAIR, references_as="json", threshold=0.5)
    assert half.measure(Case('{"a": 1, "b": 2}', '{"a": 1, "b": 3}')) == 0.5
    assert half.is_successful() is True


def test_deepeval_skips_what_is_not_applicable(standing: Any) -> None:
    standing(deepeval={}, deepeval__metrics={"BaseMetric": object})
    spec = {"kind": "task", "name": "t", "score": "each(over=record.words, score=has_word(item), join=mean)"}
    metric = scoring.platforms.deepeval(spec)
    assert metric.measure(Case("Paris", "paris", {"words": []})) is None
    assert (metric.skipped, metric.error, metric.is_successful()) == (True, None, None)
    assert metric.reason == "no field of this record is applicable"


def test_hf_evaluate(standing: Any) -> None:
    standing(
        evaluate={"Metric": object, "MetricInfo": Keywords}, datasets={"Value": lambda kind: kind, "Features": dict}
    )
    module = scoring.platforms.hf_evaluate(TOWN)
    found = module._compute(["Paris", "Rome", CHAT, "x"], ["paris", "paris", "paris", None])
    assert found["town"] == 2 / 3
    assert [one["value"] for one in found["feedback"]] == [1.0, 0.0, 1.0, None]
    assert module._compute(["x"], [None])["town"] is None
    assert module._info().features[0] == {"predictions": "string", "references": "string"}


def test_every_platform_has_a_row_and_a_test_with_its_package() -> None:
    rows = held_by_real_hosts()
    assert all(len(row["cells"]) == len(RECORDS) for row in rows.values())
    platforms = [name for name, row in rows.items() if "figures" in row]
    assert {*platforms, "to_feedback"} == set(scoring.platforms.__all__)
    for name in platforms:
        assert (HELD.parent / "real" / f"test_{name}.py").is_file()
