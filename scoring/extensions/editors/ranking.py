"""The order of completions: how likely each is, by habits of other specs and by what the text itself says.

The trees were fitted by `python -m benchmarks.completion`, which also measures how good the order is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from scoring.extensions.editors.analogies import ANALOGIES, Analogies
from scoring.extensions.editors.candidates import NextName
from scoring.extensions.editors.commonness import COMMONNESS, Commonness
from scoring.extensions.editors.continuations import (
    CONTINUATIONS,
    Continuations,
    ContinuationSigns,
    shipped_continuations,
)
from scoring.extensions.editors.echoes import ECHOES, Echoes
from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.forest import DecisionTrees, known_forest
from scoring.extensions.editors.habits import (
    OWN,
    START,
    Habits,
    context_of,
    habit_name,
    known_habits,
    plain_words,
    topic_words,
)
from scoring.extensions.editors.likelihoods import HabitLikelihoods
from scoring.extensions.editors.returning import RETURNS, Returning
from scoring.extensions.editors.siblings import SIBLINGS, Siblings
from scoring.extensions.editors.surroundings import SURROUNDINGS, Surroundings
from scoring.extensions.editors.uses import StepUse, step_uses, words_before
from scoring.extensions.editors.wording import WORDING, Wording

if TYPE_CHECKING:
    from scoring.extensions.editors.situation import Situation

SIGNS = (
    "habit", "habit of type", "habit of step", "habit of argument", "habit of both", "habit of two steps",
    "habit of type and step", "habit of role and step", "habit of key and step",
    "used here", "used here after it", "used here in it", "unused definition",
    "parameter", "value", "path", "function", "field",
    "topic", "used in this role here", "used nearby", "used in this expression", "used in it after this step",
    "own used here", "first of its kind",
    *ECHOES, *SURROUNDINGS, *CONTINUATIONS, *WORDING, *SIBLINGS, *COMMONNESS, *RETURNS, *ANALOGIES,
)  # fmt: skip
"""The names of all that the likelihood of a candidate depends on, in the order in which the trees number them."""
HABIT = SIGNS.index("habit of both")
BY_HABIT = 0.001


def likelihoods_of(forest: DecisionTrees, signs: Sequence[Sequence[float]]) -> list[float]:
    """Return how likely each candidate is, as the logarithm of its share of what is offered, up to a constant.

    Candidates of which the trees say the same stand in the order of habit.
    """
    return [total + BY_HABIT * row[HABIT] for total, row in zip(forest.totals(signs), signs, strict=True)]


class Ranking:
    """A ranking of the candidates of one situation.

    Args:
        found: The situation.
        habits: The habits to rank by; those of the shipped specs if they are left out.
        shipped: The texts that show how others go on; the shipped specs if they are left out.
    """

    def __init__(self, found: Situation, habits: Habits | None = None, shipped: Continuations | None = None) -> None:
        self.found = found
        self.shipped = shipped_continuations() if shipped is None else shipped
        self.habits = known_habits() if habits is None else habits
        self.steps = [first_name(text) for text, *_ in found.parts[-1].steps] if found.parts else []
        part = next((one for one in reversed(found.parts) if one.kind == "call"), None)
        self.around = f"{part.callee}:{found.argument or part.key}" if part is not None else ""
        role = found.expected.role if found.expected is not None else ""
        path = () if found.place is None else found.place.path
        self.context = context_of(found.stream, self.steps, self.around, role, path)

    def weights(self, candidates: Sequence[NextName]) -> Mapping[tuple[str, str], float]:
        """Return how likely each candidate is, by its name and kind."""
        raw = likelihoods_of(known_forest(), self.signs_of(candidates))
        most = max(raw, default=0.0)
        shares = [math.exp(max(one - most, -700.0)) for one in raw]
        total = sum(shares) or 1.0
        return {(one.name, one.kind): share / total for one, share in zip(candidates, shares, strict=True)}

    def signs_of(self, candidates: Sequence[NextName]) -> list[tuple[float, ...]]:
        """Return what speaks for each candidate, in the order of `SIGNS`."""
        around = Surroundings(self.found, self._found_uses, len(candidates))
        names = (self._continuations, self._siblings, self._commonness)
        goes_on, beside, common = (each.signs for each in names)
        places = (self._key_words, self._doc_words, self._file_words, self._argument_words, self._expression_words)
        said = Wording(candidates, *map(sorted, places))
        returns = self.returning(candidates)
        path = () if self.found.place is None else self.found.place.path
        alike = Analogies(self._found_uses, path, self.steps, self._around)
        return [
            (
                *self._signs(one), *around.signs(one), *goes_on(one.name), *said.signs(one), *beside(one.name),
                *common(one.name), *returns.signs(one), *alike.signs(one.name),
            )
            for one in candidates
        ]  # fmt: skip

    def returning(self, candidates: Sequence[NextName]) -> Returning:
        """Return the signs of what candidates return."""
        return Returning(self.found, candidates, self._likelihoods, self._uses)

    def _signs(self, one: NextName) -> tuple[float, ...]:
        name, kind = one.name, one.kind
        is_primitive = kind in ("step", "metric", "function")
        habits = self._likelihoods.of(habit_name(name) if is_primitive else OWN)
        before = self.steps[-1] if self.steps else ""
        uses = self._uses
        is_own = kind == "definition" and "." not in name
        return (
            *habits,
            math.log1p(uses[name]),
            math.log1p(uses[before, name]),
            math.log1p(uses[self._around, before, name]),
            float(is_own and not uses[name]),
            float(kind == "parameter" and not one.insert.endswith("=")),
            float(kind == "value"),
            float(kind == "path"),
            float(kind == "function"),
            float(kind == "field"),
            self._likelihoods.beside_words(habit_name(name)) if is_primitive else 0.0,
            self._share(self._role, before, name),
            self._nearby.get(name, 0.0),
            math.log1p(self._expression[name]),
            math.log1p(self._expression[before, name]),
            math.log1p(uses[name]) if is_own else 0.0,
            float(is_primitive and not uses[name]),
            *self._echoes.signs(name),
        )

    def _share(self, role: str, before: str, name: str) -> float:
        total = self._uses["of", role, before]
        return self._uses["in", role, before, name] / (total + 1) if total else 0.0

    @cached_property
    def _role(self) -> str:
        return self.found.expected.role if self.found.expected is not None else ""

    @cached_property
    def _topic(self) -> frozenset[str]:
        place = self.found.place
        return frozenset() if place is None else topic_words(place.root, place.path)

    @cached_property
    def _expression(self) -> Counter[object]:
        """How often each name comes before the offset in the same expression: alone, and after another."""
        found: Counter[object] = Counter()
        place = self.found.place
        for before, name in words_before(place.before) if place is not None else ():
            found[name] += 1
            found[before, name] += 1
        return found

    @cached_property
    def _echoes(self) -> Echoes:
        place, names = self.found.place, self.found.names
        start, before = (0, "") if place is None else (place.start, place.before)
        definitions = () if names is None else names.definitions
        return Echoes(self._found_uses, self.steps, self._around, start, before, definitions)

    @cached_property
    def _continuations(self) -> ContinuationSigns:
        return ContinuationSigns(*self.found.texts, self.shipped)

    @cached_property
    def _siblings(self) -> Siblings:
        return Siblings("" if self.found.place is None else self.found.place.before, self.steps)

    @cached_property
    def _commonness(self) -> Commonness:
        root = None if self.found.place is None else self.found.place.root
        name = None if root is None else root.get("name")
        return Commonness("" if name is None else name.text, self.shipped)

    @cached_property
    def _nearby(self) -> Mapping[str, float]:
        """The names in the expressions before and behind this one: 1 next to it, less farther away."""
        found: dict[str, float] = {}
        place = self.found.place
        if place is None:
            return found
        for use in self._found_uses:
            distance = abs(use.start - place.start)
            near = 1 / (1 + distance / 200)
            found[use.name] = max(found.get(use.name, 0.0), near)
        return found

    @cached_property
    def _found_uses(self) -> list[StepUse]:
        return uses_of(self.found)

    @cached_property
    def _likelihoods(self) -> HabitLikelihoods:
        return HabitLikelihoods(self.habits, self.context, self._topic)

    @cached_property
    def _around(self) -> str:
        return self.around.replace(":", ".")

    @cached_property
    def _uses(self) -> Counter[object]:
        """How often each step is used in the rest of the text: alone, after a step, in an argument after a step."""
        found: Counter[object] = Counter()
        for use in self._found_uses:
            found["of", use.role, use.before] += 1
            found["in", use.role, use.before, use.name] += 1
            found[use.name] += 1
            found[use.before, use.name] += 1
            found[use.around, use.before, use.name] += 1
        return found

    @cached_property
    def _key_words(self) -> frozenset[str]:
        place = self.found.place
        keys = [] if place is None else [one for one in place.path if isinstance(one, str)]
        return plain_words(" ".join(keys[-2:] if len(keys) > 2 else keys[-1:]))

    @cached_property
    def _doc_words(self) -> frozenset[str]:
        place = self.found.place
        docs = [] if place is None else [doc.text for node in place.nodes[1:] if (doc := node.get("doc")) is not None]
        return plain_words(" ".join(docs))

    @cached_property
    def _argument_words(self) -> frozenset[str]:
        """The words of the arguments and entries that are open, innermost last."""
        return plain_words(" ".join(part.key for part in self.found.parts))

    @cached_property
    def _expression_words(self) -> frozenset[str]:
        """The words that stand shortly before the place in its expression."""
        return frozenset() if self.found.place is None else plain_words(self.found.place.before[-_SHORTLY:])

    @cached_property
    def _file_words(self) -> frozenset[str]:
        root = None if self.found.place is None else self.found.place.root
        texts = [] if root is None else [node.text for key in ("name", "doc") if (node := root.get(key)) is not None]
        return plain_words(" ".join(texts))


_SHORTLY = 200


def uses_of(found: Situation) -> list[StepUse]:
    """Return the uses of steps in the text of a situation, apart from the expression at the offset."""
    return [] if found.names is None else step_uses(found.names)


@lru_cache(maxsize=2000)
def first_name(text: str) -> str:
    """Return the name of the last step in the text of a step or a group of steps; `=` for a value."""
    tree = step_tree(text)
    if tree is None:
        return text.partition("(")[0].strip()
    return tree.steps[-1].name if tree.steps else START
