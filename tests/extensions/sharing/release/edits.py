"""A pack, and edits of it: what each needs, and whether an input must be shown that moves."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pytest

from scoring.extensions.sharing.release import preparing
from scoring.extensions.sharing.release.judging import Effort
from scoring.extensions.sharing.verbs import releasing


def draw_few(monkeypatch: pytest.MonkeyPatch, tries: int) -> None:
    """Draw less than the 5,000 inputs, where none moves and their number is not what a test is about."""
    for module in (releasing, preparing):
        monkeypatch.setattr(module, "Effort", partial(Effort, tries=tries))


PACK = """\
kind: pack
name: close
version: 1.4.2
doc: Nearness of short answers.
imports: {words: ./words.yaml}

transforms:
  plain:
    doc: Lower case without space at the ends.
    transform: lower | strip
  marks_off:
    doc: Composed letters.
    transform: normalize_unicode(form="NFC")
  towns:
    doc: Towns by one name.
    transform: replace_each({NYC="New York", LA="Los Angeles"})

parsers:
  letter:
    doc: The letter of an option.
    parse: 'find("(?i)answer: *([A-D])", group=1) | upper'

scorers:
  close_text:
    doc: Similarity from a threshold on.
    source: Levenshtein 1966
    params: {threshold: 0.8, case_sensitive: false}
    score: switch(case_sensitive, true=levenshtein, false=lower | levenshtein) | zero_below(threshold)
    examples:
      - [Hello, hello, 1.0]
      - [abcde, abcdx, 0.8]
    audit: {except: {boundary: the threshold itself counts}}
  same_town:
    doc: The same town.
    score: towns | plain | equal
  accents:
    doc: Equal when composed.
    score: marks_off | equal
  near:
    doc: A number within a share.
    params: {tolerance: {default: 0.05, doc: the share}}
    score: number | within(tolerance)
  bag:
    doc: Words in common.
    score: words.cut | bag_f1
  mixed:
    doc: A mean of three.
    score: combine("(0.2 * p + 0.3 * q) + 0.5 * r", p=levenshtein, q=indel, r=contains)
  both:
    doc: Two that must hold.
    score: combine("p * q", p=equal, q=levenshtein)
  any_right:
    doc: One of several answers.
    params: {scorer: {type: pipeline, default: equal}}
    score: any_reference(scorer)
  chosen:
    doc: The right option.
    score: sides(prediction=letter) | equal
  _helper:
    score: lower | equal

aggregates:
  weighted:
    doc: The lowest field.
    params: {least: 0.5}
    aggregate: min | zero_below(least)
"""

WORDS = """\
kind: pack
name: words
version: 1.0.0
transforms:
  cut: lower | words
  unused: strip
