"""Find everything that is needed to score a finished run again, from its folder or from a bundle."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path, PureWindowsPath
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.api.opening import Opened
from scoring.api.run import PAGE, Run
from scoring.api.running import RunOptions, run_opened
from scoring.api.sources import MEMORY, PART, GivenData
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.address import is_address
from scoring.data.file import InputFile, format_again
from scoring.data.file_format import other_settings
from scoring.data.rows.read import read_rows
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.runs.folder import MANIFEST, TEXTS
from scoring.errors import InputError
from scoring.extensions.verification.bundle import is_bundle as is_bundle
from scoring.extensions.verification.bundle import unpacked_bundle
from scoring.extensions.verification.judging import judge_again, judge_of_bundle
from scoring.extensions.verification.read import FORMATS, StoredRun, read_run
from scoring.extensions.verification.texts import target_of
from scoring.extensions.verification.verification import SIDES, changed_inputs
from scoring.format.bundle import text_digest
from scoring.registry.effect import EffectOptions
from scoring.registry.extension import service

KNOWN = ("spec", "tasks", "attributes")
"""The roles of inputs that define what is scored and how; a run contains their content, so the files are not read."""
RUN, JUDGE = "run", "judge.jsonl"
"""The names in a bundle of the run folder and of the judge's replies."""


class FileLocations(Struct, frozen=True):
    """A map from the names of files that a run recorded to where these files are now.

    Args:
        root: The current location of the folder in which the run was scored; relative names are relative to it.
        replacements: Files to use in place of the recorded ``data`` and ``references``.
        moved: The current paths of files and folders that moved, by their recorded names.
        is_strange: Whether the recorded names are not trusted, so that none may lead out of the root.
    """

    root: str = ""
    replacements: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)
    is_strange: bool = False

    def of(self, name: str) -> str:
        """Return the current path of a file, given the name by which the run recorded it."""
        if name in self.moved:
            return self.moved[name]
        for old, new in self.moved.items():
            if name.startswith(f"{old}/"):
                return new + name.removeprefix(old)
        if self.is_strange and (is_address(name) or _leads_away(name)):
            return f"./{PureWindowsPath(name).name} (no name from elsewhere is looked for)"
        if name == "-" or is_address(name) or not (self.root or "\\" in name):
            return name
        place = Path(self.root, name)  # an absolute name stays what it is
        if "\\" in name and not place.exists():  # as Windows writes it
            place = Path(self.root, name.replace("\\", "/"))
        return str(place)

    def entry(self, entry: Mapping[str, Any], settings: Mapping[str, Any]) -> str | None:
        """Return the current path of an input (a file of data, say); None for data that came from memory or a pipe and
        were not replaced.

        Args:
            entry: The manifest's entry about the input.
            settings: The settings in the manifest.
        """
        name, side = str(entry["name"]), SIDES.get(entry["role"], str(entry["role"]))
        if side in self.replacements and entry["kind"] != PART:
            recorded = settings.get(side)
            if recorded is None or name == recorded or entry["kind"] == MEMORY:
                return self.replacements[side]
            if name.startswith(f"{recorded}/"):
                return self.replacements[side] + name.removeprefix(recorded)
        if entry["kind"] == MEMORY or name == "-":
            return None
        return self.of(name)


def _leads_away(name: str) -> bool:
    """Return True if a path is absolute or contains `..`, on any operating system."""
    path = PureWindowsPath(name)  # which takes both ways to write one
    return bool(path.drive or path.root) or ".." in path.parts


def locate_run_files(
    stored: StoredRun,
    root: str | Path | None = None,
    data: str | Path | None = None,
    references: str | Path | None = None,
) -> FileLocations:
    """Return the current locations of a run's files.

    Args:
        stored: The run.
        root: The current location of the folder in which the run was scored.
        data: The file to use in place of the recorded data.
        references: The file to use in place of the recorded references.

    Raises:
        InputError: when the root is not a folder, or a replacement is given for an input that the run does not have.
    """
    if root is not None and not Path(root).is_dir():
        raise InputError(f"--root {root} is no folder; it is the one in which the run was scored")
    replacements = {
        name: str(value) for name, value in {"data": data, "references": references}.items() if value is not None
    }
    entries = stored.manifest["inputs"]
    sides = {SIDES.get(entry["role"]) for entry in entries}
    for name in replacements:
        if name not in sides:
            raise InputError(f"{stored.name} was scored without {name} of a file; leave out --{name}")
        if isinstance(stored.manifest["settings"].get(name), list):
            raise InputError(f"{stored.name} was scored with several files of {name}; say with --root where they are")
    if "data" in replacements and any(entry["kind"] == PART for entry in entries):
        raise InputError(f"{stored.name} has the data of several parts; say with --root where they are")
    return FileLocations("" if root is None else str(root), replacements)


