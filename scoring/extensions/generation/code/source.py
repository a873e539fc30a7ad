"""Programs as CodeBLEU reads them: without comments, as syntax trees of tree-sitter within bounds (extra ``code``)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.extensions.extras import optional
from scoring.lazy_pattern import lazy_pattern
from scoring.result import Unscored

GrammarName: TypeAlias = Literal["java", "python"]
TokenPlace: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""Where a token begins and ends, each as row and column."""

LONGEST = 50_000
"""The most characters of a program."""
DEEPEST = 150
"""The most levels of a syntax tree; the flow of values is followed by functions that call themselves for each."""
MOST_STEPS = 3_000_000
"""The most steps in reading and comparing a text and one of its references: a few seconds."""

_STRINGS = ("string_literal", "string", "character_literal")
_COMMENT = lazy_pattern(r"//[^\n]*|/\*|['\"]")
_QUOTED = {mark: lazy_pattern(rf"{mark}(?:\\.|[^\\{mark}])*+{mark}", re.DOTALL) for mark in "'\""}
_WORDS = {
    "java": "abstract assert boolean break byte case catch char class const continue default do double else enum "
    "extends final finally float for goto if implements import instanceof int interface long native new package "
    "private protected public return short static strictfp super switch synchronized this throw throws transient try "
    "void volatile while",
    "python": "False None True and as assert async await break class continue def del elif else except finally for "
    "from global if import in is lambda nonlocal not or pass raise return try while with yield",
}
KEYWORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
"""The words of each language that weigh most in CodeBLEU's weighted n-grams."""


class StepsLeft:
    """The steps that are left for reading and comparing two programs."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def take(self, steps: int) -> None:
        """Take a number of steps.

        Raises:
            Unscored: when none is left.
        """
        self.left -= steps
        if self.left < 0:
            raise Unscored(f"the programs take more than {MOST_STEPS:,} steps to compare")


def without_comments(text: str, work: StepsLeft) -> str:
    """Return a program without comments in the manner of C, and without blank lines.

    The official code removes them from programs in any language, so that Python's `//` ends a line as well.

    Examples:
        >>> without_comments("a = 1; // one\\n\\nb = '//'; /* two */ c", StepsLeft())
        "a = 1;  \\nb = '//';   c"
    """
    parts, start, found, is_open = [], 0, _COMMENT.search(text), True
    while found:
        begin, mark = found.span()[0], found.group()
        end = found.end()
        if mark == "/*":
            end = 2 + text.find("*/", end) if is_open else 1
            is_open = end > 1  # behind the last end of a comment none is looked for again
        elif mark in _QUOTED:
            quoted = _QUOTED[mark].match(text, begin)
            work.take(1 if quoted else len(text) - begin)
            end = quoted.end() if quoted else 1
        if end > 1 and mark[0] == "/":
            parts += [text[start:begin], " "]
            start = end
        found = _COMMENT.search(text, max(end, begin + 1))
    parts.append(text[start:])
    return "\n".join(line for line in "".join(parts).split("\n") if line.strip())


@cache
def parser_of(language: GrammarName) -> Any:
    """Return tree-sitter's parser of a language.

    Raises:
        Unscored: when tree-sitter or the grammar is not installed.
    """
    purpose = "CodeBLEU"
    library = optional("tree_sitter", extra="code", purpose=purpose)
    if language == "java":
        grammar = optional("tree_sitter_java", extra="code", purpose=purpose)
    else:
        grammar = optional("tree_sitter_python", extra="code", purpose=purpose)
    return library.Parser(library.Language(grammar.language()))


def is_leaf(node: Any) -> bool:
    """Return whether a node of a syntax tree is a token for CodeBLEU: one without parts, or a text in quotes."""
    return (not node.children or node.type in _STRINGS) and node.type != "comment"


def tokens_below(node: Any, work: StepsLeft) -> list[Any]:
    """Return the tokens of a node, in the order of the text."""
    found, waiting = [], [node]
    while waiting:
        work.take(1)
        one = waiting.pop()
        if is_leaf(one):
            found.append(one)
        else:
            waiting += reversed(one.children)
    return found


class ParsedCode(Struct, frozen=True, eq=False):
    """A program with its syntax tree.

    Args:
        text: The program without comments.
        root: The root of its tree.
        tokens: The number and the text of each token, by its place.
    """

    text: str
    root: Any
    tokens: dict[TokenPlace, tuple[int, str]]

    @classmethod
    def read(cls, text: str, language: GrammarName, work: StepsLeft) -> ParsedCode:
        """Read a program.

        Raises:
            Unscored: when tree-sitter is missing, or the program is too long, too deep or too much work.
        """
        if len(text) > LONGEST:
            raise Unscored(f"a program of more than {LONGEST:,} characters is not compared")
        text = without_comments(text, work)
        root = parser_of(language).parse(text.encode("utf-8", "replace")).root_node
        _check_depth(root, work)
        lines = text.split("\n")
        places = [(one.start_point, one.end_point) for one in tokens_below(root, work)]
        return cls(text, root, {place: (at, _between(place, lines)) for at, place in enumerate(places)})

    def subtrees(self) -> list[str]:
        """Return the form of the whole tree and of each node in it that has parts: the kinds of nodes without words."""
        found, waiting = [], [self.root]
        while waiting:
            node = waiting.pop()
            found.append(str(node))
            waiting += [child for child in node.children if child.children]
        return found


def _check_depth(root: Any, work: StepsLeft) -> None:
    """Check that a tree is not too deep, taking as many steps as its subtrees have nodes."""
    waiting = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            raise Unscored(f"a program with more than {DEEPEST} levels of syntax is not compared")
        work.take(depth)
        waiting += [(child, depth + 1) for child in node.children]


def _between(place: TokenPlace, lines: list[str]) -> str:
    """Return the text at a place. Its columns count bytes, and are used as if they counted characters, as in the
    official code: behind other letters than those of ASCII a token of the same line is read too far to the right.
    """
    (first, begin), (last, end) = place
    if first == last:
        return lines[first][begin:end]
    return "".join([lines[first][begin:], *lines[first + 1 : last], lines[last][:end]])
