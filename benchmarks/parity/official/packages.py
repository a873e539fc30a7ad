"""Programs of packages: jiwer, seqeval, scikit-learn, sacrebleu, rouge-score, NLTK and pytrec_eval."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code
from benchmarks.parity.vectors import Answer, Row, official


def _column(records: list[Row], name: str) -> list[Any]:
    return [record[name] for record in records]


@official("cer", "wer")
def error_rates(_: Code) -> Answer:
    """Run jiwer with its default transforms."""
    jiwer = import_module("jiwer")

    def figures(records: list[Row]) -> Row:
        sides = _column(records, "reference"), _column(records, "response")
        return {"cer": jiwer.cer(*sides), "wer": jiwer.wer(*sides)}

    return figures


@official("conll")
def entities(_: Code) -> Answer:
    """Run seqeval in its default mode."""
    measures = import_module("seqeval.metrics.sequence_labeling")

    def figures(records: list[Row]) -> Row:
        sides = _column(records, "reference"), _column(records, "response")
        return {name: getattr(measures, f"{name}_score")(*sides) for name in ("f1", "precision", "recall")}

    return figures


@official("label-f1")
def labels(_: Code) -> Answer:
    """Run scikit-learn's F1 of labels."""
    measures = import_module("sklearn.metrics")

    def figures(records: list[Row]) -> Row:
        sides = _column(records, "reference"), _column(records, "response")
        ways = ("macro", "micro", "weighted")
        return {way: float(measures.f1_score(*sides, average=way, zero_division=0)) for way in ways}

    return figures


@official("auroc")
def thresholds(_: Code) -> Answer:
    """Run scikit-learn's areas over thresholds."""
    measures = import_module("sklearn.metrics")

    def figures(records: list[Row]) -> Row:
        sides = _column(records, "positive"), _column(records, "confidence")
        return {
            "auroc": float(measures.roc_auc_score(*sides)),
            "auprc": float(measures.average_precision_score(*sides)),
        }

    return figures


@official("bleu-chrf-ter")
def translations(_: Code) -> Answer:
    """Run sacrebleu's corpus metrics in their default settings, over 100."""
    metrics = import_module("sacrebleu.metrics")

    def figures(records: list[Row]) -> Row:
        said, right = _column(records, "response"), _column(records, "reference")
        lists = [one if isinstance(one, list) else [one] for one in right]
        streams = [list(stream) for stream in zip(*lists, strict=True)]
        made = {
            name: getattr(metrics, name)().corpus_score(said, streams).score / 100 for name in ("BLEU", "CHRF", "TER")
        }
        return {f"corpus_{name.lower()}": score for name, score in made.items()}

    return figures


@official("rouge")
def summaries(_: Code) -> Answer:
    """Run rouge-score with its stemmer."""
    names = ["rouge1", "rouge2", "rougeL"]
    scorer = import_module("rouge_score.rouge_scorer").RougeScorer(names, use_stemmer=True)

    def answer(record: Row) -> Row:
        right = record["reference"]
        found = (scorer.score_multi if isinstance(right, list) else scorer.score)(right, record["response"])
        return {"fields": {name: found[name].fmeasure for name in names}}

    return answer


@official("meteor")
def synonyms(_: Code) -> Answer:
    """Run NLTK's METEOR with a WordNet that knows no word."""
    module, nothing = import_module("nltk.translate.meteor_score"), SimpleNamespace(synsets=lambda _: [])

    def answer(record: Row) -> Row:
        right = record["reference"]
        texts = [text.split() for text in (right if isinstance(right, list) else [right])]
        return {"score": module.meteor_score(texts, record["response"].split(), wordnet=nothing)}

    return answer


@official("retrieval")
def rankings(_: Code) -> Answer:
    """Run trec_eval by pytrec_eval; a question that retrieved nothing counts 0, one without judgments is left out."""
    package = import_module("pytrec_eval")
    names = {"ndcg": "ndcg_cut_10", "mrr": "recip_rank", "map": "map", "recall": "recall_10", "precision": "P_10"}

    def figures(records: list[Row]) -> Row:
        relevant = {one["id"]: one["relevant"] for one in records}
        run = {
            one["id"]: {name: float(-place) for place, name in enumerate(one["retrieved"])}
            for one in records
            if one["retrieved"]
        }
        evaluator = package.RelevanceEvaluator(relevant, {"ndcg_cut.10", "recip_rank", "map", "recall.10", "P.10"})
        found = evaluator.evaluate(run)
        judged = [found.get(name, {}) for name, gains in relevant.items() if gains]
        return {name: sum(one.get(measure, 0.0) for one in judged) / len(judged) for name, measure in names.items()}

    return figures
