"""Vectors of official code for trees, tables, queries and graphs: a checkout of it runs, and nothing of it is kept but
what it gave.

`python -m tests.parity.tree_vectors NAME CHECKOUT` prints those of one file in `tests/parity/data`; with `recipe`
behind it, the probes of the recipe of that name, in `tests/parity/recipes`. `CHECKOUT` is a folder with the official
files: EVALB's `evalb`, compiled, and `COLLINS.prm` for `parseval`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

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
        call = [checkout / "evalb", "-p", checkout / "COLLINS.prm", "-e", "1000000", *files]
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


MAKERS: dict[str, dict[str, Callable[[Path], Iterator[Row]]]] = {
    "data": {"parseval": parseval},
    "recipe": {"parseval": parseval_recipe},
}


if __name__ == "__main__":
    for row in MAKERS["recipe" if "recipe" in sys.argv else "data"][sys.argv[1]](Path(sys.argv[2])):
        print(json.dumps(row, ensure_ascii=False))
