"""MEGA-Bench as released: what its flow does with a whole parsed response, and with dictionaries."""

from __future__ import annotations

import math
from typing import Any

from scoring.primitives.upstream.megabench_casts import megabench_upstream_evaluate_as_string
from scoring.primitives.upstream.megabench_json import parse_json
from scoring.primitives.upstream.megabench_text import megabench_upstream_exact_match
from scoring.registry import Scorer, primitive
from scoring.values import Score


@primitive
def megabench_upstream_json(response: str, /) -> Any:
    """The last JSON value of a response; the values of an object lose their quotes.

    Where nothing is found the result is `{}`, or `[]` for a response that begins with a bracket.

    Examples:
        >>> megabench_upstream_json("Answer: {'a': \\"'B'\\"}")
        {'a': 'B'}

    Source:
        MEGA-Bench, released code, parser json.
    """
    found = parse_json(response)
    if isinstance(found, dict):
        return {key: megabench_upstream_evaluate_as_string(value) for key, value in found.items()}
    return found


@primitive
def megabench_upstream_evaluate_fields(fields: dict[Any, Any], /) -> dict[Any, Any]:
    """A mapping whose quoted texts lose their quotes: what the released flow does to every reference.

    Examples:
        >>> megabench_upstream_evaluate_fields({"a": "'B'", "b": "[1]"})
        {'a': 'B', 'b': '[1]'}

    Source:
        MEGA-Bench, released code, EvaluationProcessor.
    """
    return {key: megabench_upstream_evaluate_as_string(value) for key, value in fields.items()}


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_mean_over_union(prediction: Any, reference: Any, /, *, scorer: Scorer[Any]) -> Score:
    """The mean score over the keys of both dictionaries; a missing value is compared as an empty list.

    An answer that is no dictionary scores 0.

    Args:
        scorer: Compares the two values of one key.

    Examples:
        >>> megabench_upstream_mean_over_union({"a": 1}, {"b": 1}, scorer=lambda p, r: float(p == r))
        0.0

    Source:
        MEGA-Bench, released code, dict_*_agg_jaccard.
    """
    if not isinstance(prediction, dict):
        return 0.0
    keys = list(dict.fromkeys([*reference.keys(), *prediction]))
    return sum(scorer(prediction.get(key, []), reference.get(key, [])) for key in keys) / len(keys)


@primitive
def megabench_upstream_dict_recall(prediction: Any, reference: Any, /) -> Score:
    """The share of the reference's keys whose value is matched; a missing value is compared as `None`.

    Examples:
        >>> megabench_upstream_dict_recall({"a": "x"}, {"a": "x", "b": "y"})
        0.5

    Source:
        MEGA-Bench, released code, dict_exact_str_match_agg_recall.
    """
    if not isinstance(prediction, dict):
        return 0.0
    hits = [megabench_upstream_exact_match(prediction.get(key), value) for key, value in reference.items()]
    return sum(hits) / len(hits)


@primitive
def megabench_upstream_dict_precision(prediction: Any, reference: Any, /) -> Score:
    """The share of the answer's keys that the reference has with a matching value; no keys give 0.

    Examples:
        >>> megabench_upstream_dict_precision({"a": "x", "b": "z"}, {"a": "x"})
        0.5

    Source:
        MEGA-Bench, released code, dict_precision.
    """
    if not isinstance(prediction, dict) or not prediction:
        return 0.0
    hits = [megabench_upstream_exact_match(prediction[key], reference[key]) for key in prediction if key in reference]
    return sum(hits) / len(prediction)


@primitive
def megabench_upstream_same_dict(prediction: Any, reference: Any, /) -> Score:
    """1 for equal dictionaries; an answer that is no dictionary scores 0.

    Examples:
        >>> megabench_upstream_same_dict({"a": 1}, {"a": 1})
        1.0

    Source:
        MEGA-Bench, released code, dict_equality.
    """
    return float(isinstance(prediction, dict) and prediction == reference)
