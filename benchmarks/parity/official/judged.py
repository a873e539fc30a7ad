"""Programs of repositories whose verdicts come from a judge, and of scripts that run as a whole."""

from __future__ import annotations

import contextlib
import io
import json
import re
import string
import tempfile
import textwrap
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code, unchanged
from benchmarks.parity.vectors import Answer, Row, official

LMMS = "EvolvingLMMs-Lab/lmms-eval"


@official("healthbench")
def healthbench(code: Code) -> Answer:
    """Run the points of rubrics over the replies of a grader."""
    path = "healthbench_eval.py"
    names = code.names("openai/simple-evals", path)

    def answer(record: Row) -> Row:
        rubrics = [names.RubricItem(one["criterion"], one["points"], one["tags"]) for one in record["rubrics"]]
        replies = (names.parse_json_to_dict(reply) for reply in record["replies"])
        read = [one for one in replies if one.get("criteria_met") in (True, False)]
        return {"score": names.calculate_score(rubrics, read)}

    return answer


@official("mt-bench")
def mt_bench(code: Code) -> Answer:
    """Run what reads a rating out of a judge's words, which stand in place of the call."""
    names = code.names("lm-sys/FastChat", "fastchat/llm_judge/common.py")
    given = names.run_judge_single.__globals__
    turns = {"turns": [""], "choices": [{"turns": [""]}]}
    template = {"prompt_template": "", "system_prompt": "", "output_format": "[[rating]]"}
    judge = SimpleNamespace(model_name="judge", prompt_template=template)
    talk = SimpleNamespace(roles=("", ""), set_system_message=lambda _: None, append_message=lambda *_: None)

    def answer(record: Row) -> Row:
        given.update(
            OPENAI_MODEL_LIST=["judge"],
            get_conversation_template=lambda _: talk,
            chat_completion_openai=lambda *_, **__: record["judgment"],
        )
        rating, _, _ = names.run_judge_single(turns, turns, judge, None)
        return {"score": None if rating == -1 else rating}

    return answer


@official("pope")
def pope(code: Code) -> Answer:
    """Run the whole script over files of a set."""
    text = code.text("AoiDragon/POPE", "evaluate.py")
    keys = {
        "Accuracy": "accuracy",
        "Precision": "precision",
        "Recall": "recall",
        "F1 score": "f1",
        "Yes ratio": "yes_ratio",
    }

    def figures(records: list[Row]) -> Row:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            for name, key, part in (("ans", "answer", "response"), ("label", "label", "reference")):
                lines = [json.dumps({key: one[part]}) for one in records]
                Path(folder, name).write_text("\n".join(lines))
            changed = text.replace("ans_file = ''", f"ans_file = {folder + '/ans'!r}")
            changed = changed.replace("label_file = ''", f"label_file = {folder + '/label'!r}")
            exec(changed, {"__name__": "evaluate"})  # the official script itself
        lines = re.findall(r"^([\w ]+): ([\d.]+)$", printed.getvalue(), re.MULTILINE)
        return {keys[name]: float(value) for name, value in lines}

    return figures


@official("triviaqa")
def triviaqa(code: Code) -> Answer:
    """Run the evaluation of one question, its percentages over 100."""
    names = code.names("mandarjoshi90/triviaqa", "evaluation/triviaqa_evaluation.py")

    def answer(record: Row) -> Row:
        aliases = [names.normalize_answer(one) for one in record["reference"]]
        truth = {"q": {"NormalizedAliases": aliases}}
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            found = names.evaluate_triviaqa(truth, {"q": record["response"]}, qid_list=["q"], mute=True)
        em, f1 = found["exact_match"] / 100, found["f1"] / 100
        return {"score": em, "fields": {"em": em, "f1": f1}}

    return answer


