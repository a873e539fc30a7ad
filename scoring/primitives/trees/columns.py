"""Trees in batches: the leaves of flat records make one column, whatever record they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

from scoring.late import np
from scoring.primitives.combine.tables import groups, total
from scoring.primitives.trees.compare import TIE
from scoring.primitives.trees.leaf import LeafScorer, Rules, TreePath, checked
from scoring.primitives.trees.node import is_empty, options_of
from scoring.registry.pairs import MOST_PAIRS, PairPlaces, PairScores
from scoring.result import Outcome, Unscored

LEAF_TYPES = {str, int, float, bool}


class TreePairs:
    """The batch form of `tree`: leaves, a leaf with options, mappings of leaves; other pairs go one by one.

    Args:
        predictions: The predicted values.
        references: The expected ones.
        rules: How they are compared.
        text_list: What a reference that is a list of texts means for a prediction that is one text.
    """

    def __init__(self, predictions: list[Any], references: list[Any], rules: Rules, text_list: str) -> None:
        self._predictions, self._references = predictions, references
        self._rules = rules
        self._lists_options = text_list == "one_of"
        self._are_leaves = set(map(type, predictions)) <= LEAF_TYPES >= set(map(type, references))

    def __call__(self, pairs: PairPlaces) -> PairScores:
        """The scores of some pairs."""
        found, leaves = PairScores(np.zeros(len(pairs))), _Leaves(self._rules)
        if self._are_leaves:
            own = [self._predictions[at] for at in pairs.rows.tolist()]
            leaves.add(0, 0, own, [self._references[at] for at in pairs.columns.tolist()])
            return leaves.scores()
        for place, (row, column) in enumerate(zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True)):
            if not self._is_flat(leaves, place, self._predictions[row], self._references[column]):
                found.alone.append(place)
            elif len(leaves.own) > MOST_PAIRS:
                leaves.fill(found)
                leaves = _Leaves(self._rules)
        leaves.fill(found)
        return found

    def _is_flat(self, leaves: _Leaves, place: int, prediction: Any, reference: Any) -> bool:
        """Whether the pair holds nothing but leaves; they are then among those to compare."""
        if type(prediction) is dict and type(reference) is dict:
            if not (set(map(type, prediction.values())) <= LEAF_TYPES >= set(map(type, reference.values()))):
                return False
            leaves.add_mappings(place, prediction, reference)
            return True
        if type(prediction) not in LEAF_TYPES:
            return False
        is_leaf = type(reference) in LEAF_TYPES
        options = (reference,) if is_leaf else self._options(prediction, reference)
        if not options or not set(map(type, options)) <= LEAF_TYPES:
            return False
        leaves.add(place, 0, [prediction] * len(options), options)
        return True

    def _options(self, prediction: Any, reference: Any) -> Sequence[Any] | None:
        if type(reference) is not list:
            return options_of(reference)
        return reference if self._lists_options and set(map(type, [prediction, *reference])) == {str} else None


class _Leaves:
    """The leaves of some pairs, and how the scores of each pair become one."""

    def __init__(self, rules: Rules) -> None:
        self.own: list[Any] = []
        self._theirs: list[Any] = []
        self._rules = rules
        self._is_plain = rules.is_plain
        # Only where the rules ask for it is it known by whom, and under which key, a leaf is compared.
        self._scorers: dict[int, tuple[LeafScorer, list[int]]] = {}
        self._places: list[int] = []
        self._sizes: list[int] = []
        self._lengths: list[int] = []  # the leaves that count; 0 where options are chosen from

    def add(
        self, place: int, length: int, own: Sequence[Any], theirs: Sequence[Any], paths: Iterable[TreePath] = repeat(())
    ) -> None:
        """The leaves of a pair and what each is compared with; each is keyed where it has a path."""
        if not self._is_plain:
            for at, (path, one, other) in enumerate(zip(paths, own, theirs, strict=False), len(self.own)):
                scorer = self._rules.scorer(one, other, path)
                self._scorers.setdefault(id(scorer), (scorer, []))[1].append(at)
        self.own += own
        self._theirs += theirs
        self._places.append(place)
        self._sizes.append(len(own))
        self._lengths.append(length)

    def add_mappings(self, place: int, prediction: dict[Any, Any], reference: dict[Any, Any]) -> None:
        """Two mappings of leaves."""
        keys, length = list(reference), len(reference)
        if prediction.keys() != reference.keys():
            keys = [key for key in keys if key in prediction]
            counts_empty = self._rules.invented_empty == "counted"
            length += sum(counts_empty or not is_empty(v) for key, v in prediction.items() if key not in reference)
        own, theirs = [prediction[key] for key in keys], [reference[key] for key in keys]
        # Two empty mappings agree, as one leaf that is right.
        self.add(place, length or -1, own, theirs, [(str(key),) for key in keys] if not self._is_plain else ())

    def fill(self, found: PairScores) -> None:
        """Put in the scores of the pairs."""
        scores = self.scores()
        listed = scores.values.tolist()
        for at, place, part in groups(found, self._places, scores, np.array(self._sizes, dtype=np.int64)):
            if self._lengths[at] > 0:
                found.values[place] = total(listed[part]) / self._lengths[at]
            else:
                found.values[place] = 1.0 if self._lengths[at] < 0 else self._best(listed, part)

    def scores(self) -> PairScores:
        """The score of every leaf."""
        scorers = [(self._rules.leaf, [])] if self._is_plain else self._scorers.values()
        scores = PairScores(np.full(len(self.own), np.nan))
        for scorer, some in scorers:
            places = np.array(some, dtype=np.int64) if some else np.arange(len(self.own))
            own, theirs = ([side[at] for at in places] if some else side for side in (self.own, self._theirs))
            asked: Any = scorer
            scores.put(places, asked.over(own, theirs)(PairPlaces.each(len(own))))
        for at in np.flatnonzero(~((scores.values >= 0.0) & (scores.values <= 1.0))).tolist():
            try:
                checked(float(scores.values[at]))
            except Unscored as error:
                scores.failed.setdefault(at, Outcome.unscored(str(error)))
        return scores

    def _best(self, scores: list[float], part: slice) -> float:
        """As `best_option` chooses: among equals one that equals the prediction, then the first."""
        top = max(scores[part]) - TIE
        tied = [at for at in range(part.start, part.stop) if scores[at] >= top]
        return scores[next((at for at in tied if self._theirs[at] == self.own[at]), tied[0])]
