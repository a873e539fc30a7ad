"""How to recognise, from the two values alone, each listed difference between the two packs of MEGA-Bench."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from scoring.extensions.vision.primitives.boxes import to_boxes
from scoring.packs.megabench_upstream.answer import (
    megabench_upstream_text_to_set,
    megabench_upstream_to_dict,
    megabench_upstream_to_set,
)
from scoring.primitives.mappings.build import to_dict
from scoring.primitives.numbers.read import number
from scoring.primitives.parsing.literal import read_literal
from scoring.primitives.sequences.items import to_list
from scoring.primitives.sets.items import to_set
from scoring.result import Unparsed

TEXT_SCORERS = (
    "exact_str_match_case_insensitive",
    "simple_str_match",
    "near_str_match",
    "code_result_exact_str_match",
    "normalized_similarity_damerau_levenshtein",
    "str_set_equality_line_break",
)
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "differences.md"


class Difference(NamedTuple):
    """One row of the table: an example, and the scorers that the difference touches."""

    id: str
    scorers: tuple[str, ...]
    line: str
    prediction: Any
    reference: Any
    documented: str
    released: str


class ParserDifference(NamedTuple):
    """One row of the table of parsers."""

    id: str
    parsers: tuple[str, ...]
    line: str
    response: Any
    documented: str
    released: str


def read_differences() -> list[Difference]:
    """The rows of the table in docs/differences.md."""
    return [
        Difference(name, tuple(scorers.split(", ")), line, _json(given), _json(wanted), new, old)
        for name, scorers, line, given, wanted, new, old in _rows("differences")
    ]


def read_parser_differences() -> list[ParserDifference]:
    """The rows of the second table."""
    return [
        ParserDifference(name, tuple(parsers.split(", ")), line, _json(response), new, old)
        for name, parsers, line, response, new, old in _rows("parsers")
    ]


def _rows(table: str) -> list[list[str]]:
    text = DOCUMENT.read_text(encoding="utf-8")
    lines = text.split(f"<!-- {table}:begin -->")[1].split(f"<!-- {table}:end -->")[0].strip().splitlines()
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def _json(cell: str) -> Any:
    return json.loads(cell.strip("`"))


def values(metric: str, prediction: Any, reference: Any) -> list[tuple[Any, Any]]:
    """The pairs of values that a scorer compares: of every shared key for one of dictionaries."""
    if not metric.startswith("dict_"):
        return [(prediction, reference)]
    given, wanted = to_dict(prediction, failed="empty"), to_dict(reference, failed="empty")
    return [(given[key], wanted[key]) for key in wanted if key in given]


def literal(value: Any) -> Any:
    """What a text is as a Python literal; a text that is none, and anything but a text, is itself."""
    if not isinstance(value, str):
        return value
    try:
        return read_literal(value.strip())
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return value


def _one_letter(given: Any, wanted: Any) -> bool:
    if not isinstance(wanted, str) or given == wanted:
        return False
    text = re.sub(r"[-. \t\n]", "", str(given)) if len(wanted) == 1 else ""
    return len(wanted) == 1 and wanted.isalpha() and re.match(r"\(?([A-Za-z])", text) is not None


def _printed(given: Any, wanted: Any) -> bool:
    return not (isinstance(given, str) and isinstance(wanted, str)) and str(given) == str(wanted)


def _not_text(given: Any, wanted: Any) -> bool:
    return not isinstance(given, str)


def _ignored(given: Any, wanted: Any) -> bool:
    return any(mark in str(given) + str(wanted) for mark in ".\t\n")


def _articles(given: Any, wanted: Any) -> bool:
    return "an" in f"{given} {wanted}".lower().split(" ")


def _fences(given: Any, wanted: Any) -> bool:
    return "```" in f"{given}{wanted}"


def _quoted(given: Any, wanted: Any) -> bool:
    return any(
        isinstance(value, str) and isinstance(literal(value), str) and literal(value) != value
        for value in (given, wanted)
    )


def _nested(given: Any, wanted: Any) -> bool:
    return any(_holds_collections(value) for value in (given, wanted))


def _holds_collections(value: Any) -> bool:
    found = literal(value)
    items: Iterable[Any] = found if isinstance(found, (list, tuple)) else ()
    return any(isinstance(item, (list, dict, set, tuple)) for item in items)


def _object(given: Any, wanted: Any) -> bool:
    return not isinstance(given, str) or not isinstance(wanted, str) or isinstance(literal(given), dict)


def _white_space(given: Any, wanted: Any) -> bool:
    return any(isinstance(value, str) and value.strip() != value.strip(" ") for value in (given, wanted))


def _json_words(given: Any, wanted: Any) -> bool:
    return any(
        isinstance(value, str) and re.search(r"\b(true|false|null|NaN|Infinity)\b", value) for value in (given, wanted)
    )


def _odd_literal(given: Any, wanted: Any) -> bool:
    return any(
        isinstance(value, str) and isinstance(literal(value), (type(None), complex, bytes, type(...)))
        for value in (given, wanted)
    )


def _empty_answer(given: Any, wanted: Any) -> bool:
    return not megabench_upstream_to_set(given)


def _check_marks(given: Any, wanted: Any) -> bool:
    return any(mark in f"{given}{wanted}" for mark in "+#!")


def _items_as_text(given: Any, wanted: Any) -> bool:
    sides = [literal(value) for value in (given, wanted)]
    items = [item for side in sides for item in (side if isinstance(side, (list, tuple, set, dict)) else [side])]
    return any(not isinstance(item, (str, list, tuple, dict, set)) for item in items)


def _pairs(given: Any, wanted: Any) -> bool:
    return _holds_collections(wanted)


def _both_empty(given: Any, wanted: Any) -> bool:
    return _is_empty(given) and _is_empty(wanted)


def _is_empty(value: Any) -> bool:
    found = literal(value)
    if isinstance(found, (list, tuple)) and found and not any(_is_box(item) for item in [*found, found]):
        return any(isinstance(item, (list, tuple, dict)) for item in found)
    return (isinstance(value, str) and not megabench_upstream_text_to_set(value)) or not found


def _both_empty_dicts(given: Any, wanted: Any) -> bool:
    return not to_dict(given, failed="empty") and not to_dict(wanted, failed="empty")


def _keys_as_text(given: Any, wanted: Any) -> bool:
    return any(
        isinstance(side, dict) and any(not isinstance(key, str) for key in side)
        for side in map(megabench_upstream_to_dict, (given, wanted))
    )


def _missing_keys(given: Any, wanted: Any) -> bool:
    sides = [to_dict(value, failed="empty") for value in (given, wanted)]
    return set(sides[0]) != set(sides[1])


def _number_value(given: Any, wanted: Any) -> bool:
    return any(value is None or isinstance(value, (int, float)) for value in (given, wanted))


def _is_box(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 4 and all(isinstance(n, (int, float)) for n in value)


def _box_value(given: Any, wanted: Any) -> bool:
    return any(isinstance(literal(value), list) and _is_box(literal(value)) for value in (given, wanted))


def _box_list(given: Any, wanted: Any) -> bool:
    found = literal(given)
    return isinstance(found, (list, tuple)) and any(_is_box(item) for item in found)


def _box_object(given: Any, wanted: Any) -> bool:
    return not isinstance(given, str) or not isinstance(wanted, str)


def _box_numbers(given: Any, wanted: Any) -> bool:
    return any(_holds_odd_box(literal(value)) for value in (given, wanted))


def _holds_odd_box(found: Any) -> bool:
    boxes = found if isinstance(found, (list, tuple)) else []
    flat = [number for box in boxes for number in (box if isinstance(box, (list, tuple)) else [box])]
    odd = any(not isinstance(n, (int, float)) or isinstance(n, bool) or abs(n) == float("inf") for n in flat)
    return odd or (bool(flat) and len(flat) % 4 != 0) or (len(boxes) > 4 and not any(map(_is_box, boxes)))


_PLAIN = re.compile(r"\s*[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*")


def _notation(given: Any, wanted: Any) -> bool:
    odd = [value for value in (given, wanted) if isinstance(value, bool)]
    return bool(odd) or any(isinstance(value, str) and not _PLAIN.fullmatch(value) for value in (given, wanted))


def _zero(given: Any, wanted: Any) -> bool:
    return bool(literal(wanted) == 0)


def _native(given: Any, wanted: Any) -> bool:
    return any(isinstance(value, (int, float)) for value in (given, wanted)) or "." in f"{given}"


def _unreadable(metric: str, wanted: Any) -> bool:
    """Whether the reader of the scorer's family refuses the reference."""
    if metric.startswith("dict_"):
        readers: list[Callable[[Any], Any]] = [to_dict]
    elif "bbox" in metric:
        readers = [to_boxes]
    elif metric in ("number_rel_diff_ratio", "positive_int_match"):
        readers = [number]
    elif metric in TEXT_SCORERS:
        return not isinstance(wanted, str)
    else:
        readers = [to_set, to_list]
    return any(_refuses(reader, wanted) for reader in readers)


