"""Trees of constituents in brackets, as treebanks write them: their spans and their words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_value

_BLANK = r"[ \t\n\v\f\r]"
_NAME = r"[^ \t\n\v\f\r()]*"
_PIECES = lazy_pattern(rf"{_BLANK}+|\((?P<tag>{_NAME}){_BLANK}+(?P<word>{_NAME})\)|\((?P<label>{_NAME})|(?P<close>\))")
_FUNCTION = lazy_pattern("[-=]")

# What COLLINS.prm of EVALB leaves out, and holds for equal.
_LEFT_OUT = ["TOP", "-NONE-", ",", ":", "``", "''", "."]
_EQUAL = {"PRT": "ADVP"}


@primitive(
    topics=("labels", "lists"),
    aka=("parseval", "evalb", "constituents", "constituency tree", "parse tree", "treebank", "brackets", "bracketing"),
)
def bracket_spans(
    text: str, /, *, left_out: list[str] | None = None, equal_labels: dict[str, str] | None = None
) -> list[Any]:
    """Convert a tree in brackets, `(S (NP (NN rain)) (VP (VBZ falls)))`, to the spans of words under its labels.

    A span is `[label, first, last]`, with positions of words counted from 0. Labels end before a `-` or `=`; the tags
    of words make no spans, nor do brackets without words. Spans stand in the order of their opening brackets.

    Args:
        left_out: Labels whose spans, and tags whose words, are left out. By default those of punctuation, of empty
            elements (`-NONE-`), and `TOP`, as in Collins' parameters of EVALB.
        equal_labels: Labels that count as others; by default `PRT` as `ADVP`, as in those parameters.

    Raises:
        Unparsed: when brackets are unbalanced, a word stands without a tag, or no word is left.

    Examples:
        >>> bracket_spans("(TOP (S (NP-SBJ (NN rain)) (VP (VBZ falls)) (. .)))")
        [['S', 0, 1], ['NP', 0, 0], ['VP', 1, 1]]

    Source:
        Black et al.: A procedure for quantitatively comparing the syntactic coverage of English grammars, 1991; Sekine,
        Collins: EVALB, with COLLINS.prm.
    """
    ignored, equal = _rules(left_out, equal_labels)
    spans: list[Any] = []
    # The bracket that opened there is filled when it closes; `words` counts those before it.
    waiting: list[list[Any]] = []
    words = 0
    for tag, label, _ in _pieces(text):
        if label is not None:
            name = _FUNCTION.split(label, maxsplit=1)[0]
            waiting.append([equal.get(name, name), words, words - 1])
            spans.append(waiting[-1])
        elif tag is None:
            waiting.pop()[2] = words - 1
        else:
            words += tag not in ignored
    if not words:
        raise Unparsed("the tree has no words")
    return [span for span in spans if span[1] <= span[2] and span[0] not in ignored]


@primitive(
    topics=("labels", "lists"),
    aka=("part of speech tags", "tagged words", "words of a tree", "leaves of a parse tree", "tagging accuracy"),
)
def bracket_words(
    text: str, /, *, left_out: list[str] | None = None, equal_labels: dict[str, str] | None = None
) -> list[Any]:
    """Return the words of a tree in brackets, `(NP (DT the) (NN rain))`, each with its tag before it, as a list of two.

    Args:
        left_out: Tags whose words are left out, as in `bracket_spans`.
        equal_labels: Tags that count as others, as in `bracket_spans`.

    Raises:
        Unparsed: when brackets are unbalanced, a word stands without a tag, or no word is left.

    Examples:
        >>> bracket_words("(TOP (S (NP-SBJ (NN rain)) (VP (VBZ falls)) (. .)))")
        [['NN', 'rain'], ['VBZ', 'falls']]

    Source:
        Sekine, Collins: EVALB, with COLLINS.prm.
    """
    ignored, equal = _rules(left_out, equal_labels)
    tagged = [[equal.get(tag, tag), word] for tag, _, word in _pieces(text) if tag is not None and tag not in ignored]
    if not tagged:
        raise Unparsed("the tree has no words")
    return tagged


def _rules(left_out: list[str] | None, equal_labels: dict[str, str] | None) -> tuple[set[str], dict[str, str]]:
    return set(_LEFT_OUT if left_out is None else left_out), _EQUAL if equal_labels is None else equal_labels


def _pieces(text: str) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield the pieces of trees in brackets: the tag of a word and it, the label of an opening bracket, or neither.

    Raises:
        Unparsed: when they are no trees.
    """
    place = depth = 0
    while place < len(text):
        found = _PIECES.match(text, place)
        if found is None:
            raise Unparsed(f"a word stands outside of a bracket with its tag: {show_value(text[place : place + 40])}")
        place = found.end()
        if found["tag"] is not None:
            yield found["tag"], None, found["word"]
        elif found["label"] is not None:
            depth += 1
            yield None, found["label"], ""
        elif found["close"]:
            depth -= 1
            if depth < 0:
                raise Unparsed("a bracket closes that none opens")
            yield None, None, ""
    if depth:
        raise Unparsed(f"{depth} brackets are not closed")