"""


class Edit(NamedTuple):
    """An edit: what stands in the place of what, what it needs, and whether scores can move."""

    what: str
    old: str
    new: str
    part: str
    moves: bool = False
    file: str = "close"


PATCH, MINOR, MAJOR = "patch", "minor", "major"
EDITS = [
    Edit("comment only", "doc: Nearness", "# said again\ndoc: Nearness", PATCH),
    Edit("doc only", "Lower case without space", "Small letters without space", PATCH),
    Edit("doc of a parameter", "doc: the share", "doc: the share that it may be off", PATCH),
    Edit("examples only", "[Hello, hello, 1.0]", "[hello, HELLO, 1.0]", PATCH),
    Edit("another source", "Levenshtein 1966", "Levenshtein, 1966, equation 1", PATCH),
    Edit("an exception from the audit", "    audit: {except: {boundary: the threshold itself counts}}\n", "", PATCH),
    Edit("renamed parameter", "threshold", "least", MAJOR, True),
    Edit("changed threshold", "threshold: 0.8", "threshold: 0.75", MAJOR, True),
    Edit("threshold written otherwise", "threshold: 0.8", "threshold: 0.80", PATCH),
    Edit("threshold no longer inclusive", "zero_below(threshold)", "zero_below(threshold, strict=true)", MAJOR, True),
    Edit("steps reordered that commute", "lower | strip", "strip | lower", PATCH),
    Edit("steps reordered that matter", "towns | plain | equal", "plain | towns | equal", MAJOR, True),
    Edit("a helper inlined", "towns | plain | equal", "towns | lower | strip | equal", PATCH),
    Edit("an argument named", "zero_below(threshold)", "zero_below(threshold=threshold)", PATCH),
    Edit("a default written out", "lower | strip", "lower | strip(characters=null)", PATCH),
    Edit("a step left out", "lower | strip", "lower", MAJOR, True),
    Edit("new default", "case_sensitive: false", "case_sensitive: true", MAJOR, True),
    Edit("new definition", "  _helper:", "  exact: {doc: Equal., score: equal}\n  _helper:", MINOR),
    Edit("removed definition", "  accents:\n    doc: Equal when composed.\n    score: marks_off | equal\n", "", MAJOR),
    Edit("renamed definition", "  accents:", "  composed:", MAJOR),
    Edit(
        "renamed definition, the old one deprecated",
        "  accents:\n    doc: Equal when composed.\n    score: marks_off | equal\n",
        "  composed:\n    doc: Equal when composed.\n    score: marks_off | equal\n  accents:\n"
        "    doc: Equal when composed.\n    score: composed\n"
        '    deprecated: {for: composed, since: "1.5.0"}\n',
        MINOR,
    ),
    Edit(
        "parameter added that moves nothing",
        "    params: {tolerance: {default: 0.05, doc: the share}}\n    score: number | within(tolerance)",
        "    params: {tolerance: {default: 0.05, doc: the share}, absolute: 0}\n"
        "    score: number | within(tolerance, absolute=absolute)",
        MINOR,
    ),
    Edit(
        "parameter added that moves something",
        "    params: {tolerance: {default: 0.05, doc: the share}}\n    score: number | within(tolerance)",
        "    params: {tolerance: {default: 0.05, doc: the share}, absolute: 0.5}\n"
        "    score: number | within(tolerance, absolute=absolute)",
        MAJOR,
        True,
    ),
    Edit(
        "parameter removed",
        "{threshold: 0.8, case_sensitive: false}\n"
        "    score: switch(case_sensitive, true=levenshtein, false=lower | levenshtein)",
        "{threshold: 0.8}\n    score: lower | levenshtein",
        MAJOR,
        True,
    ),
    Edit(
        "parameters in another order",
        "{threshold: 0.8, case_sensitive: false}",
        "{case_sensitive: false, threshold: 0.8}",
        MAJOR,
        True,
    ),
    Edit("parameter without its default", "{default: 0.05, doc: the share}", "{doc: the share}", MAJOR, True),
    Edit("narrowed type", "score: marks_off | equal", "score: marks_off | to_list | bag_f1", MAJOR, True),
    Edit("widened type", "score: words.cut | bag_f1", "score: to_text | words.cut | bag_f1", MAJOR, True),
    Edit("another normal form", 'form="NFC"', 'form="NFKC"', MAJOR, True),
    Edit("casefold for lower", "lower | strip", "casefold | strip", MAJOR, True),
    Edit("lower behind strip", "lower | strip", "strip | lower", PATCH),
    Edit("set for list", "words.cut | bag_f1", "words.cut | to_set | jaccard", MAJOR, True),
    Edit("weights", "0.2 * p + 0.3 * q", "0.3 * p + 0.2 * q", MAJOR, True),
    Edit("a sum in another order", "(0.2 * p + 0.3 * q) + 0.5 * r", "0.2 * p + (0.3 * q + 0.5 * r)", MAJOR, True),
    Edit("a product turned", "p * q", "q * p", PATCH),
    Edit("pattern written otherwise", "[A-D]", "[DCBA]", PATCH),
    Edit("another pattern", "[A-D]", "[A-E]", MAJOR, True),
    Edit("an entry of a table", 'LA="Los Angeles"', 'LA="Louisiana"', MAJOR, True),
    Edit("pipeline by default", "type: pipeline, default: equal", "type: pipeline, default: levenshtein", MAJOR, True),
    Edit("an imported definition changed", "cut: lower | words", "cut: words", MAJOR, True, "words"),
    Edit("an imported definition that nothing uses", "unused: strip", "unused: lower", PATCH, False, "words"),
    Edit("an aggregate's default", "{least: 0.5}", "{least: 0.25}", MAJOR, True),
]

OTHER = """\
kind: pack
name: forms
version: 0.3.0
transforms:
  last_line: split(separator="\\n") | item_at(-1) | strip
  tidy: replace_pattern("[^a-z0-9 ]", by="") | collapse_spaces