class Repeatable(Struct, frozen=True):
    """A finished run with everything that is needed to score it again.

    Args:
        stored: The run as stored in its folder.
        opened: Its compiled spec.
        given: Its data.
        where: The current locations of its files.
        judge: The options of a judge that repeats its replies; None for the judge that this process has.
        parts: The data of each part, if the run was scored in separate parts.
    """

    stored: StoredRun
    opened: Opened
    given: GivenData
    where: FileLocations
    judge: EffectOptions | None
    parts: tuple[InputFile, ...] = ()

    def score(self, output: Path, *, processes: int = 1, on_note: Callable[[str], None] | None = None) -> StoredRun:
        """Score the run again into the folder `output`, and return the new run."""
        if on_note is not None:
            for line in self.edited():
                on_note(f"{line}; the run is scored again from its own texts")
        # Parquet holds ids as text and every column in every row: only the same layout compares.
        layout: Any = self.stored.layout
        state: Any = self.stored.manifest["settings"].get("state", "exact")
        kept: dict[str, Any] = {"keep_values": False, "keep_records": False, "state": state, "on_note": on_note}
        if not self.parts:
            html = PAGE in self.stored.files
            how = RunOptions(
                output,
                scores=layout,
                html=html,
                processes=processes,
                judge=self.judge,
                rename=self._with_recorded_names,
                **kept,
            )
            run_opened(self.opened, self.given, how)
            return read_run(str(output))
        with tempfile.TemporaryDirectory() as folder:
            for number, file in enumerate(self.parts, start=1):
                part = f"{number}/{len(self.parts)}"
                how = RunOptions(parts=folder, part=part, processes=processes, judge=self.judge, **kept)
                run_opened(self.opened, replace(self.given, data=file), how)
            service("merge-parts", "a run in parts")(
                [Path(folder)], output, scores=layout, rename=self._with_recorded_names
            )
        return read_run(str(output))

    def edited(self) -> list[str]:
        """Return a message for each file of the spec that has changed since the run; files that are missing are left
        out."""
        roles = {str(entry["role"]) for entry in self.stored.manifest["inputs"]}.difference(KNOWN)
        if self.where.is_strange:
            return []
        found = changed_inputs(self.stored, lambda entry: self.where.of(str(entry["name"])), tuple(roles))
        return [line for line in found if not line.endswith("is gone")]

    def files(self) -> list[str]:
        """Return the current paths of all files that the run read, except data that came from memory or a pipe."""
        manifest = self.stored.manifest
        sources = [self.given.data, self.given.references, (manifest["settings"].get("judge") or {}).get("cache")]
        sources += [self.where.of(str(one["name"])) for one in manifest["inputs"]]
        return [
            one.address if isinstance(one, InputFile) else str(one)
            for one in sources
            if isinstance(one, str | InputFile)
        ]

    def _with_recorded_names(self, run: Run) -> Run:
        """Return the run `run`, which was scored again from the old one, with current paths of files replaced by the
        names that the old run recorded."""
        recorded, read = self.stored.manifest["inputs"], list(run.inputs)
        # In place of the files of a spec there are the texts of the run.
        read = [*(entry for entry in recorded if entry["role"] in KNOWN), *read]
        if len(read) == len(recorded):
            read = [{**entry, "name": original["name"]} for entry, original in zip(read, recorded, strict=True)]
        own = {name: value for name, value in run.settings.items() if name == "judge"}
        settings = {name: value for name, value in self.stored.manifest["settings"].items() if name != "judge"}
        return dataclasses.replace(run, inputs=read, settings={**settings, **own})


