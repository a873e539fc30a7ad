"""The verbs that sign releases, runs and bundles, and check whose signature is on one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.arguments import check_free, verb
from scoring.api.result import Result
from scoring.api.specs import SUFFIXES
from scoring.data.address import is_address
from scoring.data.os_errors import refused
from scoring.data.output import write_file
from scoring.engine.runs.folder import MANIFEST
from scoring.errors import InputError
from scoring.extensions.sharing.documents.travelling import key_document, release_signature_document, signed_document
from scoring.extensions.sharing.signing.author_key import AuthorKey
from scoring.extensions.sharing.signing.subjects import (
    bundle_signature,
    statement_of_bundle,
    statement_of_run,
    subject_of_bundle,
    subject_of_pack,
    subject_of_run,
)
from scoring.extensions.sharing.signing.trust import Trust, read_trust
from scoring.extensions.verification.read import StoredRun, signature_file
from scoring.extensions.verification.repeating import is_bundle
from scoring.format.read import read_file
from scoring.project.project import project_of

if TYPE_CHECKING:
    from scoring.extensions.sharing.signing.check import SignatureAnswer
    from scoring.extensions.sharing.signing.subjects import Subject


class Signed(Result):
    """The result of making a signature or a key."""

    @property
    def path(self) -> str:
        """The path of the signature or private key that was written."""
        return str(self.data["path"])

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key, as `ssh-keygen -l` prints it."""
        return str(self.data["fingerprint"])


@verb
def sign(target: str | Path, *, key: str | Path, ask: Callable[[], str] | None = None, force: bool = False) -> Signed:
    """Sign the release of a pack, the folder of a finished run, or a bundle, and write the signature next to it.

    It is an SSH signature of a short `statement`: the target's kind, name, version and digest. So it is not valid for
    any other release or run, and `ssh-keygen -Y verify` can check it, too.

    Args:
        target: A pack's file, a run's folder, or a bundle.
        key: The file of an ed25519 private key, in OpenSSH's format or in PEM, which only its owner may read.
        ask: Returns the passphrase of the key; called if it has one and ``SCORING_KEY_PASSPHRASE`` is not set.
        force: Whether to replace an older signature.

    Raises:
        InputError: when there is nothing to sign, the target was changed, the key can't be used, there is a signature
            already, or the extra ``sign`` is not installed.
        SpecError: when the pack has errors.

    Examples:
        >>> import scoring, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(
        ...         "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl", output=f"{folder}/run"
        ...     )
        ...     made = new_key(f"{folder}/key", comment="ann@example.org")
        ...     signed = sign(f"{folder}/run", key=f"{folder}/key")
        ...     (
        ...         Path(signed.path).name,
        ...         str(signed_by(f"{folder}/run")) == f"signed by a key you don't know ({made.fingerprint})",
        ...     )
        ('manifest.json.sig', True)
    """
    from scoring.extensions.sharing.signing.envelope import sign_statement
    from scoring.extensions.sharing.signing.private_key import read_private_key

    subject = _subject(target)
    check_free(subject.place, force)
    private = read_private_key(key, ask)
    envelope = sign_statement(subject.statement, private)
    assert envelope.key == AuthorKey(private.public_key().public_bytes_raw())
    write_file(subject.place, envelope.text().encode())
    said = subject.statement
    data = {"path": str(subject.place), "fingerprint": envelope.key.fingerprint, "public_key": envelope.key.text}
    data |= {"kind": said.kind, "name": said.name, "version": said.version, "sha256": said.digest}
    return Signed(data, str(subject.place), signed_document)


@verb
def new_key(path: str | Path, *, passphrase: str | None = None, comment: str = "") -> Signed:
    """Create an ed25519 key for `sign`: the private key in a file that only you may read, the public key in `PATH.pub`.

    Args:
        path: The path of the private key; neither file may exist.
        passphrase: The passphrase with which the private key is encrypted, if any.
        comment: The comment after the public key, such as your address.

    Raises:
        InputError: when a file exists already or can't be written, or the extra ``sign`` is not installed.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = new_key(f"{folder}/key")
        ...     Path(f"{folder}/key.pub").read_text().strip() == made.data["public_key"]
        True
    """
    from scoring.extensions.sharing.signing.private_key import new_private_key

    made = new_private_key(path, passphrase=passphrase, comment=comment)
    data = {"path": str(path), "fingerprint": made.fingerprint, "public_key": made.text, "encrypted": bool(passphrase)}
    return Signed(data, str(path), key_document)


class ReleaseVerification(Result):
    """The result of checking the signature on the release of a pack."""

    @property
    def passed(self) -> bool:
        """True if the release has a trusted author's signature; if no file of trusted authors was given, also if its
        signature is missing or of any valid key."""
        state = self.data["signed"]["state"]
        return bool(state == "signed" if self.data["wants_author"] else state != "broken")