@official("sroie-cord")
def cord(code: Code) -> Answer:
    """Run donut's F1 of entities; a response that is a text is read as JSON."""
    given = {"Node": object, "edit_distance": None}
    evaluator = code.names("clovaai/donut", "donut/util.py", **given).JSONParseEvaluator()

    def figures(records: list[Row]) -> Row:
        said = [json.loads(one["response"]) if isinstance(one["response"], str) else one["response"] for one in records]
        return {"f1": evaluator.cal_f1(said, [one["reference"] for one in records])}

    return figures


@official("nq-lm-eval")
def nq(code: Code) -> Answer:
    """Run the filter and the exact match of evaluate as nq_open says, against the nearest of the answers."""
    base = SimpleNamespace(
        Metric=object, utils=SimpleNamespace(file_utils=SimpleNamespace(add_start_docstrings=unchanged))
    )
    given = {"evaluate": base, "np": import_module("numpy"), "string": string, "re": re}
    metric = code.names("huggingface/evaluate", "metrics/exact_match/exact_match.py", **given).ExactMatch()
    harness, path = "EleutherAI/lm-evaluation-harness", "lm_eval/tasks/nq_open/nq_open.yaml"
    settings = import_module("yaml").safe_load(code.text(harness, path))["metric_list"][0]
    filters = code.names(harness, "lm_eval/filters/extraction.py", Filter=object, register_filter=unchanged)
    ways = {key: value for key, value in settings.items() if key.startswith(("ignore", "regexes"))}

    def answer(record: Row) -> Row:
        (said,) = filters.WhitespaceFilter().apply([[record["response"]]], [{}])
        matches = (metric._compute(said, [one], **ways)["exact_match"] for one in record["reference"])
        return {"score": float(max(matches))}

    return answer


@official("scienceqa-lmms-eval")
def scienceqa(code: Code) -> Answer:
    """Run the processor of ScienceQA in lmms-eval."""
    names = code.names(LMMS, "lmms_eval/tasks/scienceqa/utils.py")

    def answer(record: Row) -> Row:
        document = {"choices": [""] * 26, "answer": ord(record["reference"]) - 65}
        return {"score": names.sqa_process_results(document, [record["response"]])["exact_match"]}

    return answer


@official("refcoco")
def refcoco(code: Code) -> Answer:
    """Run the box that is read and its overlap, in lmms-eval."""
    names = code.names(LMMS, "lmms_eval/tasks/refcoco/utils_rec.py", Dataset=object)

    def answer(record: Row) -> Row:
        document = {"question_id": 0, "answer": "", "bbox": record["reference"]}
        found = names.refcoco_bbox_rec_process_result(document, [record["response"]])
        with contextlib.redirect_stdout(io.StringIO()):
            iou = names.refcoco_bbox_rec_aggregation_result([found["refcoco_IoU"]], "IoU")
            hit = names.refcoco_bbox_rec_aggregation_result([found["refcoco_ACC@0.5"]], "ACC@0.5")
        return {"fields": {"iou": iou, "accuracy": hit}}

    return answer


@official("mme-lmms-eval")
def mme(code: Code) -> Answer:
    """Run the processor and the sums of MME in lmms-eval."""
    names = code.names(LMMS, "lmms_eval/tasks/mme/utils.py", eval_logger=SimpleNamespace(info=lambda _: None))

    def figures(records: list[Row]) -> Row:
        rows = []
        for one in records:
            document = {"answer": one["reference"], "category": one["category"], "question_id": one["question_id"]}
            rows.append(next(iter(names.mme_process_results(document, [one["response"]]).values())))
        return {"score": names.mme_aggregate_results(rows)}

    return figures


