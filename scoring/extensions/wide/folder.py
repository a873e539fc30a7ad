"""Parts on disk: the records and the state of each, written atomically and verified before they are used.

A folder of parts has a manifest, `parts.json`, which contains the task itself and the facts that all parts share, and
two files for each part: `part-00017.jsonl` (or `.parquet`), its records, and `part-00017.json`, its state. The state is
written last and contains the digest of the records, so a part is either complete or absent, whenever its writer was
stopped.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from scoring.compiler.tasks.serialize import task_from_bytes
from scoring.data.file import InputFile
from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import digest, dumps
from scoring.data.os_errors import refused, telling
from scoring.data.output import PARTIAL, OpenFolder, write_whole
from scoring.data.plain_files import open_plain, read_plain
from scoring.data.slice import Slice
from scoring.errors import InputError
from scoring.extensions.wide.part import PartDone

FORMAT = 1
HEAD = "parts.json"
_AGAIN = "score it again"


class PartsHead(Struct, frozen=True):
    """The manifest of a folder of parts (slices of the data that are scored separately): the task, and what all parts
    share.

    Args:
        bundle: The serialized task, as text; see `Task.to_bytes`.
        meaning: What determines the meaning of scores, as text: a digest of the task, the seed and the judge.
        state: The kind of intermediate result that parts have: ``exact``, or ``sums`` of constant size.
        of: The total number of parts, None if unknown.
        inputs: The files that were cut into parts, as in a manifest.
        settings: The settings needed to repeat the run.
        scores: The layout of the parts' records, ``jsonl`` or ``parquet``.
    """

    bundle: str
    meaning: str
    state: str
    of: int | None
    inputs: Sequence[Mapping[str, Any]] = ()
    settings: Mapping[str, Any] | None = None
    scores: str = "jsonl"

    def difference(self, other: PartsHead) -> str | None:
        """Return why parts with this manifest and parts with another one can't be merged; None if they can."""
        for what, one, two in (
            ("meaning", self.meaning, other.meaning),
            ("form of state", self.state, other.state),
            ("number of parts", self.of, other.of),
            ("layout of scores", self.scores, other.scores),
        ):
            if one != two:
                return f"another {what}: {one} and {two}"
        if self.bundle == other.bundle:
            return None
        reads, other_reads = (task_from_bytes(head.bundle.encode()).reads for head in (self, other))
        # The columns read from records, e.g. for breakdowns, are not part of the meaning, but the scores contain them.
        for name in {**reads, **other_reads}:
            if reads.get(name) != other_reads.get(name):
                return f"other {name}: {_listed(reads.get(name))} and {_listed(other_reads.get(name))}"
        return None


class StoredPart(Struct, frozen=True):
    """A scored part (slice of the data) in a folder.

    Args:
        path: The file with the part's state (its intermediate result, to be merged).
        place: Its position among all parts, from 0 on.
        rows: The rows that it covers: the name and digest of their file, and their position in it.
        done: Its state and counts; its records stay on disk.
        layout: The layout of its records, ``jsonl`` or ``parquet``.
    """

    path: Path
    place: int
    rows: Mapping[str, Any]
    done: PartDone
    layout: str

    @property
    def lines(self) -> Path:
        """The path of the file with its records."""
        return self.path.with_suffix(f".{self.layout}")


