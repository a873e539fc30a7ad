"""Rewards in TRL's own trainer, with a model of two small layers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, host_case

torch = pytest.importorskip("torch")
trl = pytest.importorskip("trl")
pytestmark = pytest.mark.filterwarnings("default")

TEMPLATE = "{% for message in messages %}{{ message.content }} {% endfor %}"
WORDS = ["paris", "rome", "of", "france", "spain", "what", "is", "the", "town", "?"]


def trainer_of(reward: Any, rows: list[dict[str, Any]], folder: Path) -> Any:
    """A trainer of a model that was not trained, over some rows."""
    datasets = pytest.importorskip("datasets")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = {word: place for place, word in enumerate(["[PAD]", "[EOS]", "[UNK]", *WORDS])}
    marked = {"unk_token": "[UNK]"}
    raw = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, **marked))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    marks = {"pad_token": "[PAD]", "eos_token": "[EOS]", **marked}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, **marks)
    tokenizer.chat_template = TEMPLATE
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 1}
    config = transformers.LlamaConfig(vocab_size=len(words), max_position_embeddings=64, **small, **ends)
    arguments = trl.GRPOConfig(
        output_dir=str(folder / "trained"),
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=4,
        max_steps=1,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        log_completions=False,
    )
    return trl.GRPOTrainer(
        model=transformers.LlamaForCausalLM(config),
        reward_funcs=reward,
        args=arguments,
        train_dataset=datasets.Dataset.from_list(rows),
        processing_class=tokenizer,
    )


def asked(text: str = "what is the town of france ?") -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path)
    with found.replaying():
        yield found


def test_the_trainers_rewards_are_the_scores(case: HostCase, tmp_path: Path) -> None:
    reward = scoring.rewards.trl(case.spec, reference="wanted", references_as="json")
    rows = [
        {"prompt": asked(), "wanted": None if one.reference is MISSING else json.dumps(one.reference)}
        for one in case.records
    ]
    trainer = trainer_of(reward, rows, tmp_path)
    said = [
        [{"role": "assistant", "content": one.response}] if isinstance(one.response, str) else one.response
        for one in case.records
    ]
    inputs = list(trainer.train_dataset)
    found = trainer._calculate_rewards(inputs, [row["prompt"] for row in inputs], said, [[1]] * len(said))
    wanted = torch.tensor([math.nan if score is None else score for score in case.scores], dtype=torch.float32)
    assert found.shape == (200, 1)
    assert torch.equal(found[:, 0].isnan(), wanted.isnan())
    assert torch.equal(found[:, 0].nan_to_num(), wanted.nan_to_num())
    assert list(trainer._pending_extra_logs["status"]) == [line["status"] for line in case.lines]
    assert trainer.reward_func_names == [reward.__name__]
    case.check(case.scores, signature=reward.task.signature)


def test_a_step_of_training_takes_the_rewards(tmp_path: Path) -> None:
    spec = {
        "kind": "task",
        "name": "demo/towns",
        "score": "lower | levenshtein",
        "reward": {"range": [-1, 1], "seconds": 60},
    }
    rows: list[dict[str, Any]] = [
        {"prompt": asked(), "reference": "paris"},
        {"prompt": asked("town of spain ?"), "reference": None},
    ]
    trainer = trainer_of(scoring.rewards.trl(spec), rows * 4, tmp_path)
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "rewards/towns/mean" in entry or "unscored" in entry]
    assert logs, trainer.state.log_history
