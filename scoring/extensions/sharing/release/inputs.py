"""What definitions are tried on: their examples, what lies near these, beside their constants, and awkward values.

Everything is drawn from one seed, so that a release that is refused on one machine is refused on all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import Any, TypeVar

from scoring.compiler.program import BoundStep, Program, primitives_of
from scoring.extensions.sharing.generators import mutate, values
from scoring.extensions.sharing.generators.corpus import texts_in, texts_of
from scoring.extensions.sharing.generators.matching import matching
from scoring.extensions.sharing.generators.near import (
    CHANGES,
    LISTS,
    WORDS,
    beside,
    graded,
    list_texts,
    nearly,
    number_pairs,
)
from scoring.extensions.sharing.release.comparison_run import TriedInput
from scoring.lang.tree import Path
from scoring.registry.model import REQUIRED
from scoring.values import ANY, Type

ValuePair = tuple[Any, Any]
T = TypeVar("T")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MOST = 200
_DEEPEST = 20
_NAMES = ("a", "b", "c", "d")
_SHARES = (0.0, 1.0, 0.5, 0.25, 0.75, 0.1, 0.2, 0.3, 1 / 3, 2 / 3, 0.7, 0.9, 0.8, 0.6, 0.4)


class Inputs:
    """Inputs for a definition, as many as are asked for; asked twice, they are the same."""

    def __init__(self, name: str, role: str, programs: Sequence[Program], examples: Sequence[TriedInput]) -> None:
        self.role = role
        self.random = Random(f"scoring release {name}")
        self.examples = [one for one in examples if _depth(dict(one)) <= _DEEPEST]
        self.constants: Constants = constants_of(programs)
        self.pool = (*texts_of(primitives_of(programs)), *self.constants.texts)
        self.types = _types(programs)
        self.paths = sorted(
            {path for one in programs for path in one.paths() if path.root in ("record", "context")}, key=str
        )
        held = [one["reference"] for one in self.examples if "reference" in one]
        self.several = any(isinstance(value, list) for value in held) or self.types[1].name == "List"

    def __iter__(self) -> Iterator[TriedInput]:
        if self.role == "aggregate":
            return self._of_fields()
        if self.role == "metric":
            return self._of_scores()
        return self._rows(self._pairs() if self.role == "scorer" else self._single())

    def _of_fields(self) -> Iterator[TriedInput]:
        random = self.random
        names = [name for name in self.constants.texts if name.isidentifier()][:4]
        names += [name for one in self.examples for name in one.get("prediction") or {}]
        known = [*dict.fromkeys([*names, *_NAMES])]
        while True:
            count = random.choice((1, 2, 2, 3, 3, 4))
            chosen = known[:count] if random.randrange(2) else random.sample(known, min(count, len(known)))
            yield {"prediction": {name: self._share() for name in chosen}}

    def _of_scores(self) -> Iterator[TriedInput]:
        while True:
            yield {"prediction": [self._share() for _ in range(self.random.choice((0, 1, 2, 3, 4, 7)))]}

    def _share(self) -> float:
        random = self.random
        if self.constants.numbers and values.chance(random, 4):
            return float(random.choice([*beside(random.choice(self.constants.numbers))]))
        return random.choice(_SHARES) if random.randrange(3) else random.random()

    def _rows(self, pairs: Iterable[dict[str, Any]]) -> Iterator[TriedInput]:
        """Yield the same inputs with the row that the programs read."""
        if not self.paths:
            yield from pairs
            return
        rows = [{name: one[name] for name in ("record", "context") if name in one} for one in self.examples]
        for pair in pairs:
            row: dict[str, Any] = {**self.random.choice(rows)} if rows and self.random.randrange(4) else {}
            for path in self.paths:
                if not row or values.chance(self.random, 3):
                    _put(row, path, self._read())
            yield {**pair, **row}

    def _read(self) -> Any:
        """Return a value that may stand where a program reads one from the record."""
        random, kind = self.random, self.random.randrange(6)
        if kind == 0 and self.constants.numbers:
            return random.choice(self.constants.numbers)
        if kind == 1 and self.constants.texts:
            return random.choice(self.constants.texts)
        if kind == 2:
            return random.choice((0, 1, 2, 0.5, 10, -1, None, True, False))
        return random.choice(LISTS) if kind == 3 else random.choice(WORDS)

    def _single(self) -> Iterator[dict[str, Any]]:
        """Values for what works on one: those of the pairs."""
        for pair in self._pairs():
            yield {"prediction": pair["prediction"]}
            if pair["reference"] is not pair["prediction"] and self.random.randrange(2):
                yield {"prediction": pair["reference"]}

    def _pairs(self) -> Iterator[dict[str, Any]]:
        families = [self._words(), self._near_examples(), self._graded(), self._typed(), self._changed()]
        families += [self._numbers(), self._near_examples(), self._texts(), self._lists()]
        waiting = [iter(family) for family in families]
        for family in cycle(waiting):
            found = next(family, None)
            if found is not None:
                prediction, reference = found
                yield {"prediction": prediction, "reference": self._as_reference(reference)}

    def _as_reference(self, value: Any) -> Any:
        """Return where a reference may be a list of right answers, it mostly is one."""
        random = self.random
        if not self.several or isinstance(value, list | dict) or values.chance(random, 6):
            return value
        others = [random.choice(WORDS) for _ in range(random.choice((0, 0, 1, 2)))]
        return [*others, value] if random.randrange(2) else [value, *others]

    def _words(self) -> Iterator[ValuePair]:
        """Yield every awkward word beside every change of it."""
        pairs = [(change(word), word) for word in WORDS for change in CHANGES]
        self.random.shuffle(pairs)
        for changed, word in pairs:
            yield (changed, word) if self.random.randrange(4) else (word, changed)

    def _changed(self) -> Iterator[ValuePair]:
        random = self.random
        while True:
            word = random.choice(WORDS if random.randrange(3) else self.pool)
            left = right = word
            for _ in range(random.choice((1, 2, 2, 3))):
                left = random.choice(CHANGES)(left)
            for _ in range(random.choice((0, 0, 1, 1, 2))):
                right = random.choice(CHANGES)(right)
            yield left, right

    def _graded(self) -> Iterator[ValuePair]:
        pairs = list(graded())
        self.random.shuffle(pairs)
        yield from pairs
        while True:
            size = self.random.randrange(1, 60)
            other = [self.random.choice("ab") for _ in range(size)]
            yield "a" * size, "".join(other)

    def _numbers(self) -> Iterator[ValuePair]:
        pairs = [pair for number in self.constants.numbers[:12] for pair in number_pairs(number)]
        pairs += [(near, near) for number in self.constants.numbers[:12] for near in beside(number)]
        self.random.shuffle(pairs)
        for left, right in pairs or [*number_pairs(0.0)]:
            is_text = self.random.randrange(2) if self.types[0] == ANY else self.types[0].name == "Text"
            yield (str(left), str(right)) if is_text else (left, right)

    def _texts(self) -> Iterator[ValuePair]:
        """Constants of the programs, and what their patterns match, alone and in a sentence."""
        random, (texts, patterns) = self.random, (self.constants.texts, self.constants.patterns)
        while texts or patterns:
            found = [random.choice(texts)] if texts else []
            for _ in range(2 if patterns else 0):
                found.append(matching(random, random.choice(patterns)) or "")
            held = random.choice(found)
            left = self._around(held)
            kind = random.randrange(4)
            right = held if kind < 2 else self._around(held) if kind == 2 else random.choice([*texts, *WORDS])
            yield (left, right) if random.randrange(3) else (right, left)

    def _around(self, text: str) -> str:
        random, kind = self.random, self.random.randrange(6)
        if kind < 2:
            return text
        if kind < 4:
            return random.choice(CHANGES)(text)
        if kind == 4:
            return mutate.text(random, text, self.pool)
        return f"{random.choice(WORDS)} {text} {random.choice((text, *WORDS))}"

    def _lists(self) -> Iterator[ValuePair]:
        random = self.random
        while True:
            left, right = random.choice(LISTS), random.choice(LISTS)
            if random.randrange(3) == 0:
                joint = random.choice([*list_texts(left)])
                yield joint, random.choice([*list_texts(right)]) if random.randrange(2) else right
            else:
                yield left, left if values.chance(random, 4) else right

    def _near_examples(self) -> Iterator[ValuePair]:
        """Yield the examples crossed with one another, and with one thing of them changed."""
        random, pairs = self.random, [(one.get("prediction"), one.get("reference")) for one in self.examples]
        while pairs:
            left, right = random.choice(pairs)
            kind = random.randrange(8)
            if kind == 0:
                right = random.choice(pairs)[1]
            elif kind < 3:  # the same on both sides
                left = right = (left, right)[kind - 1]
            elif kind != 6:
                left = nearly(random, left, self.pool)
            if kind > 5:
                right = nearly(random, right, self.pool)
            yield left, right

    def _typed(self) -> Iterator[ValuePair]:
        """Values of the types that the programs take, biased to edges."""
        random = self.random
        while True:
            left = _short(values.of_type(random, self.types[0], self.pool))
            kind = random.randrange(4)
            right = left if kind == 0 else mutate.value(random, left, self.pool) if kind == 1 else None
            yield left, right if kind < 2 else _short(values.of_type(random, self.types[1], self.pool))


def _types(programs: Sequence[Program]) -> tuple[Type, Type]:
    """Return what the programs take on both sides, ``Any`` where they do not agree."""
    found = [(_first(one, one.prediction, 0), _first(one, one.reference, 1)) for one in programs]
    left, right = ({pair[side] for pair in found} for side in (0, 1))
    return left.pop() if len(left) == 1 else ANY, right.pop() if len(right) == 1 else ANY


def _first(program: Program, chain: Sequence[BoundStep], side: int) -> Type:
    inputs = chain[0].primitive.inputs if chain else program.join.primitive.inputs if program.join else ()
    place = 0 if chain else side
    return inputs[place] if place < len(inputs) and not inputs[place].variable else ANY


def _put(row: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value of a row at a path; what lies in lists stays as the examples have it."""
    if not path.segments:
        row[path.root] = value if path.root != "record" else {"a": value}
        return
    *way, last = [path.root, *path.segments]
    held: Any = row
    for step, following in zip(way, [*way[1:], last], strict=True):
        below = held.get(step) if isinstance(held, dict) else None
        below = dict(below) if isinstance(below, dict) and isinstance(following, str) else {}
        if isinstance(following, int):
            return  # a place in a list: what the examples hold there is what there is to try
        held[step] = below
        held = below
    held[last] = value


