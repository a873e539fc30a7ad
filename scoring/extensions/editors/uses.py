"""Where a spec's text uses steps: each name in its expressions, with what stands before it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.names import SpecNames
from scoring.extensions.editors.outline import OutlineNode
from scoring.extensions.editors.place import KeyPath
from scoring.extensions.editors.roles import Expected, expected_at
from scoring.lang.tree import Call, ListValue, MapValue, Pipeline, Value
from scoring.lazy_pattern import lazy_pattern

_MOST_NODES = 20_000
_MOST_USES = 5_000


class StepUse(Struct, frozen=True):
    """One use of a step.

    Attributes:
        name: The step.
        before: The step before it in its pipeline, "" for the first.
        around: The step in whose argument it stands, with the argument, `map.each`; "" outside of any.
        place: The offset of its name within the expression.
        index: Its position in its pipeline.
        role: What the whole expression is for.
        start: The offset in the file at which the expression begins.
        path: The keys that lead to the expression.
    """

    name: str
    before: str
    around: str
    place: int
    index: int
    role: str = ""
    start: int = 0
    path: KeyPath = ()


def expressions_in(names: SpecNames) -> Iterator[tuple[KeyPath, Expected, OutlineNode]]:
    """Yield the scalars of a spec that hold expressions, with their paths of keys and what is expected there."""
    waiting: list[tuple[KeyPath, OutlineNode]] = [((), names.root)]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        path, node = waiting.pop()
        if node.style == "scalar":
            expected = expected_at(names, path)
            if expected is not None:
                yield path, expected, node
            continue
        inner = [((*path, key.text), value) for key, value in node.below()] if node.style == "mapping" else []
        inner += [((*path, number), item) for number, item in enumerate(node.items)]
        if len(path) < 12:  # no expression stands deeper
            waiting += [one for one in reversed(inner) if one[0][0] != "examples" and one[0][2:3] != ("examples",)]


def words_before(text: str) -> list[tuple[str, str]]:
    """Return the names of steps in the text of an expression, each with the name before it; it may be half written.

    Examples:
        >>> words_before("lower | map(words | length) | ")
        [('', 'lower'), ('lower', 'map'), ('', 'words'), ('words', 'length')]
    """
    first = ((found.start(1), "", found[1]) for found in _FIRST.finditer(text))
    later = ((found.start(2), found[1], found[2]) for found in _LATER.finditer(text))
    return [(before, name) for _, before, name in sorted((*first, *later))]


_NAME = r"([^\W\d][\w./]*)"
_FIRST = lazy_pattern(rf"(?:^|[(,=])\s*{_NAME}(?!\s*=|[\w./])")
_LATER = lazy_pattern(rf"{_NAME}(?:\((?:[^()]|\([^()]*\))*\))?\s*\|\s*(?={_NAME})")


def uses_in(tree: Pipeline) -> Iterator[StepUse]:
    """Yield the uses of steps in an expression."""
    waiting: list[tuple[Value, str]] = [(tree, "")]
    for _ in range(_MOST_USES):
        if not waiting:
            return
        value, around = waiting.pop()
        if isinstance(value, ListValue):
            waiting += [(item, around) for item in value.items]
        elif isinstance(value, MapValue):
            waiting += [(item, around) for _, item in value.items]
        elif isinstance(value, Pipeline):
            before = "" if value.head is None else "="
            for index, call in enumerate(value.steps):
                yield StepUse(call.name, before, around, call.name_span.start if call.name_span else -1, index)
                before = call.name
                waiting += list(_arguments(call))


def _arguments(call: Call) -> Iterator[tuple[Value, str]]:
    yield from ((value, f"{call.name}.") for value in call.args)
    yield from ((value, f"{call.name}.{name}") for name, value in call.kwargs)


def step_uses(names: SpecNames) -> list[StepUse]:
    """Return the uses of steps in all expressions of a spec that can be read."""
    found: list[StepUse] = []
    for path, expected, node in expressions_in(names):
        tree = step_tree(node.text)
        if tree is not None:
            found += [replace(use, role=expected.role, start=node.start, path=path) for use in uses_in(tree)]
        if len(found) > _MOST_USES:
            break
    return found