def _refuses(reader: Callable[[Any], Any], value: Any) -> bool:
    try:
        reader(value)
    except Unparsed:
        return True
    return False


RECOGNISE: dict[str, Callable[[Any, Any], bool]] = {
    "one-letter": _one_letter,
    "printed-values": _printed,
    "not-text": _not_text,
    "ignored-characters": _ignored,
    "articles": _articles,
    "fences": _fences,
    "quoted-text": _quoted,
    "nested-items": _nested,
    "objects": _object,
    "white-space": _white_space,
    "json-words": _json_words,
    "odd-literal": _odd_literal,
    "empty-precision": _empty_answer,
    "check-marks": _check_marks,
    "items-as-text": _items_as_text,
    "pairs": _pairs,
    "both-empty": _both_empty,
    "number-values": _number_value,
    "box-values": _box_value,
    "box-list": _box_list,
    "box-objects": _box_object,
    "box-numbers": _box_numbers,
    "number-notation": _notation,
    "zero-reference": _zero,
    "native-numbers": _native,
}
# These look at whole dictionaries, the others at the values of shared keys.
RECOGNISE_WHOLE: dict[str, Callable[[Any, Any], bool]] = {
    "keys-as-text": _keys_as_text,
    "missing-keys": _missing_keys,
    "both-empty": _both_empty_dicts,
}


