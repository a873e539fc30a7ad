"""What a row of the table is: the work, our side and the peers, each a command or a call of Python."""

from __future__ import annotations

import json
import random
import string
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

PEERS = Path(__file__).resolve().parents[1] / "peers"
SPECS = Path(__file__).resolve().parents[2] / "specs"
#: What both sides have to agree on: a number, or some.
Figure = Any


def same(value: Any) -> Any:
    """The value itself."""
    return value


@dataclass(frozen=True)
class Call:
    """Work in Python: imports and reading come before, and are not measured.

    Attributes:
        ready: Reads what a folder has and returns the work.
        figure: Turns what the work returned into the figure; not measured.
        took: Reads the seconds that count from what the work returned, such as those of the slowest calls; by default
            they are those of all the work. For rows by the clock.
    """

    ready: Callable[[Path], Callable[[], Any]]
    figure: Callable[[Any], Figure] = same
    took: Callable[[Any], float] | None = None


@dataclass(frozen=True)
class Command:
    """A program, measured from its start to its end.

    Attributes:
        arguments: Its command line for a folder.
        figure: Reads the figure from what it printed.
    """

    arguments: Callable[[Path], list[str]]
    figure: Callable[[str], Figure] = json.loads


@dataclass(frozen=True)
class Peer:
    """What stands beside us in a row.

    Attributes:
        name: Its name; that of its package where `needs` is not given.
        does: The same work.
        goal: What its time divided by ours should reach; None where nothing was promised.
        needs: The packages that it is made of, the first of which has the version that is printed.
        checkout: A repository on GitHub that has to lie in the folder of `--official`, for code that is no package.
        is_floor: Whether it is the least that the work costs, written by hand, and no tool that one would use instead.
        compares: Whether its figure has to be ours; some tools have another rule for the same purpose.
    """

    name: str
    does: Call | Command
    goal: float | None = None
    needs: tuple[str, ...] = ()
    checkout: str = ""
    is_floor: bool = False
    compares: bool = True


@dataclass(frozen=True)
class Row:
    """One line of work, and who does it.

    Attributes:
        name: The family, a stroke, and the work: what `--only` takes.
        work: One line for the table.
        size: How many records, or whatever there are many of.
        prepare: Writes the input into a folder: so many records, drawn from a seed.
        ours: Our side.
        peers: The others.
        by_clock: Whether time on the clock is compared, where CPU time says nothing.
        tolerance: The relative difference between two figures that is none.
        around: What runs beside all sides, such as a server.
        few: On how many records a call is tried before it is measured, so that what is imported late is there.
    """

    name: str
    work: str
    size: int
    prepare: Callable[[Path, int, int], None]
    ours: Call | Command
    peers: tuple[Peer, ...]
    by_clock: bool = False
    tolerance: float = 1e-9
    around: Callable[[Path], AbstractContextManager[Any]] = field(default=nullcontext)
    few: int = 8


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write JSON Lines."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def task(name: str, **keys: Any) -> dict[str, Any]:
    """A task of that name, with these keys besides."""
    return {"kind": "task", "name": name, "version": "1.0.0", **keys}


def imported(module: str, path: str) -> Callable[[], Any]:
    """What imports a function when it is called, such as a peer's."""
    return lambda: attrgetter(path)(import_module(module))


def drawn(draw: Callable[[random.Random, int], Any]) -> Callable[[Path, int, int], None]:
    """What prepares a row: a function that draws one record, given its place."""

    def prepare(folder: Path, size: int, seed: int) -> None:
        chance = random.Random(seed)
        write_lines(folder / "records.jsonl", (draw(chance, place) for place in range(size)))

    return prepare