def repeatable(
    stored: StoredRun, where: FileLocations, judge: EffectOptions | None = None, *, asks: bool = True
) -> Repeatable:
    """Return a run with its spec and data, ready to be scored again; whether its inputs are unchanged is not checked.
    `judge` are the options of its judge; if None and `asks` is set, they are those that the run recorded.

    Raises:
        InputsGone: when the stored texts of its spec are missing or were changed.
        InputError: when a file can't be read.
        SpecError: when its spec no longer compiles.
    """
    entries, settings = stored.manifest["inputs"], stored.manifest["settings"]
    opened = opened_again(stored, where)
    parts = tuple(InputFile(where.of(entry["name"])) for entry in entries if entry["kind"] == PART)
    sides = {side: _side(side, settings, entries, where) for side in ("data", "references")}
    in_memory = {SIDES.get(entry["role"]) for entry in entries if entry["kind"] == MEMORY}
    if opened.kind != "table":  # records of a file know their lines, and those in memory do not
        sides = {
            side: [row.record for row in read_rows(InputFile(place))] if side in in_memory else place
            for side, place in sides.items()
        }
    for side, name in FORMATS.items():
        if isinstance(sides[side], str) and settings.get(name):
            # The file is read by what was found in it; in the signature is what was said of it.
            sides[side] = InputFile(sides[side], kind=settings[name])
    given = GivenData(sides["data"], sides["references"], limit=settings.get("limit"))
    if judge is None and asks:
        judge = judge_again(settings, asks=opened.target.asks_judge)
    return Repeatable(stored, opened, given, where, judge, parts)


def opened_again(stored: StoredRun, where: FileLocations) -> Opened:
    """Return the spec of a run, compiled again from the texts in its folder; no spec or pack of this machine is read.

    Raises:
        InputsGone: when the texts are missing, were changed, or contradict the manifest.
        SpecError: when they no longer compile.
    """
    manifest, settings = stored.manifest, stored.manifest["settings"]
    if stored.texts is None or (manifest.get("files") or {}).get(TEXTS) != sha256(stored.texts).hexdigest():
        why = "not there" if stored.texts is None else "not what was written"
        raise InputsGone(stored, [f"{TEXTS} is {why}, and the run is scored again from it alone"])
    results = next((entry["name"] for entry in manifest["inputs"] if entry["role"] == "task results"), None)
    target, text = target_of(stored.texts, None if results is None else Path(where.of(results)))
    by, dialect = tuple(settings.get("by") or ()), settings.get("dialect")
    known = target.parts.loader.dialect if isinstance(target, CompiledTask) else target.bundle.dialect
    size, digest = len(text.encode("utf-8", "surrogatepass")), text_digest(text)
    specs = [entry for entry in manifest["inputs"] if entry["role"] == "spec"]
    odd = {
        "the spec": any((entry["sha256"], entry.get("bytes")) != (digest, size) for entry in specs),
        "the kind of spec": ("task" if isinstance(target, CompiledTask) else target.spec.kind) not in manifest,
        "the breakdowns": {*by, *(target.spec.data.get("by") or ())} != set(target.spec.by),
        # A file that joins tasks has the one that they are read by, even where none is said.
        "the dialect": dialect != known and (dialect is not None or isinstance(target, CompiledTask)),
    }
    if any(odd.values()):
        what = next(what for what, is_odd in odd.items() if is_odd)
        raise InputsGone(stored, [f"{MANIFEST} and {TEXTS} do not agree on {what}"])
    opened = Opened(target.seeded(manifest["seed"]), dialect=dialect, by=by)
    return opened.read_by(other_settings(*map(settings.get, FORMATS.values())))


def spec_of_run(stored: StoredRun) -> Opened | None:
    """Return the spec of a run, compiled again; None if its texts are missing or invalid, or now mean something
    else."""
    try:
        opened = opened_again(stored, locate_run_files(stored))
    except (InputError, SpecError):
        return None
    return opened if opened.recipe.digest == (stored.manifest.get("spec") or {}).get("meaning") else None


def _side(side: str, settings: Mapping[str, Any], entries: list[Mapping[str, Any]], where: FileLocations) -> Any:
    """Return the data or the references of a run, to be read as they were in the run; None if the run had none.

    Args:
        side: ``data`` or ``references``.
        settings: The settings in the manifest.
        entries: The inputs in the manifest.
        where: The current locations of the run's files.
    """
    own = [entry for entry in entries if SIDES.get(entry["role"]) == side]
    recorded = settings.get(side)
    if isinstance(recorded, list):
        return [InputFile(where.of(entry["name"]), kind=format_again(entry)) for entry in own]
    if len(own) == 1 and own[0]["kind"] not in (MEMORY, PART) and recorded in (None, own[0]["name"]):
        place = where.entry(own[0], settings)
        return place if own[0]["kind"] == "folder" or place is None else InputFile(place, kind=format_again(own[0]))
    return where.replacements.get(side) or (where.of(recorded) if own and recorded is not None else None)


