"""Programs of what hosts do otherwise: Inspect, VLMEvalKit, lmms-eval, HELM, simple-evals and LLaVA."""

from __future__ import annotations

import re
import string
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code
from benchmarks.parity.official.choices import DRAWS, Drawn
from benchmarks.parity.vectors import Answer, Row, official

HELM = "stanford-crfm/helm"
INSPECT = "UKGovernmentBEIS/inspect_ai"
LMMS = "EvolvingLMMs-Lab/lmms-eval"
SIMPLE_EVALS = "openai/simple-evals"
VLMEVALKIT = "open-compass/VLMEvalKit"


def _inspect_classification(code: Code) -> SimpleNamespace:
    texts = code.names(INSPECT, "src/inspect_ai/_util/text.py")
    used = {name: getattr(texts, name) for name in ("is_finite_number", "strip_punctuation")}
    return code.names(INSPECT, "src/inspect_ai/scorer/_classification.py", **used)


@official("drop-inspect")
def drop_inspect(code: Code) -> Answer:
    """Run the F1 of Inspect on what follows the announced answer."""
    names = _inspect_classification(code)
    task = code.names("UKGovernmentBEIS/inspect_evals", "src/inspect_evals/drop/drop.py", re=re)

    def answer(record: Row) -> Row:
        targets = [",".join(spans) for spans in record["reference"]]
        return {"score": float(names.max_f1_score(task.extract_answer(record["response"]), targets))}

    return answer


@official("squad-inspect")
def squad_inspect(code: Code) -> Answer:
    """Run the F1 and the exact match of Inspect; a question without answers has the target of the task."""
    names = _inspect_classification(code)

    def answer(record: Row) -> Row:
        sides = record["response"], record["reference"] or ["unanswerable"]
        f1 = float(names.max_f1_score(*sides))
        return {"score": f1, "fields": {"em": float(names.max_exact_score(*sides)), "f1": f1}}

    return answer


@official("gpqa-inspect", "mmlu-inspect", "mmmu-inspect")
def letters_inspect(code: Code) -> Answer:
    """Run what reads one letter behind the last announcement."""
    used = {"answer_character": code.names(INSPECT, "src/inspect_ai/_util/answer.py").answer_character}
    names = code.names(INSPECT, "src/inspect_ai/solver/_multiple_choice.py", **used, re=re, TaskState=object)

    def answer(record: Row) -> Row:
        choices = record.get("options", "ABCD")
        state = SimpleNamespace(output=SimpleNamespace(completion=record["response"]), choices=choices)
        return {"score": float(names.parse_answers(state, multiple_correct=False) == {record["reference"]})}

    return answer


@official("scienceqa-vlmevalkit", "mmmu-vlmevalkit")
def options_vlmevalkit(code: Code) -> Answer:
    """Run what infers an option; an open question has its answer as the first, and the second is any other."""
    quiet = SimpleNamespace(info=lambda *_: None)
    infer = code.names(VLMEVALKIT, "vlmeval/utils/matching_util.py", logger=quiet).can_infer

    def answer(record: Row) -> Row:
        right, texts = record["reference"], record.get("choices") or record.get("options")
        if record.get("question_type") == "open":
            texts = [right, "Other Answers"]
            right = right if right in set(string.ascii_uppercase) else "A"
        options = dict(zip(string.ascii_uppercase, texts, strict=False))
        return {"score": float((infer(record["response"], options) or "Z") == right)}

    return answer


def _line(method: str, dataset: str) -> Any:
    """A program of VLMEvalKit's comparison of a line of its table, in which a list is a text."""

    def program(code: Code) -> Answer:
        used = code.names(VLMEVALKIT, "vlmeval/smp/misc.py")
        given = {"istype": used.istype, "listinstr": used.listinstr, "process_punctuation": used.process_punctuation}
        names = code.names(VLMEVALKIT, "vlmeval/dataset/utils/vqa_eval.py", **given)

        def answer(record: Row) -> Row:
            right = record["reference"]
            row = {"answer": repr(right) if isinstance(right, list) else right, "prediction": record["response"]}
            return {"score": float(names.hit_calculate([names.process_line(row, method=method)], dataset)[0])}

        return answer

    return program


official("textvqa-vlmevalkit")(_line("vqa_score", "TextVQA"))
official("chartqa-vlmevalkit")(_line("relaxed_accuracy", "ChartQA"))
official("gqa-vlmevalkit")(_line("accuracy", "GQA"))


@official("textvqa")
def textvqa(code: Code) -> Answer:
    """Run the accuracy of one prediction."""
    names = code.names("facebookresearch/mmf", "mmf/utils/m4c_evaluators.py")

    def answer(record: Row) -> Row:
        pair = {"pred_answer": record["response"], "gt_answers": record["reference"]}
        return {"score": float(names.TextVQAAccuracyEvaluator().eval_pred_list([pair]))}

    return answer


