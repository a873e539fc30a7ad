"""Ranks of runs: how sure they are, and that tests and intervals never say opposite things."""

from __future__ import annotations

import random

import pytest

from scoring.extensions.comparison.statistics.ranks import figure_draws, mean_draws, rank_intervals, ranks

np = pytest.importorskip("numpy")


def columns(runs: int, things: int, seed: int = 0, lift: float = 0.0) -> list[list[float]]:
    luck = random.Random(seed)
    hard = [luck.random() for _ in range(things)]
    return [[float(luck.random() + lift * run > one) for one in hard] for run in range(runs)]


def test_equal_runs_share_the_better_rank() -> None:
    assert ranks([0.2, 0.2, 0.9, None]) == [2, 2, 1, None]


def test_equal_runs_may_stand_anywhere() -> None:
    held = [[1.0, 0.0, 1.0]] * 3
    draws = mean_draws(held, None, seed=0, resamples=500)
    assert rank_intervals(draws, []) == [(1, 3)] * 3


def test_draws_say_which_ranks_are_likely_and_tests_which_are_open() -> None:
    draws = mean_draws(columns(3, 400, lift=0.4), None, seed=0, resamples=2_000)
    surely = [(0, 1), (0, 2), (1, 2)]
    assert rank_intervals(draws, surely) == [(3, 3), (2, 2), (1, 1)]
    assert rank_intervals(draws, surely[:2]) == [(3, 3), (1, 2), (1, 2)], "what no test says is open"
    assert rank_intervals(draws, []) == [(1, 3)] * 3


def test_things_are_drawn_for_all_runs_at_once() -> None:
    # One run is better by the same in every thing, so it is better in every draw, however far things lie apart.
    luck = random.Random(1)
    one = [luck.random() * 0.9 for _ in range(20)]
    draws = mean_draws([one, [score + 0.01 for score in one]], None, seed=0, resamples=1_000)
    assert (draws[:, 1] > draws[:, 0]).all()


def test_the_order_of_things_changes_nothing() -> None:
    held = columns(3, 60)
    places = list(range(60))
    random.Random(5).shuffle(places)
    mixed = [[column[place] for place in places] for column in held]
    owners: list[object] = [f"d{place % 7}" if place % 5 else None for place in range(60)]
    for clusters in (None, owners):
        moved = None if clusters is None else [clusters[place] for place in places]
        one = mean_draws(held, clusters, seed=4, resamples=300)
        other = mean_draws(mixed, moved, seed=4, resamples=300)
        assert (one == other).all()


def test_clusters_are_drawn_as_a_whole() -> None:
    held = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    draws = mean_draws(held, ["a", "a", "b", "b"], seed=0, resamples=200)
    assert set(draws[:, 0].tolist()) == {0.0, 0.5, 1.0}


def test_figures_that_are_no_means_are_drawn_alike() -> None:
    held = np.array(columns(2, 30))

    def means(counts: object) -> object:
        return (counts @ held.T) / np.asarray(counts).sum(axis=1, keepdims=True)

    for owners in (None, [place // 3 for place in range(30)]):
        draws = figure_draws(means, 30, owners, seed=2, resamples=4_000)
        exact = mean_draws(held.tolist(), owners, seed=2, resamples=4_000)
        assert draws.mean(axis=0) == pytest.approx(held.mean(axis=1), abs=0.01)
        assert draws.std(axis=0) == pytest.approx(exact.std(axis=0), rel=0.05)


def test_undefined_draws_are_left_out_and_no_draws_leave_all_open() -> None:
    draws = np.array([[np.nan, 1.0], [0.0, 1.0]])
    assert rank_intervals(draws, [(0, 1)]) == [(2, 2), (1, 1)]
    assert rank_intervals(np.zeros((0, 2)), []) == [(1, 2), (1, 2)]
    assert mean_draws([[], []], None, seed=0, resamples=100).shape == (0, 2)
