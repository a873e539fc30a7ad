"""How often completions have the right next step, at positions of the shipped specs, and the trees of their order.

    pip install lightgbm
    python -m benchmarks.completion [SHARE [SEED]] [--alone] [--write]

Each position is the name of a step in an expression of a shipped spec. The text is cut there: the rest of the
expression is removed, the rest of the file stays, and nothing of the name is typed yet. Habits are counted, and shipped
specs read, without the file of the position and those of its family, whose names begin with the same word (`squad-1`,
`squad-2`, `squad-helm`), and trees are fitted on families of other folds, so nothing is known of the file but its text.
With `--alone` each file is a family of its own, and its siblings are known: an easier measure. SHARE of the positions
are drawn by SEED. With `--write` the trees of all positions that were drawn become those of the editors.

Trees are fitted on each position three times: with its siblings known, without, and with all removed that stands behind
it, as in a text that is written from the top. LightGBM's lambdarank fits them (Burges, MSR-TR-2010-82; Ke and others,
NeurIPS 2017).
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from scoring.extensions.editors.candidates import NextName
from scoring.extensions.editors.completing import candidates_in
from scoring.extensions.editors.continuations import Continuations
from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.forest import TREES, UNIT, DecisionTrees, TreeDecision
from scoring.extensions.editors.habits import Habits, habits_of, pruned, spec_files_below
from scoring.extensions.editors.names import spec_names_of
from scoring.extensions.editors.outline import outline
from scoring.extensions.editors.ranking import HABIT, Ranking, likelihoods_of
from scoring.extensions.editors.situation import Situation, situation_at
from scoring.extensions.editors.uses import expressions_in, uses_in
from scoring.format.shipped import data_folder

FOLDS = 5
TREES_FITTED = 300
FITTING = {
    "objective": "lambdarank", "lambdarank_truncation_level": 12, "learning_rate": 0.04, "num_leaves": 127,
    "min_data_in_leaf": 20, "lambda_l2": 5, "feature_fraction": 0.15, "bagging_fraction": 0.7, "bagging_freq": 1,
    "max_bin": 255, "seed": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A position: the text of a spec, cut before a step, and the name of the step."""

    path: Path
    text: str
    offset: int
    name: str
    role: str
    where: str


def positions(path: Path) -> Iterator[HeldOut]:
    """Yield the positions of a spec's file."""
    text = _text_of(path)
    for _, expected, node in expressions_in(spec_names_of(outline(text), path.parent)):
        tree, scalar = step_tree(node.text), node.scalar
        if tree is None or scalar is None or expected.role == "record path":
            continue
        end = scalar.end - (scalar.style in ("single", "double") and scalar.is_closed)
        for use in uses_in(tree):
            offset = scalar.offset(use.place)
            where = "in an argument" if use.around else "first step" if use.index == 0 else "later step"
            yield HeldOut(path, text[:offset] + text[end:], offset, use.name, expected.role, where)


def drawn(share: float, seed: int = 7) -> list[HeldOut]:
    """Return a share of all positions of the shipped specs, drawn by a seed."""
    every = [one for path in spec_files_below(data_folder("specs")) for one in positions(path)]
    return sorted(random.Random(seed).sample(every, round(share * len(every))), key=lambda one: str(one.path))


@cache
def _text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def _habits_by_file() -> Mapping[Path, Habits]:
    files = spec_files_below(data_folder("specs"))
    return {path: habits_of(spec_names_of(outline(_text_of(path)), path.parent)) for path in files}


@cache
def _all_habits() -> Mapping[str, Counter[str]]:
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for habits in _habits_by_file().values():
        for key, counts in habits.items():
            total[key].update(counts)
    return total


def family_of(path: Path) -> str:
    """Return the first word of a spec's name: of its file in the cookbook, else of its folder.

    Examples:
        >>> family_of(data_folder("specs") / "cookbook" / "squad-2.yaml")
        'squad'
    """
    inner = path.relative_to(data_folder("specs"))
    folders = [name for name in inner.parent.parts if name not in ("cookbook", "examples")]
    return (folders[0] if folders else inner.stem).partition("-")[0]


