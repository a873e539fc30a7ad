"""Bugs put in by hand, and how many of them the tests notice: cosmic-ray's mutations, in a sample.

    pip install cosmic-ray
    python benchmarks/mutation.py --rooms statistics metrics --sample 40 --seed 1

Each mutant is one changed place of one file in a copy of the project. First its own examples and the few files of
tests nearest to it are run, then all tests of its room, then what else may look at it, until one fails; a crash at
import is noticed as well, and so is a test that never ends. A test that noticed something is run without the change,
too: it must pass there. A mutant that no test notices is printed with its change, so that it can be judged, since it
may change nothing that anybody can see. What is never run (annotations) and what only spells messages is left out.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[1]
ROOMS = ("engine", "statistics", "metrics", "compiler")
# What else may notice a change of a room: of the rest, what looks at it, and takes no minutes.
BESIDE = {
    "engine": ["tests/unit/api/test_runs.py", "tests/unit/engine/test_intervals.py", "tests/cli/test_transcripts.py"],
    "statistics": ["tests/unit/engine/test_intervals.py", "tests/unit/metrics"],
    "metrics": ["tests/extensions/vision", "tests/parity/test_mmesgbench.py"],
    "compiler": ["tests/language", "tests/unit/test_api.py", "tests/diagnostics/test_cases.py"],
}
SLOW = re.compile("packaging|sandbox|remote|test_going_on|test_odd_steps|test_lock|test_workers|test_coverage")
"""Files of tests that kill processes, wait or simulate: they would make days of a sample."""
WHOLE = "tests/unit/api/test_figures_by_hand.py"
DOCTESTS = ["--doctest-modules", "-o", "doctest_optionflags=ELLIPSIS NORMALIZE_WHITESPACE"]
PATIENCE = 900
"""Seconds after which a mutant that goes on and on counts as noticed."""
NO_TESTS = 5
"""How pytest ends where it finds nothing to run, such as a module without examples."""
NEAREST = 4
"""So many files of tests are run first."""
_SKIPPED = re.compile(r"Variable|Decorator|BitOr|BitAnd|BitXor|Shift|_Eq_Is|_Is_Eq|_IsNot_NotEq|_NotEq_IsNot")


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: Path
    operator: str
    occurrence: int
    line: int


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every change of a file that its operators know."""
    from cosmic_ray.ast import get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    every, unseen = list(nodes(get_ast_from_path(path))), unseen_places(path)
    for name in sorted(operator_names()):
        if _SKIPPED.search(name):
            continue
        operator, occurrence = get_operator(name)(), 0
        for node in every:
            for start, _ in operator.mutation_positions(node):
                if not (is_marker(node) or any(first <= start <= last for first, last in unseen)):
                    yield Mutant(path, name, occurrence, start[0])
                occurrence += 1


def nodes(tree: Any) -> Iterator[Any]:
    """The nodes of a tree in the order in which cosmic-ray counts them."""
    yield tree
    for child in getattr(tree, "children", ()):
        yield from nodes(child)


def is_marker(node: Any) -> bool:
    """Whether a star or a stroke stands between parameters, or before arguments, and calculates nothing."""
    kind = getattr(getattr(node, "parent", None), "type", "")
    return getattr(node, "value", "") in ("*", "**", "/") and kind not in ("term", "power", "factor")