def records(folder: Path) -> list[dict[str, Any]]:
    """The records of a folder."""
    with (folder / "records.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def column(folder: Path, name: str) -> list[Any]:
    """One column of them."""
    return [record[name] for record in records(folder)]


def of_pairs(score: Callable[[], Callable[[Any, Any], Any]], figure: Callable[[Any], Figure] = same) -> Call:
    """A function of an answer and its reference, over all records; what `score` imports is not measured."""

    def ready(folder: Path) -> Callable[[], Any]:
        function, pairs = score(), list(zip(column(folder, "response"), column(folder, "reference"), strict=True))
        return lambda: [function(response, reference) for response, reference in pairs]

    return Call(ready, figure)


def of_columns(score: Callable[[], Callable[[list[Any], list[Any]], Any]], figure: Callable[[Any], Figure]) -> Call:
    """A function of all answers and all references."""

    def ready(folder: Path) -> Callable[[], Any]:
        function, responses, references = score(), column(folder, "response"), column(folder, "reference")
        return lambda: function(responses, references)

    return Call(ready, figure)


def of_records(
    figure: Callable[[], Callable[[list[dict[str, Any]]], Any]], shown: Callable[[Any], Figure] = same
) -> Call:
    """A function of all records, as they are when they were read; what `figure` imports is not measured."""

    def ready(folder: Path) -> Callable[[], Any]:
        function, rows = figure(), records(folder)
        return lambda: function(rows)

    return Call(ready, shown)


def by_hand(
    figure: Callable[[], Callable[[list[dict[str, Any]]], Any]], goal: float | None = None, *needs: str
) -> Peer:
    """The least that a figure costs of records in memory: no check of values and ids, no outcomes, no intervals."""
    return Peer("by hand from records", of_records(figure), goal, needs=needs, is_floor=True)


def single(expression: str, **parameters: Any) -> Call:
    """Ours: a scorer, one call for each record."""

    def score() -> Callable[[Any, Any], Any]:
        import scoring

        return scoring.scorer(expression, **parameters).score

    return of_pairs(score, values)


def batch(expression: str, **parameters: Any) -> Call:
    """Ours: a scorer, one call for all records."""

    def score() -> Callable[[list[Any], list[Any]], Any]:
        import scoring

        return scoring.scorer(expression, **parameters).score_many

    return of_columns(score, values)


def values(outcomes: list[Any]) -> list[float]:
    """The scores of outcomes."""
    return [outcome.value for outcome in outcomes]


def evaluated(spec: Mapping[str, Any] | str, *metrics: str) -> Call:
    """Ours: `task.evaluate` on records in memory, intervals included.

    Args:
        spec: The task, or the name of a file below `specs`.
        metrics: Those that the figure has; all by default.
    """

    def ready(folder: Path) -> Callable[[], Any]:
        import scoring

        loaded, rows = scoring.load(str(SPECS / spec) if isinstance(spec, str) else dict(spec)), records(folder)
        return lambda: loaded.evaluate(rows)

    return Call(ready, lambda run: [run.metrics[name] for name in metrics or run.metrics])


@cache
def scoring_command() -> list[str]:
    """The command as it is installed, or as a module where it is not."""
    script = Path(sys.executable).with_name("scoring")
    return [str(script)] if script.exists() else [sys.executable, "-m", "scoring"]


def scored(*options: str, spec: str = "task.json", data: str = "records.jsonl") -> Command:
    """Ours: `scoring score` on files of the folder; `{folder}` in an option is the folder."""

    def arguments(folder: Path) -> list[str]:
        more = [option.format(folder=folder) for option in options]
        return [*scoring_command(), "score", str(folder / spec), str(folder / data), "--json", *more]

    return Command(arguments, lambda text: [metric["value"] for metric in json.loads(text)["metrics"]])


def by_script(script: str, *arguments: str) -> Command:
    """A peer of a command: a program of the folder `peers`; `{folder}` in an argument is the folder."""
    command = [sys.executable, str(PEERS / script)]
    return Command(lambda folder: [*command, *(argument.format(folder=folder) for argument in arguments)])


def bare_python() -> Peer:
    """The floor of a command's start: an interpreter that does nothing."""
    return Peer("bare Python", Command(lambda _: [sys.executable, "-c", "pass"], lambda _: None), is_floor=True)


def words(chance: random.Random, count: int) -> list[str]:
    """Words of two to nine letters."""
    return ["".join(chance.choices("abcdefghilmnoprstu", k=chance.randint(2, 9))) for _ in range(count)]


def text(chance: random.Random, fewest: int, most: int | None = None) -> str:
    """A text of so many words."""
    return " ".join(words(chance, chance.randint(fewest, most or fewest)))


def misread(chance: random.Random, value: str) -> str:
    """The text with up to two characters misread."""
    letters = list(value)
    for _ in range(chance.randint(0, 2)):
        letters[chance.randrange(len(letters))] = chance.choice(string.ascii_lowercase[:10])
    return "".join(letters)