class InputsGone(InputError):
    """The exception for a run that can't be scored again, since some of its files are missing or were changed.

    Attributes:
        changed: A message for each such file.
        broken: Messages about files of the run folder that are not as they were written.
        stored: The run as stored in its folder.
    """

    def __init__(self, run: StoredRun, changed: Sequence[str]) -> None:
        super().__init__(f"{run.name} can't be scored again: {'; '.join(changed)}")
        self.changed, self.broken, self.stored = list(changed), list(run.broken), run


@contextmanager
def prepared(run: str | Path, *arguments: Any) -> Iterator[Repeatable]:
    """Yield a run, given by its folder or a bundle, with everything that is needed to score it again.

    `arguments` are the further arguments of `locate_run_files`: root, data and references. The files of a bundle exist
    only within the block.

    Raises:
        InputsGone: when files are missing or differ from those that were scored.
        InputError: when there is no such run, or its manifest does not say how to repeat it.
        SpecError: when its spec no longer compiles.
    """
    if not is_bundle(run):
        stored = read_run(str(run))
        yield prepared_of(stored, locate_run_files(stored, *arguments))
        return
    with unpack_temporarily(run) as unpacked:
        where = locate_run_files(unpacked.stored, *arguments)
        where = replace(
            where, moved=unpacked.moved, replacements={**unpacked.replacements, **where.replacements}, is_strange=True
        )
        yield prepared_of(unpacked.stored, where, unpacked.judge)


def prepared_of(
    stored: StoredRun, where: FileLocations, judge: EffectOptions | None = None, *, asks: bool = True
) -> Repeatable:
    """Return a stored run with everything that is needed to score it again, after checking that its inputs are
    unchanged; raise InputsGone otherwise.

    Args:
        stored: The run.
        where: The current locations of its files.
        judge: The options of a judge that repeats its replies; None for those that the run recorded.
        asks: Whether the recorded options are used if `judge` is None; otherwise the process's own judge is asked.
    """
    settings = stored.manifest["settings"]
    changed = changed_inputs(stored, lambda entry: where.entry(entry, settings), KNOWN)
    if changed:
        raise InputsGone(stored, changed)
    return repeatable(stored, where, judge, asks=asks)


class Unpacked(Struct, frozen=True):
    """The content of a bundle, unpacked into a folder.

    Args:
        stored: The run as stored in its folder.
        judge: The options of a judge that repeats the replies in the bundle, and never uses a network.
        moved: The current path of each file that the spec, or a task of a suite, names, by its recorded name.
        replacements: The paths of the unpacked ``data`` and ``references``, by these words.
    """

    stored: StoredRun
    judge: EffectOptions | None
    moved: Mapping[str, str] = field(default_factory=dict)
    replacements: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def unpack_temporarily(bundle: str | Path) -> Iterator[Unpacked]:
    """Unpack a bundle into a temporary folder that exists within the block, and yield its content.

    Raises:
        InputError: when the file is not a bundle, was changed since it was written, or looks malicious.
    """
    with unpacked_bundle(bundle) as (folder, head):
        stored = replace(read_run(str(folder / RUN)), name=str(bundle))
        try:
            moved = {str(name): str(folder / _inside(head, place)) for name, place in dict(head["moved"]).items()}
            replacements = {
                str(name): str(folder / _inside(head, place)) for name, place in dict(head["given"]).items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"{error}"[:100] if type(error) is ValueError else "a key is missing or of another kind"
            raise InputError(f"{bundle} is no bundle of a run: its bundle.json is not in order: {why}") from None
        judge = judge_of_bundle(folder, folder / JUDGE, stored.manifest["settings"])
        yield Unpacked(stored, judge, moved, replacements)


def _inside(head: Mapping[str, Any], place: str) -> str:
    """Return `place`, a path within a bundle, after checking that it is a member or a folder of members according to
    `head`, the content of `bundle.json`; raise ValueError otherwise."""
    if place not in head["members"] and not any(name.startswith(f"{place}/") for name in head["members"]):
        raise ValueError(f"{place} is not in it")
    return place