class PartsFolder:
    """A folder to which scored parts are written, and from which a stopped run is resumed.

    Args:
        path: The folder; it may be missing, or contain parts of the same run.
        head: The manifest, which is written if there is none.
        advice: The advice in the error message if the folder has parts of other data.
        within: The open folder to which ``path`` is relative, if any.

    Raises:
        InputError: when it can't be created, or contains something else.
    """

    def __init__(
        self, path: Path, head: PartsHead, advice: str = "use a new folder", within: OpenFolder | None = None
    ) -> None:
        self.path = path
        self._advice = advice
        self.head = head
        with telling(f"can't create the folder {path}", (OSError, ValueError)):
            self._folder = OpenFolder.made(path, within)
        self._digests: dict[str, str] = {}
        # Another process may be creating the same folder, and a killed process may have left a partial file.
        names = {name for name in self._folder.names() if not name.endswith(PARTIAL)}
        self.texts: str = head.bundle
        """The bundle in the folder's manifest, whose wording may differ from ours although it means the same."""
        if HEAD in names:
            existing = read_head(path)
            odd, self.texts = existing.difference(head), existing.bundle
            if odd is not None:
                raise InputError(f"{path} holds parts of {odd}; choose another folder for these")
        elif names:
            raise InputError(f"{path} is not empty, and is not a folder of parts; choose another one")
        else:
            self._write(HEAD, dumps({"scoring_parts": FORMAT, **asdict(head)}).encode())

    def standing(self, place: int, part: Slice) -> StoredPart | None:
        """Return the stored part with the position `place`; None if it is missing or damaged and has to be scored.

        Raises:
            InputError: when that part has other rows than `part`.
        """
        found = self._state(place)
        if not found.is_file():
            return None
        try:
            stored = read_part(found, self.head)
        except InputError:
            return None  # truncated or changed: it is scored again
        if stored.rows != self._rows(part):
            raise InputError(f"{found} has different rows from part {place + 1}: the input was changed; {self._advice}")
        return stored

    def write(self, place: int, part: Slice, done: PartDone) -> StoredPart:
        """Write a scored part to the folder, and return it as stored.

        Args:
            place: The position of the part, from 0 on.
            part: The slice of the input that it covers.
            done: Its results.
        """
        path = self._state(place)
        rows = self._rows(part)
        data = {
            "scoring_part": FORMAT,
            "place": place,
            "rows": rows,
            "meaning": self.head.meaning,
            "records": done.records,
            "state": done.state,
            "inputs": done.report,
            "ids": base64.b64encode(done.ids).decode(),
            "lines": hashlib.sha256(done.lines).hexdigest(),
        }
        on_disk = PartDone(done.records, done.state, done.report, done.ids)
        stored = StoredPart(path, place, rows, on_disk, self.head.scores)
        self._write(stored.lines.name, done.lines)
        self._write(path.name, dumps({**data, "sha256": digest(data)}).encode())
        return stored

    def _write(self, name: str, content: bytes) -> None:
        with telling(f"can't write {self.path / name}"):
            write_whole(self._folder, name, content)

    def _rows(self, part: Slice) -> dict[str, Any]:
        """Return which rows a part covers, as a dict with the `name` of their file, their position in the file, and the
        file's digest (`sha256`).
        """
        file = InputFile(part.address, kind=part.kind or None)
        found = part.sha256 or self._digests.get(part.address)
        if found is None:  # the digest of the whole file, computed once for all of its parts
            found = self._digests[part.address] = file.sha256()
        place = {"start": part.start, "stop": part.stop, "skip": part.skip, "take": part.take}
        return {"name": file.name, **place, "sha256": found}

    def _state(self, place: int) -> Path:
        return self.path / f"part-{place + 1:05d}.json"


def _listed(found: Any) -> str:
    return (", ".join(found) if isinstance(found, list) else found) or "none"


