"""Count what an author has to know for the twenty commonest tasks: keys, kinds of expressions, roots, combinators.

    python -m benchmarks.concepts              # of the recipes here
    python -m benchmarks.concepts REVISION     # of the same recipes at a commit

Words are not counted: steps and metrics that take no pipeline are found by `scoring list`, as in any library.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from scoring.registry import registry

FOLDER = Path(__file__).parents[1] / "specs" / "cookbook"
TASKS = [
    *(
        "squad-1",
        "nq",
        "gsm8k-lm-eval-flexible",
        "mmlu",
        "mmlu-pro",
        "gpqa",
        "triviaqa",
        "drop",
        "math",
        "bbh",
        "humaneval",
    ),
    *("ifeval", "hellaswag", "vqa", "docvqa", "rouge", "bleu-chrf-ter", "conll", "retrieval", "mt-bench"),
]
_HEAD = frozenset({"kind", "name", "version", "edition", "doc", "source", "examples"})
_ROOTS = ("prediction", "reference", "parsed", "record", "context", "item", "values", "@")
_COMBINATORS = {one.name for one in registry if one.kind == "combinator"} | {"average_of"}
_QUOTED = re.compile(r'r?"(?:[^"\\]|\\.)*"')
_CONSTRUCTS = {
    "pipeline": re.compile(r"\|"),
    "formula": re.compile(r"==|[<>]=?|(?<![\w(,=|-])\s[-+*/]\s|\bif\("),
    "pattern": re.compile(r"\b(?:find|find_all|matches|replace_pattern|split_pattern)\("),
}


def main() -> None:
    """Print how many concepts each task needs, how many all need together, and how many tasks need each."""
    revision = sys.argv[1] if len(sys.argv) > 1 else None
    found = {name: concepts(yaml.safe_load(text_of(name, revision))) for name in TASKS}
    sizes = sorted(len(one) for one in found.values())
    together = len(set().union(*found.values()))
    print(f"together {together}, of a task {sizes[len(sizes) // 2]} (median), {sum(sizes)} in sum")
    for name, one in found.items():
        print(f"  {len(one):2}  {name}")
    for concept, count in Counter(word for one in found.values() for word in one).most_common():
        print(f"  {count:2} × {concept}")


def text_of(name: str, revision: str | None) -> str:
    """Return the text of a recipe, here or at a commit."""
    if revision is None:
        return (FOLDER / f"{name}.yaml").read_text("utf-8")
    call = ["git", "show", f"{revision}:specs/cookbook/{name}.yaml"]
    return subprocess.run(call, capture_output=True, check=True, text=True, cwd=FOLDER).stdout


def concepts(spec: dict[str, Any]) -> set[str]:
    """Return the concepts that a spec uses, as words."""
    found = {f"key {'.'.join(path)}" for path in _keys(spec)}
    for path, text in _texts(spec):
        bare = _QUOTED.sub('""', text)
        if path[0] == "record":
            found |= set() if re.fullmatch(r"[\w.]+", text) else {"JMESPath"}
            continue
        found |= {name for name, sign in _CONSTRUCTS.items() if sign.search(bare)}
        found |= {name for name in _COMBINATORS if re.search(rf"(?<![\w.]){name}\(", bare)}
        found |= {f"root {root}" for root in _ROOTS if re.search(rf"(?<![\w.\"]){root}(?![\w=])", bare)}
        if path[0] == "metrics" and re.search(r"\b(?:sum|mean|count|per|if)\((?!field)", bare):
            found.add("figure formula")
        if any(re.search(rf"(?<![\w.]){alias}\.", bare) for alias in spec.get("imports", ())):
            found.add("definition of a pack")
    return found


def _keys(spec: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in spec.items():
        if key in _HEAD:
            continue
        yield (key,)
        inner = value.values() if key in ("fields", "transforms", "scorers") else [value] if key == "record" else ()
        for one in inner:
            if isinstance(one, dict):
                yield from ((key, "…", name) for name in one if name not in _HEAD)


def _texts(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if path or key not in {*_HEAD, "imports"}:
                yield from _texts(value, (*path, str(key)))
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value, path)
    else:
        yield path, str(node)


if __name__ == "__main__":
    main()
