"""Metrics over the records of a data set: figures, intervals, bounds, breakdowns."""

from __future__ import annotations

from random import Random
from typing import Any

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.ranges import ScoreRange
from scoring.values import Type
from tests.fuzz import codec
from tests.fuzz.generators import values
from tests.fuzz.target import Fault, Refused, Subject, Target, Told, range_faults, reason_faults
from tests.fuzz.targets.primitives import of_kinds, setting

SCORES = (
    "absolute_error", "number | equal", "to_text | levenshtein", "number | absolute_error | scale(by=2, plus=-3)",
    "to_text | equal", "to_text | ter", "number | within(absolute=0.5)",
)  # fmt: skip
COLUMNS = ("record.a", "record.b", "record.group", "id", "record.list")
LABELS = ("cat", "dog", "Cat", "", "1", 1, True, None, 1.0, "NaN", ["cat", "dog"], {"a": 1}, "\ud800", "a\x00")


class Metrics(Target):
    """A task with a few metrics; an input is the table of its records."""

    name = "metrics"
    weight = 0.1
    together = 3
    short = 30

    def setup(self, random: Random) -> Any:
        rows = [one for one in of_kinds("metric") if str(one.inputs[0]) == "Rows"]
        chosen = [random.choice(rows) for _ in range(random.randrange(1, 3))]
        written = [f"{one.name}({', '.join(_arguments(random, one))})" for one in chosen]
        return {
            "kind": "task",
            "name": "t",
            "score": random.choice(SCORES),
            "metrics": [*dict.fromkeys(one.removesuffix("()") for one in written)],
            "record": {"a": "a", "b": "b", "group": "group", "list": "list", "weight": "weight"},
            "on_error": random.choice(("zero", "unscored")),
            **({"by": ["group"]} if random.randrange(3) == 0 else {}),
            **({"intervals": {"cluster": "group"}} if values.chance(random, 5) else {}),
        }

    def member(self, setup: Any) -> str:
        return ", ".join(one.partition("(")[0] for one in setup["metrics"])

    def given(self, random: Random, setup: Any) -> Any:
        plain = random.randrange(2) == 0
        size = random.choice((0, 1, 2, 3, 5, 8, 30))
        return [_record(random, number, plain) for number in range(size)]

    def open(self, setup: Any) -> Subject:
        try:
            return _Table(scoring.load(setup))
        except SpecError as error:
            raise Refused from error


def _arguments(random: Random, primitive: Any) -> list[str]:
    found = []
    for param in primitive.params:
        if not (param.required or values.chance(random, 3)):
            continue
        if param.is_path or param.compared:
            name = random.choice(("answer", "score")) if param.name == "field" else random.choice(COLUMNS)
            found.append(f'{param.name}="{name}"' if param.name == "field" else f"{param.name}={name}")
        else:
            try:
                found.append(f"{param.name}={codec.write(setting(random, param))}")
            except (TypeError, ValueError):
                continue
    return found


def _record(random: Random, number: int, plain: bool) -> dict[str, Any]:
    value = (lambda: random.choice((0, 1, 0.5, 2, "cat", "3"))) if plain else (lambda: _side(random))
    found: dict[str, Any] = {"id": number, "response": value(), "reference": value()}
    label = random.choice(("cat", "dog")) if plain else random.choice(LABELS)
    found |= {"a": label, "b": random.choice(LABELS[:2] if plain else LABELS), "group": random.choice("xyz")}
    found["list"] = [random.choice(LABELS[:4]) for _ in range(random.randrange(4))]
    found["weight"] = random.choice(
        (1, 1, 2, 0.5, 0) if plain else (1, -1, 1e300, 1e-300, None, "x", float("nan"), 2**70)
    )
    if plain:
        return found
    if values.chance(random, 6):
        del found[random.choice(list(found))]
    if values.chance(random, 6):
        found["id"] = random.choice((0, "", None, "a\nb", 1.5, [1], True))
    return found


def _side(random: Random) -> Any:
    return values.of_type(random, Type("Number")) if random.randrange(2) else random.choice(LABELS)


class _Table:
    many = None

    def __init__(self, task: scoring.Task) -> None:
        self.task = task

    def one(self, given: Any) -> Told:
        """The summary of a run over a table; turned round, and in small batches, it has the same figures."""
        told, faults = self._told(given)
        turned, _ = self._told(given[::-1])
        if turned != told:
            faults.append(Fault("differs", "records in another order", f"{told[:900]}\n{turned[:900]}"))
        small, _ = self._told(given, batch_size=2)
        if small != told:
            faults.append(Fault("differs", "records in small batches", f"{told[:900]}\n{small[:900]}"))
        return Told(told, tuple(faults))

    def _told(self, records: list[Any], **options: Any) -> tuple[str, list[Fault]]:
        try:
            run = self.task.evaluate(records, **options)
        except (scoring.InputError, SpecError) as error:
            return f"refused: {type(error).__name__}", reason_faults(str(error).partition("\n")[0])
        faults: list[Fault] = []
        figures = run.summary["metrics"]
        for figure in figures:
            faults += figure_faults(figure)
        shown = [figures, run.summary["counts"], run.summary["by"], sorted(map(codec.write, run.summary["reasons"]))]
        return codec.write(shown), faults


def figure_faults(figure: Any) -> list[Fault]:
    """A figure, or an end of its interval or bounds, beyond the range that stands beside it; a note in bare Python."""
    faults = reason_faults(figure.get("reason")) + reason_faults(figure.get("note"))
    held = ScoreRange.of_json(figure.get("range"))
    if isinstance(figure.get("value"), float | int):
        faults += range_faults(figure["value"], held)
    for name in ("interval", "bounds"):
        ends = figure.get(name)
        if ends is not None and not all(end is None or held.holds(end) for end in ends):
            faults.append(Fault("range", f"{name} beyond the range", f"{figure}"))
    return faults
