"""Graphs in PENMAN notation for `tree_vectors.py`, and what the released Smatch makes of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]
SMATCH = "snowblink14/smatch@c01a838 smatch.py::get_amr_match"
RESTARTS = 300
CONCEPTS = ["want-01", "boy", "girl", "go-02", "Stadt", "猫", "and", "name", "date-entity", "possible-01"]
RELATIONS = [":ARG0", ":ARG1", ":arg1", ":mod", ":domain", ":ARG0-of", ":op1", ":op2", ":time", ":consist-of"]
CONSTANTS = ["-", "2002", '"São"', '"New York"', "expressive", '"12:30"', '"a/b (c)"', "imperative"]
ODD = ["", "(a / b", "(a)", "a / b", "(a / b))", "(a / b :c)", "(a / b :c d", "(a / b :c (d / e)", "(a / b :c (a / e))",
       "# only a comment", "(a / b (c / d))", "(a / b) (c / d)", "(a / b :c d :e \"f\" :g a)", "(x / y :z-of \"k\")",
       "(a / b :mod (c / d) :mod-of (e / f))", "(a / b\n  :c d\n  :e f)", "# ::id 1\n(a / B_ :C \"D\")\n\n(x / y)",
       "(a / b :c-of a)", "(:r (a / b))", "(a / b :r :s t)", "(a :r b / c)", "(a / b :c ((d / e)))"]  # fmt: skip
SOUND = '(a / b :c (d / e) :f "g")'
INSTANCES = ["(a / c :instance b)", "(a / c :Instance (d / g))", '(a / b :c (d / "instance") :instance a)']


def _graph(draw: Random, size: int) -> tuple[list[str], list[tuple[str, int, int]], list[tuple[str, int, str]]]:
    """Concepts, a tree of relations with some more of them, and constants."""
    concepts = [draw.choice(CONCEPTS) for _ in range(size)]
    relations = [(draw.choice(RELATIONS), draw.randrange(place), place) for place in range(1, size)]
    for _ in range(draw.choice([0, 0, 1, 2])):
        relations.append((draw.choice(RELATIONS), draw.randrange(size), draw.randrange(size)))
    constants = [
        (draw.choice(RELATIONS), draw.randrange(size), draw.choice(CONSTANTS)) for _ in range(draw.randint(0, 2))
    ]
    return concepts, relations, constants


def _written(draw: Random, graph: Any, names: list[str]) -> str:
    concepts, relations, constants = graph

    def node(place: int) -> str:
        parts = [f"{relation} {value}" for relation, source, value in constants if source == place]
        parts += [
            f"{relation} {inner(target, at)}"
            for at, (relation, source, target) in enumerate(relations)
            if source == place
        ]
        draw.shuffle(parts)
        return f"({names[place]} / {' '.join([concepts[place], *parts])})"

    def inner(target: int, at: int) -> str:
        return node(target) if target == at + 1 else names[target]

    return node(0)


def _pairs(draw: Random, number: int) -> Iterator[tuple[str, str]]:
    yield from ((one, other) for one in ODD for other in (SOUND, one))
    for _ in range(number):
        size = draw.choice([1, 2, 3, 4, 5, 6, 8])
        graph: Any = _graph(draw, size)
        other: Any = [[*part] for part in graph]
        for part in other:
            for at, item in enumerate(part):
                if draw.random() < 0.15:
                    new = draw.choice(RELATIONS)
                    part[at] = draw.choice(CONCEPTS) if isinstance(item, str) else (new, *item[1:])
        if draw.random() < 0.15:
            other = _graph(draw, draw.choice([1, 3, 5]))
        names = [f"v{place}" for place in range(max(size, 8))]
        left = _written(draw, other, draw.sample(names, len(names)))
        yield left.replace(" :", "\n    :") if draw.random() < 0.3 else left, _written(draw, graph, names)


def _matched(module: Any, pair: tuple[str, str]) -> list[int] | None:
    """The triples that both share, and those of each side; None where the code breaks off."""
    lines = [module.amr.AMR.get_amr_line(text.split("\n")) for text in pair]
    module.match_triple_dict.clear()
    try:
        return [*map(int, module.get_amr_match(*lines))]
    except (AttributeError, IndexError, ValueError, TypeError):
        return None


def _repeats(module: Any, text: str) -> bool:
    """Whether a graph has a triple twice: the code then counts each with each."""
    graph = module.amr.AMR.parse_AMR_line(module.amr.AMR.get_amr_line(text.split("\n")))
    triples = [str(one).lower() for part in graph.get_triples() for one in part]
    return len(set(triples)) < len(triples)


def _official(checkout: Path) -> Any:
    sys.path.insert(0, str(checkout))
    module: Any = import_module("smatch")
    module.iteration_num = RESTARTS
    module.ERROR_LOG = module.amr.ERROR_LOG = open("/dev/null", "w")  # noqa: SIM115
    return module


def _rows(module: Any, pairs: Iterator[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], list[int] | None]]:
    for pair in pairs:
        counts = _matched(module, pair)
        if counts is None or not any(_repeats(module, text) for text in pair):
            yield pair, counts


def smatch(checkout: Path) -> Iterator[Row]:
    """Yield pairs of graphs with the counts of the released code after many restarts; null where it breaks off."""
    yield {"official": SMATCH, "note": f"{RESTARTS} restarts; no triple is in a graph twice"}
    instances = [(one, other) for one in INSTANCES for other in (SOUND, *INSTANCES)]
    for (prediction, reference), counts in _rows(_official(checkout), iter([*_pairs(Random(79), 220), *instances])):
        yield {"prediction": prediction, "reference": reference, "counts": counts}


def smatch_recipe(checkout: Path) -> Iterator[Row]:
    """Yield sets of graphs with the figures of the counts."""
    note = f"{RESTARTS} restarts, where 4 are its default; what is no graph, at which it breaks off, is left out here; "
    note += "not imitated: a triple that graphs repeat counts there each with each, also above 1, and a variable that "
    note += "opens again before it has a concept has all its triples twice"
    yield {"official": SMATCH, "per": "set", "tolerance": 1e-12, "note": note}
    draw = Random(83)
    rows = [*_rows(_official(checkout), _pairs(draw, 120))]
    for size in [1] * 8 + [3] * 16 + [10] * 12:
        some = draw.sample(rows, size)
        counts = [one for _, one in some if one is not None]
        shared, said, right = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
        if shared:
            figures = {"f1": 2 * shared / (said + right), "precision": shared / said, "recall": shared / right}
            yield {"records": [{"response": one, "reference": other} for (one, other), _ in some], "figures": figures}
