"""Vectors of official code for trees, tables, queries and graphs: a checkout of it runs, and nothing of it is kept but
what it gave.

`python -m tests.parity.tree_vectors NAME CHECKOUT` prints those of one file in `tests/parity/data`; with `recipe`
behind it, the probes of the recipe of that name, in `tests/parity/recipes`. `CHECKOUT` is a folder with the official
files: EVALB's `evalb`, compiled, and `COLLINS.prm` for `parseval`; `grits.py` for `grits` and `grits-loc`;
`evaluation.py` and `process_sql.py` for `spider`; `smatch.py` and `amr.py` for `smatch`;
the folder EED for `subtree-edits` and `phybench`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from tests.parity.formula_vectors import phybench, phybench_recipe, subtree_edits
from tests.parity.graph_vectors import smatch, smatch_recipe
from tests.parity.query_vectors import spider, spider_recipe

Row = dict[str, Any]

# ---- trees in brackets

EVALB = "nikitakit/self-attentive-parser@24435a1 EVALB/evalb.c::calc_result"
PHRASES = ["S", "NP", "VP", "PP", "ADVP", "PRT", "NP-SBJ", "NP=2", "SBAR-NOM-1", "TOP"]
TAGS = ["NN", "VB", "DT", ",", ".", ":", "-NONE-", "RB", "PRT", "ADVP", "``", "CD-1"]
SENTENCES = ["", "rain falls", "the cat sat on a mat", "Zoë saw 猫", "a , b : c .", "` \" ' -LRB- ½"]


def _grown(draw: Random, leaves: list[str], phrases: list[str]) -> str:
    """A random tree over some leaves, which are trees themselves."""
    if len(leaves) == 1 and draw.random() < 0.6:
        return leaves[0]
    cuts = sorted(draw.sample(range(1, len(leaves)), min(len(leaves) - 1, draw.choice([1, 1, 2, 3]))))
    parts = [leaves[a:b] for a, b in zip([0, *cuts], [*cuts, len(leaves)], strict=True)]
    return f"({draw.choice(phrases)} {' '.join(_grown(draw, part, phrases) for part in parts)})"


def _sentence(draw: Random) -> tuple[str, str]:
    """Two trees, mostly over the same words."""
    words = draw.choice(SENTENCES).split() or ["x"]
    tags, phrases = draw.sample(TAGS, 3), draw.sample(PHRASES, draw.choice([1, 2, 4]))
    chosen = [draw.choice(tags) for _ in words]
    others = [draw.choice(tags) if draw.random() < 0.15 else tag for tag in chosen]
    said = ["y" if draw.random() < 0.03 else word for word in words]
    mine, theirs = (
        f"(TOP {_grown(draw, [f'({tag} {word})' for tag, word in zip(*one, strict=True)], phrases)})"
        for one in ((others, said), (chosen, words))
    )
    return (theirs if draw.random() < 0.1 else mine), theirs


def _evalb(checkout: Path, pairs: list[tuple[str, str]]) -> list[Row]:
    """What EVALB counts for each pair of a prediction and a reference, and in its last row for all of them."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("gold", "test")]
        for file, side in zip(files, (1, 0), strict=True):
            file.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
        call: list[str | Path] = [checkout / "evalb", "-p", checkout / "COLLINS.prm", "-e", "1000000", *files]
        printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    rules = [place for place, line in enumerate(printed.splitlines()) if line.startswith("=====")]
    names = ("shared", "gold", "found", "crossing", "words", "tags")
    rows = [line.split() for line in printed.splitlines()[rules[0] + 1 : rules[1]]]
    assert len(rows) == len(pairs)
    return [{"status": int(row[2]), **dict(zip(names, map(int, row[5:11]), strict=True))} for row in rows]


def _tree_pairs() -> list[tuple[str, str]]:
    draw = Random(43)
    tree = "(TOP (S (NP-SBJ (DT the) (NN cat)) (VP (VBD sat) (PRT (RP down))) (. .)))"
    odd = ["", " ", "()", "(NN)", "(NN x)", "( (S (NN x)))", "(S (NN ))", "( x)", "(S (NP) (NN x))", "(S (, ,))"]
    odd += ["(S (NN x)) (NP (NN y))", "(S\t(NN\tx) )", "(S(NP(NN x)))", "(-NONE- (NN x))", "(, (NN x))", "(S=1 (A b))"]
    pairs = [(one, one) for one in odd] + [(one, "(S (NN x))") for one in odd]
    pairs += [(tree, tree.replace("PRT", "ADVP")), (tree.replace("(. .)", "(NN .)"), tree), (tree[:-1], tree)]
    return pairs + [_sentence(draw) for _ in range(160)]