def alone(path: Path) -> str:
    """Return the path of a spec, as the name of a family that has no other member."""
    return str(path)


Families: TypeAlias = Callable[[Path], str]


def habits_without(path: Path, families: Families = family_of) -> Habits:
    """Return the habits of all shipped specs but those of the family of one."""
    left = {key: Counter(counts) for key, counts in _all_habits().items()}
    for other, habits in _habits_by_file().items():
        if families(other) == families(path):
            for key, counts in habits.items():
                left[key] -= Counter(counts)
    return pruned(left)


def continuations_without(path: Path, families: Families = family_of) -> Continuations:
    """Return how all shipped specs go on but those of the family of one."""
    return Continuations(_text_of(other) for other in _habits_by_file() if families(other) != families(path))


def asked(one: HeldOut) -> tuple[Situation, list[NextName]]:
    """Return the situation of a position, and what may come next there."""
    found = situation_at(one.text, one.path, one.offset)
    return found, candidates_in(found)


def place_in(candidates: list[NextName], name: str) -> int | None:
    """Return the index of a name among candidates, None if it is not there."""
    hits = (index for index, one in enumerate(candidates) if one.name == name and not one.insert.endswith("="))
    return next(hits, None)


def cut_off(one: HeldOut) -> HeldOut:
    """Return a position with nothing behind it."""
    return replace(one, text=one.text[: one.offset] + "\n")


def rank_of(one: HeldOut, habits: Habits, shipped: Continuations) -> int | None:
    """Return the rank, from 0, of the right step at a position, None if it is not in the list."""
    found, candidates = asked(one)
    right = place_in(candidates, one.name)
    if right is None:
        return None
    weights = Ranking(found, habits, shipped).weights(candidates)
    mine = weights[candidates[right].name, candidates[right].kind]
    return sum(weights[other.name, other.kind] > mine for other in candidates)


Row: TypeAlias = tuple[HeldOut, Any, int]
"""A position, the signs of its candidates, and the row of the right one."""


def rows_of(chosen: Sequence[HeldOut], families: Families = family_of) -> list[Row | None]:
    """Return positions with the signs of their candidates, None for those where the right step is not in the list."""
    by_path: dict[Path, list[HeldOut]] = defaultdict(list)
    for one in chosen:
        by_path[one.path].append(one)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(_rows_of_file, by_path.values(), [families] * len(by_path))
        return [row for rows in found for row in rows]


def _rows_of_file(chosen: Sequence[HeldOut], families: Families) -> list[Row | None]:
    import numpy as np

    habits, shipped = habits_without(chosen[0].path, families), continuations_without(chosen[0].path, families)
    rows = list[Row | None]()
    for one in chosen:
        found, candidates = asked(one)
        right = place_in(candidates, one.name)
        signs = None if right is None else Ranking(found, habits, shipped).signs_of(candidates)
        rows.append(None if right is None else (one, np.array(signs, dtype=np.float32), right))
    return rows


def fitted(rows: Sequence[Row]) -> DecisionTrees:
    """Return the trees that order the candidates of positions best, as fitted on the right one, and some others."""
    import lightgbm
    import numpy as np

    kept = [_some(signs, right) for _, signs, right in rows]
    sizes = [len(one) for one in kept]
    is_right = np.concatenate([np.arange(size) == 0 for size in sizes]).astype(int)
    data = lightgbm.Dataset(np.concatenate(kept), is_right, group=sizes)
    found = lightgbm.train(FITTING, data, TREES_FITTED).dump_model()
    return _forest([one["tree_structure"] for one in found["tree_info"]], kept[0].shape[1])


