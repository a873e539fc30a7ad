"""METEOR, BERTScore and COMET by their libraries; stand-ins answer where one, or its model, is not to be had here."""

from __future__ import annotations

import hashlib
import importlib
import re
import shutil
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.generation import learned
from scoring.extensions.generation.learned import _wordnet, bertscore, comet, digest_of_files, meteor, model_folder
from scoring.result import Unscored


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models in which `house/tiny` has two files and a hidden one."""
    folder = tmp_path / "house" / "tiny"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    (folder / ".cache").write_text("x")
    monkeypatch.setenv("SCORING_MODELS", str(tmp_path))
    digest_of_files.cache_clear()
    learned._bert_scorer.cache_clear()
    learned._comet_model.cache_clear()
    return tmp_path


def by_hand() -> str:
    digest = hashlib.sha256()
    for name, content in (("checkpoints/model.ckpt", b"weights"), ("config.json", b"{}")):
        digest.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


def test_a_model_is_the_files_that_the_spec_pins(models: Path) -> None:
    assert model_folder("house/tiny", by_hand()[:16], "it") == models / "house/tiny"
    with pytest.raises(Unscored, match=f"another digest: {by_hand()[:16]}"):
        model_folder("house/tiny", "0" * 16, "it")
    with pytest.raises(Unscored, match="another digest"):
        model_folder("house/tiny", by_hand()[:8], "it")
    digest_of_files.cache_clear()
    (models / "house/tiny/config.json").write_text("{ }")
    with pytest.raises(Unscored, match="another digest"):
        model_folder("house/tiny", by_hand()[:16], "it")


@pytest.mark.parametrize(
    "name", ["../tiny", "/etc", "house/../house/tiny", "", "house//tiny", "house/tiny/", "~", "a\0b"]
)
def test_a_model_stands_nowhere_else(models: Path, name: str) -> None:
    with pytest.raises(Unscored, match="not the name of a folder"):
        model_folder(name, by_hand(), "it")


def test_without_a_folder_of_models_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCORING_MODELS", raising=False)
    with pytest.raises(Unscored, match="SCORING_MODELS"):
        bertscore("a", "b", model="house/tiny", digest="0" * 16, layer=1)
    with pytest.raises(Unscored, match="SCORING_MODELS"):
        comet("a", "b", model="house/tiny", digest="0" * 16)


def test_bertscore_asks_its_library_for_one_pair(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    class Scorer:
        def __init__(self, **settings: Any) -> None:
            asked.append(settings)

        def score(self, texts: list[str], references: list[list[str]], batch_size: int) -> Any:
            asked.append((texts, references))
            return [0.25], [0.5], [1 / 3]

    monkeypatch.setitem(sys.modules, "bert_score", types.SimpleNamespace(BERTScorer=Scorer))
    task = scoring.load(
        {
            "kind": "task",
            "name": "t",
            "score": f'bertscore(model="house/tiny", digest="{by_hand()[:16]}", layer=3, figure="recall")',
        }
    )
    assert task.score_parts("a b", ["c", "d"]).score == 0.5
    folder = str(models / "house/tiny")
    assert asked == [{"model_type": folder, "num_layers": 3, "idf": False, "device": "cpu"}, (["a b"], [["c", "d"]])]
    assert bertscore("a", "b", model="house/tiny", digest=by_hand(), layer=3) == pytest.approx(1 / 3)


def test_without_comet_its_pythons_are_told(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another Python the extra installs no COMET: what says to install it says so."""
    monkeypatch.setitem(sys.modules, "comet", None)
    with pytest.raises(Unscored, match=re.escape("COMET (Python 3.11 or 3.12) needs the extra `comet`: pip install")):
        comet("a", "b", model="house/tiny", digest=by_hand())


