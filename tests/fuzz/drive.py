"""The long run: units of inputs given to processes, each unit to two of them; findings counted, made small, saved."""

from __future__ import annotations

import hashlib
import json
import selectors
import sys
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from tests.fuzz import codec
from tests.fuzz.drawing import shrunk
from tests.fuzz.examine import drawn
from tests.fuzz.target import Target
from tests.fuzz.targets import target_of
from tests.fuzz.worker import Gone, Limits, Worker
from tests.support.waiting import stopwatch

KINDS = ("crash", "hang", "memory", "exception", "range", "differs", "bare")
LOOK = 0.25
"""Seconds between two looks at the processes."""
MOST_PER_UNIT = 40
TRIES = {"crash": 20, "hang": 3, "memory": 20}
"""So many simpler inputs are tried for a finding of a kind that costs a process; for all others `TRIES_OTHERWISE`."""
TRIES_OTHERWISE = 300
MOST_SAVED = 300


@dataclass
class Finding:
    """One kind of fault in one place, and how often it was met."""

    target: str
    kind: str
    symptom: str
    way: str
    member: str
    case: str
    detail: str
    seed: str
    times: int = 1

    @property
    def name(self) -> str:
        """The name of its file."""
        known = f"{self.target} {self.kind} {self.member} {self.symptom}"
        safe = "".join(sign if sign.isalnum() else "-" for sign in f"{self.target}-{self.kind}-{self.member}"[:60])
        return f"{safe}-{hashlib.sha256(known.encode()).hexdigest()[:8]}.json"


@dataclass
class Tally:
    """What became of the inputs of one target."""

    inputs: int = 0
    refused: int = 0
    cpu: float = 0.0
    slowest: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)


@dataclass
class Unit:
    """A setup with its inputs, named by a seed, and what two processes gave for it."""

    target: Target
    seed: str
    count: int
    without: list[int] = field(default_factory=list)
    attempt: int = 0
    answers: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Job:
    """One of the two looks at a unit."""

    unit: Unit
    is_brief: bool
    attempt: int

    def to_json(self, told: bool = False) -> dict[str, Any]:
        """What the process is told."""
        unit = self.unit
        named = {"target": unit.target.address, "seed": unit.seed, "count": unit.count, "without": unit.without}
        return {**named, "brief": self.is_brief, "most": MOST_PER_UNIT, "told": told}


