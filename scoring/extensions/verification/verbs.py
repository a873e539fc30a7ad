"""Verify finished runs by scoring them again, and bundle them for others to verify."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from scoring.api.arguments import check_free, verb
from scoring.api.judging import opened_judge
from scoring.api.result import Result
from scoring.api.sources import PART
from scoring.data.file import InputFile
from scoring.data.folders import walked
from scoring.data.plain_files import real_path
from scoring.errors import InputError
from scoring.extensions.verification.bundle import run_files, write_bundle
from scoring.extensions.verification.documents import (
    RunSignature,
    bundle_document,
    unverifiable_document,
    verification_document,
)
from scoring.extensions.verification.judging import replies_of
from scoring.extensions.verification.read import StoredRun, local_folder, read_run
from scoring.extensions.verification.repeating import (
    JUDGE,
    KNOWN,
    RUN,
    InputsGone,
    Repeatable,
    is_bundle,
    locate_run_files,
    prepared,
    prepared_of,
)
from scoring.extensions.verification.verification import SIDES, is_unknown, verify_rescored
from scoring.registry.extension import find_service, service


class RunVerification(Result):
    """The result of scoring a run again: whether everything is the same, and what differs."""

    @property
    def same(self) -> bool:
        """Whether the files of the run are as written, and scoring it again gave the same scores and figures; False if
        it could not be scored again."""
        return bool(self.data["same"])

    @property
    def changed(self) -> list[str]:
        """Messages about the missing or changed files because of which the run can't be scored again; empty if there
        are none."""
        return list(self.data.get("changed", ()))

    @property
    def signed(self) -> Mapping[str, Any]:
        """The result of checking the run's signature, as plain data; empty if no extension can read signatures."""
        return dict(self.data.get("signed", {}))

    @property
    def passed(self) -> bool:
        """Whether the run is the `same`, its signature (if it has one) is valid, and, if `trust` was given, by a
        trusted author."""
        state = self.signed.get("state")
        return self.same and (state == "signed" if self.data.get("wants_author") else state != "broken")


@verb
def verify(
    run: str | Path,
    output: str | Path | None = None,
    *,
    data: str | Path | None = None,
    references: str | Path | None = None,
    root: str | Path | None = None,
    processes: int = 1,
    trust: str | Path | None = None,
    on_note: Callable[[str], None] | None = None,
) -> RunVerification:
    """Score a finished run again, and return whether everything comes out the same, and who signed the run.

    Args:
        run: The run folder, or the path of a bundle.
        output: The folder in which the new run is kept; by default it is not kept. Nothing is written if files of the
            run are missing or were changed.
        data: The path of the data, if they are not at the recorded path; also for data that came from a pipe or memory.
        references: The path of the references or the ground truth, if they are not at the recorded path.
        root: The folder to which recorded paths are relative; by default the current folder.
        processes: The number of processes that score.
        trust: A file of trusted authors, one of whom must have signed the run: TOML with a table ``[trust]``, or
            OpenSSH's allowed signers. Without it, signatures by the authors in the project file are recognized, but not
            required.
        on_note: Called with each remark about the result, as a line of text.

    Raises:
        InputError: when there is no such run, or the new folder is not empty; when the run is signed, and the extra
            ``sign`` is not installed.
        SpecError: when its spec no longer compiles, for example because a plug-in is missing.

    Examples:
        >>> import scoring
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(
        ...         "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl", output=f"{folder}/run"
        ...     )
        ...     verify(f"{folder}/run").same
        True
    """
    folder = None if output is None else Path(output)
    if folder is not None and folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{output} is not empty; choose another folder")
    signed = signer_of(run, trust, on_note)
    wanted = {"wants_author": True} if trust is not None else {}
    try:
        with prepared(run, root, data, references) as found, tempfile.TemporaryDirectory() as spare:
            who = signed(found.stored)  # before anything is scored, which may take long
            again = found.score(folder or Path(spare) / "run", processes=processes, on_note=on_note)
            verified = verify_rescored(found.stored, again)
    except InputsGone as error:
        gone = {"same": False, "changed": error.changed, "files": error.broken, **_signer_data(signed(error.stored))}
        return RunVerification({**gone, **wanted}, f"{run}: not verified", unverifiable_document)
    about = f"{run}: {'the same' if verified.same else 'not the same'}"
    said = {"same": verified.same, **asdict(verified), **_signer_data(who), **wanted}
    return RunVerification(said, about, lambda _: verification_document(verified, who))


