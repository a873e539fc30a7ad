"""A finished run with all that it is scored again from: from its folder, or from a bundle."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scoring.api.judges import JudgeOptions, import_calls
from scoring.api.opening import SUITE_FILES, Opened, open_spec
from scoring.api.run import PAGE, Run
from scoring.api.running import RunOptions, run_opened
from scoring.api.sources import MEMORY, GivenData
from scoring.api.wide import PART, merge_parts
from scoring.compiler.travel import task_from_bytes
from scoring.data.address import is_address
from scoring.data.file import InputFile, format_again
from scoring.data.file_format import other_settings
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import InputError
from scoring.data.strict_json import canonical
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.runs.bundle import is_bundle as is_bundle
from scoring.engine.runs.bundle import unpacked_bundle
from scoring.engine.runs.read import StoredRun, read_run
from scoring.engine.runs.verification import SIDES, changed_inputs
from scoring.format.front_ends import default_dialect

KNOWN = ("spec", "tasks", "attributes")
"""The roles of inputs that say what is scored and how; a bundle holds what they say in place of the files."""
RUN, SPEC, JUDGE, LOCK = "run", "spec", "judge.jsonl", "lock.json"
"""Where a bundle has the folder of the run, the texts of specs, the replies of its judge and the lock."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the files of a run are now.

    Args:
        root: What relative names count from: the folder in which the run was scored, wherever that is now.
        given: Files in place of recorded ones: ``spec``, ``data``, ``references``, and those of a suite.
        moved: Where single files and folders are now, by their recorded names.
        is_strange: Whether the names come from a stranger: none may lead elsewhere than below the root.
    """

    root: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)
    is_strange: bool = False

    def of(self, name: str) -> str:
        """Where a file is now, by its recorded name."""
        if name in self.moved:
            return self.moved[name]
        for old, new in self.moved.items():
            if name.startswith(f"{old}/"):
                return new + name.removeprefix(old)
        if self.is_strange and (is_address(name) or Path(name).is_absolute() or ".." in Path(name).parts):
            return f"./{Path(name).name} (no name from elsewhere is looked for)"
        if not self.root or name == "-" or is_address(name):
            return name
        return str(Path(self.root, name))  # an absolute name stays what it is

    def settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What a run is repeated from, with its files where they are now."""
        names = ("spec", "data", "references", *SUITE_FILES)
        found = {name: self.of(settings[name]) for name in names if settings.get(name)}
        spec = found.get("spec")
        if spec is not None and not Path(spec).exists():
            found["spec"] = settings["spec"]  # a shipped suite has no file of the user's
        return {**settings, **found, **self.given}

    def entry(self, entry: Mapping[str, Any], settings: Mapping[str, Any]) -> str | None:
        """Where an input of a manifest is now, None for what was in memory and for a pipe."""
        name, side = str(entry["name"]), SIDES.get(entry["role"], str(entry["role"]))
        if side in self.given and entry["kind"] != PART:
            recorded = settings.get(side)
            if recorded is None or name == recorded or entry["kind"] == MEMORY:
                return self.given[side]
            if name.startswith(f"{recorded}/"):
                return self.given[side] + name.removeprefix(recorded)
        if entry["kind"] == MEMORY or name == "-":
            return None
        return self.of(name)


def places(
    stored: StoredRun,
    root: str | Path | None = None,
    spec: str | Path | None = None,
    data: str | Path | None = None,
    references: str | Path | None = None,
) -> Places:
    """Where the files of a run are, as a caller says.

    Raises:
        InputError: for a file in place of one that the run does not have.
    """
    if root is not None and not Path(root).is_dir():
        raise InputError(f"--root {root} is no folder; it is the one in which the run was scored")
    said = {"spec": spec, "data": data, "references": references}
    given = {name: str(value) for name, value in said.items() if value is not None}
    entries = stored.manifest["inputs"]
    settings = stored.manifest["settings"]
    sides = {SIDES.get(entry["role"], entry["role"]) for entry in entries}
    for name in given:
        if name not in sides and not (name == "spec" and settings.get("spec")):
            raise InputError(f"{stored.name} was scored without {name} of a file; leave out --{name}")
    if "data" in given and any(entry["kind"] == PART for entry in entries):
        raise InputError(f"{stored.name} has the data of several parts; say with --root where they are")
    moved = {}
    before, now = Path(settings.get("spec") or "").parent, Path(given.get("spec", "")).parent
    for name in (str(entry["name"]) for entry in entries) if "spec" in given else ():
        # What the spec's file names lies beside it.
        own = not any(name == held or name.startswith(f"{held}/") for held in _named(settings))
        if own and Path(name).is_relative_to(before) and not Path(name).is_absolute():
            moved[name] = str(now / Path(name).relative_to(before))
    return Places("" if root is None else str(root), given, moved)


