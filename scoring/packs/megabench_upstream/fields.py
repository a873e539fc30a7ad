"""MEGA-Bench as released: the processing of a whole parsed response, and the comparison of dictionaries.

The flow of one query (EvaluationProcessor), as the golden vectors show it:

1. Names of parser, metrics and aggregation are read in lower case; an unknown one stops the run. A metric that is
   missing or called ``unsupported`` leaves its field out; such an aggregation gives the query -1.
2. Every value of the reference loses its quotes (``megabench_upstream_evaluate_as_string``).
3. ``answer_string`` and its two relatives require exactly one field whose name does not begin with ``##``, and a
   string as its reference; the answer counts as one line if that reference, as originally written, has no line end.
   A missing response counts as an empty one.
4. ``json``: if the result is not a dictionary, or is empty, every field of the reference (hidden ones too) gets the
   raw response, and the query counts as unparsed. Without a parser's name the same reader is used, but an empty
   result is not replaced, and a list stops the run.
5. ``dummy`` returns a string: only metrics that take the whole response can follow.
6. Each field of the reference is scored, with ``None`` for a field that the answer lacks; a metric that raises gives 0.
7. Auxiliary metrics compare the whole parsed answer with the whole original reference, quotes included. If no
   object was read, the answer is a mapping with the raw response in every field of the reference.
8. mean: weighted over the fields whose score is at least 0 (which excludes NaN); a missing weight stops the run,
   and so do weights that sum to 0. min: the smallest of these scores. Without such a field: -1.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from scoring.depth import in_full_depth
from scoring.packs.megabench_upstream.answer import megabench_upstream_evaluate_as_string
from scoring.packs.megabench_upstream.json import parse_json
from scoring.packs.megabench_upstream.text import megabench_upstream_exact_match
from scoring.primitives.aggregate.extremes import minimum
from scoring.primitives.aggregate.joins import mean
from scoring.registry import FieldScores, Scorer, batch, primitive, registry
from scoring.result import NotApplicable, Unscored
from scoring.values import Score

Metric = TypeVar("Metric", bound=Callable[..., Any])


def zero_on_error(metric: Metric) -> Metric:
    """Return a metric that works like the given one, but returns 0 where it raises, as the released caller does.

    ``Unscored`` is passed on: an inability on our side (a missing extra, no judge) is not a fault of the answer. One
    released metric gives a complex number for a complex answer, which is returned unchanged.
    """

    @functools.wraps(metric)
    def guarded(*values: Any, **settings: Any) -> Any:
        try:
            score = in_full_depth(functools.partial(metric, **settings) if settings else metric, *values)
        except Unscored:
            raise
        except Exception:  # the released caller catches the same
            return 0.0
        return score if isinstance(score, (float, complex)) else float(score)

    # Tracebacks identify a function by its code object, so each wrapper gets its own, located where the metric is.
    own: Any = guarded
    place = metric.__code__
    own.__code__ = own.__code__.replace(
        co_name=place.co_name, co_filename=place.co_filename, co_firstlineno=place.co_firstlineno
    )
    return cast(Metric, own)


@primitive(revision=2)
def megabench_upstream_json(response: str, /) -> Any:
    """Return the last JSON value of a response; the values of an object lose their quotes.

    If nothing is found the result is `{}`, or `[]` for a response that begins with a bracket.

    Examples:
        >>> megabench_upstream_json("Answer: {'a': \\"'B'\\"}")
        {'a': 'B'}

    Source:
        MEGA-Bench, released code, parser json.
    """
    found = parse_json(response)
    return megabench_upstream_evaluate_fields(found) if isinstance(found, dict) else found


@primitive
def megabench_upstream_evaluate_fields(fields: dict[Any, Any], /) -> dict[Any, Any]:
    """Return a mapping whose quoted strings have lost their quotes, as the released flow does to every reference.

    Examples:
        >>> megabench_upstream_evaluate_fields({"a": "'B'", "b": "[1]"})
        {'a': 'B', 'b': '[1]'}

    Source:
        MEGA-Bench, released code, EvaluationProcessor.
    """
    return {
        key: value
        if type(value) is str and len(value) < 200 and "'" not in value and '"' not in value and "{" not in value
        else megabench_upstream_evaluate_as_string(value)  # most values don't change and need no call
        for key, value in fields.items()
    }


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_whole_answer(prediction: Any, reference: Any, /, *, scorer: Scorer[Any]) -> Score:
    """Return the score of a whole parsed answer against the whole reference.

    An answer that is a string, because no object was read from the response, counts as that string in every field.

    Args:
        scorer: Compares the two mappings.

    Examples:
        >>> megabench_upstream_whole_answer("no object", {"a": 1}, scorer=lambda p, r: float(p == {"a": "no object"}))
        1.0

    Source:
        MEGA-Bench, released code, EvaluationProcessor, global_aux_metrics.
    """
    if isinstance(prediction, str) and isinstance(reference, dict):
        prediction = dict.fromkeys(reference, prediction)
    return scorer(prediction, reference)


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_mean_over_union(prediction: Any, reference: Any, /, *, scorer: Scorer[Any]) -> Score:
    """Return the mean score over the keys of both dictionaries; a missing value is compared as an empty list.

    An answer that is not a dictionary scores 0.

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
    """Return the share of the reference's keys whose value is matched; a missing value is compared as `None`.

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
    """Return the share of the answer's keys that the reference has with a matching value; no keys give 0.

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
    """Return 1 for equal dictionaries, else 0; an answer that is not a dictionary scores 0.

    Examples:
        >>> megabench_upstream_same_dict({"a": 1}, {"a": 1})
        1.0

    Source:
        MEGA-Bench, released code, dict_equality.
    """
    return float(isinstance(prediction, dict) and prediction == reference)


