"""Primitives of speech, near texts and tags give what official packages gave: `ring_vectors.py` has run those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring

DATA = Path(__file__).parent / "data"


def vectors(name: str) -> list[dict[str, Any]]:
    """The rows of a file but its first, which names the package; there are enough of them."""
    first, *rows = (json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").rstrip("\n").split("\n"))
    assert first["official"]
    assert len(rows) >= 60
    return rows


def score(scorer: scoring.Scorer, prediction: Any, reference: Any) -> float:
    found = scorer.score(prediction, reference)
    assert found.value is not None, found.reason
    return found.value


def test_hits_and_edits_give_the_counts_of_an_alignment() -> None:
    words = 'sides(prediction=split(" "), reference=split(" "))'
    edits, hits = (scoring.scorer(f"{words} | {one}") for one in ("item_edits", "item_hits"))
    for row in vectors("alignments"):
        if "records" in row:
            continue
        said, right = row["prediction"], row["reference"]
        kept, made = score(hits, said, right), score(edits, said, right)
        many, wanted = (len(side.split()) for side in (said, right))
        found = (kept, many + wanted - made - 2 * kept, made + kept - many, made + kept - wanted)
        assert found == (row["hits"], row["substitutions"], row["deletions"], row["insertions"]), row


MEASURES = {
    "kind": "task",
    "name": "speech",
    "values": {"said": 'prediction | split(" ")', "right": 'reference | split(" ")'},
    "fields": {
        "edits": {"prediction": "said", "reference": "right", "score": "item_edits"},
        "hits": {"prediction": "said", "reference": "right", "score": "item_hits"},
    },
    "metrics": [
        {"mer": "sum(edits) / (sum(edits) + sum(hits))"},
        {"wip": "sum(hits) / sum(length(right)) * sum(hits) / sum(length(said))"},
        {"wil": "1 - sum(hits) / sum(length(right)) * sum(hits) / sum(length(said))"},
    ],
    "better": {"mer": "lower", "wip": "higher", "wil": "lower"},
}


def test_a_task_computes_match_errors_and_information_lost_of_all_records() -> None:
    task, sets = scoring.load(MEASURES), [row for row in vectors("alignments") if "records" in row]
    for row in sets:
        pairs = enumerate(row["records"])
        run = task.evaluate([{"id": at, "response": said, "reference": right} for at, (said, right) in pairs])
        found = {name: run.metrics[name] for name in ("mer", "wip", "wil")}
        assert found == pytest.approx({name: row[name] for name in found}, abs=1e-12)
    assert len(sets) == 5


def test_the_best_part_of_a_text_is_that_of_rapidfuzz() -> None:
    scorer, missed = scoring.scorer("partial_ratio"), 0
    for row in vectors("partial_ratio"):
        sides = (row["prediction"], row["reference"])
        assert score(scorer, *sides) == pytest.approx(row["ratio"] / 100, abs=1e-12), row
        assert score(scorer, *sides[::-1]) == score(scorer, *sides)
        missed += row.get("classic", 100) < round(row["ratio"])
        assert row.get("classic", 0) <= round(row["ratio"]), row
    assert missed > 0  # fuzzywuzzy's blocks miss some best parts


@pytest.mark.parametrize("scheme", ["iob1", "iob2", "iobes", "bilou"])
def test_strict_spans_of_tags_are_those_of_seqeval(scheme: str) -> None:
    parser = scoring.parser(f'tag_spans("{scheme}")')
    rows = [row for row in vectors("tag_schemes") if row["scheme"] == scheme]
    for row in rows:
        if row["spans"] is None:
            with pytest.raises(scoring.Unparsed, match="is no tag"):
                parser.parse(row["tags"].split())
        else:
            assert parser.parse(row["tags"].split()) == row["spans"], row
    assert len(rows) >= 60


@pytest.mark.parametrize("split", ["false", "true"])
@pytest.mark.parametrize("plain", ["false", "true"])
def test_a_transcript_is_normalised_as_by_whisper(plain: str, split: str) -> None:
    parser = scoring.parser(f"normalize_transcript(remove_diacritics={plain}, split_letters={split})")
    settings = (plain == "true", split == "true")
    rows = [row for row in vectors("transcripts") if (row["remove_diacritics"], row["split_letters"]) == settings]
    assert [parser.parse(row["text"]) for row in rows] == [row["made"] for row in rows]
    assert len(rows) >= 60
