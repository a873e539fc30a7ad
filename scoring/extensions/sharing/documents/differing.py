"""The document of a comparison of specs: the changes, both sides of each expression, and the records that move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from typing import Any

from scoring.diagnostics.visible import visible, width
from scoring.diagnostics.words import counted
from scoring.report import numbers
from scoring.report.document import (
    Document,
    DocumentBlock,
    DocumentTable,
    Line,
    Look,
    Paragraph,
    Piece,
    Section,
    TableColumn,
    Title,
    join_lines,
)
from scoring.report.visible import shorten

# Both columns of an expression and the mark before them fit a terminal of 80 columns. Each row begins with a mark, so
# that no line begins with text from a spec.
COLUMN_WIDTH = 36
MAX_CHANGES = 40
MAX_SIDES = 40
_LONGEST = 160
# The display width of a path; the length above which a common prefix of two texts is cut, and how much of it is kept.
_PLACE, _LONG, _KEPT = 30, 16, 4
_MARKS: Mapping[str, tuple[str, Look]] = {
    "same": ("│", "dim"),
    "changed": ("~", "warn"),
    "removed": ("-", "bad"),
    "added": ("+", "good"),
    "moved": ("↕", "warn"),
}


def differing_document(data: Mapping[str, Any]) -> Document:
    """Return the document that shows a comparison of two specs: the changes and, if data were scored, how scores
    differ.

    Args:
        data: The comparison as plain data, as `scoring diff --json` prints it.
    """
    moving = [change for change in data["changes"] if change["moves"] or change["breaks"]]
    quiet = [change for change in data["changes"] if not (change["moves"] or change["breaks"])]
    blocks: list[DocumentBlock] = [Title(_title(data), f"{data['old']['shown']} → {data['new']['shown']}")]
    blocks.append(Paragraph(tuple(_headline(data, moving, quiet))))
    sets = _sets(data)
    blocks += _changes("what moves", moving, sets)
    if data["movement"] is not None:
        blocks += _movement(data["movement"], data["changes"])
    blocks += _changes("what moves nothing", quiet, {}, folded=bool(moving))
    blocks += [_side(side) for side in data["sides"][:MAX_SIDES]]
    if data["words"]:
        words = tuple(shorten(place, _LONGEST) for place in data["words"])
        blocks.append(Section("only for people", (Paragraph(words),), folded=True))
    return Document(tuple(blocks), "")


def _title(data: Mapping[str, Any]) -> str:
    old, new = data["old"], data["new"]
    one, other = (side["version"] or "" for side in (old, new))
    name = new["name"] if old["name"] == new["name"] else f"{old['name']} → {new['name']}"
    return f"{name} {one} → {other}" if one != other else f"{name} {other}".rstrip()


def _headline(data: Mapping[str, Any], moving: Sequence[Any], quiet: Sequence[Any]) -> Iterator[Line]:
    reading = [change for change in moving if change["parts"] and all(map(_is_read, change["parts"]))]
    moves = [change for change in moving if change["moves"] and change not in reading]
    broken = [change for change in moving if change["breaks"]]
    kinds: tuple[tuple[Sequence[Any], str, str, Look], ...] = (
        (moves, "move", "what it means", "bold"),
        (reading, "move", "what is read", "bold"),
        (broken, "break", "who imports it", "bad"),
        (quiet, "move", "nothing", "plain"),
    )
    counts = [
        Piece(f"{counted(len(found), 'change')} {verb}{'s' * (len(found) == 1)} {what}", look)
        for found, verb, what, look in kinds
        if found
    ]
    read = data.get("read", ())
    if counts or not read:
        yield join_lines(counts or [Piece("nothing that moves a score changed", "good")])
    yield from (Piece(f"the data were read differently: {shorten(one, _LONGEST)}", "warn") for one in read)
    parts = dict.fromkeys(part for change in moves for part in change["parts"])
    if parts:
        yield Piece(f"it means something else in {shorten(', '.join(parts), _LONGEST)}", "dim")
    if reading:
        yield Piece("the rules are the same, but they read something else from a record", "dim")
    if recorded := data.get("recorded"):
        yield Piece("the programs recorded in the runs are compared, not their specs:", "dim")
        yield from (Piece(f"  {shorten(why, _LONGEST)}", "dim") for why in recorded)
    if not data["is_exact"]:
        yield Piece("the changes can't be made separately, so each is reported to move what all of them move", "warn")


def _is_read(part: str) -> bool:
    return part.startswith("reads.")


def _sets(data: Mapping[str, Any]) -> dict[int, str]:
    """Return the letters (A, B …) that mark changes, by the index of the change; changes that can only be made together
    have the same letter.

    Args:
        data: The comparison as plain data.
    """
    if data["movement"] is not None and data["movement"]["because"]:
        effects = enumerate(data["movement"]["because"], start=1)
        return {index: _letters(number) for number, effect in effects for index in effect["changes"]}
    groups: dict[int, list[int]] = {}
    for index, change in enumerate(data["changes"]):
        if change["moves"]:
            groups.setdefault(change["group"], []).append(index)
    several = [indexes for indexes in groups.values() if len(indexes) > 1]
    return {index: _letters(number) for number, indexes in enumerate(several, start=1) for index in indexes}


def _changes(
    title: str, changes: Sequence[Any], sets: Mapping[int, str], folded: bool = False
) -> Iterator[DocumentBlock]:
    if not changes:
        return
    table = DocumentTable.of(
        [*enumerate(changes)],
        (TableColumn("set"), lambda one: Piece(sets[one[0]], "bold") if one[0] in sets else ""),
        (TableColumn("change" if folded else title), lambda one: Piece(_name(one[1]), "code")),
        (TableColumn("before", width=20), lambda one: _value(one[1], "old")),
        (TableColumn("now", width=20), lambda one: _value(one[1], "new")),
        (TableColumn("there", aside=True), lambda one: shorten(", ".join(one[1]["parts"]), _LONGEST)),
        brief=MAX_CHANGES,
    ).without_empty()
    yield Section(title, (table,), folded=True) if folded else table


def _name(change: Mapping[str, Any]) -> str:
    """Return the path of the node that a change concerns, as text to display; the middle of a long path is left out."""
    text = visible(f"{change['pack']}.{change['place']}" if change["pack"] else change["place"])
    if width(text) <= _PLACE:
        return text
    head, _, rest = text.partition(".")
    head = shorten(head, _PLACE // 2)
    room = _PLACE - width(head) - 1
    while width(rest) > room:
        rest = rest[1:]
    return f"{head}…{rest}"


_WORDS = {"added": ("–", None), "removed": (None, "gone"), "moved": (None, "moved")}


def _value(change: Mapping[str, Any], side: str) -> Line:
    word = _WORDS.get(change["kind"], (None, None))[side == "new"]
    if word is not None:
        return Piece(word, "dim")
    text, other = change[side], change["new" if side == "old" else "old"]
    if text is None:
        return ""
    # If two long texts begin alike, most of the common prefix is cut, so that the difference is visible.
    begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other or "", strict=False)))
    cut = begin - _KEPT if begin > _LONG and min(len(text), len(other or "")) > _LONG else 0
    return shorten(f"…{text[cut:]}" if cut else text, _LONGEST)


def _side(side: Mapping[str, Any]) -> Section:
    """Return a section that shows the old and the new version of an expression in two columns, row by row.

    Args:
        side: The expression's path and its aligned rows, as `side_by_side_rows` returns them.
    """
    rows = []
    for row in side["rows"]:
        mark, look = _MARKS[row["mark"]]
        looks: tuple[Look, Look] = ("plain", "plain") if look == "dim" else ("bad", "good")
        head = Piece(mark, look)
        for left, right in zip_longest(_wrapped(row["old"]), _wrapped(row["new"]), fillvalue=""):
            rows.append([head, Piece(left, looks[0]), Piece(right, looks[1])])
            head = Piece("│", "dim")
    title = f"{side['pack']}.{side['place']}" if side["pack"] else side["place"]
    columns = (TableColumn(""), TableColumn("before"), TableColumn("now"))
    return Section(shorten(title, _LONGEST), (DocumentTable(columns, tuple(rows)),), folded=True)


def _wrapped(text: str) -> list[str]:
    """Return a line of text split into pieces that each fit the width of a column."""
    lines, line, used = [], "", 0
    for sign in visible(text.rstrip()):
        size = width(sign)
        if used + size > COLUMN_WIDTH:
            lines.append(line)
            line, used = "", 0
        line, used = line + sign, used + size
    return [*lines, line]


# ---- records


def _movement(moved: Mapping[str, Any], changes: Sequence[Any]) -> Iterator[DocumentBlock]:
    yield Paragraph(tuple(_moved(moved)))
    figures = moved["figures"]
    yield DocumentTable.of(
        figures,
        (TableColumn("figure", width=30), "metric"),
        (TableColumn("before → now", "change"), lambda one: (one["old"], one["new"])),
        (TableColumn("difference", "difference"), "difference"),
        (TableColumn(""), lambda one: Piece(one["way"], "good" if one["way"] == "better" else "bad")),
        (TableColumn("together"), lambda one: _together(one["interaction"])),
    ).without_empty()
    if moved["because"]:
        yield DocumentTable.of(
            [*enumerate(moved["because"], start=1)],
            (TableColumn("set"), lambda one: Piece(_letters(one[0]), "bold")),
            (TableColumn("change", width=34), lambda one: _change_names(one[1], changes)),
            (TableColumn("alone", "difference"), lambda one: one[1]["alone"]["difference"]),
            (TableColumn("records", "count"), lambda one: one[1]["alone"]["records"]),
            (TableColumn("last", "difference"), lambda one: one[1]["last"]["difference"]),
            (TableColumn("records", "count"), lambda one: one[1]["last"]["records"]),
        )
        yield Paragraph(tuple(Piece(line, "dim") for line in _rules(moved)))
    if moved["status_moves"]:
        yield _records(moved["status_moves"], sum(moved["statuses"].values()), "scored differently")
    if moved["worst"]:
        yield _records(moved["worst"], moved["moved"] - sum(moved["statuses"].values()), "moved furthest")


def _moved(moved: Mapping[str, Any]) -> Iterator[Line]:
    parts: list[Line] = [Piece(f"{moved['moved']:,} of {counted(moved['records'], 'record')} move", "bold")]
    parts += [f"{moved[way]:,} {way}" for way in ("up", "down") if moved[way]]
    parts += [Piece(f"{count:,} {way}", "warn") for way, count in moved["statuses"].items()]
    yield join_lines(parts)
    for side, key in (("before", "only_old"), ("now", "only_new")):
        if moved[key]:
            yield Piece(f"{counted(moved[key], 'record')} scored only {side}", "warn")


def _rules(moved: Mapping[str, Any]) -> Iterator[str]:
    yield "alone: made without the others; last: made after all the others"
    if any(one["interaction"] and any(one["interaction"].values()) for one in moved["figures"]):
        yield "together: what is left of the difference, less what each does alone / last"
    if moved["is_grouped"]:
        yield "there are many changes, so some are grouped; --scorings N separates more of them"
    yield f"the data were scored {counted(moved['scorings'], 'time')} for this"


def _change_names(effect: Mapping[str, Any], changes: Sequence[Any]) -> Line:
    first, *others = [_name(changes[index]) for index in effect["changes"]]
    return Piece(f"{first} and {counted(len(others), 'other')}" if others else first, "code")


def _together(left: Mapping[str, Any] | None) -> str:
    """Return the rest of a difference that the separate effects of the changes don't add up to, as text; "" if there is
    none.

    Args:
        left: The rest if each change is made alone, and if each is made last; None if they are not known.
    """
    if left is None or not any(left.values()):
        return ""
    return " / ".join(numbers.signed(left[way]) for way in ("alone", "last"))


def _records(rows: Sequence[Mapping[str, Any]], total: int, title: str) -> DocumentTable:
    return DocumentTable.of(
        rows,
        (TableColumn(title, width=16), lambda row: shorten(row["id"], _LONGEST)),
        (TableColumn("before", width=9), lambda row: _outcome(row["old"])),
        (TableColumn("now", width=9), lambda row: _outcome(row["new"])),
        (TableColumn("difference", "difference"), "difference"),
        (TableColumn("because of", width=28), _because),
        (TableColumn("fields", aside=True), lambda row: _fields(row["fields"])),
        total=total,
    ).without_empty()


def _outcome(side: Mapping[str, Any]) -> Line:
    """Return the score of a record as text; without a score the status in words, or the number that counts instead,
    marked so that it isn't taken for a score.

    Args:
        side: The status and score by one of the two specs.
    """
    if side["status"] == "scored":
        return numbers.format_score(side["score"])
    return Piece(side["status"] if side["score"] is None else f"counts {side['score']:g}", "warn")


def _because(row: Mapping[str, Any]) -> str:
    causes = []
    for index, effect in enumerate(row["because"], start=1):
        if effect["is_moved"]:
            alone, last = effect["alone"], effect["last"]
            sizes = dict.fromkeys(_size(value) for value in (alone, last) if value is not None)
            causes.append(f"{_letters(index)} {'/'.join(sizes)}".rstrip())
    left = row["interaction"]
    together = dict.fromkeys(_size(value) for value in (left or {}).values() if value)
    return " · ".join([*causes, *([f"together {'/'.join(together)}"] if together else [])])


def _size(value: float) -> str:
    return f"{value:+.3g}" if value else "0"


def _fields(fields: Sequence[Mapping[str, Any]]) -> str:
    return shorten(
        ", ".join(f"{one['name']} {_side_of(one['old'])} → {_side_of(one['new'])}" for one in fields), _LONGEST
    )


def _side_of(side: Mapping[str, Any] | None) -> str:
    if side is None:
        return "–"
    return numbers.format_score(side["score"]) if side["status"] == "scored" else str(side["status"])


def _letters(number: int) -> str:
    """Return the letters that number a change, counted from 1: A, B … Z, AA."""
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name
