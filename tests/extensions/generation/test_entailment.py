"""Entailment by a tiny local model that the test makes itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.extensions.generation.entailment.model import LocalModel, current_model, entails, use_entailment_model
from scoring.result import Unscored

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "dog", "sleeps", "runs", "black"]


def _tiny_model(folder: Path, labels: dict[int, str]) -> Path:
    """A two-layer classifier with random weights, written as a hub model would be."""
    transformers = pytest.importorskip("transformers", reason="the extra `nli` is not installed")
    torch = pytest.importorskip("torch", reason="the extra `nli` is not installed")
    torch.manual_seed(7)
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, id2label=labels, label2id={name: place for place, name in labels.items()},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("ignore")
def test_a_local_model_gives_probabilities(tmp_path: Path) -> None:
    folder = _tiny_model(tmp_path, {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"})
    model = LocalModel(str(folder))
    found = model.probabilities("a black cat sleeps", "a cat sleeps")
    assert set(found) == {"entailment", "neutral", "contradiction"}
    assert sum(found.values()) == pytest.approx(1)
    assert found == model.probabilities("a black cat sleeps", "a cat sleeps")
    forward = entails("a black cat sleeps", "a cat", model=str(folder))
    back = entails("a cat", "a black cat sleeps", model=str(folder), premise="reference")
    assert forward == back
    scorer = scoring.scorer("megabench@1:nli_entailment", model=str(folder))
    assert scorer.score("a black cat sleeps", "a cat").value == forward
    assert entails("a cat " * 5000, "a dog", model=str(folder)) > 0  # longer than the model takes


@pytest.mark.filterwarnings("ignore")
def test_a_model_without_the_label_is_refused(tmp_path: Path) -> None:
    folder = _tiny_model(tmp_path, {0: "LABEL_0", 1: "LABEL_1"})
    with pytest.raises(Unscored, match="no label `entailment`"):
        LocalModel(str(folder))


def test_without_a_model_there_is_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCORING_NLI_MODEL", raising=False)
    with pytest.raises(Unscored, match="no entailment model is configured"):
        current_model()


def test_a_missing_model_leaves_the_record_unscored(tmp_path: Path) -> None:
    found = scoring.scorer("megabench@1:nli_entailment", model=str(tmp_path / "none")).score("a", "b")
    assert found.status == "unscored"


def test_any_model_can_be_chosen() -> None:
    class Certain:
        def probabilities(self, premise: str, hypothesis: str) -> dict[str, float]:
            return {"entailment": float(hypothesis in premise), "other": 0.0}

    with use_entailment_model(Certain()):
        assert scoring.scorer("megabench@1:nli_entailment").score("a black cat", "cat").value == 1
