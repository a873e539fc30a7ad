"""Programs of evaluations of reading, in several languages, and of grade-school and competition mathematics."""

from __future__ import annotations

import contextlib
import io
from importlib import import_module
from typing import Any

from benchmarks.parity.code import Code
from benchmarks.parity.official.harness import filtered
from benchmarks.parity.vectors import Answer, Row, official

EVALUATE = "huggingface/evaluate"
HELM = "stanford-crfm/helm"
SIMPLE_EVALS = "openai/simple-evals"

official("gsm8k-lm-eval-cot-strict")(filtered("gsm8k/gsm8k-cot.yaml", 0))
official("gsm8k-lm-eval-cot-llama")(filtered("gsm8k/gsm8k-cot-llama.yaml", 0))


@official("drop")
def drop(code: Code) -> Answer:
    """Run the evaluation of one question, whose first answer is its own and the others are validated ones."""
    names = code.names("allenai/allennlp-reading-comprehension", "allennlp_rc/eval/drop_eval.py")

    def answer(record: Row) -> Row:
        first, *others = ({"spans": spans} for spans in record["reference"])
        pair = {"query_id": "q", "answer": first, "validated_answers": others}
        with contextlib.redirect_stdout(io.StringIO()):
            em, f1 = names.evaluate_json({"p": {"qa_pairs": [pair]}}, {"q": record["response"]})
        return {"score": float(f1), "fields": {"em": float(em), "f1": float(f1)}}

    return answer


@official("mkqa")
def mkqa(code: Code) -> Answer:
    """Run the metrics of texts."""
    names = code.names("apple/ml-mkqa", "mkqa_eval_util.py")

    def answer(record: Row) -> Row:
        found = names.get_text_metrics([record["response"]], [record["reference"]], record["lang"])
        return {"fields": {"em": found["exact_match"][0], "f1": found["f1"][0]}}

    return answer


@official("mlqa")
def mlqa(code: Code) -> Answer:
    """Run the evaluation of one question, its percentages over 100."""
    names = code.names("facebookresearch/MLQA", "mlqa_evaluation_v1.py")

    def answer(record: Row) -> Row:
        question = {"id": "q", "answers": [{"text": one} for one in record["reference"]]}
        data, said = [{"paragraphs": [{"qas": [question]}]}], {"q": record["response"]}
        found = names.evaluate(data, said, record["lang"])
        return {"fields": {"em": found["exact_match"] / 100, "f1": found["f1"] / 100}}

    return answer


@official("superglue-record")
def record_of_superglue(code: Code) -> Answer:
    """Run the evaluation of one query."""
    names = code.names(EVALUATE, "metrics/super_glue/record_evaluation.py")

    def answer(record: Row) -> Row:
        question = {"id": "q", "answers": [{"text": one} for one in record["answers"]]}
        found, _ = names.evaluate([{"qas": [question]}], {"q": record["prediction_text"]})
        return {"fields": {"em": float(found["exact_match"]), "f1": float(found["f1"])}}

    return answer


@official("multirc")
def multirc(code: Code) -> Answer:
    """Run the figures of MultiRC in SuperGLUE; labels are whole numbers, as its features make them."""
    measures = {"f1_score": import_module("sklearn.metrics").f1_score}
    names = code.names(EVALUATE, "metrics/super_glue/super_glue.py", **measures)

    def figures(records: list[Row]) -> Any:
        said = [
            {"idx": {key: one[key] for key in ("paragraph", "question")}, "prediction": int(one["prediction"])}
            for one in records
        ]
        return names.evaluate_multirc(said, [int(one["label"]) for one in records])

    return figures


@official("qasper")
def qasper(code: Code) -> Answer:
    """Run both F1 against the nearest of the annotators."""
    names = code.names("allenai/qasper-led-baseline", "scripts/evaluator.py")

    def answer(record: Row) -> Row:
        fields = {}
        for name, score in (("answer", names.token_f1_score), ("evidence", names.paragraph_f1_score)):
            fields[name] = float(max(score(record[f"predicted_{name}"], one[name]) for one in record["references"]))
        return {"fields": fields}

    return answer


@official("gsm8k-helm")
def last_number(code: Code) -> Answer:
    """Run the comparison of last numbers with the solution as the scenario writes it, on one line."""
    names = code.names(HELM, "src/helm/benchmark/metrics/evaluate_reference_metrics.py")

    def answer(record: Row) -> Row:
        right = record["reference"].replace("####", "The answer is").replace("\n", " ")
        return {"score": float(names.final_number_exact_match(right, record["response"].strip()))}

    return answer


@official("gpqa-helm", "mmlu-pro-helm")
def letters(code: Code) -> Answer:
    """Run what reads the letter of an option."""
    path = "src/helm/benchmark/metrics/gpqa_chain_of_thought_metric.py"
    read = code.names(HELM, path, Metric=object).extract_answer
    return lambda record: {"score": float(read(record["response"]) == record["reference"])}


@official("mgsm")
def mgsm(code: Code) -> Answer:
    """Run what reads a number behind the answer's prefix in a language."""
    names = code.names(SIMPLE_EVALS, "mgsm_eval.py")

    def answer(record: Row) -> Row:
        read = names.parse_answer(record["response"], names.LANG_TO_ANSWER_PREFIX[record["lang"]])
        return {"score": float(names.score_mgsm(record["reference"], read))}

    return answer


@official("math")
def mathematics(code: Code) -> Answer:
    """Run the equivalence of what the last box holds."""
    repository = "hendrycks/math"
    boxes = code.names(repository, "modeling/dataset/util.py").last_boxed_only_string
    bare = code.names(repository, "modeling/eval_math_gpt.py").remove_boxed
    same = code.names(repository, "modeling/math_equivalence.py").is_equiv
    return lambda record: {"score": float(same(bare(boxes(record["response"])), record["reference"]))}


@official("pope-lmms-eval")
def pope(code: Code) -> Answer:
    """Run the processor and the aggregations of POPE in lmms-eval."""
    names = code.names("EvolvingLMMs-Lab/lmms-eval", "lmms_eval/tasks/pope/utils.py")
    ways = {"f1": "f1_score", **{name: name for name in ("accuracy", "precision", "recall", "yes_ratio")}}

    def figures(records: list[Row]) -> Row:
        documents = [{"answer": one["reference"], "question_id": at} for at, one in enumerate(records)]
        sides = zip(documents, records, strict=True)
        found = [names.pope_process_results(document, [one["response"]])["pope_accuracy"] for document, one in sides]
        return {name: float(getattr(names, f"pope_aggregate_{way}")(found)) for name, way in ways.items()}

    return figures
