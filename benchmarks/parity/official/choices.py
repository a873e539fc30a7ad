"""Programs of repositories that read a choice or a value out of a response, or judge sets of verdicts."""

from __future__ import annotations

import re
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code
from benchmarks.parity.vectors import Answer, Row, official


class Drawn(Exception):
    """The official code draws at random here."""


def _draw(*_: Any) -> Any:
    raise Drawn


DRAWS = SimpleNamespace(choice=_draw, randint=_draw, seed=lambda _: None)


@official("mathvista")
def mathvista(code: Code) -> Answer:
    """Run the normalisation of extracted answers."""
    distance = import_module("rapidfuzz.distance.Levenshtein").distance
    names = code.names("lupantech/MathVista", "evaluation/calculate_score.py", distance=distance)

    def answer(record: Row) -> Row:
        kind = record["answer_type"]
        asked = "multi_choice" if kind == "text" else "free_form"
        given = record["response"], record.get("choices"), asked, kind, record.get("precision")
        return {"score": float(names.safe_equal(names.normalize_extracted_answer(*given), record["reference"]))}

    return answer


def _mmmu(draw_counts: bool) -> Any:
    """A program of MMMU's parsers of choices and open answers; a draw counts 0, or what it is worth."""

    def program(code: Code) -> Answer:
        given = {"random": DRAWS, "np": import_module("numpy")}
        names = code.names("MMMU-Benchmark/MMMU", "mmmu/utils/eval_utils.py", **given)

        def answer(record: Row) -> Row:
            said, right = record["response"], record["reference"]
            if record["question_type"] == "open":
                return {"score": float(names.eval_open(right, names.parse_open_response(said)))}
            letters = [chr(65 + at) for at in range(len(record["options"]))]
            options = dict(zip(letters, record["options"], strict=True))
            try:
                return {
                    "score": float(
                        names.eval_multi_choice(right, names.parse_multi_choice_response(said, letters, options))
                    )
                }
            except Drawn:
                hits = sum(names.eval_multi_choice(right, letter) for letter in letters)
                return {"score": hits / len(letters) if draw_counts else 0.0}

        return answer

    return program


official("mmmu")(_mmmu(draw_counts=False))
official("mmmu-random")(_mmmu(draw_counts=True))


@official("mmlu-pro")
def mmlu_pro(code: Code) -> Answer:
    """Run the three ways of reading a letter; a draw is worth its mean."""
    names = code.names("TIGER-AI-Lab/MMLU-Pro", "evaluate_from_local.py", re=re, print=lambda *_: None)

    def answer(record: Row) -> Row:
        read, options = names.extract_answer(record["response"]), record["options"]
        if read:
            return {"score": float(read == record["reference"])}
        return {"score": 1 / len(options) if ord(record["reference"]) - 65 < len(options) else 0.0}

    return answer


@official("gpqa-simple-evals")
def gpqa(code: Code) -> Answer:
    """Read the letter by the pattern of simple-evals."""
    pattern = code.names("openai/simple-evals", "common.py").ANSWER_PATTERN_MULTICHOICE

    def answer(record: Row) -> Row:
        found = re.search(pattern, record["response"])
        return {"score": float(found is not None and found[1] == record["reference"])}

    return answer


@official("mmlu")
def mmlu(code: Code) -> Answer:
    """Read the letter by the patterns of simple-evals in many languages, as its MMLUEval does."""
    names = code.names("openai/simple-evals", "common.py")
    template = names.MULTILINGUAL_ANSWER_PATTERN_TEMPLATE
    patterns = [template.format(one) for one in names.MULTILINGUAL_ANSWER_REGEXES]

    def answer(record: Row) -> Row:
        text = names.normalize_response(record["response"])
        found = next(filter(None, (re.search(pattern, text) for pattern in patterns)), None)
        read = names.normalize_extracted_answer(found[1]) if found else None
        return {"score": float(read == record["reference"])}

    return answer


@official("scienceqa")
def scienceqa(code: Code) -> Answer:
    """Run what reads the choice; a draw is worth its mean."""
    names = code.names("lupantech/ScienceQA", "models/run_gpt3.py", random=DRAWS)
    options = ["A", "B", "C", "D", "E"]
    settings = SimpleNamespace(engine="", temperature=0, max_tokens=0, top_p=1, frequency_penalty=0, presence_penalty=0)

    def answer(record: Row) -> Row:
        reply = {"choices": [{"text": record["response"]}]}
        names.get_gpt3_result.__globals__["openai"] = SimpleNamespace(
            Completion=SimpleNamespace(create=lambda **_: reply)
        )
        read, _ = names.get_gpt3_result("", settings)
        try:
            found = names.get_pred_idx(read, record["choices"], options)
        except Drawn:
            return {"score": 1 / len(record["choices"])}
        return {"score": float(options[found] == record["reference"])}

    return answer


@official("hallusionbench")
def hallusionbench(code: Code) -> Answer:
    """Run the accuracies of questions, figures and pairs."""
    names = code.names("tianyi-lab/HallusionBench", "utils.py", np=import_module("numpy"))

    def figures(records: list[Row]) -> Row:
        rows = names.assign_correctness([{"visual_input": "1", "same": "1", **one} for one in records], "check")
        found = {
            "all": names.get_eval_all(rows, "check"),
            "figure": names.get_eval_fig(rows),
            "question": names.get_eval_pair_all(rows, "check"),
        }
        return {name: one["correct"] / one["total"] for name, one in found.items()}

    return figures


@official("fever")
def fever(code: Code) -> Answer:
    """Run the scorer of FEVER."""
    names = code.names("sheffieldnlp/fever-scorer", "src/fever/scorer.py")

    def figures(records: list[Row]) -> Row:
        found = names.fever_score([dict(one) for one in records])
        return dict(zip(("fever", "accuracy", "precision", "recall", "f1"), found, strict=True))

    return figures


@official("calibration")
def calibration(code: Code) -> Answer:
    """Run the bins of reliability_diagrams.py."""
    numpy = import_module("numpy")
    old = SimpleNamespace(**{**vars(numpy), "float": float, "int": int})
    names = code.names("hollance/reliability-diagrams", "reliability_diagrams.py", np=old)

    def figures(records: list[Row]) -> Row:
        columns = (numpy.array([one[name] for one in records]) for name in ("reference", "response", "confidence"))
        return {"ece": float(names.compute_calibration(*columns, num_bins=10)["expected_calibration_error"])}

    return figures


@official("alpacaeval")
def alpacaeval(code: Code) -> Answer:
    """Run the win rate of alpaca_eval."""
    repository, libraries = "tatsu-lab/alpaca_eval", {"pd": import_module("pandas"), "np": import_module("numpy")}
    used = code.names(repository, "src/alpaca_eval/utils.py", **libraries, AnyPath=object, AnyData=object)
    check = {"validate_alpacaeval_preference": used.validate_alpacaeval_preference}
    rules = code.names(repository, "src/alpaca_eval/metrics/helpers.py", **libraries, **check)
    utils = SimpleNamespace(convert_to_dataframe=libraries["pd"].DataFrame)
    names = code.names(repository, "src/alpaca_eval/metrics/winrate.py", **{**vars(rules), "utils": utils})

    def figures(records: list[Row]) -> Row:
        return {"win_rate": names.get_winrate([{"preference": one["preference"]} for one in records])["win_rate"]}

    return figures
