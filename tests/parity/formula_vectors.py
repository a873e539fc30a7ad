"""Trees and formulas for `tree_vectors.py`, and what the released EED score of PHYBench makes of them."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]
EED = "phybench-official/phybench@d9db3ec EED"
LABELS = ["number_2", "symbol_x", "symbol_y", "operator_Add", "operator_Mul", "function_sin"]
ATOMS = ["x", "y", "m", "g", "v_{0}", "2", "3", "R", "L", "\\omega", "\\mu"]
SHAPES = ["{} {}", "{} + {}", "{} - {}", "\\frac{{{}}}{{{}}}", "({} + {}) ({} - {})", "\\sqrt{{{}}}", "{}^{{2}}",
          "\\sin({})", "\\frac{{{} + {}}}{{{}}}", "\\frac{{1}}{{2}} {} {}^{{2}}", "\\sqrt{{\\frac{{2 {}}}{{{}}}}}",
          "\\cos({}) + {}"]  # fmt: skip
ODD = [
    *(("", "x"), ("2 x", "x + x"), ("\\int x dx", "x"), ("x^2", "x"), ("\\boxed{x}", "x"), ("x = 3 y", "3 y")),
    *(("m g h", "m g h + \\frac{1}{2} m v^2"), ("\\sum x", "x"), ("xxxxxxxxx", "x y"), ("(", "x"), ("é", "x")),
]
# Accents, faces, names by which the parts of a tree are ordered, a logarithm, and brackets that close nothing.
DRESSED = [
    *(
        ("\\dot{x} y", "x \\dot{y}"),
        ("\\dot{x} \\dot{x}", "\\dot{x}^2"),
        ("2 \\ddot{\\theta}", "\\frac{\\ddot{\\theta}^2}{m}"),
    ),
    *(("\\vec{F} \\cdot \\vec{r}", "\\vec{r} \\cdot \\vec{F}"), ("\\mathrm{e}^{-R}", "e^{-x}"), ("\\hat{x} y", "x y")),
    *(
        ("\\frac{\\theta \\epsilon_0}{r_2}", "\\frac{L \\epsilon_0}{\\epsilon_1 r_2}"),
        ("\\mathbf{a} b", "a \\mathbf{b}"),
    ),
    *(
        ("\\log(T)", "\\log(x)"),
        ("\\frac{\\mu_0 I}{2 r}", "\\frac{\\mu_0 I R}{2 \\pi r}"),
        ("E_0 \\cos(v x)", "E_0 \\cos(k t)"),
    ),
    *(("2 (\\frac{h}{m}))", "\\frac{h}{m}"), ("h + 1) m", "h + 1"), ("v_{\\text{max}} m", "v_{max} m")),
]


def _grown(draw: Random, size: int) -> list[Any]:
    """A random tree of so many nodes."""
    label = draw.choice(LABELS)
    left, parts = size - 1, []
    while left > 0:
        part = draw.randint(1, left)
        parts.append(_grown(draw, part))
        left -= part
    return [label, *parts]


def _changed(draw: Random, tree: list[Any]) -> list[Any]:
    label = draw.choice(LABELS) if draw.random() < 0.1 else tree[0]
    parts = [_changed(draw, part) for part in tree[1:] if draw.random() > 0.12]
    if draw.random() < 0.12:
        parts.insert(draw.randint(0, len(parts)), _grown(draw, draw.choice([1, 2, 6, 9])))
    return [label, *parts]


def _official(checkout: Path) -> Any:
    sys.path.insert(0, str(checkout))
    return import_module("EED")


def subtree_edits(checkout: Path) -> Iterator[Row]:
    """Yield pairs of trees with their extended edit distance."""
    yield {"official": f"{EED}/extended_zss.py::ext_distance", "note": "with the costs of EED.py"}
    draw, module, trees = Random(89), _official(checkout), import_module("extended_zss")

    def node(tree: list[Any]) -> Any:
        return module.TreeNode(label=tree[0], children=[node(part) for part in tree[1:]])

    for _ in range(160):
        reference = _grown(draw, draw.choice([1, 2, 4, 7, 12, 20, 30]))
        prediction = _changed(draw, reference) if draw.random() < 0.7 else _grown(draw, draw.choice([1, 3, 9, 20]))
        sides = [node(prediction), node(reference)]
        distance = trees.ext_distance(
            *sides, lambda one: one.get_children(), module.insert_func, module.insert_tree_func, module.remove_func,
            module.remove_tree_func, module.update_func,
        )  # fmt: skip
        relative = distance / module.calc_tree_size(sides[1])
        yield {
            "prediction": prediction,
            "reference": reference,
            "distance": float(distance),
            "relative": float(relative),
        }


def _formula(draw: Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(ATOMS)
    shape = draw.choice(SHAPES)
    return shape.format(*(_bracketed(draw, depth - 1) for _ in range(shape.count("{}"))))


def _bracketed(draw: Random, depth: int) -> str:
    inner = _formula(draw, depth)
    return inner if inner in ATOMS else f"({inner})"


def _formulas(draw: Random, number: int) -> Iterator[tuple[str, str]]:
    yield from ODD
    for _ in range(number):
        right = _formula(draw, draw.choice([1, 2, 2]))
        words = re.findall(r"\\[a-z]+|v_\{0\}|.", right)
        places = [at for at, word in enumerate(words) if word in ATOMS]
        for at in draw.sample(places, min(len(places), draw.choice([0, 1, 1, 2]))):
            words[at] = f" {draw.choice(ATOMS)} "
        said, kind = "".join(words), draw.random()
        said = f"{said} + {draw.choice(ATOMS)}" if kind < 0.15 else f"2 ({said})" if kind < 0.25 else said
        said = _formula(draw, 2) if kind > 0.9 else said
        # Parsers read `2 3` as one number or as two; a reference over 0 has no score here, and officially 0.
        if not re.search(r"\d[\s(]+\d|\((\S+) - \1\)", f"{said} {right}".replace("^{2}", "")):
            yield said, right


def _score(module: Any, said: str, right: str) -> float:
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        return float(module.EED(right, said)[0]) / 100


def phybench(checkout: Path) -> Iterator[Row]:
    """Yield pairs of formulas with their score."""
    yield {"official": f"{EED}/EED.py::EED", "note": "it reads formulas by latex2sympy2_extended, over 100"}
    module = _official(checkout)
    for said, right in [*_formulas(Random(97), 80), *DRESSED]:
        yield {"prediction": said, "reference": right, "score": _score(module, said, right)}


def phybench_recipe(checkout: Path) -> Iterator[Row]:
    """Yield records of two formulas with their score."""
    note = "it reads formulas by latex2sympy2_extended, where SymPy's parser reads them here: numbers side by side, "
    note += "and what is behind a sign of comparison other than =, can differ; a reference over 0 has no score here; "
    note += "over 100; not imitated: only what is behind the last \\le is read there, also behind that of \\left; "
    note += "\\gamma is Euler's constant, which has no tree; \\times and \\partial are letters; a derivative of one "
    note += "letter by another is 0; the text around a box is read, too; integrals and sums score 0"
    yield {"official": f"{EED}/EED.py::EED", "per": "record", "tolerance": 1e-9, "note": note}
    module = _official(checkout)
    for said, right in [*_formulas(Random(101), 30), *DRESSED]:
        yield {"record": {"response": said, "reference": right}, "score": _score(module, said, right)}