def signer_of(
    run: str | Path, trust: str | Path | None, on_note: Callable[[str], None] | None = None
) -> Callable[[StoredRun], RunSignature | None]:
    """Return a function that checks the signature of a run and returns the result; it returns None if no extension can
    read signatures.

    Args:
        run: The run folder, or the path of a bundle.
        trust: The path of a file of trusted authors; None for those of the project.
        on_note: Called with a remark if the run has a signature that no extension can read.

    Raises:
        InputError: when trusted authors are given and no extension can read signatures, or their file can't be read.
        SpecError: when the project file is invalid.
    """
    found = find_service("signature-of-run") if trust is None else service("signature-of-run", "--trust")
    if found is not None:
        signed: Callable[[StoredRun], RunSignature | None] = found(run, trust)
        return signed

    def unread(stored: StoredRun) -> None:
        is_signed = stored.signed is not None or (is_bundle(run) and Path(f"{run}.sig").is_file())
        if is_signed and on_note is not None:
            on_note(f"{run} has a signature that was not checked: no extension that reads signatures is installed")

    return unread


def _signer_data(who: RunSignature | None) -> dict[str, Any]:
    return {"signed": {**who.to_json(), "says": str(who)}} if who is not None else {}


class RunBundle(Result):
    """The description of a bundle that was written: its members, its size, and the inputs that were left out."""

    @property
    def path(self) -> str:
        """The path of the bundle."""
        return str(self.data["bundle"])


@verb
def bundle(
    run: str | Path,
    output: str | Path | None = None,
    *,
    with_data: bool = True,
    data: str | Path | None = None,
    references: str | Path | None = None,
    root: str | Path | None = None,
    force: bool = False,
    on_note: Callable[[str], None] | None = None,
) -> RunBundle:
    """Write one file from a finished run with everything that others need to `verify` it.

    It contains the run folder, which includes the texts of the spec and of every pack that it imports, the data, and
    the replies that a judge gave in the run. The same run gives the same bytes.

    Args:
        run: The run folder.
        output: The file to write; by default ``NAME.zip`` in the current folder, for the name of the run folder.
        with_data: Whether to include data and references; otherwise only their digests are included, and the files must
            be given to verify the bundle.
        data: The path of the data, if they are not at the recorded path; also for data that came from a pipe or memory.
        references: The path of the references or the ground truth, if they are not at the recorded path.
        root: The folder to which recorded paths are relative; by default the current folder.
        force: Whether to replace an existing file.
        on_note: Called with each remark about the result, as a line of text.

    Raises:
        InputError: when files of the run are missing or were changed, its judge's replies were not kept, or the bundle
            can't be written.
        SpecError: when its spec no longer compiles.

    Examples:
        >>> import scoring
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(
        ...         "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl", output=f"{folder}/run"
        ...     )
        ...     made = bundle(f"{folder}/run", f"{folder}/run.zip")
        ...     made.data["left_out"], scoring.runs.verify(made.path).same
        ([], True)
    """
    target = _free(run, output, force)
    found = _found(run, root, data, references)
    with local_folder(str(run)) as folder, tempfile.TemporaryDirectory() as spare:
        parcel = _Parcel(found, with_data)
        # The run's own files; what else lies in its folder is nobody's business.
        for path in run_files(folder, found.stored.manifest):
            parcel.members[f"{RUN}/{path.relative_to(folder).as_posix()}"] = path
        parcel.add_inputs()
        parcel.add_proof(Path(spare), on_note)
        check_free(target, force, [*found.files(), *(one for one in parcel.members.values() if isinstance(one, Path))])
        return RunBundle(parcel.written(target), str(target), bundle_document)


def _free(run: str | Path, output: str | Path | None, force: bool) -> Path:
    """Return the path of the bundle to write, after checking that no file is there, unless `force` is set; raise
    InputError otherwise."""
    if is_bundle(run):
        raise InputError(f"{run} is a file; a bundle is made of a run's folder")
    name = output if output is not None else f"{real_path(str(run).rstrip('/')).name}.zip"
    return check_free(name, force, there="is there already; choose another name or add --force")


def _found(run: str | Path, *said: Any) -> Repeatable:
    stored = read_run(str(run))
    if stored.broken:
        raise InputError(f"{stored.name} is not as it was written: {'; '.join(stored.broken)}")
    try:
        return prepared_of(stored, locate_run_files(stored, *said))
    except InputsGone as error:
        raise InputError(f"{error}; say where they are with --root, --data or --references") from None