def _counted(fields: FieldScores) -> FieldScores:
    """Return the fields that the released code counts: those with a score of at least 0, which excludes NaN."""
    counted = [field for field in fields if field.score >= 0]
    if not counted:
        raise NotApplicable("no field has a score of at least 0", mark=-1.0)
    return fields if len(counted) == len(fields) else FieldScores(counted)


@primitive
def megabench_upstream_mean(fields: FieldScores, /) -> Score:
    """Return the weighted mean of the fields whose score is at least 0, which excludes NaN.

    Raises:
        NotApplicable: when no field is left; its `mark` is -1.
        Unscored: when the weights sum to 0.

    Examples:
        >>> megabench_upstream_mean(FieldScores.of([1.0, float("nan"), -0.5, 0.0]))
        0.5

    Source:
        MEGA-Bench, released code, MeanAggregation.
    """
    return mean(_counted(fields))


@batch(megabench_upstream_mean)
def _(columns: Sequence[Sequence[float]], weights: Sequence[float]) -> Sequence[float]:
    if any(any(map((0.0).__gt__, column)) for column in columns):
        raise ValueError("a score below 0 is left out: one by one")
    at_once = registry.of_function(mean).batch
    assert at_once is not None
    found: Sequence[float] = at_once(columns, weights)
    return found


@primitive(traits=("unweighted",))
def megabench_upstream_min(fields: FieldScores, /) -> Score:
    """Return the smallest field score of at least 0, which excludes NaN.

    Raises:
        NotApplicable: when no field is left; its `mark` is -1.

    Examples:
        >>> megabench_upstream_min(FieldScores.of([1.0, float("nan"), 0.25]))
        0.25

    Source:
        MEGA-Bench, released code, MinAggregation.
    """
    return minimum(_counted(fields))


@primitive(traits=("response_alone",))
def megabench_upstream_nli_entailment(prediction: object, reference: object, /) -> Score:
    """Return 0, since the released check rejects every reference that is a string, and raises for anything else.

    Examples:
        >>> megabench_upstream_nli_entailment("a cat sleeps", "a cat sleeps")
        0.0

    Source:
        MEGA-Bench, released code, nli_entailment.
    """
    return 0.0