def unseen_places(path: Path) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """What is never run (annotations, aliases of types, imports for the type checker) and what spells messages."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        parts: list[ast.AST | None] = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            parts.append(node)
        if isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
            parts.append(node)
        if isinstance(node, ast.JoinedStr):
            parts.append(node)
        for part in parts:
            if isinstance(part, ast.expr | ast.stmt):
                found.append(((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0)))
    return found


def tests_of(mutant: Mutant, copy: Path) -> Iterator[list[str]]:
    """What is run for a mutant, the nearest tests first."""
    room, *inner = mutant.path.relative_to(copy / "scoring").with_suffix("").parts
    module = ".".join(("scoring", room, *inner))
    text = mutant.path.read_text("utf-8")
    names = set(re.findall(r"^(?:def|class) ([a-zA-Z]\w+)", text, re.MULTILINE)) | {inner[-1]}
    near = {}
    for path in sorted((copy / "tests").rglob("test_*.py")):
        if SLOW.search(str(path.relative_to(copy))):
            continue
        held = path.read_text("utf-8")
        closeness = 8 * (module in held) + 8 * (path.stem == f"test_{inner[-1]}") + 2 * (room in path.parts)
        near[path] = closeness + len(names & set(re.findall(r"\w+", held)))
    nearest = sorted(near, key=lambda path: -near[path])[:NEAREST]
    yield [str(path.relative_to(copy)) for path in (mutant.path, *nearest)]
    # The engine's own tests are many and slow: those nearest and whole runs stand for them.
    for tests in ([WHOLE] if room == "engine" else [WHOLE, f"tests/unit/{room}"], BESIDE[room]):
        yield [path for path in tests if (copy / path).exists()]


@dataclass
class Trial:
    """A copy of the project in which one place after the other is changed."""

    copy: Path
    sound: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)

    def is_noticed(self, mutant: Mutant) -> tuple[str, str]:
        """Which test fails with a change ("" when none does), and the change."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        place, before = mutant.path, mutant.path.read_text("utf-8")
        after = mutate_code(before, get_operator(mutant.operator)(), mutant.occurrence)
        if after is None:
            raise ValueError(f"{mutant} changes nothing")
        self.write(place, after)
        try:
            failing = next(filter(None, (self.failing(tests) for tests in tests_of(mutant, self.copy))), "")
        finally:
            self.write(place, before)
        if failing and failing not in self.sound:
            if self.failing([failing]):
                print(f"{failing} fails without a change, too, and is left out", flush=True)
                self.broken.append(failing)
                return self.is_noticed(mutant)
            self.sound.add(failing)
        return failing, changed(before, after)

    def write(self, place: Path, text: str) -> None:
        """Write a file, and forget what was compiled of it: two changes in one second look alike by time and size."""
        place.write_text(text, "utf-8")
        Path(cache_from_source(str(place))).unlink(missing_ok=True)

    def failing(self, tests: list[str]) -> str:
        """The first of some tests that fails in the copy, or does not end; "" when all pass."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", *DOCTESTS, *tests]
        command += [part for one in self.broken for part in ("--deselect", one)]
        surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        surroundings["PYTHONPATH"] = str(self.copy)  # programs that a test starts read the copy as well
        surroundings["CI"] = "1"  # the examples of laws are the same ones each time
        try:
            ran = subprocess.run(
                command, cwd=self.copy, env=surroundings, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return tests[0]
        told = re.search(r"^(?:FAILED|ERROR) (\S+::[^\[\s]+|\S+\.py)", ran.stdout, re.MULTILINE)
        return "" if ran.returncode in (0, NO_TESTS) else told[1] if told else tests[0]


def changed(before: str, after: str) -> str:
    """The lines that differ."""
    lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def main() -> None:
    """Draw, try, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), choices=ROOMS)
    parser.add_argument("--sample", type=int, default=50, help="mutants of all rooms together")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder) / "project")
        shutil.copytree(HOME, trial.copy, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".hypothesis"))
        drawn: list[Mutant] = []
        for room in options.rooms:
            found = [one for path in sorted((trial.copy / "scoring" / room).rglob("*.py")) for one in mutants_of(path)]
            print(f"{room}: {len(found)} mutants known", flush=True)
            drawn += draw.sample(found, min(len(found), options.sample // len(options.rooms)))
        draw.shuffle(drawn)  # so that a run that is stopped says something of every room
        tried, noticed = Counter[str](), Counter[str]()
        for mutant in drawn:
            place = mutant.path.relative_to(trial.copy)
            test, change = trial.is_noticed(mutant)
            tried[place.parts[1]] += 1
            noticed[place.parts[1]] += bool(test)
            print(f"{'noticed ' if test else 'SURVIVES'} {place}:{mutant.line}  {mutant.operator}  {test}", flush=True)
            if not test:
                print(change, flush=True)
    for room in options.rooms:
        print(f"{room}: {noticed[room]} of {tried[room]} noticed")
    print(f"{noticed.total()} of {tried.total()} mutants noticed ({noticed.total() / max(tried.total(), 1):.0%})")


if __name__ == "__main__":
    main()
