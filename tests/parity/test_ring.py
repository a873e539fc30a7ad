"""Primitives of the second ring give what official code gave: `ring_vectors.py` has run it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.calibration.metrics import ece
from scoring.extensions.generation.learned import digest_of_files
from scoring.statistics.rows import Rows

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


def test_an_english_transcript_is_normalised_as_by_whisper() -> None:
    pytest.importorskip("whisper_normalizer", reason="the extra `speech` is not installed")
    parser, failed = scoring.parser("normalize_english_transcript"), 0
    for row in vectors("english_transcripts"):
        if row["made"] is None:
            with pytest.raises(scoring.Unparsed, match="Whisper's normaliser fails"):
                parser.parse(row["text"])
            failed += 1
        else:
            assert parser.parse(row["text"]) == row["made"], row
    assert failed


@pytest.mark.parametrize("tokenizer", ["13a", "intl", "char", "zh", "ja-mecab", "flores101", "flores200", "none"])
def test_bleu_has_the_tokenizers_of_sacrebleu(tokenizer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = f'tokenizer="{tokenizer}"'
    if tokenizer == "ja-mecab":
        pytest.importorskip("MeCab", reason="the extra `japanese` is not installed")
        pytest.importorskip("ipadic", reason="the extra `japanese` is not installed")
    if tokenizer.startswith("flores"):
        pytest.importorskip("sentencepiece", reason="the extra `spbleu` is not installed")
        setting += f', model="{tokenizer}", digest="{model_of_vectors(tmp_path / tokenizer)}"'
        monkeypatch.setenv("SCORING_MODELS", str(tmp_path))
    rows = [row for row in vectors("bleu_tokenizers") if row["tokenizer"] == tokenizer]
    for row in rows:
        settings = f'smooth="{row["smooth"]}", lowercase={str(row["lowercase"]).lower()}, {setting}'
        if "records" not in row:
            found = score(scoring.scorer(f"sacrebleu_sentence({settings})"), row["prediction"], row["reference"])
            assert found == pytest.approx(row["score"] / 100, abs=1e-12), row
            continue
        task = {"kind": "task", "name": "t", "score": "equal", "metrics": [{"bleu": f"corpus_bleu({settings})"}]}
        records = [{"id": at, "response": said, "reference": right} for at, (said, right) in enumerate(row["records"])]
        whole = scoring.load(task).evaluate(records).metrics["bleu"]
        assert whole == pytest.approx(row["score"] / 100, abs=1e-12)
    assert len(rows) >= 58


def model_of_vectors(folder: Path) -> str:
    """Write the model that the vectors were made with into a folder, and return the folder's digest."""
    with (DATA / "bleu_tokenizers.jsonl").open(encoding="utf-8") as lines:
        model = base64.b64decode(json.loads(next(lines))["model"])
    folder.mkdir()
    (folder / "small.model").write_bytes(model)
    return digest_of_files(folder)


def test_equations_are_equal_up_to_a_whole_factor_where_olympiadbench_says_so() -> None:
    whole, number = (scoring.scorer(f"equal_equations{one}") for one in ('(factor="whole")', ""))
    beyond = 0
    for row in vectors("equations"):
        found, free = (one.score(row["prediction"], row["reference"]) for one in (whole, number))
        if found.value is None:  # the reference is no equation, for which the judge says that they differ
            assert (row["same"], found.reason) == (None, free.reason), row
            assert "the reference can't be read as an equation" in str(found.reason)
            continue
        assert (found.value == 1.0) == bool(row["same"]), row
        assert free.value is not None
        assert free.value >= found.value
        beyond += free.value > found.value
    assert beyond >= 5


def test_calibration_errors_of_bins_of_a_fixed_size_are_those_of_the_released_code() -> None:
    for row in vectors("calibration_sizes"):
        rows = Rows.of_scores(row["score"], sure=row["confidence"])
        for gaps in ("absolute", "squares"):
            settings = {"confidence": "sure", "binning": "size", "size": row["size"], "last": "left_out", "gaps": gaps}
            bins = len(row["score"]) // row["size"]
            found = ece(rows, **settings).value()
            assert found == (None if bins < 2 else pytest.approx(row[gaps], abs=1e-12)), row


def test_marks_of_all_scripts_are_removed_as_by_mlqa() -> None:
    parser = scoring.parser('remove_categories(["P"]) | remove_punctuation("ascii")')
    for row in vectors("punctuation"):
        assert parser.parse(row["text"]) == row["made"], row