@official("vqa-lmms-eval")
def vqa_lmms(code: Code) -> Answer:
    """Run the task's accuracy, whose annotators differ by their number."""
    used = code.names(LMMS, "lmms_eval/tasks/_task_utils/vqa_eval_metric.py").EvalAIAnswerProcessor
    given = {"EvalAIAnswerProcessor": used, "statistics": import_module("statistics")}
    names = code.names(LMMS, "lmms_eval/tasks/vqav2/utils.py", **given)

    def answer(record: Row) -> Row:
        answers = [{"answer": one, "answer_id": at} for at, one in enumerate(record["reference"], 1)]
        found = names.vqav2_process_results({"question_id": 1, "answers": answers}, [record["response"]])
        return {"score": float(found["exact_match"])}

    return answer


@official("ocrbench-lmms-eval")
def ocrbench_lmms(code: Code) -> Answer:
    """Run the task's search for an answer."""
    names = code.names(LMMS, "lmms_eval/tasks/ocrbench/utils.py")

    def answer(record: Row) -> Row:
        document = {"answer": record["reference"], "dataset": record["dataset_name"], "question_type": ""}
        found = names.ocrbench_process_results(document, [record["response"]])
        return {"score": float(found["ocrbench_accuracy"]["score"])}

    return answer


@official("mmmu-lmms-eval")
def mmmu_lmms(code: Code) -> Answer:
    """Run the task's parsers and its evaluation; a draw counts 0."""
    given = {"random": DRAWS, "np": import_module("numpy")}
    shared = code.names(LMMS, "lmms_eval/tasks/_task_utils/mmmu_mcq_utils.py", **given)
    used = {
        "parse_mmmu_multi_choice_response": shared.parse_mmmu_multi_choice_response,
        "shared_get_multi_choice_info": shared.get_multi_choice_info,
    }
    names = code.names(LMMS, "lmms_eval/tasks/mmmu/utils.py", **used)

    def answer(record: Row) -> Row:
        document = {"id": "validation_Art_1", "answer": record["reference"], "question_type": record["question_type"]}
        document["options"] = repr(record.get("options", []))
        try:
            found = names.mmmu_process_results(document, [record["response"]])["mmmu_acc"]
        except Drawn:
            return {"score": 0.0}
        return {"score": float(names.evaluate_mmmu([found])[1]["acc"])}

    return answer


@official("chartqa")
def chartqa(code: Code) -> Answer:
    """Run the relaxed correctness of pix2struct."""
    names = code.names("google-research/pix2struct", "pix2struct/metrics.py")
    return lambda record: {"score": float(names.relaxed_correctness(record["reference"], record["response"]))}


@official("drop-simple-evals")
def drop_simple(code: Code) -> Answer:
    """Run the fuzzy match of the announced answer with each of the right ones."""
    names = code.names(SIMPLE_EVALS, "drop_eval.py")
    pattern = code.names(SIMPLE_EVALS, "common.py").ANSWER_PATTERN

    def answer(record: Row) -> Row:
        found = re.search(pattern, record["response"])
        said = found[1] if found else record["response"]
        return {"score": float(any(names.fuzzy_match(said, ", ".join(spans)) for spans in record["reference"]))}

    return answer


@official("gsm8k-simple-evals")
def gsm8k_simple(code: Code) -> Answer:
    """Run the rule of MGSM in English on the number behind the marks of a solution."""
    names = code.names(SIMPLE_EVALS, "mgsm_eval.py")

    def answer(record: Row) -> Row:
        right = record["reference"].split("#### ")[-1]
        return {"score": float(names.score_mgsm(right, names.parse_answer(record["response"], "Answer")))}

    return answer


def _helm(code: Code) -> SimpleNamespace:
    given = {"string": string, "re": re, "f_measure": import_module("nltk.metrics.scores").f_measure}
    return code.names(HELM, "src/helm/benchmark/metrics/evaluate_reference_metrics.py", **given)


@official("squad-helm", "triviaqa-helm", "nq-helm")
def short_answers_helm(code: Code) -> Answer:
    """Run the quasi-exact match and the F1 against the nearest answer."""
    names = _helm(code)

    def answer(record: Row) -> Row:
        said, right = record["response"].strip(), record["reference"]
        scores = {"em": names.quasi_exact_match, "f1": names.f1_score}
        return {"fields": {name: float(max(score(one, said) for one in right)) for name, score in scores.items()}}

    return answer


@official("mmlu-helm")
def mmlu_helm(code: Code) -> Answer:
    """Run the exact match of a letter."""
    names = _helm(code)
    return lambda record: {"score": float(names.exact_match(record["reference"], record["response"].strip()))}


@official("nq")
def nq(code: Code) -> Answer:
    """Run the match with any answer."""
    given = {"re": re, "string": string, "unicodedata": import_module("unicodedata")}
    names = code.names("google-research/language", "language/orqa/utils/eval_utils.py", **given)
    return lambda record: {"score": float(names.is_correct(record["reference"], record["response"], is_regex=False))}
