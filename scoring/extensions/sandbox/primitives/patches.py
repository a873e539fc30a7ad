"""Applying unified diffs to the files of a record, without touching the file system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scoring.extensions.sandbox.primitives.cases import MOST_FILES, files_of, find_case_path_fault
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unparsed

_HUNK = lazy_pattern(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_LINES = lazy_pattern(r"[^\n]*\n|[^\n]+")
LONGEST = 4_000_000
MOST_STEPS = 50_000_000
# Costs, where comparing two lines is one unit: reading 20 characters or moving 100 lines costs one unit; splitting off
# a line or comparing a file's name costs 4.
_CHARACTERS, _MOVED, _NAMED = 20, 100, 4
_NOTHING = "/dev/null"


@dataclass(slots=True)
class _Hunk:
    """A part of a diff: the lines expected at a position, and the lines that replace them."""

    start: int
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Change:
    """The changes of a diff to one file: the paths before and after, "" for no file, and the hunks."""

    old: str
    new: str
    hunks: list[_Hunk] = field(default_factory=list)


@primitive(topics=("code",), aka=("diff", "unified diff", "git apply", "patch"))
def apply_patch(value: str, /, *, files: object) -> dict[str, str]:
    """Return the record's files by path, with a unified diff applied to them.

    Diffs of ``diff -u`` and of git are read, with new, removed and renamed files; text around them is ignored. Each
    part is applied at its stated line, or else at the nearest position where all its lines match; context is never
    guessed. The whole diff applies, or none of it.

    Args:
        files: The files by their paths.

    Raises:
        Unparsed: when the diff does not apply, is not a diff, or names a path outside: with file, part and reason.
        Unscored: when the record's files are invalid.

    Examples:
        >>> apply_patch("--- a/f.py\\n+++ b/f.py\\n@@ -1,2 +1,2 @@\\n a\\n-b\\n+c\\n", files={"f.py": "a\\nb\\n"})
        {'f.py': 'a\\nc\\n'}
    """
    tree = files_of(files)
    if len(value) > LONGEST:
        raise Unparsed(f"the diff has {len(value)} characters, but the limit is {LONGEST}")
    changes = _read(value, tree)
    if not changes:
        raise Unparsed("the answer has no unified diff")
    left = [MOST_STEPS]
    for change in changes:
        _apply(tree, change, left)
        if len(tree) > MOST_FILES:
            raise Unparsed(f"the diff makes more than {MOST_FILES:,} files of these")
    return tree


def _read(text: str, tree: Mapping[str, str]) -> list[_Change]:
    lines = text.split("\n")
    changes: list[_Change] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if line.startswith("--- ") and following.startswith("+++ "):
            old, new = _path(line[4:], "a/", tree), _path(following[4:], "b/", tree)
            if changes and not changes[-1].hunks and changes[-1].new in (new, "") and changes[-1].old == old:
                changes.pop()  # git's header line for the same file
            changes.append(_Change(old, new))
            place += 2
            while place < len(lines) and (found := _HUNK.match(lines[place])):
                place = _read_hunk(lines, place + 1, found, changes[-1])
            if not changes[-1].hunks:
                raise Unparsed(f"the diff of `{new or old}` has no part that begins with `@@`")
            continue
        if line.startswith(("GIT binary patch", "Binary files ")):
            raise Unparsed("the diff holds a binary file")
        if line.startswith("rename from ") and following.startswith("rename to "):
            changes.append(_Change(_checked(line[12:]), _checked(following[10:])))
            place += 1
        elif line.startswith("diff --git a/") and " b/" in line:
            changes += _without_lines(lines, place)
        place += 1
    return changes


def _without_lines(lines: list[str], place: int) -> list[_Change]:
    """Return a list with the change that the git header at index `place` of the diff's lines describes, if it creates
    or removes an empty file, without any hunk; else an empty list."""
    name = lines[place].rpartition(" b/")[2]
    following = lines[place + 1 : place + 5]
    if any(line.startswith("--- ") for line in following):
        return []
    for line in following[:3]:
        if line.startswith("diff "):
            break
        if line.startswith("new file mode"):
            return [_Change("", _checked(name))]
        if line.startswith("deleted file mode"):
            return [_Change(_checked(name), "")]
    return []


def _path(text: str, prefix: str, tree: Mapping[str, str]) -> str:
    name = text.partition("\t")[0].rstrip("\r").rstrip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = name[1:-1]
    if name == _NOTHING:
        return ""
    unprefixed = name.removeprefix(prefix)
    return _checked(name if name in tree and unprefixed not in tree else unprefixed)


def _checked(path: str) -> str:
    path = path.rstrip("\r")
    if fault := find_case_path_fault(path):
        raise Unparsed(f"the diff is of `{path[:200]}`, which {fault}")
    return path


def _read_hunk(lines: list[str], place: int, head: re.Match[str], change: _Change) -> int:
    """Read the hunk whose first line is at index `place`, and add it to `change`; return the index of the line after
    it.

    Args:
        lines: The lines of the diff.
        place: The index of the first line after the hunk's header.
        head: The match of the header, which states the hunk's position and numbers of lines.
        change: The change of a file to which the hunk is added.
    """
    old, new = (int(head[number]) if head[number] is not None else 1 for number in (2, 4))
    hunk = _Hunk(int(head[1]))
    change.hunks.append(hunk)
    while old > 0 or new > 0:
        line = lines[place] if place < len(lines) else None
        mark = "" if line is None else line[:1] or " "  # editors strip the space from an empty context line
        if line is None or mark not in " +-\\":
            raise Unparsed(f"part {len(change.hunks)} of `{change.new or change.old}` ends before its lines do")
        if mark in " -":
            hunk.before.append(line[1:] + "\n")
            old -= 1
        if mark in " +":
            hunk.after.append(line[1:] + "\n")
            new -= 1
        place += 1
        if place < len(lines) and lines[place].startswith("\\"):
            for side in {" ": (hunk.before, hunk.after), "-": (hunk.before,), "+": (hunk.after,)}.get(mark, ()):
                side[-1] = side[-1].removesuffix("\n")
            place += 1
    return place


def _apply(tree: dict[str, str], change: _Change, left: list[int]) -> None:
    name = change.new or change.old
    if change.old and change.old not in tree:
        raise Unparsed(f"the diff does not apply: there is no file `{change.old}`")
    if change.new and change.new != change.old and change.new in tree:
        raise Unparsed(f"the diff does not apply: there is a file `{change.new}` already")
    if change.new not in ("", change.old) and _blocks_path(tree, change, left):
        raise Unparsed(f"the diff does not apply: `{change.new}` is a file and a folder")
    text = tree[change.old] if change.old else ""
    _count(left, 1 + len(text) // _CHARACTERS)
    lines = _LINES.findall(text)
    _count(left, _NAMED * len(lines))
    moved = 0
    least = 0
    for number, hunk in enumerate(change.hunks, 1):
        wanted = max(hunk.start - (1 if hunk.before else 0), 0) + moved
        found = _nearest(lines, hunk.before, wanted, least, left)
        if found is None:
            raise Unparsed(f"the diff does not apply: part {number} (line {hunk.start}) fits nowhere in `{name}`")
        if len(hunk.after) != len(hunk.before):
            _count(left, (len(lines) - found) // _MOVED)  # the lines after it are moved
        lines[found : found + len(hunk.before)] = hunk.after
        moved += found - wanted + len(hunk.after) - len(hunk.before)
        least = found + len(hunk.after)
    if change.old and change.old != change.new:
        if not change.new and lines:
            raise Unparsed(f"the diff does not apply: it removes `{name}`, but some of its lines are left")
        del tree[change.old]
    if change.new:
        tree[change.new] = "".join(lines)


def _nearest(lines: list[str], wanted: list[str], place: int, least: int, left: list[int]) -> int | None:
    """Return the index of lines nearest to `place` at which all wanted lines follow; None if there is none.

    Args:
        lines: The lines of the file.
        wanted: The lines to find.
        place: The index that the diff states.
        least: The lowest index allowed, after the part before.
        left: The number of comparisons that may still be made, in a list.
    """
    most = len(lines) - len(wanted)
    place = min(max(place, least), max(most, least))
    for distance in range(max(place - least, most - place) + 1):
        for found in {place - distance: 0, place + distance: 0}:
            if least <= found <= most and _matches_at(lines, wanted, found, left):
                return found
    return None


def _matches_at(lines: list[str], wanted: list[str], place: int, left: list[int]) -> bool:
    for offset, line in enumerate(wanted):
        left[0] -= 1
        if left[0] < 0:
            _count(left, 0)
        here = lines[place + offset]
        # The last line of a file may lack a line end, which few diffs state.
        if line != here and (place + offset + 1 < len(lines) or line.removesuffix("\n") != here.removesuffix("\n")):
            return False
    return True


def _count(left: list[int], steps: int) -> None:
    left[0] -= steps
    if left[0] < 0:
        raise Unparsed(f"to find where the diff fits takes more than {MOST_STEPS} comparisons of lines")


def _blocks_path(tree: Mapping[str, str], change: _Change, left: list[int]) -> bool:
    parts = change.new.split("/")
    _count(left, _NAMED * len(tree))
    above = {"/".join(parts[:length]) for length in range(1, len(parts))} - {change.old}
    return bool(above & tree.keys()) or any(path.startswith(f"{change.new}/") for path in tree)