def read_head(folder: Path) -> PartsHead:
    """Return the manifest of a folder of parts, read from `parts.json`.

    Raises:
        InputError: when it is not a folder of parts.
    """
    try:
        data = parse(read_plain(folder / HEAD))
        if data.pop("scoring_parts", None) != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        head = PartsHead(**data)
        if head.scores not in ("jsonl", "parquet"):
            raise ValueError(f"there is no layout `{head.scores}` of scores")
        texts = [head.bundle, *(entry[name] for entry in head.inputs for name in ("role", "name"))]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("`bundle` or one of `inputs` is not a text")
        "".join(texts).encode()  # raises for lone surrogates
        if not (head.of is None or type(head.of) is int) or not isinstance(head.settings, dict | None):
            raise ValueError("`of` is not a number, or `settings` is not a mapping")
        return head
    except FileNotFoundError as error:
        raise InputError(f"{folder} is not a folder of parts: there is no {HEAD} in it") from error
    except OSError as error:
        raise InputError(f"{folder} is not a folder of parts: {refused(error)}") from error
    except (NotJson, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{folder / HEAD} is not the head of parts: {_odd(error)}"[:300]) from error


def _odd(error: Exception) -> str:
    """Return a description of what is wrong with a file, given the error raised while the file was read: the message of
    a `ValueError` or `NotJson`, a general description for other errors."""
    own = type(error) in (ValueError, NotJson)
    return str(error) if own else "a key is missing, is one too many, or has a value of another kind"


def read_part(path: Path, head: PartsHead) -> StoredPart:
    """Return the stored part whose state is in the file `path`, after verifying its digests.

    Raises:
        InputError: when it is not a part, is damaged, or is not one of a folder with the manifest `head`.
    """
    try:
        data = parse(read_plain(path))
        sealed = data.pop("sha256")
        if data["scoring_part"] != FORMAT or digest(data) != sealed:
            raise ValueError("its content does not match its digest")
        if not 0 <= int(data["place"]) < (head.of or math.inf):
            raise ValueError(f"it is part {int(data['place']) + 1} of {head.of}")
        _check_rows(data["rows"])
        ids = base64.b64decode(data["ids"], validate=True)
        if len(ids) not in (0, 8 * int(data["records"])):
            raise ValueError("it does not have an id for each record")
        done = PartDone(int(data["records"]), data["state"], data["inputs"], ids)
        found = StoredPart(path, int(data["place"]), data["rows"], done, head.scores)
        with open_plain(found.lines) as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != data["lines"]:
                raise ValueError(f"{found.lines.name} is not what was written")
    except (OSError, NotJson, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        why = f"{Path(error.filename).name} is not there" if isinstance(error, FileNotFoundError) else _odd(error)
        raise InputError(f"{path} is not a complete part: {why}; {_AGAIN}"[:300]) from error
    if data["meaning"] != head.meaning:
        raise InputError(f"{path} has another meaning than its folder: {data['meaning']}; {_AGAIN}")
    return found


def _check_rows(rows: Mapping[str, Any]) -> None:
    optional = [rows[name] for name in ("stop", "take") if rows[name] is not None]
    numbers = [rows["start"], rows["skip"], *optional]
    texts = [rows["name"], rows["sha256"]]
    if set(map(type, numbers)) != {int} or set(map(type, texts)) != {str}:
        raise ValueError("it does not say which rows it has")


def read_parts(folders: Sequence[Path]) -> tuple[PartsHead, list[StoredPart]]:
    """Return the common manifest of some folders and their parts, in the order of their positions.

    Raises:
        InputError: when they belong to several runs, a part exists twice, two have rows in common, or one is missing.
    """
    heads = [read_head(folder) for folder in folders]
    for folder, other in zip(folders, heads, strict=True):
        odd = heads[0].difference(other)
        if odd is not None:
            raise InputError(f"{folders[0]} and {folder} can't be joined, they have {odd}; merge each separately")
    paths = (path for folder in folders for path in sorted(folder.glob("part-*.json")))
    found = sorted((read_part(path, heads[0]) for path in paths), key=lambda one: one.place)
    for one, two in pairwise(found):
        if one.place == two.place:
            raise InputError(f"part {one.place + 1} is there twice: {one.path} and {two.path}; leave one out")
    _check_apart(found)
    count = heads[0].of if heads[0].of is not None else max((one.place for one in found), default=0) + 1
    there = {one.place for one in found}
    missing = count - len(there)
    if missing:  # the stated count may be huge, so the missing ones are not all listed
        first = islice((place for place in range(count) if place not in there), 10)
        listed = ", ".join(str(place + 1) for place in first) + (" …" if missing > 10 else "")
        raise InputError(f"{missing} of {count} parts are missing: {listed}; score them first")
    return heads[0], found


def _check_apart(parts: Sequence[StoredPart]) -> None:
    """Check that no two parts have rows in common, since their records would count twice; raise InputError
    otherwise."""
    ordered = sorted(parts, key=lambda one: (one.rows["name"], one.rows["start"], one.rows["skip"]))
    digests: dict[tuple[Any, ...], StoredPart] = {}
    for one, two in pairwise(ordered):
        same_file = one.rows["name"] == two.rows["name"]
        stop = one.rows["stop"]
        if same_file and one.rows["take"] is None and (stop is None or two.rows["start"] < stop):
            raise InputError(f"{one.path} and {two.path} have rows of {one.rows['name']} in common; leave one out")
    for one in parts:
        key = tuple(one.rows[name] for name in ("sha256", "start", "stop", "skip", "take"))
        if key in digests and one.done.records:
            raise InputError(f"{digests[key].path} and {one.path} have the same content; leave one out")
        digests[key] = one
