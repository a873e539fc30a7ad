"""Measure what calls cost at growing sizes, and fit the exponent of the growth.

The calls of one subject run in a process of its own, which is killed when one of them takes longer than it may: the
measurement then goes on behind that call.
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
import resource
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.growth.forms import cases
from benchmarks.growth.subjects import Step

#: The smallest tells what a call costs whatever its length.
SIZES = (100, 1_000, 10_000, 100_000)
MOST_USUAL = 100_000
#: What is steep is measured beyond, until something ends it.
BEYOND = (200_000, 400_000, 800_000, 1_600_000, 3_200_000)
#: CPU seconds after which a call is stopped, and those behind which no larger size is tried.
MOST_SECONDS, ENOUGH = 20, 3.0
#: Seconds of all calls of a subject, after which no form is given the greatest size; of one whose work is done in
#: another process, such as SymPy's, no further form is measured at all.
ALL_CALLS, ALL_ELSEWHERE = 30.0, 15.0
#: CPU seconds, and times the cost of the smallest size, below which a time says nothing about growth.
LEAST, FIXED = 0.0005, 2.0
#: Calls of a subject that are stopped, after which no form is given the greatest size.
MOST_STOPPED = 2
#: CPU seconds below which the clock of CPU time is too coarse.
COARSE = 0.1
#: Sizes that are nearer to one another than by this factor say little about growth.
APART = 1.8
#: Of what takes less than this at the greatest size, no exponent is fitted.
NOTABLE = 0.02
STEEP = 1.2
MEMORY = 8 << 30
Call = Callable[[], Any]


@dataclass(frozen=True)
class Cost:
    """The CPU seconds of a call at one size, and how it ended: "" where it gave a value, else the reason why not."""

    size: int
    seconds: float
    reason: str = ""

    @property
    def is_stopped(self) -> bool:
        """Whether the call was stopped, so that `seconds` is less than what it costs."""
        return self.reason.startswith(STOPPED)


AT_ONCE = "it is scored without that work"
STOPPED = "stopped after "


@dataclass(frozen=True)
class Growth:
    """What one form of input, or of a spec, costs by size."""

    name: str
    form: str
    costs: tuple[Cost, ...]

    @property
    def most(self) -> Cost:
        """The greatest cost of all sizes."""
        return max(self.costs, key=lambda cost: cost.seconds)

    @property
    def bound(self) -> Cost | None:
        """The first size at which something ended the work that went on at smaller sizes; None if nothing did."""
        first = kind_of(self.costs[0].reason)
        for before, cost in zip(self.costs, self.costs[1:], strict=False):
            ended = cost.reason and not cost.is_stopped and kind_of(cost.reason) not in (first, kind_of(before.reason))
            if ended and (re.search(r"\d", cost.reason) or cost.seconds < before.seconds):
                return cost
            if before.seconds > NOTABLE and cost.seconds < before.seconds / 4 and not cost.is_stopped:
                return Cost(cost.size, cost.seconds, cost.reason or AT_ONCE)
        return None

    @property
    def exponent(self) -> float | None:
        """The slope of log time over log size, below a bound; None where the work is too little to tell.

        It is that of the three greatest sizes to 100,000. Where that is steep, and larger sizes were measured without a
        bound, those say more.
        """
        bound = self.bound
        within = [cost for cost in self.costs if bound is None or cost.size < bound.size] or list(self.costs)
        usual = [cost for cost in within if cost.size <= MOST_USUAL]
        found = _fit(usual or within, 3)
        if (found is None or found > STEEP) and bound is None and within[-1].size > MOST_USUAL:
            return _fit(within, len(BEYOND) + 1)
        return _fit(within, 3) if found is None else found


def _fit(costs: Sequence[Cost], most: int) -> float | None:
    """Return the slope of the last costs that are far enough above the fixed one, `most` of them at most."""
    least, last = max(LEAST, FIXED * costs[0].seconds), math.inf
    upper: list[Cost] = []
    for cost in reversed(costs):
        if cost.seconds >= least and cost.size * APART <= last:
            upper.append(cost)
            last = cost.size
    if len(upper) < 2 and len(costs) == 2 and costs[0].size >= 1_000:
        upper = list(costs[-2:])[::-1]
    return slope(upper[:most]) if len(upper) > 1 and upper[0].seconds >= NOTABLE else None


def slope(costs: Sequence[Cost]) -> float:
    """Return the slope of the least squares through the logarithms of sizes and times."""
    sizes = [math.log(cost.size) for cost in costs]
    times = [math.log(max(cost.seconds, 1e-6)) for cost in costs]
    middle, level = sum(sizes) / len(sizes), sum(times) / len(times)
    spread = sum((size - middle) ** 2 for size in sizes)
    return sum((size - middle) * (took - level) for size, took in zip(sizes, times, strict=True)) / spread


def kind_of(reason: str) -> str:
    """Return a reason without what depends on the input: numbers and quoted texts."""
    return re.sub(r"'[^']*('|$)|\"[^\"]*(\"|$)|\W*\d[\d,.]*", "#", reason)


def growths(step: Step, sizes: Sequence[int] = SIZES) -> list[Growth]:
    """Return how each form of input grows for a step; what is steep is measured again, and up to what ends it."""
    found: dict[str, list[Cost]] = {}
    for form, cost in _costs(step, _forms(step), sizes):
        found.setdefault(form, []).append(cost)
    return refined(step, [Growth(step.name, form, tuple(costs)) for form, costs in found.items()], sizes[-1])


def refined(step: Step, found: Sequence[Growth], last: int) -> list[Growth]:
    """Return the growths with those that are steep measured again, and up to what ends them."""
    checked = [_again(step, one) if _is_open(one) and one.most.seconds < ENOUGH else one for one in found]
    steep = sorted(filter(_is_open, checked), key=lambda growth: -growth.most.seconds)
    kept = [growth for growth in checked if not _is_open(growth)]
    for place, growth in enumerate(steep):
        is_endless = any(one.costs[-1].is_stopped for one in kept)  # no bound was found, and none is looked for again
        kept.append(growth if is_endless else _to_the_end(step, growth, last, 0 if place else 3))
    return kept


def _is_open(growth: Growth) -> bool:
    return (growth.exponent or 0) > STEEP and growth.costs[-1].size <= MOST_USUAL


def _again(step: Step, growth: Growth) -> Growth:
    """Return the least of three measurements for each size."""
    costs = list(growth.costs)
    for _ in range(2):
        more = [cost for _, cost in _costs(step, dict.fromkeys([growth.form]), [cost.size for cost in costs])]
        costs = [*map(_less, costs, more)]
    return Growth(growth.name, growth.form, tuple(costs))


def grown(name: str, form: str, sizes: Sequence[int], ready: Callable[[int], Call]) -> Growth:
    """Return what the calls cost that `ready` prepares for each size, each in a process; if quick, the least of two."""

    def work(size: int, tell: Callable[[Any], None]) -> None:
        with suppress(Exception):  # what it loads, it loads once
            ready(sizes[0])()
        call = ready(size)
        gc.collect()
        took, _, reason = timed(call)
        tell([form, size, took, reason])

    def cost(size: int) -> Cost:
        return next(cost for _, cost in _child(partial(work, size)))

    costs = [cost(size) for size in sizes]
    return Growth(name, form, tuple(one if one.seconds > ENOUGH / 6 else _less(one, cost(one.size)) for one in costs))


def _less(one: Cost, other: Cost) -> Cost:
    return min(one, other, key=lambda cost: cost.seconds)


def _forms(step: Step) -> dict[str, None]:
    """Return the forms that differ for a step: a parser gets no reference."""
    return dict.fromkeys(form for form in cases(SIZES[0]) if not (step.is_parser and form.endswith("short reference")))


def _to_the_end(step: Step, growth: Growth, last: int, halvings: int) -> Growth:
    """Measure further sizes, until a bound ends the work; then some just below it, where it costs the most."""
    form = dict.fromkeys([growth.form])
    costs = list(growth.costs)
    if growth.bound is None and not costs[-1].is_stopped:
        beyond = [size for size in BEYOND if size > last]
        costs += [cost for _, cost in _costs(step, form, beyond, enough=MOST_SECONDS)]
    for _ in range(halvings):
        bound = Growth(growth.name, growth.form, tuple(costs)).bound
        if bound is None:
            break
        below = max(cost.size for cost in costs if cost.size < bound.size)
        middle = int(math.sqrt(below * bound.size))
        costs += [cost for _, cost in _costs(step, form, [middle])]
        costs.sort(key=lambda cost: cost.size)
    return Growth(growth.name, growth.form, tuple(costs))


def _costs(
    step: Step, forms: dict[str, None], sizes: Sequence[int], enough: float = ENOUGH
) -> Iterator[tuple[str, Cost]]:
    """Yield the form and the cost of each call; of a form that took long, no larger sizes are tried."""
    for size in sizes:
        cases(size)  # made once, before the processes that share it
    left = [(form, size) for form in forms for size in sizes]
    stopped = 0
    while left:
        done = 0
        for form, cost in _child(partial(_asked, step, left, enough)):
            yield form, cost
            done = max(done, left.index((form, cost.size)) + 1)
            if cost.is_stopped:
                stopped += 1
                is_enough = stopped == MOST_STOPPED
                left = [one for one in left[done:] if one[0] != form and not (is_enough and one[1] == sizes[-1])]
                break
        else:
            return


def _asked(step: Step, left: Sequence[tuple[str, int]], enough: float, tell: Callable[[Any], None]) -> None:
    """Be the child: call the step with each form and size, and tell what came of it."""
    for text in ("一 word", "1", '["a"]'):  # what it loads, it loads once
        with suppress(Exception):
            step.run(text, "a word")
    long, spent, elsewhere, greatest = "", 0.0, 0.0, max(size for _, size in left)
    for form, size in left:
        if form == long or (spent > ALL_CALLS and size == greatest):
            continue
        if elsewhere > ALL_ELSEWHERE:
            return
        one, other = cases(size)[form]
        tell([form, size])
        limit = int(time.process_time()) + MOST_SECONDS + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        took, is_elsewhere, reason = timed(partial(step.run, one, other))
        tell([form, size, took, reason])
        long, spent, elsewhere = form if took > enough else "", spent + took, elsewhere + took * is_elsewhere


def timed(call: Call) -> tuple[float, bool, str]:
    """Call, and return the CPU seconds, whether another process did the work, and the reason why it gave no value.

    The clock of CPU time may advance in steps of 4 ms, so what is quick is told by the clock on the wall, and so is
    what another process does. That clock stands still while this process is ready and waits for a core.
    """
    began, began_by_wall = time.process_time(), seconds_at_work()
    reason = ended(call)
    took, took_by_wall = time.process_time() - began, seconds_at_work() - began_by_wall
    is_elsewhere = took_by_wall > 0.5 and took < took_by_wall / 5
    if took > COARSE or is_elsewhere:
        return max(took, took_by_wall * is_elsewhere), is_elsewhere, reason
    return min(took_by_wall, took + COARSE), False, reason


def seconds_at_work() -> float:
    """Return the seconds of the clock on the wall, without those that this process has waited for a core."""
    while True:
        before, now = _waited(), time.perf_counter()
        if _waited() == before:
            return now - before


def _waited() -> float:
    """Return the seconds that this process was ready and waited for a core, where the system tells; else 0."""
    with suppress(OSError):
        return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


def ended(call: Call) -> str:
    """Call, and return the reason why it gave no value; "" if it gave one."""
    try:
        outcome = call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    reason = getattr(outcome, "reason", None)
    return str(reason)[:200] if reason and getattr(outcome, "value", None) is None else ""


def _child(work: Callable[[Callable[[Any], None]], None]) -> Iterator[tuple[str, Cost]]:
    """Run work in a process, and yield what it tells; the last call is `STOPPED` if the process was killed in it."""
    here, there = os.pipe()
    gc.collect()
    gc.freeze()  # what this process holds is no work of the calls
    child = os.fork()
    if child == 0:
        os.close(here)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            work(lambda told: _write(there, told))
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.close(there)
    begun: list[Any] = []
    with os.fdopen(here, encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            if len(told) == 2:
                begun = told
                continue
            begun = []
            yield told[0], Cost(*told[1:])
    os.waitpid(child, 0)
    if begun:
        yield begun[0], Cost(begun[1], MOST_SECONDS, f"{STOPPED}{MOST_SECONDS} s")


def _write(there: int, told: Any) -> None:
    data = (json.dumps(told) + "\n").encode()
    while data:
        data = data[os.write(there, data) :]
