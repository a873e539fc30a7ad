"""Patterns that the field has written, and random texts: is each accepted, and does it find what Python's `re` finds?

    git clone --depth 1 https://github.com/EleutherAI/lm-evaluation-harness
    python benchmarks/pattern_corpus.py lm-evaluation-harness/lm_eval/tasks --texts 200

Reads every `regex_pattern`, `regexes_to_ignore` and the like of the YAML files below the folder, and every pattern that
is given to `re` as a literal in its Python files. Prints how many are accepted, each that is refused with the part that
makes it so underlined, and each text on which the two disagree. None of the patterns is kept.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from scoring.primitives.patterns.prepared import PatternError, TooCostly, prepare

KEYS = {"regex_pattern", "regexes_to_ignore", "regex", "pattern", "patterns"}
CALLS = {"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"}
PIECES = [
    "Answer", "answer is ", "The answer is ", "the final answer: ", "(A)", " B ", "C.", "D", "1,200", "-3.5", "$12",
    "12%", "#### ", "\\boxed{4}", "{", "}", "**", "`", "```\n", "<answer>", "</answer>", "yes", "No", "\n", "\n\n", " ",
    "  ", "\t", ".", ",", ":", "é", "İ", "ſ", "٣", "\u00a0", "\u2028", "答案：", "[1, 2]", "'x'", '"y"', "_",
    "\ud800", "\x00",
]  # fmt: skip


class _Loader(yaml.SafeLoader):
    """Takes tags of the tasks (`!function`) for their text."""


_Loader.add_multi_constructor("!", lambda loader, suffix, node: f"!{suffix}")


def of_yaml(folder: Path) -> Iterator[str]:
    """The patterns of YAML files."""
    for path in sorted([*folder.rglob("*.yaml"), *folder.rglob("*_yaml")]):
        try:
            yield from _held(_Loader(path.read_text("utf-8")).get_single_data())
        except yaml.YAMLError:
            print(f"not read: {path}")


def _held(value: Any, wanted: bool = False) -> Iterator[str]:
    if isinstance(value, str) and wanted:
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _held(one, key in KEYS)
    elif isinstance(value, list):
        for one in value:
            yield from _held(one, wanted)


def of_python(folder: Path) -> Iterator[str]:
    """The patterns that Python files give to `re` as literals."""
    for path in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(path.read_text("utf-8"))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS):
                continue
            is_re = isinstance(node.func.value, ast.Name) and node.func.value.id in ("re", "regex")
            if is_re and node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                yield node.args[0].value


def underlined(pattern: str, error: PatternError) -> str:
    """A pattern with the part below that makes it refused."""
    start, end = error.fault.start or 0, error.fault.end or len(pattern)
    return f"  {pattern!r}: {error}\n    {pattern}\n    {' ' * start}{'^' * max(1, end - start)}"


def main() -> None:
    """Print what is accepted, and where the engine and `re` disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=int, default=200, help="random texts for each pattern")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    for name, found in (("YAML", set(of_yaml(given.folder))), ("Python", set(of_python(given.folder)))):
        accepted, refused, different, compared = [], [], 0, 0
        started = time.process_time()
        for pattern in sorted(found):
            try:
                re.compile(pattern)
            except re.error:
                continue
            try:
                ready = prepare(pattern)
            except PatternError as error:
                refused.append(underlined(pattern, error))
                continue
            accepted.append(pattern)
            letters = re.findall(r"\w+|\W", pattern)
            for _ in range(given.texts):
                text = "".join(rng.choice(PIECES if rng.random() < 0.7 else letters) for _ in range(rng.randint(0, 14)))
                wanted = [(one.span(), one.groups()) for one in re.finditer(pattern, text)]
                try:
                    ours = [(one.span(), one.groups()) for one in ready.matches(text)]
                except TooCostly as error:
                    print(f"  {pattern!r}: {error}")
                    continue
                compared += 1
                if ours != wanted:
                    different += 1
                    print(f"  {pattern!r} differs on {text!r}")
        total = len(accepted) + len(refused)
        print(
            f"{name}: {len(accepted)} of {total} patterns accepted, {compared:,} searches compared, {different} differ"
        )
        print(f"  {time.process_time() - started:.1f} s CPU", *refused, sep="\n")


if __name__ == "__main__":
    main()
