"""The table: which rows there are, and how their lines are printed."""

from __future__ import annotations

from benchmarks.speed.families import anls, documents, images, judged, labels, megabench, ranking, road, single, start
from benchmarks.speed.families import text as texts
from benchmarks.speed.measure import Line
from benchmarks.speed.row import Row

FAMILIES = (road, start, single, anls, megabench, texts, labels, ranking, images, documents, judged)
ROWS: dict[str, Row] = {row.name: row for family in FAMILIES for row in family.ROWS}


def chosen(only: list[str] | None) -> list[Row]:
    """The rows of these names, or of these families; all by default."""
    if not only:
        return list(ROWS.values())
    unknown = [name for name in only if not any(row.startswith(name) for row in ROWS)]
    if unknown:
        raise SystemExit(f"there is no row {', '.join(unknown)}; the rows are:\n  " + "\n  ".join(ROWS))
    return [row for name, row in ROWS.items() if any(name.startswith(one) for one in only)]


def seconds(value: float | None) -> str:
    """Seconds with three digits that say something."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value >= 0.1 else f"{value:.5f}"


def times(value: float | None) -> str:
    """A ratio or a goal."""
    if value is None:
        return "–"
    digits = next((digits for least, digits in ((100, 0), (10, 1), (0.02, 2)) if value >= least), 4)
    return f"{value:.{digits}f}"


def cells(line: Line) -> list[str]:
    """The cells of a line."""
    peer = f"{line.peer} {line.version}".strip() + (" (floor)" if line.kind == "floor" else "")
    unit = " by the clock" if line.unit == "clock" else ""
    return [
        line.row, line.work, seconds(line.ours) + unit, peer, seconds(line.theirs), times(line.ratio),
        times(line.goal), line.verdict,
    ]  # fmt: skip


HEAD = ["row", "work", "ours, s", "peer", "peer, s", "peer / ours", "goal", ""]


def plain_head() -> str:
    """The first line of the table for a terminal."""
    return f"  {'row':30} {'ours, s':>9} {'peer':40} {'peer, s':>9} {'ratio':>7} {'goal':>6}"


def plain(line: Line) -> str:
    """A line of it; one below its goal begins with a mark."""
    row, _, ours, peer, theirs, ratio, goal, verdict = cells(line)
    ours = ours.removesuffix(" by the clock") + ("*" if line.unit == "clock" else "")
    return f"{mark(line)} {row:30} {ours:>9} {peer:40} {theirs:>9} {ratio:>7} {goal:>6}  {verdict}"


def mark(line: Line) -> str:
    """What a line begins with."""
    return "!" if line.verdict in ("below", "the figures differ") else " "


def markdown(lines: list[Line]) -> str:
    """The table for a page."""
    rows = [HEAD, ["---"] * len(HEAD), *map(cells, lines)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