class Drive:
    """A long run over some targets."""

    def __init__(self, limits: Limits, processes: int, folder: Path, shown: TextIO = sys.stderr) -> None:
        self.limits, self.folder, self.shown = limits, folder, shown
        self.workers = [Worker(11 + 7 * number, limits) for number in range(max(2, processes))]
        self.probes = [Worker(11 + 7 * number, limits) for number in range(2)]
        self.tallies: dict[str, Tally] = {}
        self.findings: dict[tuple[str, ...], Finding] = {}
        self._queues: list[deque[Job]] = [deque() for _ in self.workers]

    def run(self, targets: list[Target], inputs: int, seed: int, seconds: float) -> None:
        """Try so many inputs in all, shared out by the targets' weights, or as many as so many seconds allow."""
        self.tallies = {target.name: Tally() for target in targets}
        units, clock = self._units(targets, inputs, seed), stopwatch()
        busy: dict[Worker, Job] = {}
        told = 0.0
        while True:
            is_over = seconds > 0 and clock() > seconds
            for place, worker in enumerate(self.workers):
                if worker not in busy and (job := self._next(place, iter(()) if is_over else units)) is not None:
                    busy[worker] = job
                    worker.begin(job.to_json())
            if not busy:
                break
            for worker in _ready(list(busy)):
                self._take(worker, busy.pop(worker))
            for worker in list(busy):
                try:
                    worker.watch()
                except Gone as gone:
                    self._lost(worker, busy.pop(worker), gone)
            if clock() - told > 30:
                told = clock()
                done = sum(tally.inputs for tally in self.tallies.values())
                print(f"{done:,} inputs, {len(self.findings)} findings, {told:.0f} s", file=self.shown, flush=True)

    def close(self) -> None:
        """End all processes."""
        for worker in (*self.workers, *self.probes):
            worker.close()

    def saved(self) -> Iterator[tuple[Finding, Path]]:
        """Make every finding small and write it to a file of its own: each with its path."""
        for finding in list(self.findings.values())[:MOST_SAVED]:
            self._shrink(finding)
            yield finding, self._write(finding)

    def _write(self, finding: Finding) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / finding.name
        held = {**finding.__dict__, "case": json.loads(finding.case)}
        path.write_text(json.dumps(held, indent=1) + "\n", encoding="ascii")
        return path

    def replay(self, path: Path) -> Finding | None:
        """Run a saved finding again: what is found, None when it is no more."""
        held = json.loads(path.read_text(encoding="ascii"))
        finding = Finding(**{**held, "case": json.dumps(held["case"])})
        found = self._shows(finding, finding.case)
        return finding if found else None

    def _units(self, targets: list[Target], inputs: int, seed: int) -> Iterator[Unit]:
        """Units of all targets in turn: the one that is furthest behind its share is next."""
        given = dict.fromkeys((target.name for target in targets), 0)
        left = inputs
        for number in count():
            if left <= 0:
                return
            target = min(targets, key=lambda one: given[one.name] / one.weight)
            size = min(target.together, left)
            given[target.name] += size
            left -= size
            yield Unit(target, f"{seed}-{target.name}-{number}", size)

    def _next(self, place: int, units: Iterator[Unit]) -> Job | None:
        """The next job of a process: one that waits for it, or a look at a new unit."""
        if not self._queues[place] and (unit := next(units, None)) is not None:
            self._ask(unit, place)
        return self._queues[place].popleft() if self._queues[place] else None

    def _ask(self, unit: Unit, place: int) -> None:
        """Have one process look at a unit, and the next one too."""
        self._queues[place].append(Job(unit, False, unit.attempt))
        self._queues[(place + 1) % len(self._queues)].append(Job(unit, True, unit.attempt))

    def _take(self, worker: Worker, job: Job) -> None:
        """An answer: with that of the other process the unit is done."""
        try:
            answer = worker.answer()
        except Gone as gone:
            self._lost(worker, job, gone)
            return
        unit = job.unit
        self.tallies[unit.target.name].cpu += answer["cpu"]
        if job.attempt == unit.attempt:
            unit.answers.append(answer)
        if len(unit.answers) == 2:
            self._done(unit)

    def _done(self, unit: Unit) -> None:
        tally = self.tallies[unit.target.name]
        tally.inputs += unit.count
        tally.refused += unit.count if unit.answers[0]["refused"] else 0
        for answer in unit.answers:
            tally.slowest = max(tally.slowest, answer["slowest"])
            if not answer["brief"]:
                tally.counts.update(answer["counts"])
                for found in answer["found"]:
                    self._add(unit, found)
        if len({answer["digest"] for answer in unit.answers}) > 1:
            self._add_difference(unit)

    def _lost(self, worker: Worker, job: Job, gone: Gone) -> None:
        """A process is gone: its input is a finding, and the unit is run again without it."""
        worker.stop()
        unit = job.unit
        if job.attempt != unit.attempt:  # the other process was lost on the same input
            return
        setup, inputs = drawn(unit.target, unit.seed, unit.count)
        places = [place for place in range(unit.count) if place not in unit.without]
        each = gone.way in ("alone", "again")
        lost = [places[gone.place]] if each and gone.place < len(places) else places
        found = {
            "kind": gone.kind,
            "symptom": f"{gone.kind} while it was run {gone.way}",
            "detail": gone.detail,
            "way": gone.way,
            "member": unit.target.member(setup),
            "case": codec.write([setup, [inputs[place] for place in lost]]),
        }
        self.tallies[unit.target.name].counts[gone.kind] += 1
        self._add(unit, found)
        unit.without += lost
        unit.attempt += 1
        unit.answers.clear()
        for queue in self._queues:
            for other in [one for one in queue if one.unit is unit]:
                queue.remove(other)
        self._ask(unit, self.workers.index(worker))

    def _add(self, unit: Unit, found: dict[str, Any]) -> None:
        # What an exception or a reason says names its place; all else is told apart by the member.
        place = "" if found["kind"] in ("exception", "bare") else found["member"]
        key = (unit.target.name, found["kind"], place, found["symptom"])
        if key in self.findings:
            self.findings[key].times += 1
            return
        self.findings[key] = Finding(target=unit.target.address, seed=unit.seed, **found)
        if len(self.findings) <= MOST_SAVED:  # at once, whatever becomes of the run; it is made small in the end
            self._write(self.findings[key])

    def _add_difference(self, unit: Unit) -> None:
        """Two processes gave something else: which input it was."""
        setup, inputs = drawn(unit.target, unit.seed, unit.count)
        kept = [given for place, given in enumerate(inputs) if place not in unit.without]
        case = codec.write([setup, kept])
        told = [self._probed(worker, unit.target.address, case) for worker in self.probes]
        pairs = zip(kept, *((one or {}).get("told") or [None] * len(kept) for one in told), strict=True)
        given = [(given, a, b) for given, a, b in pairs if a != b][:1]
        self.tallies[unit.target.name].counts["differs"] += 1
        found = {
            "kind": "differs",
            "symptom": "process and process",
            "detail": "\n".join(f"one process: {a[:900]}\nanother: {b[:900]}" for _, a, b in given if a and b),
            "way": "process",
            "member": unit.target.member(setup),
            "case": codec.write([setup, [one for one, _, _ in given] or kept]),
        }
        self._add(unit, found)

    def _shrink(self, finding: Finding) -> None:
        """Put the least inputs in place of those that a finding was met with, where it shows itself alone at all."""
        setup, inputs = codec.read(finding.case)
        tries = TRIES.get(finding.kind, TRIES_OTHERWISE)

        def still(simpler: Any) -> bool:
            return bool(simpler) and self._shows(finding, codec.write([setup, simpler]))

        if finding.way != "open" and still(inputs):
            finding.case = codec.write([setup, shrunk(inputs, still, tries)])

    def _shows(self, finding: Finding, case: str) -> bool:
        """Whether a case still shows a finding."""
        if finding.way == "process":
            one, other = (self._probed(worker, finding.target, case) for worker in self.probes)
            return one is not None and other is not None and one["digest"] != other["digest"]
        try:
            answer = self._probe(self.probes[0], finding.target, case)
        except Gone as gone:
            return gone.kind == finding.kind
        return any((found["kind"], found["symptom"]) == (finding.kind, finding.symptom) for found in answer["found"])

    def _probed(self, worker: Worker, target: str, case: str) -> dict[str, Any] | None:
        """The same; None when the process was lost, which is a finding of its own."""
        try:
            return self._probe(worker, target, case)
        except Gone:
            return None

    def _probe(self, worker: Worker, target: str, case: str) -> dict[str, Any]:
        job = {"target": target, "case": case, "brief": False, "most": MOST_PER_UNIT, "told": True}
        worker.begin(job)
        while not _ready([worker]):
            worker.watch()
        return worker.answer()


def _ready(workers: list[Worker]) -> list[Worker]:
    """Those that have an answer, or are gone; after a while none."""
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            selector.register(worker.fileno(), selectors.EVENT_READ, worker)
        return [key.data for key, _ in selector.select(LOOK)]


def named(names: list[str]) -> list[Target]:
    """The targets of those names; one that stands elsewhere keeps its address."""
    found = []
    for name in names:
        target = target_of(name)
        if ":" in name:
            target.address = name
        found.append(target)
    return found