def _named(settings: Mapping[str, Any]) -> list[str]:
    return [str(settings[name]) for name in ("data", "references", *SUITE_FILES) if settings.get(name)]


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A finished run with all that it is scored again from.

    Args:
        stored: The run.
        opened: Its spec.
        given: Its data.
        where: Where its files are.
        judge: How its judge is asked again, None for the judge that this process has.
        parts: The data of each part, for a run of parts that were scored one by one.
    """

    stored: StoredRun
    opened: Opened
    given: GivenData
    where: Places
    judge: JudgeOptions | None
    parts: tuple[InputFile, ...] = ()

    def score(self, output: Path, *, processes: int = 1, on_note: Callable[[str], None] | None = None) -> StoredRun:
        """Score the run again into a folder."""
        # Parquet holds ids as text and every column in every row: only the same layout compares.
        layout: Any = self.stored.layout
        state: Any = self.stored.manifest["settings"].get("state", "exact")
        kept: dict[str, Any] = {"keep_values": False, "keep_records": False, "state": state, "on_note": on_note}
        if not self.parts:
            html = PAGE in self.stored.files
            how = RunOptions(
                output, scores=layout, html=html, processes=processes, judge=self.judge, named=self._named, **kept
            )
            run_opened(self.opened, self.given, how)
            return read_run(str(output))
        with tempfile.TemporaryDirectory() as folder:
            for number, file in enumerate(self.parts, start=1):
                part = f"{number}/{len(self.parts)}"
                how = RunOptions(parts=folder, part=part, processes=processes, judge=self.judge, **kept)
                run_opened(self.opened, replace(self.given, data=file), how)
            merge_parts([Path(folder)], output, scores=layout, named=self._named)
        return read_run(str(output))

    def files(self) -> list[str]:
        """The files of this machine that it is made of, as far as they have names."""
        settings = self.stored.manifest["settings"]
        judge = settings.get("judge") or {}
        held = [self.opened.spec, self.given.data, self.given.references, *self.opened.files.values()]
        held += [judge.get("cache"), *(self.where.of(str(one["name"])) for one in self.stored.manifest["inputs"])]
        return [
            one.address if isinstance(one, InputFile) else str(one) for one in held if isinstance(one, str | InputFile)
        ]

    def _named(self, run: Run) -> Run:
        """The run with the names of its files as they were recorded: a manifest shows no place of the moment."""
        recorded, read = self.stored.manifest["inputs"], list(run.inputs)
        if len(read) < len(recorded):
            # A bundle has texts in place of the files of a spec, which are held to be the same by what they mean.
            read = [*(entry for entry in recorded if entry["role"] in KNOWN), *read]
        if len(read) == len(recorded):
            read = [{**entry, "name": held["name"]} for entry, held in zip(read, recorded, strict=True)]
        own = {name: value for name, value in run.settings.items() if name == "judge"}
        settings = {name: value for name, value in self.stored.manifest["settings"].items() if name != "judge"}
        return replace(run, inputs=read, settings={**settings, **own})


def repeatable(stored: StoredRun, where: Places, opened: Opened | None = None) -> Repeatable:
    """A run with its spec and its data, as they were given.

    Raises:
        InputError: when the run does not say how to repeat it, or a file can't be read.
        SpecError: when its spec no longer compiles.
    """
    settings = _settings(stored)
    how = where.settings(settings)
    opened = opened or _opened(stored, how)
    entries = stored.manifest["inputs"]
    parts = tuple(InputFile(where.of(entry["name"])) for entry in entries if entry["kind"] == PART)
    sides = {side: _side(side, how, settings, entries, where) for side in ("data", "references")}
    held = {SIDES.get(entry["role"]) for entry in entries if entry["kind"] == MEMORY}
    if opened.kind != "images":  # records of a file know their lines, and those in memory do not
        sides = {
            side: [row.record for row in read_rows(InputFile(place))] if side in held else place
            for side, place in sides.items()
        }
    if isinstance(sides["data"], str) and how.get("input_format"):
        sides["data"] = InputFile(sides["data"], kind=how["input_format"])
    # The file is read by what was found in it; in the signature is what was said of it.
    opened = opened.read_by(other_settings(stored.manifest["settings"].get("input_format")))
    given = GivenData(sides["data"], sides["references"], limit=how["limit"])
    return Repeatable(stored, opened, given, where, JudgeOptions.again(stored.manifest["settings"]), parts)


def spec_of_run(stored: StoredRun) -> Opened | None:
    """The spec of a run, where it was or else as its manifest holds it; None where neither means what it meant."""
    for again in (lambda how: how, lambda how: {**how, "spec": None}):
        try:
            opened = _opened(stored, again(places(stored).settings(_settings(stored))))
        except (InputError, SpecError):
            continue
        if opened.recipe.digest == (stored.manifest.get("spec") or {}).get("meaning"):
            return opened
    return None


def _settings(stored: StoredRun) -> dict[str, Any]:
    """What a run is repeated from: its settings, and for runs of before the inputs that they do not name.

    Raises:
        InputError: when it was not made from files.
    """
    entries = {entry["role"]: entry for entry in stored.manifest["inputs"]}
    settings = dict(stored.manifest["settings"])
    found: dict[str, Any] = {"limit": None, **settings} if "groundtruth" in entries else settings
    rows = entries.get("records") or entries.get("predictions")
    if "suite" not in stored.manifest and "groundtruth" not in entries and rows is not None and "spec" in entries:
        # The files of a folder tell their format by themselves.
        how = None if rows["kind"] in ("folder", MEMORY, PART) else format_again(rows)
        found |= {"spec": entries["spec"]["name"], "data": _name(rows), "input_format": how}
        found["references"] = _name(entries["references"]) if "references" in entries else None
    spec = found.get("spec") or (stored.manifest.get("spec") or {}).get("spec")
    if not {"spec", "limit", "by", "dialect"} <= found.keys() or not spec:
        raise InputError(f"{stored.name} does not say how to repeat it: it was not made from files by `scoring score`")
    return found


def _name(entry: Mapping[str, Any]) -> str | None:
    return None if entry["kind"] == MEMORY else str(entry["name"])


def _opened(stored: StoredRun, how: Mapping[str, Any]) -> Opened:
    files: dict[str, Any] = {name: how.get(name) for name in SUITE_FILES}
    return open_spec(
        # A spec that was given as data stands whole in the manifest.
        how["spec"] or stored.manifest["spec"]["spec"],
        # Runs of before name the default dialect even where nothing is of a foreign form.
        dialect=None if how["dialect"] == default_dialect() else how["dialect"],
        by=how["by"] or (),
        seed=stored.manifest["seed"],
        locked=False,  # whether it means what the run meant is the very question
        **files,
    )


def _side(
    side: str, how: Mapping[str, Any], settings: Mapping[str, Any], entries: list[Mapping[str, Any]], where: Places
) -> Any:
    """Data or references of a run: by their recorded name, or as a file that is read as the recorded one was."""
    own = [entry for entry in entries if SIDES.get(entry["role"]) == side]
    if len(own) == 1 and own[0]["kind"] not in ("folder", MEMORY, PART):
        place = where.entry(own[0], settings)
        if place is not None and place != own[0]["name"] and (settings.get(side) in (None, own[0]["name"])):
            return InputFile(place, kind=format_again(own[0]))
    if how.get(side) is None and own and own[0]["kind"] != MEMORY and where.moved:
        return where.entry(own[0], settings)  # a bundle has what the spec names
    return how.get(side)


class InputsGone(InputError):
    """A run can't be scored again, since files of it are gone or were changed.

    Attributes:
        changed: A line for each.
        broken: What of the run's own folder is not as it was written.
        stored: The run.
    """

    def __init__(self, run: StoredRun, changed: Sequence[str]) -> None:
        super().__init__(f"{run.name} can't be scored again: {'; '.join(changed)}")
        self.changed, self.broken, self.stored = list(changed), list(run.broken), run


@contextmanager
def prepared(run: str | Path, *said: Any) -> Iterator[Repeatable]:
    """A run with all that it is scored again from.

    Raises:
        InputsGone: when they are not what was scored.
        InputError: when there is no such run, or it does not say how to repeat it.
        SpecError: when its spec no longer compiles.
    """
    if not is_bundle(run):
        stored = read_run(str(run))
        yield prepared_of(stored, places(stored, *said))
        return
    with unpacked(run) as held:
        where = places(held.stored, *said)
        if "spec" in where.given:
            raise InputError(f"{run} holds its spec; leave out --spec")
        where = replace(where, moved=held.moved, given={**held.given, **where.given}, is_strange=True)
        _check(held.stored, where, KNOWN)
        yield replace(repeatable(held.stored, where, held.opened), judge=held.judge)


def prepared_of(stored: StoredRun, where: Places) -> Repeatable:
    """A run of a folder with all that it is scored again from, as `prepared` gives it."""
    _check(stored, where, ())
    return repeatable(stored, where)


def _check(stored: StoredRun, where: Places, known: Sequence[str]) -> None:
    settings = stored.manifest["settings"]
    changed = changed_inputs(stored, lambda entry: where.entry(entry, settings), known)
    if changed:
        raise InputsGone(stored, changed)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What a bundle holds.

    Args:
        stored: The run.
        opened: Its spec, compiled.
        judge: How its judge is asked again: from the replies in the bundle, and never by a network.
        moved: Where files are now that the spec named, and those of single parts, by their recorded names.
        given: Where ``data`` and ``references`` are now.
    """

    stored: StoredRun
    opened: Opened
    judge: JudgeOptions
    moved: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def unpacked(bundle: str | Path) -> Iterator[Unpacked]:
    """What a bundle holds, in a folder that is there as long as it is needed.

    Raises:
        InputError: for what is no bundle, was changed on its way, is made to do harm, or means something else here.
        SpecError: when a spec in it is not in order.
    """
    with unpacked_bundle(bundle) as (folder, head):
        stored = replace(read_run(str(folder / RUN)), name=str(bundle))
        try:
            moved = {str(name): str(folder / _inside(head, place)) for name, place in dict(head["moved"]).items()}
            given = {str(name): str(folder / _inside(head, place)) for name, place in dict(head["given"]).items()}
            opened = _packed_spec(folder, head, stored, moved)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = " ".join(str(error).split())[:100]
            raise InputError(f"{bundle} is no bundle of a run: its bundle.json lacks something ({why})") from None
        yield Unpacked(stored, opened, _judge(folder, stored), moved, given)


