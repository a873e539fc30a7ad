"""The scorers of Inspect that are rules, each as a pipeline that says the same.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/scorer/ (_match.py, _common.py, _pattern.py, _answer.py,
    _choice.py, _classification.py, _math.py) and inspect_ai/solver/_multiple_choice.py, parse_answers.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from scoring.lang.formula_printer import print_expression
from scoring.lang.parser import parse_pipeline
from scoring.lazy_pattern import lazy_pattern

WIDTH = 100
"""The width of the lines of long expressions."""
_PUNCTUATION = string.punctuation
_OUTER = string.whitespace + string.punctuation


class ScorerRule(Struct, frozen=True):
    """What a scorer of Inspect is here.

    Args:
        score: The expression of the scorer.
        transforms: The named pipelines that it uses.
        lost: What it scores otherwise than Inspect does, one line each.
    """

    score: str
    transforms: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[str, ...] = ()


def rule_of(name: str, args: Mapping[str, Any], *, is_multiple: bool = False) -> ScorerRule:
    """Return what a scorer of Inspect is here, given its checked arguments.

    Args:
        name: The name of the scorer, one of `RULES`.
        args: Its arguments; those that are missing have Inspect's defaults.
        is_multiple: Whether several choices may be right, which the solver says.

    Raises:
        ValueError: when a pattern is none of Python's.
    """
    made = _choice(is_multiple) if name == "choice" else RULES[name](args)
    return ScorerRule(_printed(made.score), {key: _printed(text) for key, text in made.transforms.items()}, made.lost)


def _printed(expression: str) -> str:
    """Return an expression in its canonical text, in lines if it is long."""
    return print_expression(parse_pipeline(expression), WIDTH)


def quoted_literal(text: str) -> str:
    """Return a text as it is written in an expression.

    Examples:
        >>> quoted_literal('say "no"')
        '"say \\\\"no\\\\""'
    """
    return json.dumps(text)


# ---- match and includes

_LOCATIONS = {"begin": "starts_with", "end": "ends_with", "any": "contains", "exact": "equal"}
_SIGNS, _MINUS, _GROUPING, _POINTS = "+\\-−﹣－＋﹢", "[−﹣－]", "'’ʼ＇，﹐、٬", ".٫．"
_AROUND = r"[!?:;()\[\]{}'\"`]*"
_WITHOUT_MARKS = (
    r'replace_pattern(r"\\([$,£€*_])", by=r"\1") | remove_characters("$,£€*_") '
    r'| replace_pattern(r"\.(?=\s|$|\D)", by="")'
)
_VALUE = (
    rf'replace_pattern(r"[\s+＋﹢{_GROUPING}]", by="") | replace_pattern("{_MINUS}", by="-") '
    r'| replace("--", "") | replace_pattern("[٫．]", by=".") | float_value | significant(digits=5)'
)
_NUMERALS = (
    "match(numeric): Chinese numerals, fractions such as ½, superscripts and signs such as Ⅳ are not read as numbers, "
    "and -0 equals 0"
)


def _number(between: str = "") -> str:
    """Return the pattern of a number, between whose digits signs of grouping, and those of `between`, may stand."""
    skipped = f"[{_GROUPING}{between}]"
    digits = rf"{skipped}*\d[\d{_GROUPING}{between}]*"
    whole, part = rf"{digits}(?:[{_POINTS}][\d{_GROUPING}{between}]*)?", rf"{skipped}*[{_POINTS}]{digits}"
    return rf"[{_SIGNS}{between}]*(?:{whole}|{part})(?:[eE][{_SIGNS}]?{digits})?"


def _match(args: Mapping[str, Any]) -> ScorerRule:
    location, ignore_case = args.get("location", "end"), args.get("ignore_case", True)
    begin = "strip | casefold" if ignore_case else "strip"
    outer, compare = quoted_literal(_OUTER), _LOCATIONS[location]
    if not args.get("numeric", False):
        return ScorerRule(f"{begin} | strip({outer}) | {compare}")
    target = f"{begin} | without_marks"
    transforms = {"without_marks": _WITHOUT_MARKS, "number_value": _VALUE}
    spaced, outer_signs = _number(r"\s"), rf"{_AROUND}({_number()}){_AROUND}"
    alone, bare = (quoted_literal(one) for one in (rf"\A{_AROUND}({spaced}){_AROUND}\Z", rf"\A({spaced})\Z"))
    words = quoted_literal(r"(?<!\S)" + outer_signs + r"(?!\S)")
    found = f"find_all({words}) | keep(number_value) | map_items(number_value)"
    wanted, never = f"find({alone}) | number_value", 'replace_pattern(r"(?s)\\A.*\\Z", by="no number")'
    texts = f"sides(prediction={begin} | strip({outer}), reference={target} | strip({outer})) | {compare}"
    if location == "any":
        said, wanted, compare = f"{found} | to_set", f"{wanted} | to_list | to_set", "set_recall"
    elif location == "exact":
        said, compare = f"fallback(find({bare}) | number_value, {never})", "equal"
    else:
        said, compare = f"fallback({found} | item_at({0 if location == 'begin' else -1}), {never})", "equal"
    numbers = f"sides(prediction={target} | {said}, reference={target} | {wanted}) | {compare}"
    return ScorerRule(f"first_of({numbers}, {texts})", transforms, (_NUMERALS,))


def _includes(args: Mapping[str, Any]) -> ScorerRule:
    return ScorerRule("casefold | contains" if args.get("ignore_case", True) else "contains")


# ---- pattern and answer

ANSWERS = {
    "letter": r"(?is)ANSWER\s*:\s*([A-Za-z])(?:[^\w]|\n|$)(?!.*ANSWER\s*:)",
    "word": r"(?is)ANSWER\s*:\s*(\S+?)(?=[.,;:!?]?\s*(?:\n|$))(?!.*ANSWER\s*:)",
    "line": r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z",
}
"""The patterns of the scorer `answer`."""
_FLAGS = lazy_pattern(r"\(\?([aimsux]+)\)")


def _in_any_case(pattern: str) -> str:
    """Return a pattern that takes any case, with one group of flags, since patterns here have no more."""
    flags = _FLAGS.match(pattern)
    if flags is None:
        return f"(?i){pattern}"
    return pattern if "i" in flags[1] else f"(?i{flags[1]}){pattern[flags.end() :]}"


def _pattern(args: Mapping[str, Any]) -> ScorerRule:
    pattern, ignore_case = str(args["pattern"]), args.get("ignore_case", True)
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise ValueError(f"it is no pattern of Python: {error}") from None
    written = quoted_literal(_in_any_case(pattern) if ignore_case else pattern)
    case = "lower | " if ignore_case else ""
    numbers = range(1, groups + 1) if groups else [0]
    some = r' | find(r"(?s)\A.+\Z")' if groups > 1 else ""  # of several groups, one that took nothing plays no part
    found = {number: f"find({written}, group={number}){some}" for number in numbers}
    if args.get("match_all", False) and groups > 1:
        chains = [", ".join([found[one], *(found[other] for other in numbers if other != one)]) for one in numbers]
        every = [f"sides(prediction=fallback({chain})) | {case}equal" for chain in chains]
        empty = "pattern(match_all): a group that matched the empty text plays no part, as one that matched nothing"
        return ScorerRule(f"all_of({', '.join(every)})", {}, (empty,))
    each = [f"sides(prediction={text}) | {case}equal" for text in found.values()]
    if len(each) == 1:
        return ScorerRule(each[0])
    return ScorerRule(f"any_of({', '.join(f'attempt({one})' for one in each)})")


def _answer(args: Mapping[str, Any]) -> ScorerRule:
    return _pattern({"pattern": ANSWERS[args["pattern"]]})


# ---- exact and f1

_FINITE = "float_value | significant(digits=17) | to_text"
_TOKEN = (
    f"casefold | fallback({_FINITE}, strip({quoted_literal(_OUTER)}) | {_FINITE}, "
    f"remove_characters({quoted_literal(_PUNCTUATION)}) | fallback({_FINITE}, "
    r'replace_pattern(r"\b(a|an|the)\b", by=" ") | collapse_spaces))'
)
_TOKENS = f'split_pattern("[ -]") | map_items({_TOKEN})'


def _exact(args: Mapping[str, Any]) -> ScorerRule:
    return ScorerRule(
        "plain_words | attempt(sides(reference=nonempty) | equal)",
        {"plain_words": f'{_TOKENS} | join(" ") | collapse_spaces'},
    )


def _f1(args: Mapping[str, Any]) -> ScorerRule:
    transforms = {"plain_tokens": f'{_TOKENS} | join(" ") | words'}
    if stop := args.get("stop_words"):
        # Stop words are put into the same form as the words of an answer, by the pipeline that reads these.
        listed = ", ".join(quoted_literal(one) for one in plain_stop_words(stop))
        kept = f"{_TOKENS} | keep(where=not (item in [{listed}]))"
        transforms = {"plain_tokens": f'{kept} | join(" ") | words'}
    formula = '"if(p + r == 0, 0, clip(round(2 * p * r / (p + r), 2), 0, 1))"'
    score = f"combine({formula}, p=bag_precision(empty=0), r=bag_recall(empty=0))"
    return ScorerRule(f"plain_tokens | {score}", transforms)


def plain_stop_words(words: list[str]) -> list[str]:
    """Return stop words in the form in which the scorer `f1` compares words.

    Examples:
        >>> plain_stop_words(["Of", "(7)", "well-known"])
        ['of', '7.0', 'wellknown']
    """
    import scoring

    step = scoring.load({"kind": "task", "name": "words", "parse": _printed(_TOKEN), "score": "equal"})
    return [str(step.score({"response": word, "reference": ""}).parsed) for word in words]


# ---- choice and math

_UNWRAPPED = (
    r'replace_pattern(r"\x24\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\x24", by=r"\1") '
    r'| replace_pattern(r"\*\*\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\*\*", by=r"\1") '
    r'| replace_pattern(r"(?i)(^|[:,])(\s*)\(([A-Za-z\d])\)(?=\s*(?:,|\.|\n|\Z))", by=r"\1\2\3")'
)
_SAID = (
    r'fallback(find(r"(?im)^ANSWER\s*:\s*([A-Za-z\d ,]+)\s*(?:$|\n|\.)", pick="last"), '
    r'find(r"(?i)ANSWER\s*:\s*([A-Za-z\d ,]+)(?:[^\w]|\n|$|\.)", pick="last")) | strip | upper'
)
_ONE = r'find(r"\A,*([A-Z]|\d+),*\Z") | to_list'
_MANY = (
    r'replace(" AND ", ",") | remove_characters(" ") | fallback('
    r'find(r"\A,*(?:[A-Z]|\d+)(?:,+(?:[A-Z]|\d+))*,*\Z") | find_all(r"[A-Z]|\d+"), '
    r'find(r"\A[A-Z\d]+\Z") | find_all(".")) | unique | sort'
)
_TARGET = r'upper | find_all(r"(?<![^\s,])\d+(?![^\s,])|[^\s,]") | sort'


def _choice(is_multiple: bool) -> ScorerRule:
    said = f"{_UNWRAPPED} | {_SAID} | {_MANY if is_multiple else _ONE}"
    return ScorerRule(f"sides(prediction=chosen_options, reference={_TARGET}) | equal", {"chosen_options": said})


_MATH_SAID = (
    r'fallback(boxed(missing="refuse"), '
    r'find(r"(?i)(?:final\s+answer|answer|result)\s*(?:is\b|[:=])\s*([^\n]*)", pick="last"), '
    r'find(r"(?s)\$\$(.*?)\$\$|\\\[(.*?)\\\]|\\\((.*?)\\\)|\$([^$]+)\$", pick="last"))'
)
_UNGROUPED = r'fallback(find(r"\A\s*-?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*\Z") | remove_characters(","), strip)'
_LAST_NUMBER = r'find(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?", pick="last")'


def _math(args: Mapping[str, Any]) -> ScorerRule:
    target = 'fallback(boxed(missing="refuse"), strip)'
    first = f"sides(prediction={_MATH_SAID}, reference={target}) | ungrouped | equal_formulas"
    number = f"sides(prediction={_LAST_NUMBER}, reference={target}) | ungrouped | equal_formulas"
    rest = f"any_of(sides(reference={target}) | ungrouped | equal_formulas, {number})"
    lost = (
        "math: formulas are read by SymPy's own parser (extra `math`), not by latex2sympy2; the answer is looked for "
        "in a box, behind `answer is`, in dollars, in the whole text and as the last number; scores may differ"
    )
    return ScorerRule(f"first_of({first}, {rest})", {"ungrouped": _UNGROUPED}, (lost,))


RULES: Mapping[str, Callable[[Mapping[str, Any]], ScorerRule]] = {
    "includes": _includes,
    "match": _match,
    "pattern": _pattern,
    "answer": _answer,
    "exact": _exact,
    "f1": _f1,
    "choice": lambda args: _choice(is_multiple=False),
    "math": _math,
}
"""The scorers that are rules, by their names."""
