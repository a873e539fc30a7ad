"""Patterns mean what Python's `re` means by them, and no text makes one take long."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.primitives.patterns import find
from scoring.primitives.patterns.cost import THE_REST, cost
from scoring.primitives.patterns.prepared import longest_run, prepare
from scoring.primitives.patterns.syntax import PatternError, parse_pattern
from scoring.registry import registry
from scoring.result import Unparsed
from tests.support.pattern_steps import Matcher
from tests.support.waiting import cpu_time_below

# Patterns of the kinds that published rules use: choices, numbers, boxes, fences, tags, marks of an answer.
PATTERNS = [
    r"(?i)answer\s*:\s*\(?([A-D])\)?",
    r"(?i)the (?:final )?answer is:?\s*\**\(?([A-J])\b",
    r"#### (\-?[0-9\.\,]+)",
    r"(-?[$0-9.,]{2,})|(-?[0-9]+)",
    r"\\boxed\{([^{}]*)\}",
    r"(?s)```(?:\w+)?\n(.*?)```",
    r"<answer>(.*?)</answer>",
    r"\b[A-J]\b(?!.*\b[A-J]\b)",
    r"(?<=The answer is )(.*)(?=.)",
    r".*[aA]nswer:\s*([A-J])",
    r"\d{1,3}(?:,\d{3})*(?:\.\d+)?",
    r"^\s*\(?([a-zA-Z])[\s.:)]",
    r"\s+$",
    r"(?m)^-\s*(.+)$",
    r"\[(\d+\.?\d*),\s*(\d+\.?\d*)\]",
    r"'\s*([^']*?)\s*'",
    r"(?i)\b(yes|no)\b",
    r"(?x) (\d+) \s* %  # a share",
]
TEXTS = [
    "",
    "The answer is (C). Answer: b",
    "so 1,200 + 3.5 = #### 1,203.5\n",
    "```python\nprint(1)\n``` and \\boxed{4} and \\boxed{5}",
    "naïve café ٣٤ \u00a0é Straße ſ K İ",
    "- one\n- two\n\n  \t ",
    "<answer>a</answer><answer>b\nc</answer>",
    "a'  b  'c' [1, 2.5, 3,4] Yes NO",
    "\ud800 \x00 \u2028 🎯",
]
HOSTILE = [" " * 1_000_000, "a" * 1_000_000, "1," * 500_000, "Answer:" * 150_000, "`" * 999_999, "'" + " a" * 400_000]

pieces = st.sampled_from(
    ["a", "b", "1", " ", "x", ".", r"\d", r"\w", r"\s", r"\S", "[ab]", "[^a]", "[a-c]", r"[\d,]", r"\b", r"\B", "$"]
)
patterns = st.recursive(
    pieces,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2,5}", "*?", "+?", "??", "{0,30}"])).map(
            lambda it: f"(?:{it[0]}){it[1]}"
        ),
        st.tuples(st.sampled_from(["(?=", "(?!", "("]), inner).map(lambda it: f"{it[0]}{it[1]})"),
    ),
    max_leaves=6,
)
texts = st.text("ab1 ,x\n", max_size=30)


def found(expression: str, text: Any) -> Any:
    """What a parser makes of a text, or the reason why it makes nothing of it."""
    try:
        return scoring.parser(expression).parse(text)
    except Unparsed as nothing:
        return nothing


def quoted(pattern: str) -> str:
    return f'r"{pattern}"'


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_pattern_finds_what_re_finds(pattern: str, text: str) -> None:
    whole = [one[0] for one in re.finditer(pattern, text)]
    assert found(f"find_all({quoted(pattern)}, group=0)", text) == whole
    first = found(f"find({quoted(pattern)}, group=0)", text)
    last = found(f'find({quoted(pattern)}, group=0, pick="last")', text)
    assert (
        (first, last) == (whole[0], whole[-1]) if whole else isinstance(first, Unparsed) and isinstance(last, Unparsed)
    )
    assert found(f'replace_pattern({quoted(pattern)}, by="_")', text) == re.sub(pattern, "_", text)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:4]))
def test_a_megabyte_of_anything_costs_little_or_is_refused(pattern: str, text: str) -> None:
    with cpu_time_below(30):
        one = found(f"find({quoted(pattern)})", text)
    assert isinstance(one, str) or re.search("matches the pattern|at most 100,000,000 are taken", str(one))


@pytest.mark.property
@settings(max_examples=200)
@given(pattern=patterns, text=texts)
@example(r"(?:[ab]){0,30}(?:x){2,5}(?:[^a])\B", "ab" * 15)
@example(r"(?:\s){0,30}(?:c)?x", " " * 30)
@example(r"(?:(?:a)*){2,5}(?=a)", "")
def test_no_search_takes_more_steps_than_are_worked_out(pattern: str, text: str) -> None:
    try:
        re.compile(pattern)
        prepare(pattern)
    except (re.error, PatternError):
        assume(False)
    tree = parse_pattern(pattern).tree
    runs = functools.cache(lambda chars: longest_run(chars, text))
    most = 2 * (len(text) + 1) + (len(text) + 1) * (1 + cost(tree, THE_REST, runs, len(text))[1])
    assume(most < 200_000)
    matcher = Matcher(text)
    one = re.search(pattern, text)
    assert matcher.search(tree) == (one.span() if one else None)
    assert matcher.steps <= most


@pytest.mark.property
@settings(max_examples=200)
@given(pattern=patterns, text=texts, lead=st.sampled_from(["", r"\s*", ".+", "[ab]*?", r"(?i)\w+"]))
def test_every_match_is_one_of_re(pattern: str, text: str, lead: str) -> None:
    try:
        ready = prepare(lead + pattern)
    except (re.error, PatternError):
        assume(False)
    assert [one.span() for one in ready.matches(text)] == [one.span() for one in re.finditer(lead + pattern, text)]
    for ours, theirs in ((ready.first, re.search), (ready.whole, re.fullmatch)):
        mine, found = ours(text), theirs(lead + pattern, text)
        assert (mine and mine.span()) == (found and found.span())


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        (r"x(\w+\s?)*!", r"(\w+\s?)*"),
        (r"(a|a)*b", "(a|a)*"),
        (r"(.|\s)*x", r"(.|\s)*"),
        (r"(?i)(k|\u212a)+x", r"(k|\u212a)+"),
        (r"([a-zA-Z]+)*$", "([a-zA-Z]+)*"),
        (r"(\d+(?:\.\d+)?\s*)+km", r"(\d+(?:\.\d+)?\s*)+"),
        ("([A-D", "["),
        ("a)", ")"),
        ("[[a]", "[[a]"),
        ("(?>(a)|b)c", "(?>(a)|b)"),
        ("(?:" * 60 + ")" * 60, "("),
    ],
)
def test_a_pattern_that_may_not_run_is_refused_at_its_place(pattern: str, wrong: str) -> None:
    with pytest.raises(SpecError) as refused:
        scoring.parser(f"find({quoted(pattern)})")
    (one,) = refused.value.diagnostics
    assert one.span is not None
    assert one.span.text.startswith(wrong[:1])
    assert one.span.text in (wrong, wrong[:1], "(?:")


@pytest.mark.parametrize(
    "written",
    [
        "params: {pattern: 'a (\\w+\\s?)*!'}\n    score: find(pattern) | equal",
        "params:\n      pattern: |-\n        it's (\\w+\\s?)*!\n    score: find(pattern) | equal",
        'params: {pattern: {default: "a (\\\\w+\\\\s?)*!", doc: d}}\n    score: find(pattern) | equal',
        "score:\n      - find: {pattern: 'a (\\w+\\s?)*!'}\n      - equal",
        "score: 'find(r\"a (\\w+\\s?)*!\") | equal'",
        'score: inner(r"(\\w+\\s?)*!")\n  inner: {params: {p: x}, score: find(p) | equal}',
    ],
)
def test_the_part_is_underlined_wherever_the_pattern_is_written(written: str, tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_text(f"kind: pack\nname: p\nversion: 1.0.0\nscorers:\n  near:\n    {written}\n", "utf-8")
    (found, *_) = scoring.specs.check_file(path)
    spans = [label.span for label in (found.primary, *found.secondary)]
    shown = [span.text.replace("\\\\", "\\") for span in spans if span is not None]
    assert r"(\w+\s?)*" in shown


@pytest.mark.parametrize(
    "pattern",
    [
        r"(\w+\s)*\w+!",
        r"(?:[^{}]|\{[^{}]*\})*\}",
        r'"(?:\\.|[^\\x])*x',
        r"(a|b|\d)*c",
        # Alternatives that part at a later character, or of which the shorter one ends where the longer one matches.
        r"(?:\\boxed\{|\\text\{|[*$(])*",
        r"(?i:answer)[*\s]*:\s*(?:\\(?:boxed|mathbf|mathrm|text)\{|[*$\\{(\[])*\s*([A-J])[\\}$)\]]*(?:[\s:.*)]|$)",
        r"(?:a|ab)*c",
    ],
)
def test_loops_that_can_end_in_one_way_only_may_run(pattern: str) -> None:
    prepare(pattern)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('find("a\\bc")', "backspace"),
        ('find(r"a", group=1)', "no group 1"),
        ('find(r"(?P<x>a)", group="y")', "no group 'y'"),
        ('replace_pattern("x", by=r"a\\2")', "no text to put in place"),
        ('find_groups("x")', "no group of this pattern has a name"),
    ],
)
def test_settings_that_do_not_fit_the_pattern_are_refused(expression: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        scoring.parser(expression)


def test_a_pattern_that_a_record_brings_is_checked_when_it_comes() -> None:
    scorer = scoring.scorer("matches(reference.pattern)")
    assert scorer.score("abc", {"pattern": "b"}).score == 1
    refused = scorer.score("abc", {"pattern": r"(\w+)+x"})
    assert refused.status == "unscored"
    assert "this loop can take the same text in very many ways" in str(refused.reason)


def test_the_first_group_that_took_anything_is_found() -> None:
    flexible = quoted(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
    assert found(f"find_all({flexible})", "7 or $1,200") == ["7", "$1,200"]


def test_overlapping_matches_begin_at_different_places() -> None:
    assert found('find_all("aba", overlapping=true)', "ababa") == ["aba", "aba"]
    assert found('find_all("aba")', "ababa") == ["aba"]


def test_a_text_is_split_where_a_pattern_is_found() -> None:
    assert found(r'split_pattern(r"(\s*),\s*")', "a ,b, c") == ["a", "b", "c"]
    assert found(r'split_pattern(",", limit=1)', "a,b,c") == ["a", "b,c"]
    assert found(r'split_pattern(",")', "") == [""]


def test_a_raw_text_and_an_escaped_one_are_the_same_program() -> None:
    raw, escaped = (scoring.scorer(text) for text in (r'matches(r"\d+")', r'matches("\\d+")'))
    assert str(raw.signature).partition("|")[2] == str(escaped.signature).partition("|")[2]


@pytest.mark.parametrize(
    ("expression", "settings"),
    [
        (r'find(r"(\d)(x)?", pick="last", group=1)', {"pattern": r"(\d)(x)?", "pick": "last", "group": 1}),
        (r'find_all([r"\d", "b+"])', {"pattern": [r"\d", "b+"]}),
        (r'find_all("b", around="{}+")', {"pattern": "b", "around": "{}+"}),
        (r'find_groups(r"(?P<x>\d)")', {"pattern": r"(?P<x>\d)"}),
        (r'replace_pattern(r"(\d)", by=r"<\1>", count=1)', {"pattern": r"(\d)", "by": r"<\1>", "count": 1}),
        (r'split_pattern(r"\d", limit=1)', {"pattern": r"\d", "limit": 1}),
    ],
)
def test_a_pattern_of_the_spec_is_prepared_once(
    expression: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = registry.get(expression.partition("(")[0]).function  # type: ignore[union-attr]  # a step of ours
    wanted = [function(text, **settings) for text in ("a1bb2", "3")]
    scorer = scoring.scorer(f"sides(prediction={expression}) | equal")
    monkeypatch.setattr(find, "prepare", None)
    assert [scorer.score(text, found).value for text, found in zip(("a1bb2", "3"), wanted, strict=True)] == [1, 1]
    assert [one.value for one in scorer.score_many(["a1bb2", "3"], wanted)] == [1, 1]


def test_whole_texts_and_surroundings_are_prepared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, around = scoring.scorer('matches("b+", whole=true)'), scoring.scorer('matches("b", around="^{}")')
    monkeypatch.setattr(find, "prepare", None)
    assert [whole.score(text, "").value for text in ("bb", "abb")] == [1, 0]
    assert [around.score(text, "").value for text in ("bb", "abb")] == [1, 0]
