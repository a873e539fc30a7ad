"""Ratings from pairwise comparisons: Bradley-Terry and Elo, and win rates corrected for the length of answers.

A record is a comparison of two sides; its score is the share of the first side: 1 if it won, 0.5 for a tie.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np

from scoring.extensions.figures.pairs import Pairs, PairStatistic, number_of, numbers, pairs_of
from scoring.extensions.preference.lasso import lasso, share_of_odds
from scoring.metrics.summary import NO_SCORE, NotCounted, counting, kept
from scoring.outcomes import NOT_APPLICABLE
from scoring.registry import Between, Doc, RecordPath, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import BlockStatistic, Statistic, missing_details

FirstSide = Annotated[RecordPath, Doc("The path of the name of the side that the score is the share of.")]
SecondSide = Annotated[RecordPath, Doc("The path of the name of the other side.")]
Rate: TypeAlias = Callable[[Any, Any, int], tuple[Any, Any]]

_SEPARATOR = "\x1f"
_MOST_SIDES = 2_000
"""The limit on the number of sides: their comparisons make a table of as many rows and columns."""
_FEWEST_COMPARED = 30
_STEPS = 200
_BLOCK = 1_000_000
"""How many cells of tables of wins are computed together."""
_SURE = 1.959963984540054  # standard deviations of a normal distribution, for a 95 % interval


@dataclass(frozen=True, slots=True, eq=False)
class RatingStatistic(PairStatistic):
    """The statistic of the rating of the side ``model``; if that is None, of the highest minus the lowest rating.

    Each unit is a comparison, stored as a pair of labels: the first side; the score, position and second side joined.
    ``rate`` computes the ratings of all sides and their standard errors from the comparisons and how often each occurs.
    All ratings are shifted so that the side ``anchor``, if any, has the rating ``anchor_rating``.
    """

    rate: Rate
    model: str | None
    anchor: str | None
    anchor_rating: float
    is_smooth = False  # a single comparison may be all that connects two groups of sides

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the figure for each row of ``counts``, which states how often each comparison in ``units`` occurs;
        NaN where it is undefined.
        """
        sides, battles = self._battles(units)
        if not sides:
            return np.full(len(counts), np.nan)
        ratings = self._moved(sides, self.rate(battles, np.asarray(counts, dtype=np.float64), len(sides))[0])
        if self.model is None:
            return ratings.max(axis=1) - ratings.min(axis=1)
        return ratings[:, sides.index(self.model)] if self.model in sides else np.full(len(counts), np.nan)

    @property
    def resample_cost(self) -> int | None:
        """The approximate cost of one resample, in numbers processed; all ratings are fitted again for each."""
        return 40 * len(self.kinds()[0]) + 1

    @property
    def remark(self) -> str | None:
        """A warning if there are so few comparisons that resamples do not show the spread of a rating; else None."""
        few = self.count < _FEWEST_COMPARED
        return f"fewer than {_FEWEST_COMPARED} comparisons, so it may cover less" if few else None

    def details(self) -> dict[str, Any]:
        """Return the rating of every side, best first, with an interval from the curvature of the likelihood, and the
        numbers of records left out.
        """
        units, counts = self.kinds()
        sides, battles = self._battles(units)
        if not sides:
            why = {"undefined": f"at most {_MOST_SIDES:,} sides are rated together"} if len(units) else {}
            return {**why, **missing_details(self.missing)}
        found, deviations = self.rate(battles, counts[None].astype(float), len(sides))
        ratings, errors = self._moved(sides, found)[0], deviations[0]
        first, second = battles[:, :2].astype(int).T
        fought = np.bincount(first, counts, len(sides)) + np.bincount(second, counts, len(sides))
        table = {}
        for at in sorted(range(len(sides)), key=lambda at: (-ratings[at], sides[at])):
            rating, spread = float(ratings[at]), _SURE * float(errors[at])
            if math.isfinite(rating):
                ends = {"low": rating - spread, "high": rating + spread} if math.isfinite(spread) else {}
                table[sides[at]] = {"rating": rating, **ends, "comparisons": int(fought[at])}
        described = {**({"ratings": table} if table else {}), **missing_details(self.missing)}
        return described if self.value() is not None else {**described, "undefined": self._undefined(sides)}

    def _undefined(self, sides: list[str]) -> str:
        """Return the reason why the figure is undefined although there are comparisons between the given sides."""
        for side in filter(None, (self.model, self.anchor)):
            if side not in sides:
                return f"no comparison has the side `{side}`"
        return "some sides have won, or lost, all comparisons with the others: their ratings would be infinite"

    def _battles(self, units: Any) -> tuple[list[str], Any]:
        """Return the names of all sides, and an array with a row for each comparison in ``units``: the indices of its
        two sides, the first one's share, and its position in the order; both empty if there are too many sides.
        """
        labels = [str(label).split(_SEPARATOR) for label in self.labels]
        sides = sorted({label[-1] for label in labels})
        place = {side: number for number, side in enumerate(sides)}
        if not len(units) or len(sides) > _MOST_SIDES:
            return [], np.zeros((0, 4))
        rows = [(place[labels[a][-1]], place[labels[b][-1]], *map(float, labels[b][:2])) for a, b in units.astype(int)]
        return sides, np.array(rows)

    def _moved(self, sides: list[str], ratings: Any) -> Any:
        """Return the ratings (columns: `sides`), shifted so that the anchor has its given rating: unchanged if there is
        no anchor, NaN if it is not among the sides.
        """
        if self.anchor is None:
            return ratings
        known = ratings[:, [sides.index(self.anchor)]] if self.anchor in sides else math.nan
        return ratings - known + self.anchor_rating


