"""The front end for MEGA-Bench's ``metrics.json``: converts the official format to the nodes of a native spec.

The official flow, expressed in the language: the parser is chosen by name; if a response has no JSON object, every
field gets the raw text (``on_unparsed: raw``); a field that the response lacks is compared as nothing
(``on_missing: pass``); auxiliary metrics compare the whole parsed object with the whole reference.
Source: MEGA-Bench metrics README (file format) and the released evaluation processor (flow).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.source import Span
from scoring.format.front_ends import FrontEnd, written
from scoring.format.nodes import SpecNode

ALIAS = "mega"
RECORD = {
    "id": "id",
    "response": "response",
    "reference": "reference",
    # Only one of the two exists; `||` would also skip an empty reference, so only the context is read this way.
    "context": "context || eval_context",
}
# The metrics that ask a model; tasks that have one are the benchmark's open tasks.
JUDGE_METRICS = ("gpt_4o_as_judge", "ascii_art_gpt4o_judge")
# Scorers of whole answers; the released code makes an unreadable answer into a mapping with the raw text.
_WHOLE = {"megabench": "{}", "megabench-upstream": "megabench_upstream/whole_answer({})"}
SINGLE_ANSWER = ("answer_string", "ascii_answer_string", "verbatim_answer_string")


def is_metrics_json(node: SpecNode) -> bool:
    """Return whether a file, given as its top node, has the format of MEGA-Bench's ``metrics.json``."""
    return "field_score_function" in node


def convert_node(node: SpecNode, name: str, dialect: str) -> SpecNode:
    """Convert the content of a ``metrics.json`` to the nodes of a native task spec, which keep their locations.

    Args:
        node: The top node of the file.
        name: The name of the task; characters that a name can't have become `_`.
        dialect: The name of the pack in which the names in the file (parser, metrics, aggregation) are looked up.
    """
    place = node.span
    native = {
        "kind": written("task", place),
        "name": written(re.sub(r"[^\w./-]+", "_", name).strip("_") or "task", place),
        "version": written("1.0.0", place),
        "imports": written({ALIAS: f"{dialect}@1"}, place),
        "record": written(RECORD, place),
        "parse": written(_parse(node), _span(node, "response_parse_function")),
        "on_unparsed": written("raw", place),
        "on_missing": written("pass", place),
        "on_null": written("value", place),  # the released code compares None, and tells it from a missing key
        "fields": written(_fields(node, dialect), _span(node, "field_score_function")),
        "aggregate": written(_aggregate(node), _span(node, "aggregation")),
    }
    return SpecNode(native, place, node.key_span)


def _parse(node: SpecNode) -> str:
    """Return the expression of the task's parse stage, for the parser that its file names.

    A parser of single answers gets the name of the only field that is not hidden.
    """
    parser = _text(node.get("response_parse_function")).lower() or "null"
    if parser not in SINGLE_ANSWER:
        return f"{ALIAS}.{parser}_response"
    shown = [name for name in _entries(node, "field_score_function") if not name.startswith("##")]
    key = json.dumps(shown[0] if shown else "Answer", ensure_ascii=False)
    return f"{ALIAS}.{parser}_response(answer_key={key}, like=reference.{key})"


def _weights(node: SpecNode) -> Mapping[str, SpecNode]:
    """Return the field weights of a file's aggregation by name, as far as they are not 1."""
    aggregation = node.get("aggregation")
    weights = _entries(aggregation, "field_weights") if aggregation is not None else {}
    return {name: weight for name, weight in weights.items() if weight.value != 1}


def _weights_of_nothing(node: SpecNode) -> Iterator[Diagnostic]:
    """Yield a warning for each weight of a field that a file does not have; a released file has one."""
    known = {**_entries(node, "field_score_function"), **_entries(node, "global_aux_metrics")}
    for name, weight in _weights(node).items():
        if name not in known:
            message, help_text = f"there is no field `{name}` to weigh", f"fields: {', '.join(known)}"
            yield diagnostic("warning", "unknown-field", message, weight.key_span or weight.span, help=help_text)


def _fields(node: SpecNode, dialect: str) -> dict[str, SpecNode]:
    config = node.get("gpt4o_eval_configs")
    judge = config.plain() if config is not None else None
    whole, weights = _WHOLE.get(dialect, "{}"), _weights(node)
    return {
        name: _field(metric, judge, weights.get(name))
        for name, metric in _entries(node, "field_score_function").items()
    } | {
        name: _field(metric, None, weights.get(name), whole=whole)
        for name, metric in _entries(node, "global_aux_metrics").items()
    }


def _field(metric: SpecNode, judge: Any, weight: SpecNode | None, *, whole: str = "") -> SpecNode:
    name, place = _text(metric).lower() or "unsupported", metric.span
    config = f"(config={_literal(judge)})" if judge and name in JUDGE_METRICS else ""
    scorer = f"{ALIAS}.{name}{config}"
    if whole:
        scorer = whole.format(scorer)
    parts = {"score": written(scorer, place), **({} if weight is None else {"weight": weight})}
    if whole or name == "constrained_generation":
        # These metrics compare the whole answer, not one of its fields.
        parts["prediction"] = written("parsed", place)
    if whole:
        # Auxiliary metrics get the reference unchanged, before the parse stage has read its fields.
        parts["reference"] = written("reference", place)
    return SpecNode(parts, place, metric.key_span)


def _literal(data: Any) -> str:
    """Return plain data (dictionaries, lists, strings, numbers) as the text of a literal of the spec language."""
    if isinstance(data, dict):
        pairs = (f"{json.dumps(key, ensure_ascii=False)}={_literal(value)}" for key, value in data.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_literal, data)) + "]"
    return json.dumps(data, ensure_ascii=False)


def _aggregate(node: SpecNode) -> str:
    aggregation = node.get("aggregation")
    function = aggregation.get("function") if aggregation is not None else None
    name = _text(function).lower()
    return f"{ALIAS}.{'unsupported_aggregation' if name in ('', 'unsupported') else name}"


def attributes(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the task attributes that a file implies: ``eval_type: llm`` if a judge scores some field, else none.

    Examples:
        >>> attributes({"field_score_function": {"story": "gpt_4o_as_judge"}})
        {'eval_type': 'llm'}
    """
    names = data.get("field_score_function")
    is_judged = isinstance(names, Mapping) and any(str(name).lower() in JUDGE_METRICS for name in names.values())
    return {"eval_type": "llm"} if is_judged else {}


def _entries(node: SpecNode, key: str) -> Mapping[str, SpecNode]:
    found = node.get(key)
    return found.entries if found is not None else {}


def _text(node: SpecNode | None) -> str:
    return node.value if node is not None and isinstance(node.value, str) else ""


def _span(node: SpecNode, key: str) -> Span:
    found = node.get(key)
    return found.span if found is not None else node.span


FRONT_END = FrontEnd(
    title="MEGA-Bench metrics.json",
    lacks="it has no `field_score_function`",
    recognises=is_metrics_json,
    convert=convert_node,
    dialects={"megabench": "as documented", "megabench-upstream": "as released"},
    file_name="metrics.json",
    spec_keys=("metrics", "metric_info"),
    shared_keys=("eval_context",),
    score_keys=("mean_task_score", "task_score"),
    attributes=attributes,
    groups={"core": {"eval_type": "rule"}, "open": {"eval_type": "llm"}},
    warn=_weights_of_nothing,
)
