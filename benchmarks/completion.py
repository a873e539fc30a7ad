"""How often completions have the right next step, at positions of the shipped specs, and the trees of their order.

    python -m benchmarks.completion [SHARE [SEED]] [--alone] [--write]

Each position is the name of a step in an expression of a shipped spec. The text is cut there: the rest of the
expression is removed, the rest of the file stays, and nothing of the name is typed yet. Habits are counted, and shipped
specs read, without the file of the position and those of its family, whose names begin with the same word (`squad-1`,
`squad-2`, `squad-helm`), and trees are fitted on families of other folds, so nothing is known of the file but its text.
With `--alone` each file is a family of its own, and its siblings are known: an easier measure. SHARE of the positions
are drawn by SEED. With `--write` the trees of all positions that were drawn become those of the editors.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.boosting import Forest, boosted, summed
from scoring.extensions.editors.candidates import NextName
from scoring.extensions.editors.completing import candidates_in
from scoring.extensions.editors.continuations import Continuations
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


def rows_of(chosen: list[HeldOut], families: Families = family_of) -> tuple[list[Row], int]:
    """Return positions with the signs of their candidates, and how many have the right step not in the list."""
    import numpy as np

    rows, missing = list[Row](), 0
    last: Path | None = None
    habits: Habits = {}
    shipped = Continuations(())
    for one in chosen:
        if one.path != last:
            last, habits = one.path, habits_without(one.path, families)
            shipped = continuations_without(one.path, families)
        found, candidates = asked(one)
        right = place_in(candidates, one.name)
        if right is None:
            missing += 1
            continue
        rows.append((one, np.array(Ranking(found, habits, shipped).signs_of(candidates), dtype=np.float32), right))
    return rows, missing


def fitted(rows: list[Row]) -> Forest:
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
    return signs[np.concatenate([[right], others[:48], others[48 :: max(len(others) // 30, 1)]])]


def ranks_of(rows: list[Row], families: Families) -> list[int]:
    """Return the rank, from 0, of the right step at each position by trees that were fitted on other families."""
    names = sorted({families(one.path) for one, *_ in rows})
    random.Random(0).shuffle(names)
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    ranks = [0] * len(rows)
    for number in range(FOLDS):
        forest = fitted([row for row in rows if fold[families(row[0].path)] != number])
        for at, (one, signs, right) in enumerate(rows):
            if fold[families(one.path)] == number:
                raw = summed(forest, signs) + BY_HABIT * signs[:, HABIT]
                ranks[at] = int((raw > raw[right]).sum() + (raw[:right] == raw[right]).sum())  # alike ones keep order
    return ranks


def main() -> None:
    """Fit trees, and print how good their order is, cross validated by family; write them with `--write`."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    families = alone if "--alone" in sys.argv else family_of
    chosen = drawn(float(words[0]) if words else 1.0, int(words[1]) if len(words) > 1 else 7)
    rows, missing = rows_of(chosen, families)
    if "--write" in sys.argv:
        forest = fitted(rows)
        parts = [[json.dumps(one, separators=(",", ":")) for one in part] for part in (forest.cuts, forest.trees)]
        TREES.write_text("[[" + "],\n[".join(",\n".join(lines) for lines in parts) + "]]\n", encoding="utf-8")
    by_kind: dict[str, list[int]] = defaultdict(list)
    for (one, *_), rank in zip(rows, ranks_of(rows, families), strict=True):
        for kind in ("all", one.role, f"{one.role}, {one.where}"):
            by_kind[kind].append(rank)
    total = len(rows) + missing
    print(f"{total} positions: in the list {len(rows) / total:.1%}", end="")
    every = by_kind.pop("all")
    print("".join(f", in the first {most} {sum(rank < most for rank in every) / total:.1%}" for most in (1, 5, 10, 20)))
    for kind, ranks in sorted(by_kind.items()):
        print(f"  {kind}: {len(ranks)}, in the first five {sum(rank < 5 for rank in ranks) / len(ranks):.1%}")


if __name__ == "__main__":
    main()