@dataclass(slots=True)
class _Parcel:
    """A bundle while it is being assembled.

    ``members`` are the files to write, and ``left_out`` the manifest's entries about inputs that are not included;
    ``moved`` and ``replacements`` give the place of files in the bundle, as in `Unpacked`; with ``needs_proof``, the
    run must be scored again before the bundle is written.
    """

    found: Repeatable
    with_data: bool
    members: dict[str, Path | bytes] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    replacements: dict[str, str] = field(default_factory=dict)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    needs_proof: bool = False

    @property
    def stored(self) -> StoredRun:
        return self.found.stored

    def about(self) -> dict[str, Any]:
        """Return the content of `bundle.json` except the list of members, as plain data."""
        return {
            "run": {"signature": self.stored.signature, "versions": self.stored.manifest["versions"]},
            "moved": self.moved,
            "given": self.replacements,
            "left_out": self.left_out,
        }

    def written(self, target: Path) -> dict[str, Any]:
        """Write the bundle to `target`, and return its description as plain data."""
        members = write_bundle(target, self.members, self.about())["members"]
        unpacked = sum(entry["bytes"] for entry in members.values())
        size = {"bytes": target.stat().st_size, "unpacked": unpacked}
        return {"bundle": str(target), "run": self.stored.name, **size, "left_out": self.left_out, "members": members}

    def add_inputs(self) -> None:
        """Add the data, references and task results as members, or list them as left out."""
        settings = self.stored.manifest["settings"]
        sides: dict[str, list[Mapping[str, Any]]] = {}
        for entry in self.stored.manifest["inputs"]:
            if entry["role"] not in KNOWN:
                sides.setdefault(SIDES.get(entry["role"], entry["role"]), []).append(entry)
        for side, entries in sides.items():
            if not self.with_data and side != "task results":
                self.left_out += [{key: one[key] for key in ("role", "name", "bytes", "sha256")} for one in entries]
                continue
            for entry in entries:
                self._input(side, entry, settings.get(side))
            self.needs_proof |= any(is_unknown(entry, ".") for entry in entries)

    def _input(self, side: str, entry: Mapping[str, Any], recorded: str | list[str] | None) -> None:
        place = self.found.where.entry(entry, self.stored.manifest["settings"])
        assert place is not None, "an input that is not kept was found to be gone"
        name, number = str(entry["name"]), len(self.moved) + len(self.replacements)
        base = f"{'data' if side not in ('data', 'references') else side}/{number}"
        if entry["kind"] == "folder":
            files = {path.relative_to(place).as_posix(): _content(str(path)) for path in walked(Path(place))}
        elif (file := InputFile(place, kind=entry["kind"])).files[0] is not file:
            files = {one.part.label: _content(one.address) for one in file.files}
        else:
            files = {}
        if isinstance(recorded, str) and name.startswith(f"{recorded}/"):  # one of the files of a suite's folder
            base = f"{side}/files"
            self.members[f"{base}/{name.removeprefix(f'{recorded}/')}"] = _content(place)
            self.replacements[side] = base
            return
        if files:
            self.members |= {f"{base}/{tail}": path for tail, path in files.items()}
        else:
            base = f"{base}/{_portable_name(Path(place).name if name != '-' else 'stdin')}"
            self.members[base] = _content(place)
        if side in ("data", "references") and entry["kind"] != PART and not isinstance(recorded, list):
            self.replacements[side] = base
        else:
            self.moved[name] = base

    def add_proof(self, spare: Path, on_note: Callable[[str], None] | None) -> None:
        """Score the run again, check that the results are the same, and add the replies of the judge that this needed.

        Nothing is done if the run has no judge and all its inputs have digests in the manifest.

        Args:
            spare: The folder in which the repeated run is written.
            on_note: Called with each remark about the result, as a line of text.
        """
        judge = self.stored.manifest["settings"].get("judge")
        if judge is None and not self.needs_proof:
            return
        cache = judge and judge["cache"]
        with opened_judge(self.found.judge, needed=judge is not None, on_note=on_note) as opened:
            again = replace(self.found, judge=None).score(spare / "run", on_note=on_note)
        if not verify_rescored(self.stored, again).same:
            raise InputError(f"{self.stored.name} does not come out again; `scoring verify` says what differs")
        if cache:
            self.members[JUDGE] = replies_of(opened, cache)


def _content(place: str) -> Path | bytes:
    """Return what to store as a member: the path of a local file, or the bytes of a file at an address."""
    file = InputFile(place)
    if file.path.is_file():
        return file.path
    with file.open_raw() as stream:
        return stream.read()


def _portable_name(name: str) -> str:
    """Return a file name made of the last part of a path, with only characters that are valid on every system.

    Examples:
        >>> _portable_name("a b/c:d.yaml"), _portable_name("..")
        ('c_d.yaml', 'file')
    """
    found = re.sub(r"[^A-Za-z0-9._-]", "_", name.replace("\\", "/").rpartition("/")[2])[-100:]
    return found if found.strip("._") else "file"