def _some(signs: Any, right: int) -> Any:
    """Return the signs of the right candidate, of the likeliest others by habit, and of some of the rest."""
    import numpy as np

    others = np.argsort(-signs[:, HABIT], kind="stable")
    others = others[others != right]
    return signs[np.concatenate([[right], others[:48], others[48 :: max(len(others) // 30, 1)]])]


def _forest(trees: Sequence[Mapping[str, Any]], signs: int) -> DecisionTrees:
    """Return LightGBM's trees as the editors read them."""
    cuts = [set[float]() for _ in range(signs)]
    for tree in trees:
        for node in _splits(tree):
            cuts[node["split_feature"]].add(_rounded(node["threshold"]))
    known = [sorted(one) for one in cuts]
    return DecisionTrees(known, [_node(tree, known) for tree in trees])


def _splits(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "split_feature" in node:
        yield node
        for side in ("left_child", "right_child"):
            yield from _splits(node[side])


def _node(node: Mapping[str, Any], cuts: Sequence[Sequence[float]]) -> TreeDecision:
    if "split_feature" not in node:
        return round(UNIT * node["leaf_value"])
    sign = node["split_feature"]
    cut = cuts[sign].index(_rounded(node["threshold"]))
    return [sign, cut, *(_node(node[side], cuts) for side in ("left_child", "right_child"))]


def _rounded(threshold: float) -> float:
    return float(f"{threshold:.5g}")


def ranks_of(measured: Sequence[Row], also: Sequence[Row], families: Families) -> list[int]:
    """Return the rank, from 0, of the right step at each position by trees that were fitted on other families.

    Args:
        measured: The positions.
        also: The same positions as they look where others are known, or less of the text; trees are fitted on all.
        families: What the family of a file is.
    """
    names = sorted({families(one.path) for one, *_ in measured})
    random.Random(0).shuffle(names)
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        learnt = [[row for row in (*measured, *also) if fold[families(row[0].path)] != one] for one in range(FOLDS)]
        tried = [[row for row in measured if fold[families(row[0].path)] == one] for one in range(FOLDS)]
        found = iter([rank for ranks in pool.map(_ranks_by, learnt, tried) for rank in ranks])
    ranks = {id(row): next(found) for rows in tried for row in rows}
    return [ranks[id(row)] for row in measured]


def _ranks_by(learnt: Sequence[Row], tried: Sequence[Row]) -> list[int]:
    forest, ranks = fitted(learnt), list[int]()
    for _, signs, right in tried:
        raw = likelihoods_of(forest, signs.tolist())
        ranks.append(sum(one > raw[right] for one in raw) + raw[:right].count(raw[right]))  # alike ones keep order
    return ranks


def main() -> None:
    """Fit trees, and print how good their order is, cross validated by family; write them with `--write`."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    families, other = (alone, family_of) if "--alone" in sys.argv else (family_of, alone)
    chosen = drawn(float(words[0]) if words else 1.0, int(words[1]) if len(words) > 1 else 7)
    views = ((chosen, families), (chosen, other), ([*map(cut_off, chosen)], alone))
    rows, *more = ([row for row in rows_of(shown, known) if row is not None] for shown, known in views)
    also = [row for view in more for row in view]
    if "--write" in sys.argv:
        forest = fitted([*rows, *also])
        parts = [[json.dumps(one, separators=(",", ":")) for one in part] for part in (forest.cuts, forest.trees)]
        TREES.write_text("[[" + "],\n[".join(",\n".join(lines) for lines in parts) + "]]\n", encoding="utf-8")
    by_kind: dict[str, list[int]] = defaultdict(list)
    by_file: dict[Path, list[int]] = defaultdict(list)
    for (one, *_), rank in zip(rows, ranks_of(rows, also, families), strict=True):
        by_file[one.path].append(rank)
        for kind in ("all", one.role, f"{one.role}, {one.where}"):
            by_kind[kind].append(rank)
    total = len(chosen)
    print(f"{total} positions: in the list {len(rows) / total:.1%}", end="")
    every = by_kind.pop("all")
    print("".join(f", in the first {most} {sum(rank < most for rank in every) / total:.1%}" for most in (1, 5, 10, 20)))
    shares = [sum(rank < 5 for rank in ranks) / len(ranks) for ranks in by_file.values()]
    print(f"  mean of {len(shares)} files: in the first five {sum(shares) / len(shares):.1%}")
    for kind, ranks in sorted(by_kind.items()):
        print(f"  {kind}: {len(ranks)}, in the first five {sum(rank < 5 for rank in ranks) / len(ranks):.1%}")


if __name__ == "__main__":
    main()
