"""Programs of repositories that compare short answers: SQuAD, HotpotQA, ChartQA, DocVQA, VQA, LongBench, GLUE."""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import json
import re
import tempfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

from benchmarks.parity.code import Code, unchanged
from benchmarks.parity.vectors import Answer, Row, official

EVALUATE = "huggingface/evaluate"
LMMS = "EvolvingLMMs-Lab/lmms-eval"


@official("squad-1")
def squad(code: Code) -> Answer:
    """Run SQuAD 1.1's maxima over answers."""
    names = code.names(EVALUATE, "metrics/squad/compute_score.py")

    def answer(record: Row) -> Row:
        sides = record["response"], record["reference"]
        em, f1 = (
            float(names.metric_max_over_ground_truths(score, *sides))
            for score in (names.exact_match_score, names.f1_score)
        )
        return {"score": f1, "fields": {"em": em, "f1": f1}}

    return answer


@official("squad-2")
def squad_2(code: Code) -> Answer:
    """Run SQuAD 2.0's raw scores."""
    names = code.names(EVALUATE, "metrics/squad_v2/compute_score.py")

    def answer(record: Row) -> Row:
        golds = {"text": record["reference"], "answer_start": [0] * len(record["reference"])}
        question = {"id": "q", "answers": golds}
        em, f1 = names.get_raw_scores([{"paragraphs": [{"qas": [question]}]}], {"q": record["response"]})
        return {"score": f1["q"], "fields": {"em": em["q"], "f1": f1["q"]}}

    return answer


@official("sts")
def correlations(code: Code) -> Answer:
    """Run the coefficients of STS-B in GLUE."""
    stats = import_module("scipy.stats")
    names = code.names(EVALUATE, "metrics/glue/glue.py", pearsonr=stats.pearsonr, spearmanr=stats.spearmanr)

    def figures(records: list[Row]) -> Row:
        found = names.pearson_and_spearman([one["response"] for one in records], [one["human"] for one in records])
        return {"pearson": found["pearson"], "spearman": found["spearmanr"]}

    return figures


@official("hotpotqa")
def hotpot(code: Code) -> Answer:
    """Run the script over files of one question."""
    names = code.names("hotpotqa/hotpot", "hotpot_evaluate_v1.py", json=json, pickle=None)

    def answer(record: Row) -> Row:
        said, right = record["response"], record["reference"]
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            predictions, gold = Path(folder, "predictions.json"), Path(folder, "gold.json")
            predictions.write_text(json.dumps({"answer": {"q": said["answer"]}, "sp": {"q": said["sp"]}}))
            gold.write_text(json.dumps([{"_id": "q", **right}]))
            names.eval(str(predictions), str(gold))
        found = json.loads(printed.getvalue().replace("'", '"'))
        return {"score": found["joint_f1"], "fields": {"facts_p": found["sp_prec"], "facts_r": found["sp_recall"]}}

    return answer


def _lmms_metrics(code: Code) -> SimpleNamespace:
    return code.names(LMMS, "lmms_eval/api/metrics.py", register_metric=unchanged, register_aggregation=unchanged)


@official("docvqa", "infographicvqa")
def anls(code: Code) -> Answer:
    """Run the ANLS of lmms-eval."""
    function = _lmms_metrics(code).anls
    return lambda record: {"score": function(record["reference"], [record["response"]])["anls"]}


@official("gqa-lmms-eval")
def gqa(code: Code) -> Answer:
    """Run the exact match that GQA's task in lmms-eval asks for."""
    function = _lmms_metrics(code).exact_match_hf_evaluate

    def answer(record: Row) -> Row:
        sides = {"predictions": [record["response"]], "references": [record["reference"]]}
        return {"score": float(function(**sides, ignore_case=True, ignore_punctuation=True)["exact_match"])}

    return answer


@official("vqa")
def vqa(code: Code) -> Answer:
    """Run the evaluation of VQA without its prints, which are of Python 2."""
    path = "PythonEvaluationTools/vqaEvaluation/vqaEval.py"
    text = re.sub(r"^(\s*)print .*$", r"\1pass", code.text("GT-Vision-Lab/VQA", path).expandtabs(4), flags=re.MULTILINE)
    names = code.names("GT-Vision-Lab/VQA", path, text)

    def answer(record: Row) -> Row:
        answers = [{"answer": one, "answer_id": at} for at, one in enumerate(record["reference"], 1)]
        truth = {"answers": answers, "question_type": "", "answer_type": ""}
        sides = [
            SimpleNamespace(qa={1: one}, getQuesIds=lambda: [1]) for one in (truth, {"answer": record["response"]})
        ]
        found = names.VQAEval(*sides, n=17)
        found.updateProgress = lambda _: None
        found.evaluate()
        return {"score": found.evalQA[1] / 100}

    return answer


@official("longbench")
def longbench(code: Code) -> Answer:
    """Run the metrics as `scorer` of eval.py chooses them."""
    repository, fuzz = "THUDM/LongBench", import_module("fuzzywuzzy.fuzz")
    given = {"fuzz": fuzz, "difflib": difflib}
    names = code.names(repository, "LongBench/metrics.py", **given)
    table = next(
        one.value
        for one in ast.parse(code.text(repository, "LongBench/eval.py")).body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Dict) and "metric" in ast.unparse(one.targets[0])
    )
    pairs = zip(table.keys, table.values, strict=True)
    metrics = {ast.literal_eval(key): getattr(names, ast.unparse(value)) for key, value in pairs if key is not None}

    def answer(record: Row) -> Row:
        said, metric = record["response"], metrics[record["dataset"]]
        if record["dataset"] in ("trec", "triviaqa", "samsum", "lsht"):
            said = said.lstrip("\n").split("\n")[0]
        classes = record.get("all_classes")
        return {"score": max(0.0, *(metric(said, right, all_classes=classes) for right in record["reference"]))}

    return answer


@official("wikitablequestions")
def tables(code: Code) -> Answer:
    """Run the check of denotations with Python 2's words for texts exchanged, and no underscores in numbers."""
    repository, path = "ppasupat/WikiTableQuestions", "evaluator.py"
    text, _, _ = code.text(repository, path).partition("def main():")
    for old, new in (
        ("ur'", "r'"),
        ('ur"', 'r"'),
        ("unicode(", "str("),
        (", unicode)", ", str)"),
        ("basestring)", "str)"),
    ):
        text = text.replace(old, new)
    for kind in ("int", "float"):
        text = text.replace(f"{kind}(text)", f"{kind}(text.replace('_', '?'))")
    names = code.names(repository, path, text, long=int)

    def answer(record: Row) -> Row:
        wanted = names.to_value_list(record["reference"], record["canon"])
        said = names.to_value_list(record["response"].split("\t"))
        return {"score": float(names.check_denotation(wanted, said))}

    return answer