@official("mt-bench-pairs")
def mt_bench_pairs(code: Code) -> Answer:
    """Run what reads a winner out of a judge's words, in both orders, and the table of win rates."""
    repository, pandas = "lm-sys/FastChat", import_module("pandas")
    names = code.names(repository, "fastchat/llm_judge/common.py")
    template = {"prompt_template": "", "system_prompt": "", "output_format": "[[A]]"}
    judge = SimpleNamespace(model_name="judge", prompt_template=template)
    talk = SimpleNamespace(roles=("", ""), set_system_message=lambda _: None, append_message=lambda *_: None)
    turns = {"turns": [""], "choices": [{"turns": [""]}]}

    def winner(judgment: str, first: str, second: str) -> str:
        names.run_judge_pair.__globals__.update(
            OPENAI_MODEL_LIST=["judge"],
            get_conversation_template=lambda _: talk,
            chat_completion_openai=lambda *_, **__: judgment,
        )
        said = names.run_judge_pair(turns, turns, turns, judge, None)[0]
        return {"A": first, "B": second}.get(said, str(said))

    def figures(records: list[Row]) -> Row:
        shown: list[Any] = []
        table = code.names(repository, "fastchat/llm_judge/show_result.py", pd=pandas, print=shown.append)
        rows = [
            {
                "model_1": "first",
                "model_2": "second",
                "g1_winner": winner(one["judgment_1"], "model_1", "model_2"),
                "g2_winner": winner(one["judgment_2"], "model_2", "model_1"),
            }
            for one in records
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "judgments.jsonl")
            path.write_text("\n".join(map(json.dumps, rows)))
            table.display_result_pairwise(SimpleNamespace(input_file=str(path), model_list=None, baseline_model=None))
        return {"win_rate": float(shown[-1].loc["first", "win_rate_adjusted"])}

    return figures


@official("ocrbench")
def ocrbench(code: Code) -> Answer:
    """Run the loop of `main` that compares answers."""
    text = code.text("Yuliang-Liu/MultimodalOCR", "OCRBench/example.py")
    _, _, rest = text.partition('        data_type = data[i]["type"]')
    loop = textwrap.dedent(
        "    for i in range(len(data)):\n        data_type = data[i]['type']" + rest.partition("    save_json")[0]
    )

    def answer(record: Row) -> Row:
        data = [{"type": "", "answers": record["reference"], "predict": record["response"], **record}]
        exec(loop, {"data": data})  # the official script itself
        return {"score": float(data[0]["result"])}

    return answer


@official("mmbench-circular")
def mmbench(code: Code) -> Answer:
    """Run the groups of rotations, without a model that reads what rules can't."""
    repository, pandas = "open-compass/VLMEvalKit", import_module("pandas")
    matching = code.names(repository, "vlmeval/utils/matching_util.py", logger=SimpleNamespace(info=lambda _: None))
    given = {"pd": pandas, "string": string, "can_infer": matching.can_infer}
    names = code.names(repository, "vlmeval/dataset/utils/multiple_choice.py", **given)

    def figures(records: list[Row]) -> Row:
        groups: dict[int, list[Row]] = {}
        for one in records:
            row = {**one["options"], "GT": one["reference"], "prediction": one["response"]}
            groups.setdefault(one["index"] % 1_000_000, []).append(row)
        firsts = groups.keys() & {one["index"] for one in records}  # what has no first rotation is no question there
        found = [names.prefetch_circular_group(pandas.DataFrame(groups[index])) for index in firsts]
        return {"circular": sum((one or {"hit": 0})["hit"] for one in found) / len(found)}

    return figures


@official("arena")
def arena(code: Code) -> Answer:
    """Run the ratings, their solver until it moves no more."""
    optimize, path = import_module("scipy.optimize"), "fastchat/serve/monitor/rating_systems.py"

    def minimize(**given: Any) -> Any:
        found = {"x": given.pop("x0")}
        given["options"] = {"maxiter": 100_000, "ftol": 0, "gtol": 1e-15}
        for _ in range(10):  # its line search gives up early where the steps are tiny
            found = optimize.minimize(x0=found["x"], **given)
        return found

    libraries = {"np": import_module("numpy"), "pd": import_module("pandas"), "minimize": minimize}
    names = code.names("lm-sys/FastChat", path, **libraries)

    def figures(records: list[Row]) -> Row:
        ratings = names.compute_bt(libraries["pd"].DataFrame(records))
        return {"alpha": float(ratings["alpha"]), "spread": float(ratings.max() - ratings.min())}

    return figures
