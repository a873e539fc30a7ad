"""Specs that somebody wrote: those that ship with something changed, as text and as data; and command lines."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

import yaml

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.render.formats import render_diagnostics
from tests.fuzz import codec, seeds
from tests.fuzz.generators import mutate, values
from tests.fuzz.target import ROOT, Fault, Subject, Target, Told, exception_fault, reason_faults
from tests.fuzz.targets.folders import make_timeless
from tests.fuzz.targets.scratch import Scratch, summary_faults

INVOICE = "specs/quickstart/invoices.yaml"
SHIPPED = (
    INVOICE, "specs/mmesgbench/task.yaml", "specs/anls/pack.yaml", "specs/coco/pack.yaml",
    "specs/answer-extraction/pack.yaml",
    "specs/examples/retrieval/questions.yaml", "specs/examples/detection/task.yaml", "specs/valor-lite/pack.yaml",
)  # fmt: skip
SMALL = (
    "kind: task\nname: a\nversion: 1.0.0\nparse: final_answer | json\n"
    "fields: {x: lower | equal, y: {score: number | within(0.1), weight: 2}}\n"
    "aggregate: mean\npass: x >= 0.5 and score > 0.2\nmetrics: [mean, pass_rate, {quantile: {q: 0.9}}]\nby: [level]\n",
    "kind: task\nname: b\nscore: 'attempt(align(levenshtein, by=\"order\"), otherwise=0.25) | zero_below(0.5)'\n"
    "record: {response: out.text, reference: gold, id: key}\non_error: zero\non_unparsed: zero\n"
    "intervals: {method: bootstrap, resamples: 100}\n",
    "kind: task\nname: c\nscorers:\n  near: {params: {least: 0.5}, score: 'levenshtein | zero_below(least)'}\n"
    "score: near(least=0.7)\n"
    "imports: {anls: anls@1}\nmetrics: [mean, mean_of_k(k=2)]\nweight: record.w\n",
    "kind: pack\nname: p\nversion: 1.0.0\nscorers: {s: {score: 'switch(on=context.kind, a=equal, b=levenshtein)'}}\n"
    "parsers: {q: 'final_answer | strip'}\naggregates: {least: min}\n",
)  # fmt: skip
WORDS = ("kind", "task", "pack", "suite", "equal", "levenshtein", "mean", "score", "fields", "imports", "anls@1",
         "params", "1.0.0",
         "record.level", "metrics", "*a", "&a", "../x.yaml", "records", "detection", "examples", "judges", "true",
         "~")  # fmt: skip
RECORDS: list[dict[str, Any]] = [
    {"id": 1, "response": '{"x": "a", "y": 1}', "reference": {"x": "A", "y": 1.05}, "level": "l", "w": 1,
     "out": {"text": "a"}, "gold": "b", "key": "k", "context": {"kind": "a"}},
    {"id": 2, "response": "b", "reference": ["b", "c"], "level": 2, "w": "x"},
]  # fmt: skip


@functools.cache
def texts() -> tuple[str, ...]:
    """The specs that are changed."""
    return (*SMALL, *((ROOT / name).read_text(encoding="utf-8") for name in SHIPPED))


class Specs(Target):
    """Specs with something changed: their text, their data, or an expression of them."""

    name = "specs"
    weight = 0.1
    together = 4
    short = 16

    def setup(self, random: Random) -> Any:
        return random.choice(("yaml", "yaml", "json", "data"))

    def member(self, setup: Any) -> str:
        return str(setup)

    def given(self, random: Random, setup: Any) -> Any:
        # The small ones most often: those that ship are long, and one change of theirs is seldom met.
        text = random.choice(SMALL) if random.randrange(3) else random.choice(texts())
        if setup == "yaml":
            for _ in range(random.choice((1, 1, 2, 4))):
                text = mutate.text(random, text, (*WORDS, *seeds.read("expressions")))
            return text
        data = yaml.safe_load(text)
        for _ in range(random.choice((1, 1, 2, 3))):
            data = mutate.value(random, data, (*WORDS, *seeds.read("expressions")))
        if setup == "json":
            written = json.dumps(data)
            return mutate.text(random, written, WORDS) if random.randrange(3) == 0 else written
        return data

    def open(self, setup: Any) -> Subject:
        return _Spec(setup)


class _Spec:
    many = None

    def __init__(self, form: str) -> None:
        self.form, self.scratch = form, Scratch()

    def one(self, given: Any) -> Told:
        """The findings in every form, or the figures of two records."""
        source: Any = given
        if self.form != "data":
            source = self.scratch.put(f"spec.{self.form}", given.encode("utf-8", "surrogatepass"))
        try:
            task = scoring.load(source)
        except SpecError as error:
            return self._told(error)
        try:
            run = task.evaluate([dict(record) for record in RECORDS])
        except (scoring.InputError, SpecError) as error:
            return self.scratch.refused(error)
        return Told(self.scratch.shown(codec.write(run.summary)), tuple(summary_faults(run.summary)))

    def _told(self, error: SpecError) -> Told:
        shown = [render_diagnostics(error.diagnostics, form) for form in ("text", "concise", "json", "github")]
        faults = [fault for one in error.diagnostics for fault in reason_faults(one.message)]
        for one in error.diagnostics:
            if one.primary.span is None and self.form != "data":
                faults.append(Fault("bare", f"a finding without its place: {one.id}", one.message))
        return Told(self.scratch.shown(codec.write(shown)), tuple(faults))


VERBS = ("check", "score", "merge", "compare", "verify", "bundle", "test", "audit", "lock", "explain",
         "list", "fmt", "new",
         "convert", "judge", "judge-cache", "generate")  # fmt: skip
FLAGS = (
    "--references", "--input-format", "--limit", "-o", "--output", "--force", "--scores", "--state", "--parts",
    "--part", "--engine",
    "--batch-size", "--seed", "--by", "--html", "--json", "--as", "--dialects", "--tasks", "--attributes", "--results",
    "--locked", "--min-coverage", "--dialect", "--format", "--help", "--record", "--root", "--spec", "--data",
    "--check", "--law",
    "--confidence", "--resamples", "--cluster", "--flips", "--model", "--prompt", "--older-than", "--judge-cache",
    "--judge-replay", "--",
    "-", "--nothing", "-x", "--seed=1", "--limit=x", "--as=html", "-orun2", "--judge-timeout", "--judge-prices",
    "--columns",
)  # fmt: skip
ARGUMENTS = (
    "t.yaml", "r.jsonl", "run", "run.zip", "pack.yaml", "pack.yaml:s", "equal", "lower | equal", "no-score", "anls@1",
    "anls@1:anls",
    "cache.sqlite", "parts", "csv,delimiter=tab", "csv", "1", "0", "-1", "1/2", "2/1", "1e9", "nan", "0.5", "text",
    "json", "markdown",
    "jsonl", "sums", "record.level", "level x id", "list", "export", "import", "prune", "x" * 300, "a\x00b", "", ".",
    "..", "*",
    "missing.yaml", "missing/x.jsonl", "file:///etc/passwd", "\u202e", "a\nb", "\x1b[2J", "\udcff",
    "run/manifest.json", "loop", "~", "%s",
)  # fmt: skip


class Commands(Target):
    """Command lines: verbs with arguments and options of all verbs."""

    name = "commands"
    weight = 0.1
    together = 4
    short = 8

    def setup(self, random: Random) -> Any:
        return random.choice(VERBS)

    def member(self, setup: Any) -> str:
        return str(setup)

    def given(self, random: Random, setup: Any) -> Any:
        likely = {"judge-cache": ["list", "cache.sqlite"], "new": ["task", "n.yaml"], "score": ["t.yaml", "r.jsonl"]}
        found = likely.get(setup, ["t.yaml"]) if random.randrange(2) else []
        for _ in range(random.randrange(5)):
            found = [*found, random.choice(FLAGS if random.randrange(2) else ARGUMENTS)]
        if random.randrange(6) == 0:
            found = [*found, values.text(random)[:60]]
        return [setup, *found]

    def open(self, setup: Any) -> Subject:
        return _Shell()


@functools.cache
def _home() -> Path:
    """A folder with one of everything; a copy is worked in."""
    scratch = Scratch()
    _home_held.append(scratch)
    scratch.put("t.yaml", SMALL[0].encode())
    scratch.put("pack.yaml", SMALL[3].encode())
    scratch.put("r.jsonl", b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS))
    with contextlib.chdir(scratch.path):
        scoring.evaluate("t.yaml", "r.jsonl", output="run")
    make_timeless(scratch.path / "run")
    (scratch.path / "loop").symlink_to("loop")
    return scratch.path


_home_held: list[Scratch] = []


class _Shell:
    many = None

    def __init__(self) -> None:
        self.scratch = Scratch()

    def one(self, given: list[str]) -> Told:
        """What the command says, and with which status it ends."""
        work = self.scratch.path / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(_home(), work, symlinks=True)
        out, err, before = io.StringIO(), io.StringIO(), Path.cwd()
        os.chdir(work)
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b'{"id": 1}\n'))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = _status(given)
        except Exception as error:
            return Told(f"raised {type(error).__name__}", (exception_fault(error),))
        finally:
            os.chdir(before)
            sys.stdin = stdin
        said = self.scratch.shown(err.getvalue())
        faults = [fault for line in said.splitlines() if line.startswith("scoring: ") for fault in reason_faults(line)]
        if "this is a bug in" in said:
            faults.append(Fault("exception", "this is a bug", said))
        if status not in (0, 1, 2, 3):
            faults.append(Fault("range", f"status {status}", said))
        if status and not said.strip() and not out.getvalue().strip():
            faults.append(Fault("bare", f"status {status} without a word", " ".join(given)))
        return Told(f"{status}\n{said}", tuple(faults))


def _status(given: list[str]) -> Any:
    try:
        return main(given)
    except SystemExit as left:
        return left.code or 0