def explains(difference: Difference, metric: str, prediction: Any, reference: Any) -> bool:
    """Whether a listed difference touches this pair of values under this scorer."""
    if metric not in difference.scorers:
        return False
    if difference.id == "unreadable-reference":
        return _unreadable(metric, reference)
    whole = RECOGNISE_WHOLE.get(difference.id)
    if whole is not None and metric.startswith("dict_") and whole(prediction, reference):
        return True
    part = RECOGNISE.get(difference.id)
    return part is not None and any(part(given, wanted) for given, wanted in values(metric, prediction, reference))


_MARKED = re.compile(r"answer\s*[:：]", re.IGNORECASE)
# From the response and what the released parser made of it (an exception where it raised).
RECOGNISE_PARSER: dict[str, Callable[[str, Any], bool]] = {
    "no-object": lambda response, released: not isinstance(released, (dict, Exception)),
    "last-object": lambda response, released: re.search(r"[}\]][^}]*[\[{]", response) is not None,
    "whole-answer": lambda response, released: re.search(r"^(\*\*)?Answer:", response, re.MULTILINE) is not None,
    "last-fence": lambda response, released: response.count("```json") > 1,
    "text-stays-text": lambda response, released: re.search(r"\"(\\?[\"'\[{]|__)", response) is not None,
    "braces-in-text": lambda response, released: re.search(r"\"[^\"]*[{}][^\"]*\"", response) is not None,
    "no-repair": lambda response, released: re.search(r"\w'\w", response) is not None,
    "failures": lambda response, released: isinstance(released, Exception),
    "markers": lambda response, released: (
        re.search(r"(\*\s*|ANSWER|\s)[:：]|：|\*", response) is not None
        or (_MARKED.search(response) is not None and ":*" in response)
    ),
    "emphasis": lambda response, released: re.search(r"([*_`]).*\1", response, re.DOTALL) is not None,
    "containers": lambda response, released: re.search(r"[\[{]", response) is not None,
    "explanations": lambda response, released: "\n\n" in response,
    "inline-fences": lambda response, released: re.search(r"```[^\n]*\w", response) is not None,
    "drawings": lambda response, released: re.search(r"\n\n\n|[\"']", response) is not None,
    "null-response": lambda response, released: response is None,
}


def explains_parser(difference: ParserDifference, parser: str, response: Any, released: Any) -> bool:
    """Whether a listed difference touches this response under this parser."""
    if parser not in difference.parsers or (response is None and difference.id not in ("null-response", "failures")):
        return False
    return RECOGNISE_PARSER[difference.id](response, released)
