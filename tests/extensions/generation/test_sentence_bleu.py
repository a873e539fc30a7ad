"""Tokenizers of BLEU that need more than sacrebleu: what is missing is said, and what is long or odd is read."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.generation import sentence_bleu
from scoring.extensions.generation.learned import digest_of_files
from scoring.extensions.generation.sentence_bleu import bleu_metric, sacrebleu_sentence
from scoring.result import Unscored

pytest.importorskip("sacrebleu", reason="the extra `translation` is not installed")


@pytest.fixture(autouse=True)
def nothing_is_kept() -> Iterator[None]:
    bleu_metric.cache_clear()
    yield
    bleu_metric.cache_clear()


@pytest.fixture
def pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The digest of a folder `tiny` with a model, in which a stand-in for SentencePiece reads letters."""

    class Processor:
        def __init__(self, model_file: str) -> None:
            if Path(model_file).read_bytes() != b"letters":
                raise OSError("Not found: unknown field")

        def encode(self, line: str, out_type: type) -> list[str]:
            assert out_type is str
            return list(line.replace(" ", "▁"))

    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "a.model").write_bytes(b"letters")
    monkeypatch.setenv("SCORING_MODELS", str(tmp_path))
    monkeypatch.setitem(sys.modules, "sentencepiece", types.SimpleNamespace(SentencePieceProcessor=Processor))
    digest_of_files.cache_clear()
    return digest_of_files(tmp_path / "tiny")


def test_a_model_of_a_folder_is_the_tokenizer(pieces: str) -> None:
    said, right = "ab cd\0\ud800", "ab ce"
    found = sacrebleu_sentence(said, right, tokenizer="flores200", model="tiny", digest=pieces)
    assert found == sacrebleu_sentence("a b ▁ c d ▁ ?", "a b ▁ c e", tokenizer="none")
    spec = {
        "kind": "task", "name": "t", "score": "equal",
        "metrics": [{"bleu": f'corpus_bleu(tokenizer="flores101", model="tiny", digest="{pieces}")'}],
    }  # fmt: skip
    run = scoring.load(spec).evaluate([{"id": 1, "response": "ab cd", "reference": "ab ce"}])
    assert run.metrics["bleu"] == sacrebleu_sentence("a b ▁ c d", "a b ▁ c e", tokenizer="none")


def test_a_model_that_is_not_the_named_one_is_told(pieces: str, tmp_path: Path) -> None:
    def reason(**settings: Any) -> str:
        with pytest.raises(Unscored) as caught:
            sacrebleu_sentence("a", "a", tokenizer="flores200", **settings)
        return str(caught.value)

    assert "is not the name of a folder" in reason()
    assert "another digest" in reason(model="tiny", digest="0" * 16)
    (tmp_path / "tiny" / "b.model").write_bytes(b"letters")
    digest_of_files.cache_clear()
    two = digest_of_files(tmp_path / "tiny")
    assert "needs one file `*.model` in the folder of its model, not 2" in reason(model="tiny", digest=two)
    (tmp_path / "tiny" / "b.model").unlink()
    (tmp_path / "tiny" / "a.model").write_bytes(b"damaged")
    digest_of_files.cache_clear()
    damaged = digest_of_files(tmp_path / "tiny")
    assert "`flores200` can't read its model: Not found" in reason(model="tiny", digest=damaged)


@pytest.mark.parametrize(
    ("tokenizer", "module", "extra"), [("ja-mecab", "MeCab", "japanese"), ("flores200", "sentencepiece", "spbleu")]
)
def test_a_missing_extra_is_named(tokenizer: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    found = scoring.scorer(f'sacrebleu_sentence(tokenizer="{tokenizer}")').score("a", "a")
    assert (found.status, found.reason) == (
        "unscored",
        f"the tokenizer `{tokenizer}` needs the extra `{extra}`: pip install 'scoring-dsl[{extra}]'",
    )


def test_long_japanese_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Words:
        def __call__(self, line: str) -> str:
            asked.append(len(line))
            return " ".join(line)

    found: dict[str, Any] = {"TokenizerJaMecab": Words}
    for name, module in (("MeCab", {}), ("ipadic", {}), ("sacrebleu.tokenizers.tokenizer_ja_mecab", found)):
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(**module))
    assert sacrebleu_sentence("ア" * 10_001, "ア" * 10_001, tokenizer="ja-mecab") == 1.0
    assert asked == [sentence_bleu._LONGEST, sentence_bleu._LONGEST, 1] * 2
