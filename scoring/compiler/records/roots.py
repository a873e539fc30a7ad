"""The root names of a JMESPath: those that are looked up in the whole input, not in an intermediate result."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scoring.depth import in_full_depth

_DOTTED = re.compile(r"([^\W\d]\w*)((?:\.[^\W\d]\w*)*)\Z")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAMES = ("unquoted_identifier", "quoted_identifier", "current")
_CONTINUING = ("dot", "lbracket", "flatten", "filter")
# What stands behind the first part of these is looked up in what that part finds.
_FROM_THE_FIRST = frozenset({"subexpression", "projection", "value_projection", "index_expression", "pipe", "flatten"})


@dataclass(frozen=True, slots=True)
class PathRoot:
    """A root name of a path, or `@` for the whole input, with its position in the text; ``continues`` is true if the
    path goes further into the value, as `a` does in `a.b`."""

    name: str
    start: int
    end: int
    continues: bool = False


def roots_of(path: str) -> list[PathRoot]:
    """Return the root names of a path, in order; [] if the text is not a valid JMESPath, which other code reports.

    Examples:
        >>> [one.name for one in roots_of("not_null(money.a, town)")], [one.name for one in roots_of("a[?b == c].d")]
        (['money', 'town'], ['a'])
    """
    found = _DOTTED.match(path)
    if found is not None:
        return [PathRoot(found[1], 0, found.end(1), bool(found[2]))]
    from jmespath.exceptions import JMESPathError
    from jmespath.parser import Parser

    try:
        with _quiet():
            tree = in_full_depth(lambda: Parser().parse(path).parsed)
        flags = in_full_depth(lambda: list(_at_root(tree, True)))
    except (JMESPathError, RecursionError):
        return []
    tokens = _tokens(path)
    name_pairs = [pair for pair in pairwise(tokens) if pair[0]["type"] in _NAMES]
    return [
        PathRoot(str(one["value"]), one["start"], _end(one, path), behind["type"] in _CONTINUING)
        for (one, behind), is_root in zip(name_pairs, flags, strict=True)
        if is_root
    ]


def piped_name(path: str) -> tuple[str, str] | None:
    """Split a path at a `|` followed by a plain name, which JMESPath takes as a sub-path and a pipeline as a step.

    Return both parts, or None if the path has no such `|`.

    Examples:
        >>> piped_name("answer[0] | lower"), piped_name("a[*].b | [0]"), piped_name("a[] | max(@)")
        (('answer[0]', 'lower'), None, None)
    """
    from jmespath.exceptions import JMESPathError

    try:
        tokens = _tokens(path)
    except JMESPathError:
        return None
    for pipe, name, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if pipe["type"] == "pipe" and name["type"] in _NAMES[:2] and behind["type"] != "lparen":
            return path[: name["start"]].rstrip(" |"), path[name["start"] :]
    return None


def _tokens(path: str) -> list[Any]:
    from jmespath.lexer import Lexer

    with _quiet():
        return list(Lexer().tokenize(path))


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress, while the context is active, jmespath's warning about a string in backticks that is not JSON."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        yield


def _end(token: Mapping[str, Any], path: str) -> int:
    """Return the position at which a name (``token``) ends in a path; jmespath does not give it for quoted names."""
    start: int = token["start"]
    quoted = _QUOTED.match(path, start)
    return quoted.end() if quoted else start + len(token["value"])


def _at_root(node: Mapping[str, Any], at_root: bool) -> Iterator[bool]:
    """Yield for each name in a parsed path, in the order of the text, whether it is looked up in the whole input;
    ``at_root`` says whether ``node`` is evaluated on the whole input."""
    kind, children = node["type"], [child for child in node["children"] if isinstance(child, Mapping)]
    if kind in ("field", "current"):
        yield at_root
    elif kind == "filter_projection":
        found, then, condition = children
        for child, is_root in ((found, at_root), (condition, False), (then, False)):
            yield from _at_root(child, is_root)
    else:
        if kind in ("function_expression", "key_val_pair"):
            yield False  # the name of the function, or of the key
        for number, child in enumerate(children):
            inside = at_root and kind != "expref" and not (number and kind in _FROM_THE_FIRST)
            yield from _at_root(child, inside)