def _compared(rows: Rows, first: str, second: str, order: str | None) -> tuple[Pairs, NotCounted]:
    """Return the comparisons of the records with a score from 0 to 1 and two different sides, and how many others there
    are, by reason; `first`, `second` and `order` are paths in the records.
    """
    orders = [0.0] * len(rows) if order is None else [number_of(value) for value in rows.column(order)]
    scores, sides = rows.values(), list(zip(rows.column(first), rows.column(second), strict=True))
    differ = [_is_name(one) and _is_name(other) and one != other for one, other in sides]
    mask, missing = counting(
        rows,
        *_no_share(scores),
        (~np.array(differ, dtype=bool), "no two names that differ"),
        (np.isnan(orders), f"`{order}` is not a number"),
    )
    columns = zip(mask.tolist(), scores.tolist(), sides, orders, strict=True)
    pairs = [
        (one, _SEPARATOR.join((repr(score), repr(place), other))) if counts else (None, None)
        for counts, score, (one, other), place in columns
    ]
    return pairs_of(rows.ids, (one for one, _ in pairs), (other for _, other in pairs)), missing


def _no_share(scores: Any) -> tuple[tuple[Any, str], tuple[Any, str]]:
    """Return two pairs of a mask and a reason: the records without a score, and those whose score is not from 0 to 1,
    which can't be the first side's share.
    """
    return (np.isnan(scores), NO_SCORE), ((scores < 0) | (scores > 1), "the score is not from 0 to 1")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _SEPARATOR not in value


