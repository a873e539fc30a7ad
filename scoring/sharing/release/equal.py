"""Meanings that are equal although they are written otherwise: what a proof may use beside the compiler's one form.

`compiler/meaning.py` has one form for all spellings of a program: names, definitions, arguments, defaults, numbers.
Here a few laws follow under which two programs give the same for every input, bit for bit, status for status. They are
no part of signatures: a law that is added must not move a digest that stands beside a published number.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from scoring.compiler.meaning import meaning_text
from scoring.primitives.patterns.syntax import Chars, Choice, Once, PatternNode, Repeat, Sequence
from scoring.registry import registry
from scoring.sharing.drawing.matching import tree_of
from scoring.values import TEXT

_COMMUTING = frozenset(
    frozenset((case, edges))
    # White space is no letter, no letter becomes white space in another case, and the one letter whose lower case
    # depends on its neighbours (the final sigma) looks past none of it.
    for case in ("lower", "upper", "casefold")
    for edges in ("strip", "collapse_spaces")
)
"""Steps of texts that may change places, each without settings; a test tries them on every character."""
_ABSORBING = {"collapse_spaces": "strip"}
"""A step behind or before which the other one does nothing."""
_ALIASES = {"fold_case": "lower"}
"""A step that is, without settings, another one."""
_IDENTITIES = [["fold_case", {"sensitive": True}], ["strip", {"characters": ""}]]
"""Steps that give every text as they got it."""
_TURNED = {">": "<", ">=": "<="}
_ALIKE = ("==", "!=")
PATTERNS = ("pattern", "around")
"""The settings of our steps that are patterns."""
# A class is asked which of all signs it takes; of a pattern with more of them nothing is proved.
_MOST_CLASSES = 20
_STEP = 3
_ORDER = "(order)"
_PARTS = {"prediction", "reference", "then", "join"}


def canonical(program: Mapping[str, Any]) -> dict[str, Any]:
    """The meaning of a program in a form that more equal programs share.

    Examples:
        >>> one, other = ({"prediction": [[name, 1, {}] for name in names]} for names in ("ab", "ba"))
        >>> canonical(one) == canonical(other)
        False
        >>> canonical({"prediction": [["strip", 1, {}], ["lower", 1, {}]]})
        {'prediction': [['lower', 1, {}], ['strip', 1, {}]]}
    """
    found: dict[str, Any] = {}
    join = _step(program["join"]) if "join" in program else None
    for name, part in program.items():
        if name == "join":
            found[name] = join
        else:
            side = 0 if name == "prediction" else 1
            chain = _without_identities([_step(step) for step in part], join if name != "then" else None, side)
            found |= {name: _chain(chain)} if chain else {}
    return found


def _without_identities(steps: list[Any], join: Any, side: int) -> list[Any]:
    """Steps of a text without those that leave it as it is, where what follows takes nothing but a text either."""
    kept: list[Any] = []
    for step in reversed(steps):
        following = kept[-1] if kept else join
        if [step[0], step[-1]] in _IDENTITIES and len(step) == _STEP and following is not None:
            primitive = registry.get(following[0])
            place = 0 if kept else side
            if primitive is not None and primitive.is_own and primitive.inputs[place : place + 1] == (TEXT,):
                continue
        kept.append(step)
    return kept[::-1]


def canonical_formula(node: Any) -> Any:
    """The meaning of a formula in a form that more equal formulas share.

    Examples:
        >>> canonical_formula(["binary", "*", ["field", "b"], ["field", "a"]])
        ['binary', '*', ['field', 'a'], ['field', 'b']]
    """
    if not isinstance(node, list):
        return node
    return _ordered([canonical_formula(part) for part in node])


def _step(step: Any) -> list[Any]:
    *name, settings = step
    if not settings and len(step) == _STEP and name[0] in _ALIASES:
        name = [_ALIASES[name[0]], 1]
    primitive = registry.get(name[0])
    is_formula = primitive is not None and "formula" in primitive.traits
    is_ours = primitive is not None and primitive.is_own
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if is_formula and key == "formula":
            found[key] = canonical_formula(value)
        elif is_ours and key in PATTERNS and isinstance(value, str):
            found[key] = canonical_pattern(value)
        else:
            found[key] = _setting(value)
    params = {key: primitive.param(key) for key in settings} if primitive is not None else {}
    free = [key for key, param in params.items() if param is None or param.variadic]
    # Of several pipelines that fail the first says why, and so which status there is; a switch asks one alone.
    order = {_ORDER: free} if len(free) > 1 and name[0] != "switch" else {}
    return [*name, {**found, **order}]


def _setting(value: Any) -> Any:
    """A setting: pipelines are programs; what is plain data stays as it is, whatever it looks like."""
    if isinstance(value, list) and value and all(map(_is_program, value)):
        return [canonical(program) for program in value]
    if isinstance(value, Mapping) and "map" in value:
        return {"map": [[name, canonical(item) if _is_program(item) else item] for name, item in value["map"]]}
    return canonical(value) if _is_program(value) else value


def _is_program(value: Any) -> bool:
    """Whether a setting is a program: plain mappings are pairs under the key `map`."""
    return isinstance(value, Mapping) and bool(value) and value.keys() <= _PARTS


def _chain(steps: list[Any]) -> list[Any]:
    """Steps that follow one another, with those that may change places in one order, and none that does nothing."""
    found: list[Any] = []
    for step in steps:
        place = len(found)
        while place and _commute(found[place - 1], step) and found[place - 1][0] > step[0]:
            place -= 1
        found.insert(place, step)
    kept: list[Any] = []
    for step in found:
        if kept and (_repeats(kept[-1], step) or _absorbs(kept[-1], step)):
            continue
        while kept and _absorbs(step, kept[-1]):
            kept.pop()
        kept.append(step)
    return kept


def _commute(one: Any, other: Any) -> bool:
    return _is_bare(one) and _is_bare(other) and frozenset((one[0], other[0])) in _COMMUTING


def _absorbs(one: Any, other: Any) -> bool:
    return _is_bare(one) and _is_bare(other) and _ABSORBING.get(one[0]) == other[0]


def _repeats(one: Any, other: Any) -> bool:
    """Whether the second of two steps does what the first did already, and nothing is left for it to do."""
    if one != other or len(one) != _STEP:  # of ours alone: their laws are held by our tests
        return False
    primitive = registry.get(one[0])
    return primitive is not None and primitive.is_own and "idempotent" in primitive.laws


def _is_bare(step: Any) -> bool:
    return len(step) == _STEP and not step[-1]


def _ordered(parts: list[Any]) -> list[Any]:
    """A formula whose operands stand in one order, where their order moves no bit and no status."""
    match parts:
        case ["binary", "+" | "*" as op, one, other] if _is_pure(one) and _is_pure(other):
            return ["binary", op, *sorted((one, other), key=meaning_text)]
        case ["binary", "-", one, other] if _is_pure(one) and _is_pure(other):
            return _ordered(["binary", "+", one, ["unary", "-", other]])
        case ["compare", ">" | ">=" as op, one, other] if _is_pure(one) and _is_pure(other):
            return ["compare", _TURNED[op], other, one]
        case ["compare", op, one, other] if op in _ALIKE and _is_pure(one) and _is_pure(other):
            return ["compare", op, *sorted((one, other), key=meaning_text)]
    return parts


def _is_pure(node: Any) -> bool:
    """Whether a part of a formula has a value wherever its fields have one, so that nothing is told first or last."""
    match node:
        case ["number", _] | ["field", _] | ["scoreref"]:
            return True
        case ["unary", "-", one]:
            return _is_pure(one)
        case ["binary", "+" | "-" | "*", one, other]:
            return _is_pure(one) and _is_pure(other)
    return False


def canonical_pattern(pattern: str) -> str:
    """A pattern with each class of signs in one writing; all else stays as it is written.

    Examples:
        >>> canonical_pattern("x[DCBA]+") == canonical_pattern("x[A-D]+"), canonical_pattern("(")
        (True, '(')
    """
    tree = tree_of(pattern)
    classes = sorted(_classes(tree), key=lambda one: one.start) if tree is not None else []
    if len(classes) > _MOST_CLASSES:
        return pattern
    parts, end = [], 0
    for node in classes:
        parts += [pattern[end : node.start], _signs(node.text, node.flags)]
        end = node.end
    return "".join([*parts, pattern[end:]])


def _classes(tree: PatternNode) -> list[Chars]:
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Chars) and node.text.startswith("["):
            found.append(node)
        elif isinstance(node, Sequence):
            waiting += node.parts
        elif isinstance(node, Choice):
            waiting += node.branches
        elif isinstance(node, Repeat | Once):
            waiting.append(node.body)
    return found


@lru_cache(maxsize=256)
def _signs(text: str, flags: int) -> str:
    """A class as the ranges of the signs that `re` takes for it, in a form that no pattern has."""
    runs = re.findall(f"(?:{text})+", _every_sign(), flags)
    return f"(?signs {[(ord(run[0]), ord(run[-1])) for run in runs]})"


@cache
def _every_sign() -> str:
    return "".join(map(chr, range(sys.maxunicode + 1)))