@verb
def verify_release(pack: str | Path, *, trust: str | Path | None = None) -> ReleaseVerification:
    """Check whose signature is on the release of a pack, as `verify` does for a run.

    Args:
        pack: The pack's file.
        trust: A file of trusted authors, one of whom must have signed it; see `verify`.

    Raises:
        InputError: when the file is not a pack with a name and a version, or the extra ``sign`` is needed and not
            installed.
        SpecError: when the project file has errors.
    """
    _check_is_pack(pack)
    subject = subject_of_pack(Path(pack))
    found = _answer(subject, trust)
    said = subject.statement
    data: dict[str, Any] = {"kind": "pack", "name": said.name, "version": said.version, "sha256": said.digest}
    data |= {"wants_author": trust is not None, "signed": {**found.to_json(), "says": str(found)}}
    return ReleaseVerification(data, f"{pack}: {found}", release_signature_document)


def _check_is_pack(path: str | Path) -> None:
    """Check that a spec file is not a task or a suite, which have no release to verify."""
    stated = read_file(Path(path), str(path)).get("kind") if Path(path).is_file() else None
    if stated is not None and stated.value in ("task", "suite"):
        raise InputError(
            f"{path} is a {stated.value}, and a run or a pack is verified; write `scoring check {path}`, or of a run "
            f"`scoring score {path} DATA -o RUN` and `scoring verify RUN`"
        )


@verb
def statement(target: str | Path) -> str:
    """Return the statement that a signature of a release, a run or a bundle signs, for other programs to check.

    Raises:
        InputError: when the target can't be signed.
        SpecError: when the pack has errors.
    """
    return _subject(target).statement.text()


@verb
def signed_by(target: str | Path, *, trust: str | Path | None = None) -> SignatureAnswer:
    """Check whose signature is on a release, a run or a bundle, without scoring or accessing the network.

    Args:
        target: A pack's file, a run's folder, or a bundle.
        trust: A file of trusted authors; by default the project file in or above the current folder, if there is one.

    Raises:
        InputError: when the target does not exist, or the extra ``sign`` is needed and not installed.
        SpecError: when the pack has errors.
    """
    return _answer(_subject(target), trust)


def _answer(subject: Subject, trust: str | Path | None) -> SignatureAnswer:
    from scoring.extensions.sharing.signing.check import answer

    return answer(_content(subject.place), subject.statement, trusted(trust))


def trusted(file: str | Path | None) -> Trust:
    """Return the authors whose signatures count, as a file or, by default, the project file of the current folder
    states them.

    Args:
        file: The file; None for the default.

    Raises:
        InputError: when the file can't be read.
        SpecError: when the project file has errors.
    """
    if file is not None:
        return read_trust(file)
    project = project_of()
    return (project.file.trust if project is not None else None) or Trust()


def signature_of_run(run: str | Path, trust: str | Path | None) -> Callable[[StoredRun], SignatureAnswer]:
    """Return a function that checks whose signature is on a stored run.

    Args:
        run: The run's folder or bundle.
        trust: The file of authors whose signatures count; see `trusted`.

    Raises:
        InputError: when the file of authors can't be read.
        SpecError: when the project file has errors.
    """
    authors = trusted(trust)
    return lambda stored: _signature(run, stored, authors)


def _signature(run: str | Path, stored: StoredRun, trust: Trust) -> SignatureAnswer:
    """Check whose signature is on a run: that of its bundle, if it is a bundle with a signature file, else that in its
    folder.

    Args:
        run: The run's folder or bundle.
        stored: The run as read from there.
        trust: The authors whose signatures count.

    Raises:
        InputError: when a signature can't be read, or the extra ``sign`` is needed and not installed.
    """
    from scoring.extensions.sharing.signing.check import SignatureAnswer, answer

    if is_bundle(run) and not is_address(str(run)):
        content = _content(bundle_signature(Path(run)))
        if content is not None:
            return answer(content, statement_of_bundle(run, stored.manifest), trust)
    if stored.signed is None:
        return SignatureAnswer("none", "run")
    try:
        said = statement_of_run(stored)
    except InputError as error:
        return SignatureAnswer("broken", "run", why=str(error))
    return answer(stored.signed, said, trust)


def _subject(target: str | Path) -> Subject:
    if is_address(str(target)):
        raise InputError(f"{target} is an address; sign a local copy, and copy it there with its signature")
    path = Path(target)
    if path.is_dir():
        if not (path / MANIFEST).is_file():
            raise InputError(f"{target} holds no finished run; a pack is signed by its file")
        return subject_of_run(path)
    return subject_of_pack(path) if path.suffix in SUFFIXES else subject_of_bundle(path)


def _content(place: Path) -> bytes | None:
    try:
        return signature_file(place)
    except OSError as error:
        raise InputError(f"can't read the signature {place}: {refused(error)}") from None