def _bradley_terry(battles: Any, counts: Any, size: int, *, scale: float, base: float, mean: float) -> tuple[Any, Any]:
    """Return the Bradley-Terry ratings of all sides and their standard errors; NaN where they are undetermined.

    ``battles`` are comparisons as `RatingStatistic._battles` returns them, ``size`` is the number of sides. Both
    results have a row for each row of ``counts``, and a column for each side. A difference of ``scale`` gives odds of
    ``base`` to one; ``mean`` is the mean of all ratings.
    """
    ratings, errors = np.full((len(counts), size), np.nan), np.full((len(counts), size), np.nan)
    block = max(1, _BLOCK // (size * size))
    for start in range(0, len(counts), block):
        wins = _wins(battles, counts[start : start + block], size)
        determined = np.flatnonzero(_leads_everywhere(wins > 0) & _leads_everywhere(wins.transpose(0, 2, 1) > 0))
        if len(determined):
            strengths, spreads = _strengths(wins[determined])
            ratings[start + determined] = mean + strengths * (scale / math.log(base))
            errors[start + determined] = spreads * (scale / math.log(base))
    return ratings, errors


def _wins(battles: Any, counts: Any, size: int) -> Any:
    """Return, for every row of ``counts``, how often each of the ``size`` sides (row) won against each (column)."""
    first, second = battles[:, :2].astype(int).T
    shares, width = battles[:, 2], size * size
    found = [
        np.bincount(first * size + second, line * shares, width)
        + np.bincount(second * size + first, line * (1.0 - shares), width)
        for line in counts
    ]
    return np.array(found).reshape(len(counts), size, size)


def _strengths(wins: Any) -> tuple[Any, Any]:
    """Return the maximum-likelihood strengths of the sides for each table of wins, shifted to mean 0, and their
    standard errors.
    """
    met, won, size = wins + wins.transpose(0, 2, 1), wins.sum(axis=2), wins.shape[1]
    strength = np.zeros(won.shape)
    for _ in range(_STEPS):
        gradient, curvature = _slopes(strength, met, won)
        step = np.linalg.solve(curvature + 1.0 / size, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        # Steps are limited: where most sides have won nearly everything, a full step would overshoot.
        strength = strength + step * np.minimum(1.0, 4.0 / np.maximum(longest, 1e-300))
        if (longest <= 1e-13 * np.maximum(1.0, np.abs(strength).max(axis=1, keepdims=True))).all():
            break
    spread = np.linalg.inv(_slopes(strength, met, won)[1] + 1.0 / size) - 1.0 / size
    spreads = np.sqrt(np.maximum(np.diagonal(spread, axis1=1, axis2=2), 0.0))
    return strength - strength.mean(axis=1, keepdims=True), spreads


def _slopes(strength: Any, met: Any, won: Any) -> tuple[Any, Any]:
    """Return the gradient and the negative Hessian of the log-likelihood at the given strengths of the sides.

    `met` counts how often each two sides met, `won` how often each side won; all have a table or row per resample.
    """
    expected = share_of_odds(strength[:, :, None] - strength[:, None, :])
    bend = met * expected * (1.0 - expected)
    curvature = -bend
    place = np.arange(bend.shape[1])
    curvature[:, place, place] = bend.sum(axis=2) - bend[:, place, place]
    return won - (met * expected).sum(axis=2), curvature


def _leads_everywhere(beats: Any) -> Any:
    """Return, for each table of ``beats``, True if chains of wins lead from the first side to every other side.

    A table is True where the side of the row ever beat that of the column. All ratings are finite only if chains of
    wins, and chains of losses, lead from the first side to every other side.
    """
    found = np.zeros(beats.shape[:2], dtype=bool)
    found[:, 0] = True
    while True:
        more = found | (found[:, :, None] & beats).any(axis=1)
        if (more == found).all():
            return found.all(axis=1)
        found = more


def _elo(battles: Any, counts: Any, size: int, *, k: float, scale: float, base: float, start: float) -> tuple[Any, Any]:
    """Return the Elo ratings of all sides after all comparisons in order, and NaN as their standard errors.

    The arguments and results are those of `_bradley_terry`, but every side begins with the rating ``start``, and a
    comparison changes a rating by at most ``k``.
    """
    order = np.lexsort((battles[:, 1], battles[:, 0], battles[:, 2], battles[:, 3]))
    ratings, alpha = np.full((len(counts), size), start), math.log(base) / scale
    for place in order.tolist():
        first, second = battles[place, :2].astype(int).tolist()
        share, often = battles[place, 2], counts[:, place]
        for turn in range(int(often.max(initial=0))):
            gap = ratings[:, second] - ratings[:, first]
            moved = np.where(often > turn, k * (share - 1.0 / (1.0 + np.exp(np.minimum(alpha * gap, 700.0)))), 0.0)
            ratings[:, first] += moved
            ratings[:, second] -= moved
    return ratings, np.full(ratings.shape, np.nan)


AskedSide = Annotated[
    str | None, Doc("The side whose rating is the figure; by default how far the best is above the last.")
]
AnchorSide = Annotated[str | None, Doc("The side whose rating is known: all are moved so that it has `anchor_rating`.")]
AnchorRating = Annotated[float, Doc("The rating of the anchor.")]
RatingScale = Annotated[float, Between(1e-6, 1e6), Doc("A rating difference that gives odds of `base` to one.")]
RatingOdds = Annotated[float, Between(1.01, 1e6), Doc("The odds of a side that is better by `scale`.")]
MeanRating = Annotated[float, Doc("The mean of all ratings, where there is no anchor.")]


@primitive(
    better="higher",
    uses=("numpy",),
    range=(-math.inf, math.inf),
    traits=("either_way",),
    topics=("pairs",),
    aka=("arena rating", "chatbot arena", "elo from bradley terry", "pairwise ranking"),
)
def bradley_terry(
    rows: Rows,
    /,
    *,
    first: FirstSide,
    second: SecondSide,
    model: AskedSide = None,
    anchor: AnchorSide = None,
    anchor_rating: AnchorRating = 1000.0,
    scale: RatingScale = 400.0,
    base: RatingOdds = 10.0,
    mean_rating: MeanRating = 1000.0,
) -> Statistic:
    """Compute the rating of one side from pairwise comparisons, by the Bradley-Terry model.

    The score of a record is the share of `first`: 1 for a win, 0.5 for a tie. Without `model`, the figure is the
    difference between the highest and the lowest rating. The details include the ratings of all sides, with 95 %
    intervals from the curvature of the likelihood. There is no figure where some sides have won, or lost, all their
    comparisons with the others: their ratings would be infinite. Records without a score from 0 to 1, or without two
    different names, are left out.

    Examples:
        >>> rows = Rows.of_scores([1.0, 1.0, 0.0, 0.5], a=["x", "x", "x", "y"], b=["y", "y", "y", "x"])
        >>> round(bradley_terry(rows, first="a", second="b", model="x").value(), 6)
        1044.36975

    Source:
        Bradley, Terry: Rank Analysis of Incomplete Block Designs (1952); Chiang et al.: Chatbot Arena (2024).
    """
    pairs, missing = _compared(rows, first, second, None)
    rate = partial(_bradley_terry, scale=scale, base=base, mean=mean_rating)
    return RatingStatistic((pairs,), rate, model, anchor, anchor_rating, missing=missing)


@primitive(
    better="higher",
    uses=("numpy",),
    range=(-math.inf, math.inf),
    traits=("either_way",),
    topics=("pairs",),
    aka=("elo rating", "online elo"),
)
def elo(
    rows: Rows,
    /,
    *,
    first: FirstSide,
    second: SecondSide,
    order: RecordPath,
    model: AskedSide = None,
    k: Annotated[float, Between(1e-6, 1e6)] = 4.0,
    anchor: AnchorSide = None,
    anchor_rating: AnchorRating = 1000.0,
    scale: RatingScale = 400.0,
    base: RatingOdds = 10.0,
    start: Annotated[float, Doc("The rating that every side begins with.")] = 1000.0,
) -> Statistic:
    """Compute the Elo rating of one side, updated by one comparison after the other.

    The score of a record is the share of `first`: 1 for a win, 0.5 for a tie. Without `model`, the figure is the
    difference between the highest and the lowest rating. Ratings depend on the order of the comparisons, so each record
    must state its position; comparisons with the same position are ordered by score, then by names. Records without a
    score from 0 to 1, without a number for their order or without two different names are left out.

    Args:
        order: The path of a number that grows from comparison to comparison, such as the time.
        k: The greatest change of a rating by one comparison.

    Examples:
        >>> rows = Rows.of_scores([1.0, 1.0], a=["x", "x"], b=["y", "y"], at=[1, 2])
        >>> elo(rows, first="a", second="b", order="at", model="x", k=32).value()
        1030.5304984710244

    Source:
        Elo: The Rating of Chessplayers (1978); FastChat, compute_elo.
    """
    pairs, missing = _compared(rows, first, second, order)
    rate = partial(_elo, k=k, scale=scale, base=base, start=start)
    return RatingStatistic((pairs,), rate, model, anchor, anchor_rating, missing=missing)


@dataclass(frozen=True, slots=True, eq=False)
class LengthStatistic(BlockStatistic):
    """The statistic of the win rate at equal lengths; a unit is a comparison's difference of lengths, its difficulty
    and its score, -1 where there is none. ``strength`` is the weight of the comparisons relative to the L1 penalty.
    """

    has_difficulty: bool
    strength: float
    is_smooth = True  # adding or removing a comparison moves the fit little

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the win rate for each row of ``counts``, how often each comparison in ``units`` occurs, or NaN."""
        return np.array([self._fitted(units, line)[0] for line in np.asarray(counts, dtype=np.float64)])

    @property
    def resample_cost(self) -> int | None:
        """The approximate cost of one resample, in numbers processed; the regression is fitted again for each."""
        return 40 * len(self.kinds()[0]) + 1

    def details(self) -> dict[str, Any]:
        """Return the uncorrected win rate, and the regression weight of the length: its effect on the log odds."""
        units, counts = self.kinds()
        known = counts * (units[:, 2] >= 0)
        if not known.sum():
            return missing_details(self.missing)
        raw = float((units[:, 2] * known).sum() / known.sum())
        return {
            "win_rate": raw,
            "effect_of_length": -float(self._fitted(units, counts.astype(float))[1][0]) + 0.0,
            **missing_details(self.missing),
        }

    def _fitted(self, units: Any, counts: Any) -> tuple[float, Any]:
        """Return the win rate at equal lengths, and the regression weights of the length, of the intercept (the model)
        and, if it is used, of the difficulty; ``counts`` states how often each comparison in ``units`` occurs.
        """
        total, known = counts.sum(), counts * (units[:, 2] >= 0)
        if not known.sum():
            return math.nan, np.zeros(1)
        gaps, hardness, shares = units[:, 0], units[:, 1], units[:, 2]
        mean = (gaps * counts).sum() / total
        spread = math.sqrt((counts * (gaps - mean) ** 2).sum() / (total - 1)) if total > 1 else 0.0
        columns = [np.tanh(gaps / spread) if spread else np.zeros(len(gaps)), np.ones(len(gaps))]
        features = np.stack([*columns, hardness] if self.has_difficulty else columns, axis=-1)
        weights = lasso(features, shares, self.strength * known)
        equal = features.copy()
        equal[:, 0] = 0.0
        return float((share_of_odds(equal @ weights) * counts).sum() / total), weights


@primitive(
    better="higher",
    uses=("numpy",),
    revision=3,
    range=(0.0, 1.0),
    traits=("either_way",),
    topics=("pairs",),
    aka=("alpacaeval 2", "lc win rate", "length bias", "verbosity bias"),
)
def length_controlled_win_rate(
    rows: Rows,
    /,
    *,
    length: Annotated[RecordPath, Doc("The path of the length of the answer that the score is the share of.")],
    other_length: Annotated[RecordPath, Doc("The path of the length of the answer it is compared with.")],
    difficulty: Annotated[RecordPath | None, Doc("The path of a number that says how hard the task is.")] = None,
    strength: Annotated[float, Between(1e-6, 1e6)] = 100.0,
) -> Statistic:
    """Estimate the win rate that answers would have if they were as long as the answers they are compared with.

    The score of a record is the preference for the answer: 1 for a win, 0 for a loss, 0.5 for a tie, or any number
    between. A logistic regression explains preferences by the difference of lengths (the hyperbolic tangent of the
    difference in standard deviations), by the model and by the difficulty. It then predicts each preference at a
    difference of 0, also where a record has no score; the figure is the mean of the predictions. Records whose score is
    not from 0 to 1, or with a length or difficulty that is not a number, are left out. The official leaderboard
    additionally includes answers of gamed baselines.

    Args:
        strength: The weight of the preferences relative to the penalty, which is the sum of the absolute regression
            weights: the inverse regularisation strength C.

    Examples:
        >>> rows = Rows.of_scores([1.0, 1.0, 0.0, 1.0], own=[90, 80, 20, 70], base=[30, 40, 40, 30])
        >>> round(length_controlled_win_rate(rows, length="own", other_length="base").value(), 3)
        0.477

    Source:
        Dubois et al.: Length-Controlled AlpacaEval (2024); alpaca_eval, get_length_controlled_winrate.
    """
    own, other, scores = numbers(rows.column(length)), numbers(rows.column(other_length)), rows.values()
    hardness = np.zeros(len(own)) if difficulty is None else numbers(rows.column(difficulty))
    units = np.stack([other - own, hardness, np.where(np.isnan(scores), -1.0, scores)], axis=-1)
    unknown = ~np.isfinite(units[:, :2]).all(axis=-1), "a length or the difficulty is not a number"
    mask, missing = counting(rows, (rows.codes == NOT_APPLICABLE, NO_SCORE), _no_share(scores)[1], unknown)
    ids, units = kept(mask, rows.ids, units)
    return LengthStatistic(((ids, units),), difficulty is not None, strength, missing=missing)