def test_comet_asks_its_library_for_one_record(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def eval(self) -> Model:
            return self

        def predict(self, records: list[dict[str, str]], **settings: Any) -> Any:
            assert settings["batch_size"] == 1
            assert settings["gpus"] == 0
            return types.SimpleNamespace(scores=[len("".join(records[0].values())) / 10])

    def load(path: str) -> Model:
        assert path == str(models / "house/tiny/checkpoints/model.ckpt")
        return Model()

    monkeypatch.setitem(sys.modules, "comet", types.SimpleNamespace(load_from_checkpoint=load))
    assert comet("ab", "c", model="house/tiny", digest=by_hand(), source="de") == 0.5
    assert comet("ab", "c", model="house/tiny", digest=by_hand()) == pytest.approx(0.3)


def test_two_models_have_two_meanings() -> None:
    def meaning(digest: str) -> str:
        spec = {"kind": "task", "name": "t", "score": f'bertscore(model="m", digest="{digest}", layer=3)'}
        return str(scoring.load(spec).signature)

    assert meaning("0" * 16) != meaning("1" * 16)


# What `nltk.translate.meteor_score.meteor_score` (3.10.4) gave for these, asked with a WordNet that knows no word.
@pytest.mark.parametrize(
    ("text", "references", "score"),
    [
        ("the cats sat on the mat", ["the cat sat on the mat"], 0.9976851851851852),
        ("a b", ["c d"], 0.0),
        ("", ["a"], 0.0),
        ("a", [""], 0.0),
        (
            "It is a guide to action which ensures that the military always obeys the commands of the party",
            [
                "It is a guide to action that ensures that the military will forever heed Party commands",
                "It is the practical guide for the army always to heed the directions of the party",
            ],
            0.6944444444444445,
        ),
        ("running runs ran", ["run runner running"], 0.3333333333333333),
        ("the the the", ["the cat"], 0.2380952380952381),
        ("naïve CAFÉ 日本", ["Naïve café 日本"], 0.9814814814814815),
        ("b a", ["a b"], 0.5),
    ],
)
def test_meteor_is_that_of_nltk(text: str, references: list[str], score: float) -> None:
    assert meteor(text, references) == score


def test_meteor_matches_synonyms_where_wordnet_says_so(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (models / "wordnet/corpora/wordnet").mkdir(parents=True)
    (models / "wordnet/corpora/wordnet/data.noun").write_text("")

    class Names:
        def __init__(self, *names: str) -> None:
            self._names = names

        def lemmas(self) -> list[Any]:
            return [types.SimpleNamespace(name=lambda name=name: name) for name in self._names]

    class Dictionary:
        def __init__(self, folder: Any, _: None) -> None:
            assert str(folder) == str(models / "wordnet/corpora/wordnet")

        def synsets(self, word: str) -> list[Names]:
            return [Names("car", "auto")] if word in ("car", "auto") else []

    reader = importlib.import_module("nltk.corpus.reader.wordnet")
    monkeypatch.setattr(reader, "WordNetCorpusReader", Dictionary)
    digest = digest_of_files(models / "wordnet")[:16]
    assert meteor("a car", "a auto") < 0.6
    assert meteor("a car", "a auto", synonyms="wordnet", digest=digest) == meteor("a car", "a car")
    with pytest.raises(Unscored, match=digest):
        meteor("a car", "a auto", synonyms="wordnet", digest="0" * 16)
    shutil.rmtree(models / "wordnet/corpora/wordnet")
    with pytest.raises(Unscored, match="holds no WordNet"):
        _wordnet.__wrapped__(str(models / "wordnet"))
    with pytest.raises(Unscored, match="needs the `digest`"):
        meteor("a car", "a auto", synonyms="wordnet")


@pytest.mark.parametrize("text", ["y" * 300, "a " * 60_000, "x" * 100_001])
def test_texts_that_are_too_long_for_meteor_are_told(text: str) -> None:
    with pytest.raises(Unscored, match="more than"):
        meteor(text, "a b")


@pytest.mark.parametrize("text", ["y" * 200, "a b " * 12_000, "", " ", "日本 語 é"])
def test_meteor_bears_odd_texts(text: str) -> None:
    assert 0 <= meteor(text, [text, "a b"]) <= 1


def test_meteor_may_cut_words_as_a_treebank() -> None:
    assert meteor("the cat.", "the cat .") < meteor("the cat.", "the cat .", words="treebank")
