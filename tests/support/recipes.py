"""Recipes of the cookbook, and the probes that hold each to the official code.

A recipe is `specs/cookbook/<slug>.yaml`; its probes are `tests/parity/recipes/<slug>.jsonl`, whose first line is

    {"official": "owner/repo@commit path::function", "per": "record", "tolerance": 0, "note": "…"}

and every further line one probe with what the official code gave for it. Per record it has a ``record`` and what is
expected of its result: ``score`` (null where there must be none), ``status``, ``passed``, or ``fields`` with the scores
of some; a ``reason`` is for people. Per set it has ``records``, and ``figures`` by the names of the spec's metrics.
Where the recipe asks a judge, ``replies`` are what a stub server answers: a list for a record, a list for each record
of a set.
"""

from __future__ import annotations

import contextlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from scoring.extensions.judge.asking.opening import open_judge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import use_judge
from scoring.extensions.reference.cookbook import recipe_kind, recipe_kinds
from scoring.extensions.sandbox import CaseResult, SandboxJob, current_sandbox
from scoring.result import RecordResult
from tests.support.judge_server import Body, JudgeServer
from tests.support.missing_extras import skip_without

REPOSITORY = Path(__file__).resolve().parents[2]
COOKBOOK = REPOSITORY / "specs" / "cookbook"
PROBES = REPOSITORY / "tests" / "parity" / "recipes"

MOST_LINES = 15
MOST_LINES_OF = {"ifeval": 40}
FEWEST_PROBES = 30


@dataclass(frozen=True)
class Recipe:
    """A spec and its probes, as they lie there."""

    slug: str

    @property
    def spec(self) -> Path:
        return COOKBOOK / f"{self.slug}.yaml"

    @property
    def probe_file(self) -> Path:
        return PROBES / f"{self.slug}.jsonl"

    @property
    def lines(self) -> int:
        """The lines of the spec that are neither blank nor comment, without the edition, and without the layouts of
        files, which are no part of the rule."""
        rule = self.spec.read_text(encoding="utf-8").partition("\nlayouts:\n")[0]
        lines = map(str.strip, rule.splitlines())
        return sum(1 for line in lines if line and not line.startswith(("#", "edition:")))

    @cached_property
    def _held(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.probe_file.read_text(encoding="utf-8").splitlines()]

    @property
    def header(self) -> dict[str, Any]:
        return self._held[0]

    @property
    def probes(self) -> list[dict[str, Any]]:
        return self._held[1:]

    def close(self, found: float | None, expected: float | None) -> bool:
        """Whether a number is the official one; None is near nothing else."""
        if found is None or expected is None:
            return found is expected
        return found == expected or abs(found - expected) <= self.header["tolerance"]


def recipes() -> list[Recipe]:
    return [Recipe(path.stem) for path in sorted(COOKBOOK.glob("*.yaml"))]


def kinds() -> dict[str, str]:
    """What the field scores: a title by slug."""
    return {kind.slug: kind.title for kind in recipe_kinds(COOKBOOK)}


def kind_of(slug: str) -> str | None:
    """The kind that a recipe belongs to."""
    return recipe_kind(slug, set(kinds()))


def missing() -> dict[str, str]:
    """The kinds that have no recipe, with the reasons."""
    return tomllib.loads((PROBES / "missing.toml").read_text(encoding="utf-8"))


def differences(recipe: Recipe, probe: Mapping[str, Any], found: RecordResult) -> Iterator[str]:
    """What of a result is not as the official code has it."""
    skip_without(found.reason)
    for one in found.fields.values():
        skip_without(one.reason)
    pairs: list[tuple[str, Any, Any]] = []
    if "score" in probe:
        pairs.append(("score", found.score, probe["score"]))
    for name, expected in probe.get("fields", {}).items():
        one = found.fields[name]
        pairs.append((name, one.score, expected))
    for what, here, expected in pairs:
        if not recipe.close(here, expected):
            yield f"{what} {here} ({found.status}: {found.reason}), officially {expected}"
    for what in ("status", "passed"):
        if what in probe and getattr(found, what) != probe[what]:
            yield f"{what} {getattr(found, what)} ({found.reason}), officially {probe[what]}"


@dataclass
class Replies:
    """A judge that says what probes tell it: in their order when asked anew, and the same when asked the same again.

    One that is not strict has nothing to say to what no probe asks.
    """

    strict: bool = True

    known: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __call__(self, body: Body) -> str:
        question = json.dumps(body["messages"], sort_keys=True, ensure_ascii=False)
        if self.left:
            reply = self.left.pop(0)
            if self.known.setdefault(question, reply) != reply:
                self.faults.append(f"one question has two replies in the probes: {question[:200]}")
        elif self.strict and question not in self.known:
            self.faults.append(f"no probe has a reply to: {question[:200]}")
        return self.known.get(question, "")

    @contextlib.contextmanager
    def to(self, replies: Sequence[str] | None) -> Iterator[None]:
        """While a record is scored alone, whose questions have these replies."""
        self.left = list(replies or ())
        yield
        if self.left:
            self.faults.append(f"{len(self.left)} replies of a probe were not asked for: {self.left[0][:200]}")


class Remembered:
    """The chosen sandbox, in which no program is run twice with the same input: what it did once is told again."""

    def __init__(self) -> None:
        self._sandbox = current_sandbox()
        self._known: dict[str, Sequence[CaseResult]] = {}
        self.name, self.level, self.close = self._sandbox.name, self._sandbox.level, self._sandbox.close

    def run(self, program: SandboxJob) -> Sequence[CaseResult]:
        """One result for each case, in order."""
        known = repr(program)
        if known not in self._known:
            self._known[known] = self._sandbox.run(program)
        return self._known[known]


@contextlib.contextmanager
def judged_by(replies: Replies, recipe: Recipe) -> Iterator[None]:
    """Ask the replies over HTTP; nothing is started where no probe has any."""
    if not any("replies" in probe for probe in recipe.probes):
        yield
        return
    with (
        JudgeServer(replies, idempotent=False) as server,
        contextlib.closing(open_judge(JudgeSettings(server.url, "stub"))) as judge,
        use_judge(judge),
    ):
        yield
    assert not replies.faults, "\n".join(replies.faults[:5])