parsers:
  answer:
    params: {single_line: true}
    parse: final_answer(single_line=single_line) | strip
  object: json
scorers:
  price: number | rounded(2) | equal
  in_unit:
    params: {least: 0.25}
    score: switch(on=record.unit, cm=number | within(absolute=least), default=equal)
  items: {params: {ordered: false}, score: to_list | align(equal)}
  whole: tree(leaf=to_text | levenshtein | zero_below(0.5))
  long_enough: has_length(least=3, most=8)
  option: 'matches("^[(]?[A-E][)]?$")'
  either: any_of(equal, to_text | lower | equal, number | within(0.01))
  scaled: levenshtein | scale(by=0.5, plus=0.25)
  close_by: levenshtein | zero_below(0.7, strict=true)
  sure: attempt(number | equal, otherwise=0)
  sorted_words: lower | words | sort | bag_f1
  record_text: sides(reference=record.gold) | equal
  asked: judge_rating
  plain: lower | strip | equal
"""
FURTHER = [
    Edit("rounding to fewer decimals", "rounded(2)", "rounded(1)", MAJOR, True, "forms"),
    Edit("another value of the record", "record.gold", "record.answer", MAJOR, True, "forms"),
    Edit("a case of a switch", "cm=number | within(absolute=least)", "cm=number | equal", MAJOR, True, "forms"),
    Edit("a switch without its default", ", default=equal)", ")", MAJOR, True, "forms"),
    Edit("a limit of words", "most=8", "most=9", MAJOR, True, "forms"),
    Edit("an anchor left out", '[)]?$")', '[)]?")', MAJOR, True, "forms"),
    Edit("a pattern's class in ranges", "[A-E]", "[A-CDE]", PATCH, False, "forms"),
    Edit(
        "alternatives in another order",
        "any_of(equal, to_text | lower | equal",
        "any_of(to_text | lower | equal, equal",
        MAJOR,
        False,
        "forms",
    ),
    Edit("an alternative left out", ", number | within(0.01))", ")", MAJOR, True, "forms"),
    Edit("a factor", "by=0.5", "by=0.6", MAJOR, True, "forms"),
    Edit("a limit that is strict", "zero_below(0.7, strict", "zero_below(0.69999, strict", MAJOR, True, "forms"),
    Edit("what failures score", "otherwise=0", "otherwise=0.5", MAJOR, True, "forms"),
    Edit("an order that bags do not see", "words | sort | bag_f1", "words | bag_f1", MAJOR, False, "forms"),
    Edit("the last line is the first", "item_at(-1)", "item_at(0)", MAJOR, True, "forms"),
    Edit("a class of signs", "[^a-z0-9 ]", "[^a-z0-9]", MAJOR, True, "forms"),
    Edit("another default of a flag", "single_line: true", "single_line: false", MAJOR, True, "forms"),
    Edit("a leaf's threshold", "zero_below(0.5)", "zero_below(0.6)", MAJOR, True, "forms"),
    Edit(
        "a scorer that asks a judge",
        "asked: judge_rating",
        "asked: judge_rating | zero_below(0.5)",
        MAJOR,
        False,
        "forms",
    ),
    Edit("a parser that becomes a transform", "  object: json\n", "", MAJOR, False, "forms"),
    Edit(
        "a parameter that nothing used goes",
        "{params: {ordered: false}, score: to_list | align(equal)}",
        "{score: to_list | align(equal)}",
        MAJOR,
        True,
        "forms",
    ),
    Edit(
        "a step that does nothing twice",
        "lower | strip | equal",
        "lower | strip | lower | strip | equal",
        PATCH,
        False,
        "forms",
    ),
    Edit(
        "a threshold of 0",
        "plain: lower | strip | equal",
        "plain: lower | strip | equal | zero_below(0)",
        PATCH,
        False,
        "forms",
    ),
]
"""Edits that were drawn up when the judgement was written; see `test_edits`."""
