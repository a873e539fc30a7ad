"""The document of a leaderboard: ranks of runs, pairs that differ, and differences in anything other than answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report.document import (
    Document,
    DocumentBlock,
    DocumentTable,
    Line,
    Look,
    Paragraph,
    Piece,
    Plot,
    TableColumn,
)
from scoring.report.of.summary import scale_of

MAX_VALUE = 40
MAX_COLUMNS = 4
"""For more runs than this, the counts of values are shown instead of a column for each run."""
_LOOKS: Mapping[str, Look] = {"yes": "warn", "can": "warn", "no": "dim"}


def leaderboard_document(data: Mapping[str, Any], plots: tuple[Plot, ...] = ()) -> Document:
    """Return tables and sentences about a leaderboard: the rankings with intervals, every pair of runs with its test,
    and the differences between the runs other than their answers; `plots` stand above them."""
    names = names_apart(data)
    blocks: list[DocumentBlock] = [*plots]
    for board in data["boards"]:
        blocks += _board(board, names, data["confidence"])
    blocks += [Paragraph(tuple(_rules(data))), *differing_tables(data["differs"], names)]
    return Document(tuple(blocks), f"Leaderboard of {counted(len(names), 'run')}")


def names_apart(data: Mapping[str, Any]) -> list[str]:
    """Return the names of the runs of a leaderboard, with a number behind those that occur twice."""
    names = [str(run["name"]) for run in data["runs"]]
    return [f"{name} ({place})" if names.count(name) > 1 else name for place, name in enumerate(names, start=1)]


def _board(board: Mapping[str, Any], names: Sequence[str], level: float) -> Iterator[DocumentTable]:
    key = f" by {board['key']}" if board["key"] not in (None, "label") else ""
    yield DocumentTable.of(
        board["ranking"],
        (TableColumn("rank"), lambda row: "–" if row["rank"] is None else str(row["rank"])),
        (TableColumn("run", width=60), lambda row: names[row["run"]]),
        (TableColumn(_name(board), "number", bar=True, scale=scale_of(board.get("range"))), "value"),
        (TableColumn(f"{level * 100:g}% rank"), lambda row: _between(row["ranks"])),
        (TableColumn("better than", "count"), "better_than"),
        (TableColumn("worse than", "count"), "worse_than"),
        (TableColumn("left out", "count"), "left_out"),
        title=f"{_name(board)}{key} over {counted(board['records'], board.get('unit', 'record'))} of all runs",
    )
    yield DocumentTable.of(
        board["pairs"],
        (TableColumn("run", width=60), lambda pair: names[pair["first"]]),
        (TableColumn("and", width=60), lambda pair: names[pair["second"]]),
        (TableColumn("difference", "difference"), "difference"),
        (TableColumn(f"{level * 100:g}%"), lambda pair: _ends(pair["interval"])),
        (TableColumn("p"), lambda pair: _p(pair["p_value"])),
        (TableColumn("p (Holm)"), lambda pair: _p(pair["p_holm"])),
        (TableColumn(), lambda pair: _VERDICTS[pair["verdict"]]),
        title="Each two of them",
    )


_VERDICTS: Mapping[str, Piece] = {
    "better": Piece("differ: better", "good"),
    "worse": Piece("differ: worse", "bad"),
    "different": Piece("differ", "warn"),
    "same": Piece("no evidence", "dim"),
}


def _name(board: Mapping[str, Any]) -> str:
    return "mean score" if board["metric"] == "mean" else str(board["metric"])


def advice_on_better(metric: str) -> str:
    """Return the advice for a figure for which it is unknown which values are better.

    Examples:
        >>> advice_on_better("wer")
        'write `better: {wer: higher}` (or `lower`) into the spec, and score again'
    """
    return f"write `better: {{{metric}: higher}}` (or `lower`) into the spec, and score again"


def better_words(better: Any) -> str:
    """Return in words which values of a figure are better; "" if higher ones are, which is the default.

    Examples:
        >>> better_words("lower"), better_words(1.0), better_words("higher")
        ('lower is better', 'nearer to 1 is better', '')
    """
    if isinstance(better, (int, float)):
        return f"nearer to {better:g} is better"
    return "lower is better" if better == "lower" else ""


def _rules(data: Mapping[str, Any]) -> Iterator[Line]:
    tests, ranks = data["corrected"]["tests"], data["ranks"]
    yield Piece(f"{data['rule']}; `left out` counts the others", "dim")
    over = f"{data['corrected']['method']} over {counted(tests, 'test')}"
    yield Piece(f"p and interval are of each pair by itself; verdicts by {over}", "dim")
    notes = [pair["interval"].get("note") for board in data["boards"] for pair in board["pairs"] if pair["interval"]]
    yield from (Piece(f"intervals: {note}", "dim") for note in dict.fromkeys(filter(None, notes)))
    for board in data["boards"]:
        if board["better_is"] is None:
            yield Piece(f"nothing says which values of `{board['metric']}` are better, so it ranks nothing:", "warn")
            yield Piece(advice_on_better(board["metric"]), "warn")
        elif words := better_words(board["better_is"]):
            yield Piece(f"{_name(board)}: {words}", "dim")
    yield Piece(f"ranks: {ranks['method']} ({ranks['resamples']:,} draws)", "dim")


def differing_tables(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[DocumentTable]:
    """Yield the table of properties that differ between runs, each with whether it can affect the difference of their
    figures; none if there are no rows.

    Args:
        rows: The result of `differing_properties`.
        names: The names of the runs.
    """
    if not rows:
        return
    columns: list[Any] = [
        (TableColumn(name, width=MAX_VALUE), lambda row, place=place: _value(row["values"][place]))
        for place, name in enumerate(names)
    ]
    if len(names) > MAX_COLUMNS:
        columns = [(TableColumn("in the runs", width=2 * MAX_VALUE), lambda row: _counted(row["values"]))]
    yield DocumentTable.of(
        rows,
        (TableColumn("what differs"), "what"),
        *columns,
        (TableColumn("moves it", choices=True), lambda row: Piece(row["moves"], _LOOKS[row["moves"]])),
        (TableColumn("why"), lambda row: Piece(row["why"], "dim")),
    )


def _counted(values: Sequence[Any]) -> str:
    """Return as text how many runs have each value.

    Examples:
        >>> _counted([1, 2, 1])
        '1 (2 runs), 2 (1 run)'
    """
    return ", ".join(
        f"{value} ({counted(count, 'run')})" for value, count in Counter(map(_value, values)).most_common()
    )


def _value(value: Any) -> str:
    return "–" if value is None or value == "" else str(value)


def _between(ranks: Sequence[int] | None) -> str:
    """Return as text the range of ranks that a run may have.

    Examples:
        >>> _between([1, 3]), _between([2, 2]), _between(None)
        ('1 … 3', '2', '–')
    """
    if ranks is None:
        return "–"
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} … {ranks[1]}"


def _ends(spread: Mapping[str, Any] | None) -> str:
    return "–" if spread is None else f"[{spread['low']:+.4f}, {spread['high']:+.4f}]"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