def parseval(checkout: Path) -> Iterator[Row]:
    """Yield pairs of trees with EVALB's counts; its status is 0 where it counts them, and they are its zeros if not."""
    yield {"official": EVALB, "note": "with COLLINS.prm"}
    pairs = _tree_pairs()
    for (prediction, reference), counts in zip(pairs, _evalb(checkout, pairs), strict=True):
        yield {"prediction": prediction, "reference": reference, **counts}


def parseval_recipe(checkout: Path) -> Iterator[Row]:
    """Yield sets of sentences with the figures of EVALB's counts."""
    note = "figures of the counts that it prints, since it prints two decimals of them; shares, not per cent"
    yield {"official": EVALB, "per": "set", "tolerance": 1e-12, "note": note}
    draw, pairs = Random(47), _tree_pairs()
    for size in [1] * 10 + [2] * 10 + [5] * 10 + [12] * 10:
        some = draw.sample(pairs, size)
        rows = [row for row in _evalb(checkout, some) if row["status"] == 0]
        total = {name: sum(row[name] for row in rows) for name in rows[0]} if rows else {}
        if not total or not total["shared"]:
            continue
        figures = {
            "f1": 2 * total["shared"] / (total["gold"] + total["found"]),
            "precision": total["shared"] / total["found"],
            "recall": total["shared"] / total["gold"],
            "crossing": total["crossing"] / len(rows),
            "tagging": total["tags"] / total["words"],
            "complete": sum(row["shared"] == row["gold"] == row["found"] for row in rows) / len(rows),
        }
        yield {"records": [{"response": one, "reference": other} for one, other in some], "figures": figures}


# ---- tables

GRITS = "microsoft/table-transformer@16d124f src/grits.py"
CELLS = [
    "",
    "a",
    "b",
    "Total",
    "1,000",
    "Größe",
    "人口",
    "total (%)",
    "a &amp; b",
    "<b>x</b>y",
    "x<br/>y z",
    " two  blanks ",
]