def _inside(head: Mapping[str, Any], place: str) -> str:
    """A member, or a folder of members."""
    if place not in head["members"] and not any(name.startswith(f"{place}/") for name in head["members"]):
        raise ValueError(f"{place} is not in it")
    return place


def _packed_spec(folder: Path, head: Mapping[str, Any], stored: StoredRun, moved: Mapping[str, str]) -> Opened:
    held = head["spec"]
    target = (
        _suite(folder, head, moved) if "tasks" in held else task_from_bytes(_packed_texts(folder, head, held["bundle"]))
    )
    settings = stored.manifest["settings"]
    return Opened(
        target.seeded(stored.manifest["seed"]), dialect=settings.get("dialect"), by=tuple(settings.get("by") or ())
    )


def _suite(folder: Path, head: Mapping[str, Any], moved: Mapping[str, str]) -> Any:
    from scoring.engine.suite.compile import PackedSuite

    held = head["spec"]
    tasks = [
        (str(one["name"]), _packed_texts(folder, head, one["bundle"]), dict(one["attributes"]), dict(one["shared"]))
        for one in held["tasks"]
    ]
    table = held["table"]
    if table is not None and not all(isinstance(one, dict) for one in table.values()):
        raise TypeError("attributes that are none")
    results = None if held["results"] is None else Path(moved[str(held["results"])])
    return PackedSuite(_packed_texts(folder, head, held["bundle"]), tuple(tasks), table, results, (), 0).suite()


def _packed_texts(folder: Path, head: Mapping[str, Any], held: Mapping[str, Any]) -> bytes:
    """A spec with its packs as it was packed, its texts put back."""
    files = [{**one, "text": _text(folder, head, one["text"])} for one in held["files"]]
    return canonical({**held, "files": files}).encode()


def _text(folder: Path, head: Mapping[str, Any], name: str) -> str:
    if name not in head["members"]:
        raise ValueError(f"{name} is not in it")
    return (folder / name).read_bytes().decode("utf-8", "surrogatepass")


def _judge(folder: Path, stored: StoredRun) -> JudgeOptions:
    calls = folder / JUDGE
    if not calls.is_file():
        # Whoever made the bundle must not make others pay for calls, nor get what their key gets.
        asks = stored.manifest["settings"].get("judge") is not None
        return JudgeOptions(replay=True, cache=str(calls)) if asks else JudgeOptions()
    cache = folder / "judge.sqlite"
    import_calls(cache, calls)
    settings = dict(stored.manifest["settings"])
    return JudgeOptions.again({**settings, "judge": {**settings["judge"], "cache": str(cache)}})
