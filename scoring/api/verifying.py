"""Finished runs scored again, and made once more."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.repeating import InputsGone, prepared
from scoring.api.result import Result
from scoring.api.signing import signature_of_run, trusted
from scoring.api.verb import verb
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import StoredRun
from scoring.project.trust import Trust

if TYPE_CHECKING:
    from scoring.sharing.signing.check import SignatureAnswer


class RunVerification(Result):
    """Whether a run came out the same when it was scored again."""

    @property
    def same(self) -> bool:
        """Whether every score and every figure came out again."""
        return bool(self.data["same"])

    @property
    def changed(self) -> list[str]:
        """The files that are gone or were changed, without which the run can't be scored again."""
        return list(self.data.get("changed", ()))

    @property
    def signed(self) -> Mapping[str, Any]:
        """Whose signature is on the run, as `SignatureAnswer.to_json` says it; empty for a run that was repeated."""
        return dict(self.data.get("signed", {}))

    @property
    def passed(self) -> bool:
        """Whether it came out again, no signature on it is off, and where trust was asked for, it is by an author."""
        state = self.signed.get("state")
        return self.same and (state == "signed" if self.data.get("wants_author") else state != "broken")


@verb
def verify(
    run: str | Path,
    *,
    spec: str | Path | None = None,
    data: str | Path | None = None,
    references: str | Path | None = None,
    root: str | Path | None = None,
    processes: int = 1,
    trust: str | Path | None = None,
    on_note: Callable[[str], None] | None = None,
) -> RunVerification:
    """Score a finished run again and say whether everything comes out the same, and who signed it.

    Args:
        run: The run folder, or a bundle, see `bundle`.
        spec: The spec's file, where it is not where its recorded name says.
        data: The data likewise; what came through a pipe or was in memory can be given as a file.
        references: The references, or the ground truth, likewise.
        root: The folder from which recorded names count; by default the current one.
        processes: How many processes score.
        trust: A file of trusted authors (TOML with a table ``[trust]``, or OpenSSH's allowed signers), by one of whom
            the run must be signed; without one, those of the project file are known by name.
        on_note: Told, in a line, what should be known beside the result.

    Raises:
        InputError: when there is no such run, or it does not say how to repeat it; when it is signed, and the extra
            ``sign`` is not installed.
        SpecError: when its spec no longer compiles.

    Examples:
        >>> import scoring
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(
        ...         "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl", output=f"{folder}/run"
        ...     )
        ...     verify(f"{folder}/run").same
        True
    """
    with tempfile.TemporaryDirectory() as folder:
        found = _again(run, Path(folder) / "run", (root, spec, data, references), processes, on_note, trusted(trust))
    return replace(found, data={**found.data, "wants_author": True}) if trust is not None else found


@verb
def repeat(
    run: str | Path,
    output: str | Path,
    *,
    spec: str | Path | None = None,
    data: str | Path | None = None,
    references: str | Path | None = None,
    root: str | Path | None = None,
    processes: int = 1,
    on_note: Callable[[str], None] | None = None,
) -> RunVerification:
    """Make a finished run once more, from what its manifest says, into a folder of its own, and compare the two.

    Args:
        run: The run folder, or a bundle.
        output: The new run folder; none is written where the run's files are gone or were changed.
        spec: The spec's file, where it is not where its recorded name says.
        data: The data likewise.
        references: The references, or the ground truth, likewise.
        root: The folder from which recorded names count; by default the current one.
        processes: How many processes score.
        on_note: Told, in a line, what should be known beside the result.

    Raises:
        InputError: as `verify` does, and when the new folder is not free.
        SpecError: when the run's spec no longer compiles.

    Examples:
        >>> import scoring
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(
        ...         "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl", output=f"{folder}/run"
        ...     )
        ...     found = repeat(f"{folder}/run", f"{folder}/again")
        ...     found.same, Path(folder, "again", "summary.json").is_file()
        (True, True)
    """
    folder = Path(output)
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{output} is not empty; choose another folder")
    return _again(run, folder, (root, spec, data, references), processes, on_note)


def _again(
    run: str | Path,
    output: Path,
    said: tuple[Any, ...],
    processes: int,
    on_note: Callable[[str], None] | None,
    trust: Trust | None = None,
) -> RunVerification:
    from scoring.engine.runs.verification import verify as compared
    from scoring.report.of.runs import unverifiable_document, verification_document

    def signed(stored: StoredRun) -> SignatureAnswer | None:
        return None if trust is None else signature_of_run(run, stored, trust)

    try:
        with prepared(run, *said) as found:
            who = signed(found.stored)  # before anything is scored, which may take long
            verified = compared(found.stored, found.score(output, processes=processes, on_note=on_note))
    except InputsGone as error:
        data = {"same": False, "changed": error.changed, "files": error.broken, **_named(signed(error.stored))}
        return RunVerification(data, f"{run}: not verified", unverifiable_document)
    about = f"{run}: {'the same' if verified.same else 'not the same'}"
    data = {"same": verified.same, **asdict(verified), **_named(who)}
    return RunVerification(data, about, lambda _: verification_document(verified, who))


def _named(who: SignatureAnswer | None) -> dict[str, Any]:
    return {"signed": {**who.to_json(), "says": str(who)}} if who is not None else {}
