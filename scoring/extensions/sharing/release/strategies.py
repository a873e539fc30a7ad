"""Inputs on which definitions are tried, as strategies of hypothesis: examples, pairs that nearly agree, edge cases.

Random values rarely show a difference between versions, because results change at a threshold, at a letter's case, at a
punctuation mark. So most pairs are one value, changed a little on each side, and numbers are drawn near the constants
of the programs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce
from typing import Any

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy, sampled_from

from scoring.compiler.programs.program import BoundStep, Program, primitives_of
from scoring.extensions.sharing.release.comparison_run import TriedInput
from scoring.extensions.sharing.release.constants import Constants, constants_of, example_texts
from scoring.extensions.sharing.release.near import (
    CHANGES,
    LISTS,
    SHORT,
    WORDS,
    list_texts,
    near_pairs,
    number_pairs,
    numbers_near,
)
from scoring.lang.tree import Path
from scoring.values import ANY, Type

_LONG = 200
_FEW = 3
_MOST_ROWS = 6
_NAMES = ("a", "b", "c", "d")
_SHARES = (0.0, 1.0, 0.5, 0.25, 0.75, 0.1, 0.2, 0.3, 1 / 3, 2 / 3, 0.7, 0.9, 0.8, 0.6, 0.4)
_LETTERS = "abAB12 .,-'\"()[]{}\n\t%$:;/\\_#éÉßıİﬁŉ٣½²中\u00a0\u0301\u200b\ufeff\U0001f469"
_EDGES = (0, 1, -1, 2, 3, 10, 0.5, 0.1, 1e-9, -0.0, 1e16, 2**53 + 1, 1.7976931348623157e308, 5e-324)
_EMPTY: tuple[Any, ...] = (None, "", [], {}, True, False)
_KINDS = ("near", "near", "near", "none", "gone")
_RESPONSES = ("", "no answer", "null", "[]", "{}", "Answer: ", "{")


def draw_inputs(
    role: str, programs: Sequence[Program], examples: Sequence[TriedInput] = ()
) -> SearchStrategy[TriedInput]:
    """Return a strategy of hypothesis that draws inputs on which two versions of a definition are compared.

    Args:
        role: ``scorer``, ``parser``, ``transform``, ``aggregate`` or ``metric``.
        programs: The programs that are compared; their constants, types and paths decide what is drawn.
        examples: Known inputs, near which others are drawn.
    """
    constants = constants_of(programs)
    if role in ("aggregate", "metric"):
        return _scores(role, constants, examples)
    values = _Values(constants, example_texts(primitives_of(programs)))
    pairs = _pairs(values, _types(programs), examples)
    drawn = pairs if role == "scorer" else pairs.flatmap(_either)
    paths = _paths(programs)
    return _with_rows(drawn, values, paths, examples) if paths else drawn


def draw_records(
    names: Sequence[str], programs: Sequence[Program], examples: Sequence[Mapping[str, Any]]
) -> SearchStrategy[TriedInput]:
    """Return a strategy that draws records on which two versions of a task are compared: near its examples, or made of
    its fields.

    Args:
        names: The names of the fields that are looked up in responses; none if these are compared as a whole.
        programs: The programs of the task, near whose constants values are drawn.
        examples: The task's examples.
    """
    constants = constants_of(programs)
    values = _Values(constants, example_texts(primitives_of(programs)))
    same = st.one_of(values.words, sampled_from(LISTS), sampled_from((*range(20), *constants.numbers)))
    made = _made(names, st.one_of(sampled_from(near_pairs(constants.numbers)), same.map(lambda one: (one, one))))
    known = [dict(one) for one in examples]
    base = st.one_of(made, sampled_from(known)) if known else made
    others = {"none": st.none(), "odd": sampled_from((*_RESPONSES, *constants.texts[:20]))}
    kind_of, kind_of_response = sampled_from(_KINDS), sampled_from((*_KINDS, "odd"))

    some_of = cache(lambda names: st.lists(sampled_from(names), max_size=_FEW))

    @st.composite
    def changed(draw: DrawFn) -> TriedInput:
        record = dict(draw(base))
        for name in draw(some_of(tuple(record))):
            kind = draw(kind_of_response if name == "response" else kind_of)
            if kind == "gone":
                record.pop(name, None)
            else:
                record[name] = draw(values.near(record.get(name)) if kind == "near" else others[kind])
        return record

    return changed()


def _made(names: Sequence[str], pair: SearchStrategy[tuple[Any, Any]]) -> SearchStrategy[dict[str, Any]]:
    """Return a strategy for records whose response nearly equals the reference, as a whole or field by field.

    Args:
        names: The names of the fields that are looked up in responses.
        pair: A strategy for pairs of nearly equal values.
    """
    if not names:
        return pair.map(lambda one: {"response": one[0], "reference": one[1]})

    def record(fields: dict[str, tuple[Any, Any]], is_text: bool) -> dict[str, Any]:
        response = {name: left for name, (left, _) in fields.items()}
        written = json.dumps(response) if is_text else response
        return {"response": written, "reference": {name: right for name, (_, right) in fields.items()}}

    return st.builds(record, st.fixed_dictionaries(dict.fromkeys(names, pair)), st.booleans())


def draw_parts_of_input(tried_input: TriedInput) -> SearchStrategy[TriedInput]:
    """Return a strategy that draws an input or parts of it, mostly all of it, and shrinks to the smallest part that
    shows a difference.

    This is how an input given by the author is shrunk, because hypothesis only shrinks what it has drawn itself.
    """
    needed = {name: _part(value) for name, value in tried_input.items()}
    return st.fixed_dictionaries(needed)


def _part(value: Any, depth: int = _FEW) -> SearchStrategy[Any]:
    if isinstance(value, str | list) and value:
        start, length = _shorter(len(value)).map(lambda left: len(value) - left), _shorter(len(value))
        cut = st.tuples(length, start).map(lambda at: value[at[1] : at[1] + at[0]])
        if isinstance(value, str) or not depth or len(value) > _LONG:
            return cut
        items = [_part(item, depth - 1) for item in value]
        return st.one_of(cut, st.tuples(*items).map(list))
    if isinstance(value, dict) and depth and 0 < len(value) <= _LONG:
        every = {key: _part(item, depth - 1) for key, item in value.items()}
        kept = sampled_from([*({key: every[key]} for key in every), every, every, every])
        return kept.flatmap(lambda one: st.fixed_dictionaries(one))
    if isinstance(value, float) and abs(value) < 1e15:
        return sampled_from([*(round(value, digits) for digits in range(_FEW)), value, value, value, value])
    return st.just(value)


def _shorter(length: int) -> SearchStrategy[int]:
    """Return a strategy for lengths from 0 to a maximum, which draws the maximum half of the time, so that shrinking
    begins with it.

    Args:
        length: The maximum.
    """
    found = sorted({*range(min(length, 16)), *(length >> bits for bits in range(length.bit_length())), length})
    return sampled_from([*found, *[length] * len(found)])


class _Values:
    """Strategies for single values (texts, numbers, lists …) near the constants of some programs."""

    def __init__(self, constants: Constants, pool: Sequence[str]) -> None:
        self.constants = constants
        every = dict.fromkeys(text[:_LONG] for text in (*SHORT, *WORDS, *pool, *constants.texts))
        self.words = sampled_from(sorted(every, key=_plainness))
        self.changes = st.lists(sampled_from(CHANGES), max_size=_FEW)
        matching = [found for pattern in constants.patterns if (found := _matching(pattern)) is not None]
        said = [*([sampled_from(constants.texts)] if constants.texts else []), *matching]
        around = st.tuples(self.words, *([st.one_of(said)] if said else [self.words]), self.words, st.booleans())
        self.sentences = around.map(lambda one: f"{one[0]} {one[1]} {one[2]}" if one[3] else one[1])
        self.texts = st.one_of(
            self.words, st.builds(_changed, self.words, self.changes), self.sentences, st.text(sampled_from(_LETTERS))
        )
        near = [value for number in constants.numbers[:12] for value in numbers_near(number)]
        finite = st.floats(-10, 10)
        self.numbers = st.one_of(sampled_from([*_EDGES, *near]), st.integers(-4, 12), finite)
        leaves = st.one_of(sampled_from(_EMPTY), self.numbers, self.words)
        self.anything = st.recursive(leaves, _holders, max_leaves=6)
        self._near_plain = cache(self._near)  # to check a new strategy takes hypothesis longer than to draw from it

    def near(self, value: Any, depth: int = _FEW) -> SearchStrategy[Any]:
        """Return a strategy for a value itself and for values that differ from it in one part.

        Args:
            value: The value.
            depth: How many levels of nested values may change.
        """
        if isinstance(value, str | int | float | None):
            return self._near_plain(value, depth, repr(value))
        return self._near(value, depth)

    def _near(self, value: Any, depth: int, _: str = "") -> SearchStrategy[Any]:
        if isinstance(value, str):
            cut = st.tuples(st.integers(0, len(value)), st.integers(0, 3), st.one_of(st.just(""), self.words))
            spliced = cut.map(lambda one: value[: one[0]] + one[2] + value[one[0] + one[1] :])
            return st.one_of(st.just(value), st.builds(_changed, st.just(value), self.changes), spliced)
        if isinstance(value, bool) or value is None:
            return sampled_from(_EMPTY)
        if isinstance(value, int | float):
            return sampled_from(
                [value, *numbers_near(value), -value, str(value), float(value) if abs(value) < 1e300 else 0]
            )
        if isinstance(value, list | tuple) and value and depth:
            return st.one_of(sampled_from(_rearranged(list(value))), self._near_item(list(value), depth))
        if isinstance(value, dict) and value and depth:
            gone = [{key: item for key, item in value.items() if key != name} for name in value]
            return st.one_of(sampled_from([value, *gone]), self._near_value(value, depth))
        return st.one_of(st.just(value), sampled_from(_EMPTY))

    def _near_item(self, items: list[Any], depth: int) -> SearchStrategy[Any]:
        def changed(at: int) -> SearchStrategy[Any]:
            return self.near(items[at], depth - 1).map(lambda item: [*items[:at], item, *items[at + 1 :]])

        return st.integers(0, len(items) - 1).flatmap(changed)

    def _near_value(self, value: dict[Any, Any], depth: int) -> SearchStrategy[Any]:
        def changed(name: Any) -> SearchStrategy[Any]:
            return self.near(value[name], depth - 1).map(lambda item: {**value, name: item})

        return sampled_from(list(value)).flatmap(changed)

    def of_type(self, kind: Type) -> SearchStrategy[Any]:
        """Return a strategy for values of a type that steps declare, such as `List[Text]`, and occasionally of other
        types."""
        return st.one_of(self._of_type(kind), self._of_type(kind), self._of_type(kind), self.anything)

    def _of_type(self, kind: Type) -> SearchStrategy[Any]:
        name, corner = kind.name, st.integers(0, 9)
        if name == "Union":
            return st.one_of([self._of_type(one) for one in kind.args])
        if name in ("List", "Set") and kind.args:
            return st.lists(self._of_type(kind.args[0]), max_size=5)
        if name == "Dict":
            return st.dictionaries(sampled_from(_NAMES), self._of_type(kind.args[1]), max_size=4)
        simple: dict[str, SearchStrategy[Any]] = {
            "Text": self.texts,
            "Number": self.numbers,
            "Score": st.floats(0, 1),
            "Bool": st.booleans(),
            "None": st.none(),
            "Point": st.lists(corner, min_size=2, max_size=2),
            "Box": st.lists(corner, min_size=4, max_size=4),
            "Polygon": st.lists(st.lists(corner, min_size=2, max_size=2), max_size=6),
        }
        return simple[name] if name in simple and not kind.variable else st.one_of(self.texts, self.anything)


def _plainness(text: str) -> tuple[int, int, str]:
    return len(text), sum(not (letter.isascii() and letter.isalnum()) for letter in text), text.swapcase()


def _changed(text: str, changes: Iterable[Any]) -> str:
    return reduce(lambda found, change: str(change(found)), changes, text)[:_LONG]


def _holders(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(sampled_from(_NAMES), inner, max_size=3)


def _rearranged(items: list[Any]) -> list[list[Any]]:
    """Return variants of a list: unchanged, with an item left out, doubled or nested, reversed and rotated."""
    found = [items, items[::-1], items[1:] + items[:1]]
    for at in range(min(len(items), 8)):
        found += [
            items[:at] + items[at + 1 :],
            items[: at + 1] + items[at:],
            [*items[:at], [items[at]], *items[at + 1 :]],
        ]
    return found


def _matching(pattern: str) -> SearchStrategy[str] | None:
    """Return a strategy for texts that contain a match of a regular expression; None if hypothesis can't draw from
    it."""
    try:
        found = st.from_regex(re.compile(pattern))
        found.validate()
    except (re.error, InvalidArgument, NotImplementedError, OverflowError, RecursionError):
        return None
    return found


def _pairs(values: _Values, types: tuple[Type, Type], examples: Sequence[TriedInput]) -> SearchStrategy[dict[str, Any]]:
    """Return a strategy for inputs of a prediction and a reference, most of which are nearly equal.

    Args:
        values: Strategies for single values.
        types: The types that the programs accept on each side.
        examples: Known inputs, near which others are drawn.
    """
    twins = st.tuples(values.words, values.changes, values.changes).map(
        lambda one: (_changed(one[0], one[1]), _changed(one[0], one[2]))
    )
    same = values.of_type(types[0]).map(lambda one: (one, one))
    typed = st.tuples(values.of_type(types[0]), values.of_type(types[1]))
    said = st.tuples(values.sentences, st.one_of(values.sentences, values.words))
    near = sampled_from(near_pairs(values.constants.numbers))
    families = [twins, near, _numbers(values, types[0]), _lists(), same, typed, said]
    known = [(one.get("prediction"), one.get("reference")) for one in examples]
    families += [_near_known(values, known)] * 2 if known else []
    several = types[1].name == "List" or any(isinstance(right, list) for _, right in known)
    right = values.words if several else None
    return st.one_of(families).flatmap(lambda pair: _as_input(pair, right))


def _as_input(pair: tuple[Any, Any], others: SearchStrategy[str] | None) -> SearchStrategy[dict[str, Any]]:
    """Return a strategy for inputs made of one pair of a prediction and a reference; with `others`, the reference is
    often a list with more texts in it.

    Args:
        pair: The pair.
        others: A strategy for the other texts of the list; None if the programs don't accept a list.
    """
    left, right = pair
    found = st.just({"prediction": left, "reference": right})
    if others is None or isinstance(right, list | dict):
        return found
    answers = st.lists(others, max_size=2).map(lambda more: {"prediction": left, "reference": [right, *more]})
    return st.one_of(answers, answers.map(lambda one: {**one, "reference": one["reference"][::-1]}), found)


def _near_known(values: _Values, known: Sequence[tuple[Any, Any]]) -> SearchStrategy[tuple[Any, Any]]:
    def near(pair: tuple[Any, Any]) -> SearchStrategy[tuple[Any, Any]]:
        left, right = map(values.near, pair)
        same = st.one_of(left, right).map(lambda one: (one, one))
        return st.one_of(st.tuples(left, st.just(pair[1])), st.tuples(st.just(pair[0]), right), same)

    crossed = st.tuples(sampled_from(known), sampled_from(known)).map(lambda two: (two[0][0], two[1][1]))
    return st.one_of(sampled_from(known).flatmap(near), crossed)


def _numbers(values: _Values, kind: Type) -> SearchStrategy[tuple[Any, Any]]:
    """Return a strategy for pairs of numbers, or of texts with numbers, whose difference or ratio is nearly a constant
    of the programs.

    Args:
        values: Strategies for single values, with the constants.
        kind: The type that the programs accept.
    """
    numbers = values.constants.numbers[:12]
    found = [pair for number in numbers for pair in number_pairs(number)] or [*number_pairs(0.0)]
    found += [(near, near) for number in numbers for near in numbers_near(number)]
    written = [(str(left), str(right)) for left, right in found]
    if kind == ANY:
        return sampled_from([*found, *written])
    return sampled_from(written if kind.name == "Text" else found)


def _lists() -> SearchStrategy[tuple[Any, Any]]:
    joined = [text for items in LISTS for text in list_texts(items)]
    one = st.one_of(sampled_from(LISTS), sampled_from(joined))
    return st.one_of(st.tuples(sampled_from(LISTS), sampled_from(LISTS)), st.tuples(one, one))


def _either(pair: Mapping[str, Any]) -> SearchStrategy[TriedInput]:
    """Return a strategy that draws one of the two sides of a pair as the input of a definition that takes a single
    value."""
    return sampled_from([{"prediction": pair["prediction"]}, {"prediction": pair["reference"]}])


def _scores(role: str, constants: Constants, examples: Sequence[TriedInput]) -> SearchStrategy[TriedInput]:
    """Return a strategy for inputs of definitions that take scores: of fields by name (role ``aggregate``), or of
    records (role ``metric``); scores are near the constants, and names come from the constants and examples."""
    near = [float(value) for number in constants.numbers for value in numbers_near(number)]
    share = st.one_of(sampled_from([*_SHARES, *near]), st.floats(0, 1))
    if role == "metric":
        return st.lists(share, max_size=7).map(lambda scores: {"prediction": scores})
    names = [name for name in constants.texts if name.isidentifier()][:4]
    names += [name for one in examples for name in one.get("prediction") or {}]
    known = list(dict.fromkeys([*names, *_NAMES]))
    return st.dictionaries(sampled_from(known), share, min_size=1, max_size=4).map(lambda one: {"prediction": one})


def make_rows_to_try(programs: Sequence[Program], examples: Sequence[TriedInput]) -> list[dict[str, Any]]:
    """Return rows (values of a record that expressions read) on which to try programs: that of the first example, and
    one for each constant, at every path read."""
    paths, constants = _paths(programs), constants_of(programs)
    rows = [{name: one[name] for name in ("record", "context") if name in one} for one in examples[:1]] or [{}]
    for value in (*constants.texts[:_MOST_ROWS], *constants.numbers[:_MOST_ROWS]) if paths else ():
        row: dict[str, Any] = dict(rows[0])
        for path in paths:
            _put(row, path, value)
        rows.append(row)
    return rows


def _paths(programs: Sequence[Program]) -> list[Path]:
    found = {path for one in programs for path in one.paths() if path.root in ("record", "context")}
    return sorted(found, key=str)


def _with_rows(
    inputs: SearchStrategy[Any], values: _Values, paths: Sequence[Path], examples: Sequence[TriedInput]
) -> SearchStrategy[TriedInput]:
    """Return a strategy for the given inputs, each with a row: the values of a record that the programs read.

    Args:
        inputs: The strategy for inputs.
        values: Strategies for single values.
        paths: The paths that the programs read.
        examples: Known inputs, whose rows are used, too.
    """
    known = [{name: one[name] for name in ("record", "context") if name in one} for one in examples]
    rows = sampled_from([{}, *known])
    constants = (*values.constants.texts, *values.constants.numbers, *_EMPTY)
    read = st.one_of(sampled_from(constants), values.words, sampled_from(LISTS), values.numbers, values.sentences)

    @st.composite
    def found(draw: DrawFn) -> TriedInput:
        tried_input, row = draw(inputs), dict(draw(rows))
        for path in paths:
            if not row or draw(st.integers(0, 2)) == 0:
                _put(row, path, draw(read))
        return {**tried_input, **row}

    return found()


def _put(row: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value of a row at a path, making the mappings on the way; nothing is done if the path leads through a
    list."""
    if not path.segments:
        row[path.root] = value if path.root != "record" else {"a": value}
        return
    *way, last = [path.root, *path.segments]
    target: Any = row
    for step, following in zip(way, [*way[1:], last], strict=True):
        below = target.get(step) if isinstance(target, dict) else None
        below = dict(below) if isinstance(below, dict) and isinstance(following, str) else {}
        if isinstance(following, int):
            return
        target[step] = below
        target = below
    target[last] = value


def _types(programs: Sequence[Program]) -> tuple[Type, Type]:
    """Return the types that all programs accept as prediction and as reference; ``Any`` for a side on which the
    programs differ."""
    found = [(_first(one, one.prediction, 0), _first(one, one.reference, 1)) for one in programs]
    left, right = ({pair[side] for pair in found} for side in (0, 1))
    return left.pop() if len(left) == 1 else ANY, right.pop() if len(right) == 1 else ANY


def _first(program: Program, chain: Sequence[BoundStep], side: int) -> Type:
    inputs = chain[0].primitive.inputs if chain else program.join.primitive.inputs if program.join else ()
    place = 0 if chain else side
    return inputs[place] if place < len(inputs) and not inputs[place].variable else ANY