def _table(draw: Random, height: int, width: int, texts: list[str]) -> str:
    """A table of HTML whose cells, of which some span others, fill a grid."""
    taken: set[tuple[int, int]] = set()
    rows = []
    for row in range(height):
        cells = []
        for column in range(width):
            if (row, column) in taken:
                continue
            wide, tall = (draw.choice([1, 1, 1, 1, 2, 3]) for _ in "12")
            wide, tall = min(wide, width - column), min(tall, height - row)
            while any((row, column + over) in taken for over in range(wide)):
                wide -= 1
            taken |= {(row + down, column + over) for down in range(tall) for over in range(wide)}
            spans = (f' colspan="{wide}"' if wide > 1 else "") + (f' rowspan="{tall}"' if tall > 1 else "")
            tag = "th" if row == 0 and draw.random() < 0.5 else "td"
            cells.append(f"<{tag}{spans}>{draw.choice(texts)}</{tag}>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _table_pairs(draw: Random) -> Iterator[tuple[str, str]]:
    for most in (1, 2, 2, 3, 3, 4, 5):
        for _ in range(14):
            texts = draw.sample(CELLS, draw.choice([1, 3, 6, len(CELLS)]))
            sides = [_table(draw, draw.randint(1, most), draw.randint(1, most), texts) for _ in "12"]
            if draw.random() < 0.6:  # the same table, changed a little
                sides[0] = sides[1].replace(f">{draw.choice(texts)}<", f">{draw.choice(CELLS)}<", draw.randint(1, 3))
            yield sides[0], sides[1]
    long = ["".join(draw.choices("abcde é", k=size)) for size in (150, 199, 200, 260)]
    yield from ((_table(draw, 2, 2, long), _table(draw, 2, 2, long)) for _ in range(4))


# Cells that span more rows than are written, others that lie over them, and rows without cells at the end.
FAR_SPANS = [
    '<table><tr><td>a</td><td rowspan="3">b</td></tr><tr><td rowspan="2">c</td></tr></table>',
    '<table><tr><td rowspan="2">a</td></tr></table>',
    "<table><tr><td>a</td></tr><tr></tr><tr></tr></table>",
    '<table><tr><td>a</td><td rowspan="3">b</td><td>z</td></tr><tr><td colspan="2">c</td><td>d</td></tr>'
    "<tr><td>e</td><td>f</td></tr></table>",
]


def _far_spans() -> Iterator[tuple[str, str]]:
    yield from ((one, other) for one in FAR_SPANS for other in FAR_SPANS)


def _grits(checkout: Path) -> Any:
    sys.path.insert(0, str(checkout))
    return import_module("grits")


def grits(checkout: Path) -> Iterator[Row]:
    """Yield pairs of tables of HTML with their similarity by text and by the spans of cells."""
    yield {"official": f"{GRITS}::grits_from_html", "note": "F, precision and recall of both"}
    module = _grits(checkout)
    for prediction, reference in chain(_table_pairs(Random(53)), _far_spans()):
        made = module.grits_from_html(reference, prediction)
        kept = {name.removeprefix("grits_"): float(made[name]) for name in made if "bound" not in name}
        yield {"prediction": prediction, "reference": reference, **kept}


def grits_recipe(checkout: Path) -> Iterator[Row]:
    """Yield records of two tables with their similarity; at an empty response, no table, the code breaks off."""
    note = "F of texts and of spans, whose overlap is divided by the box around both, where the paper says union; "
    note += (
        "the official code breaks off where a text is no table: here it scores 0; it reads XML, where a table is read "
    )
    note += (
        "here as browsers do: tags and attributes in capitals are none there, a cell needs no table around it, and the "
    )
    note += "rows of a table in a cell are rows of the one around it"
    yield {"official": f"{GRITS}::grits_from_html", "per": "record", "tolerance": 1e-12, "note": note}
    module, draw = _grits(checkout), Random(59)
    for prediction, reference in chain(list(_table_pairs(draw))[::2], _far_spans()):
        made = module.grits_from_html(reference, prediction)
        fields = {"text": made["grits_con"], "spans": made["grits_top"]}
        yield {"record": {"response": prediction, "reference": reference}, "fields": fields}
    none = {"text": 0.0, "spans": 0.0}
    yield {"record": {"response": "", "reference": "<table><tr><td>é</td></tr></table>"}, "fields": none}


def _boxes(draw: Random, height: int, width: int, unit: float) -> list[list[list[float]]]:
    """Boxes of a grid whose lines are not quite straight."""

    def near(value: int) -> float:
        return (8 * value + draw.choice([0, 0, 1, 2])) * unit

    lines = [[near(row) for row in range(height + 1)], [near(column) for column in range(width + 1)]]
    grid = [
        [[lines[1][column], lines[0][row], lines[1][column + 1], lines[0][row + 1]] for column in range(width)]
        for row in range(height)
    ]
    if draw.random() < 0.3:
        grid[0][0] = [*grid[0][0][:2], *grid[-1][-1][2:]]
    return grid


def grits_loc(checkout: Path) -> Iterator[Row]:
    """Yield pairs of grids of boxes with their similarity."""
    yield {"official": f"{GRITS}::grits_loc", "note": "its boxes have single precision: multiples of 1/4 are exact"}
    yield from (row["record"] | {"loc": row["score"]} for row in _loc_probes(_grits(checkout), Random(61), 90))


def grits_loc_recipe(checkout: Path) -> Iterator[Row]:
    """Yield records of two grids of boxes with their similarity."""
    note = "its boxes have single precision; those of probes are exact in it. It divides by the box around both boxes"
    yield {"official": f"{GRITS}::grits_loc", "per": "record", "tolerance": 1e-12, "note": note}
    yield from _loc_probes(_grits(checkout), Random(67), 45)


def _loc_probes(module: Any, draw: Random, number: int) -> Iterator[Row]:
    numpy = import_module("numpy")
    for _ in range(number):
        unit, most = draw.choice([1, 0.25]), draw.choice([1, 2, 3, 5])
        sides = [_boxes(draw, draw.randint(1, most), draw.randint(1, most), unit) for _ in "12"]
        score = float(module.grits_loc(numpy.array(sides[1]), numpy.array(sides[0]))[0])
        yield {"record": {"response": sides[0], "reference": sides[1]}, "score": score}


MAKERS: dict[str, dict[str, Callable[[Path], Iterator[Row]]]] = {
    "data": {
        "parseval": parseval,
        "grits": grits,
        "grits-loc": grits_loc,
        "spider": spider,
        "smatch": smatch,
        "subtree-edits": subtree_edits,
        "phybench": phybench,
    },
    "recipe": {
        "parseval": parseval_recipe,
        "grits": grits_recipe,
        "grits-loc": grits_loc_recipe,
        "spider": spider_recipe,
        "smatch": smatch_recipe,
        "phybench": phybench_recipe,
    },
}


if __name__ == "__main__":
    for row in MAKERS["recipe" if "recipe" in sys.argv else "data"][sys.argv[1]](Path(sys.argv[2])):
        print(json.dumps(row, ensure_ascii=False))
