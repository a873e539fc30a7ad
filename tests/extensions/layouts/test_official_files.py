"""Recipes over the files of evaluations as they come reach the figures of the official programs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from scoring.cli.main import main

HYPOTHESES = "The dog bit the man.\nIt was not surprising.\n\nThe man had just\u2028 bitten him.\n"
REFERENCES = "The dog bit the man.\r\nIt was not unexpected.\r\nNothing.\r\nThe man bit him first.\r\n"
TAGGED = """EU NNP I-NP B-ORG B-ORG
rejects VBZ I-VP O O

-DOCSTART- -X- O O O

Peter NNP I-NP B-PER B-PER
Blackburn NNP I-NP I-PER O
"""
RUN = "q1 Q0 d1 1 0.5 me\nq2 Q0 d9 1 3 me\nq1 Q0 d2 2 0.5 me\nq1 Q0 d3 3 0.9 me\n"
QRELS = "q1 0 d2 1\nq1 0 d1 0\nq2 0 d8 2\nq2 0 d9 1\n"


def figures(folder: Path, recipe: str, *data: str) -> dict[str, float]:
    """The figures of a shipped task on files as they are published; the run is verified."""
    assert main(["score", recipe, *data, "-o", str(folder / "run")]) == 0
    assert main(["verify", str(folder / "run")]) == 0
    summary = json.loads((folder / "run" / "summary.json").read_text())
    return {metric["metric"]: metric["value"] for metric in summary["metrics"]}


@pytest.mark.parametrize("names", [("hyp.txt", "ref.txt"), ("system.en", "newstest.en")])
def test_translations(tmp_path: Path, names: tuple[str, str]) -> None:
    pytest.importorskip("sacrebleu")
    hypotheses, references = (tmp_path / name for name in names)
    hypotheses.write_bytes(HYPOTHESES.encode())
    references.write_bytes(REFERENCES.encode())
    found = figures(tmp_path, "bleu-chrf-ter", str(hypotheses), "--references", str(references))
    # `sacrebleu ref.txt -i hyp.txt -m bleu chrf ter -w 6` of sacrebleu 2.6.0
    assert found["corpus_bleu"] == pytest.approx(0.46345009, abs=1e-8)
    assert found["corpus_chrf"] == pytest.approx(0.49322397, abs=1e-8)
    assert found["corpus_ter"] == pytest.approx(0.4, abs=1e-8)


def test_entities(tmp_path: Path) -> None:
    (tmp_path / "tagged.conll").write_text(TAGGED)
    found = figures(tmp_path, "conll", str(tmp_path / "tagged.conll"))
    # Two entities each, of which the first is right.
    assert found == {"f1": 0.5, "precision": 0.5, "recall": 0.5}


def test_ranked_documents(tmp_path: Path) -> None:
    (tmp_path / "system.run").write_text(RUN)
    (tmp_path / "topics.qrels").write_text(QRELS)
    files = str(tmp_path / "system.run"), "--references", str(tmp_path / "topics.qrels")
    found = figures(tmp_path, "retrieval", *files)
    # d2 and d1 tie, so that d2, which is relevant, stands second: as `trec_eval -c` 9.0.8 and 10.0 print.
    ideal = 2 + 1 / math.log2(3)
    assert found["ndcg"] == pytest.approx((1 / math.log2(3) + 1 / ideal) / 2, abs=1e-12)
    assert round(found["ndcg"], 4) == 0.5055
    assert found["mrr"] == 0.75
    assert found["map"] == 0.5
    assert found["recall"] == 0.75
    assert found["precision"] == pytest.approx(0.1)