def _short(value: Any) -> Any:
    """Return a drawn text no longer than anyone would read; other values as they are."""
    return value[:_LONG] if isinstance(value, str) else value


_LONG = 200


def _depth(value: Any) -> int:
    """Return how deep a value is nested, looked at no deeper than matters."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        level = [
            inner
            for one in level
            if isinstance(one, dict | list | tuple)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        depth += 1
    return depth


@dataclass(frozen=True, slots=True)
class Constants:
    """What stands in programs.

    Args:
        texts: Texts of settings, keys of tables among them.
        numbers: Numbers of settings and formulas, and defaults of the steps.
        patterns: Those texts that are patterns.
    """

    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    patterns: tuple[str, ...]


def constants_of(programs: Iterable[Program]) -> Constants:
    """Return the constants of some programs, those that not all of them have first: results change beside these."""
    found = [_of(program) for program in programs]
    return Constants(
        _ordered([texts for texts, _, _ in found]),
        _ordered([numbers for _, numbers, _ in found]),
        _ordered([patterns for _, _, patterns in found]),
    )


def _ordered(held: Sequence[list[T]]) -> tuple[T, ...]:
    every = dict.fromkeys(value for values in held for value in values)
    return tuple(sorted(every, key=lambda value: all(value in values for values in held))[:_MOST])


def _of(program: Program) -> tuple[list[str], list[float], list[str]]:
    texts: list[str] = []
    numbers: list[float] = []
    patterns: list[str] = []
    for node in program.all_nodes():
        # The names by which a step chooses one of its pipelines.
        if "cases" in node.primitive.traits:
            texts += node.nested
            numbers += [float(name) for name in node.nested if _NUMBER.fullmatch(name)]
        texts += [name for given in node.nested.values() if isinstance(given, dict) for name in given]
        left = [param for param in node.primitive.params if param.name not in node.static]
        defaults = {one.name: one.default for one in left if one.default is not REQUIRED and one.default is not None}
        for name, value in (defaults | dict(node.static)).items():
            held = texts_in(value)
            numbers += [number for number in _numbers_in(value) if number == number]
            if name in ("pattern", "around"):
                patterns += held
            elif name == "formula":
                numbers += [float(found) for text in held for found in _NUMBER.findall(text)]
            else:
                texts += held
    return texts, numbers, patterns


def _numbers_in(value: Any) -> Iterator[float]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        elif isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 1e300:
            yield one
