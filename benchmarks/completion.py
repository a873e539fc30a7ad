"""How often completions have the right next step, at positions of the shipped specs, and the trees of their order.

    python -m benchmarks.completion [SHARE [SEED]] [--write]

Each position is the name of a step in an expression of a shipped spec. The text is cut there: the rest of the
expression is removed, the rest of the file stays. Habits are counted without the file of the position, and trees are
fitted on files of other folds, so nothing is known of the file but its text. SHARE of the positions are drawn by SEED.
With `--write` the trees of all positions that were drawn become those of the editors.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.boosting import Tree, boosted, summed
from scoring.extensions.editors.candidates import NextName
from scoring.extensions.editors.completing import candidates_in
from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.habits import Habits, habits_of, pruned, spec_files_below
from scoring.extensions.editors.names import spec_names_of
from scoring.extensions.editors.outline import outline
from scoring.extensions.editors.ranking import BY_HABIT, HABIT, TREES, Ranking
from scoring.extensions.editors.situation import Situation, situation_at
from scoring.extensions.editors.uses import expressions_in, uses_in
from scoring.format.shipped import data_folder

FOLDS = 5


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A position: the text of a spec, cut before a step, and the name of the step."""

    path: Path
    text: str
    offset: int
    name: str
    role: str


def positions(path: Path) -> Iterator[HeldOut]:
    """Yield the positions of a spec's file."""
    text = path.read_text("utf-8")
    for _, expected, node in expressions_in(spec_names_of(outline(text), path.parent)):
        tree, scalar = step_tree(node.text), node.scalar
        if tree is None or scalar is None or expected.role == "record path":
            continue
        end = scalar.end - (scalar.style in ("single", "double") and scalar.is_closed)
        for use in uses_in(tree):
            offset = scalar.offset(use.place)
            yield HeldOut(path, text[:offset] + text[end:], offset, use.name, expected.role)


def drawn(share: float, seed: int = 7) -> list[HeldOut]:
    """Return a share of all positions of the shipped specs, drawn by a seed."""
    every = [one for path in spec_files_below(data_folder("specs")) for one in positions(path)]
    return sorted(random.Random(seed).sample(every, round(share * len(every))), key=lambda one: str(one.path))


@cache
def _habits_by_file() -> Mapping[Path, Habits]:
    files = spec_files_below(data_folder("specs"))
    return {path: habits_of(spec_names_of(outline(path.read_text("utf-8")), path.parent)) for path in files}


@cache
def _all_habits() -> Mapping[str, Counter[str]]:
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for habits in _habits_by_file().values():
        for key, counts in habits.items():
            total[key].update(counts)
    return total


def habits_without(path: Path) -> Habits:
    """Return the habits of all shipped specs but one."""
    own = _habits_by_file()[path]
    return pruned({key: counts - Counter(own.get(key, {})) for key, counts in _all_habits().items()})


def asked(one: HeldOut) -> tuple[Situation, list[NextName]]:
    """Return the situation of a position, and what may come next there."""
    found = situation_at(one.text, one.path, one.offset)
    return found, candidates_in(found)


def place_in(candidates: list[NextName], name: str) -> int | None:
    """Return the index of a name among candidates, None if it is not there."""
    hits = (index for index, one in enumerate(candidates) if one.name == name and not one.insert.endswith("="))
    return next(hits, None)


def rank_of(one: HeldOut, habits: Habits) -> int | None:
    """Return the rank, from 0, of the right step at a position, None if it is not in the list."""
    found, candidates = asked(one)
    right = place_in(candidates, one.name)
    if right is None:
        return None
    weights = Ranking(found, habits).weights(candidates)
    mine = weights[candidates[right].name, candidates[right].kind]
    return sum(weights[other.name, other.kind] > mine for other in candidates)


Row: TypeAlias = tuple[HeldOut, Any, int]
"""A position, the signs of its candidates, and the row of the right one."""


def rows_of(chosen: list[HeldOut]) -> tuple[list[Row], int]:
    """Return positions with the signs of their candidates, and how many have the right step not in the list."""
    import numpy as np

    rows, missing = list[Row](), 0
    last: Path | None = None
    habits: Habits = {}
    for one in chosen:
        if one.path != last:
            last, habits = one.path, habits_without(one.path)
        found, candidates = asked(one)
        right = place_in(candidates, one.name)
        if right is None:
            missing += 1
            continue
        ranking = Ranking(found, habits)
        rows.append((one, np.array([ranking.signs(each) for each in candidates]), right))
    return rows, missing


def fitted(rows: list[Row]) -> list[Tree]:
    """Return the trees that order the candidates of positions best, as fitted on the right one, and some others."""
    import numpy as np

    kept = [_some(signs, right) for _, signs, right in rows]
    sizes = np.array([len(one) for one in kept])
    return boosted(np.concatenate(kept), sizes, np.concatenate([[0], np.cumsum(sizes)[:-1]]))


def _some(signs: Any, right: int) -> Any:
    """Return the signs of the right candidate, of the likeliest others by habit, and of some of the rest."""
    import numpy as np

    others = np.argsort(-signs[:, HABIT], kind="stable")
    others = others[others != right]
    return signs[np.concatenate([[right], others[:24], others[24 :: max(len(others) // 16, 1)]])]


def main() -> None:
    """Fit trees, and print how good their order is, cross validated by file; write them with `--write`."""
    import numpy as np

    share = next((float(word) for word in sys.argv[1:2] if word != "--write"), 1.0)
    rows, missing = rows_of(drawn(share, int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] != "--write" else 7))
    if "--write" in sys.argv:
        lines = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in fitted(rows))
        TREES.write_text(f"[{lines}]\n", encoding="utf-8")
    files = sorted({row[0].path for row in rows})
    random.Random(0).shuffle(files)
    fold = {path: number % FOLDS for number, path in enumerate(files)}
    ranks: dict[str, list[int]] = defaultdict(list)
    for number in range(FOLDS):
        trees = fitted([row for row in rows if fold[row[0].path] != number])
        for one, signs, right in rows:
            if fold[one.path] == number:
                raw = summed(trees, signs) + BY_HABIT * signs[:, HABIT]
                before = (raw > raw[right]).sum() + (raw[:right] == raw[right]).sum()  # those alike stay in their order
                ranks[one.role].append(int(before))
    every = np.array([rank for found in ranks.values() for rank in found])
    total = len(every) + missing
    print(f"{total} positions: in the list {len(every) / total:.1%}", end="")
    print("".join(f", in the first {most} {(every < most).sum() / total:.1%}" for most in (1, 5, 10, 20)))
    for role, of_role in sorted(ranks.items()):
        print(f"  {role}: {len(of_role)}, in the first five {(np.array(of_role) < 5).mean():.1%}")


if __name__ == "__main__":
    main()
