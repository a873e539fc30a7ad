"""Checks of signatures: who signed a release or a run as it is now, and whether that author is trusted with it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.extensions.sharing.signing.envelope import BadSignature, Envelope
from scoring.extensions.sharing.signing.statement import Statement
from scoring.extensions.sharing.signing.trust import Trust

SignedState: TypeAlias = Literal["signed", "unknown", "untrusted", "none", "broken"]


class SignatureAnswer(Struct, frozen=True):
    """The result of checking a signature.

    Args:
        state: ``signed``: by an author trusted with the target; ``unknown``: by an unknown key; ``untrusted``: by a
            known author who is not trusted with the target; ``none``: not signed; ``broken``: an invalid signature.
        kind: The kind of the target: a pack, a run, a bundle.
        author: The author who signed, if known.
        fingerprint: The fingerprint of the key that signed.
        why: The reason why a signature is invalid.
    """

    state: SignedState
    kind: str
    author: str = ""
    fingerprint: str = ""
    why: str = ""

    def __str__(self) -> str:
        return {
            "signed": f"signed by {self.author} ({self.fingerprint})",
            "unknown": f"signed by a key you don't know ({self.fingerprint})",
            "untrusted": f"signed by {self.author} ({self.fingerprint}), who is not trusted with this {self.kind}",
            "none": "not signed",
            "broken": f"signature does not fit: {self.why}",
        }[self.state]

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        said = {"author": self.author, "fingerprint": self.fingerprint, "why": self.why}
        return {"state": self.state, "kind": self.kind, **{key: value for key, value in said.items() if value}}


def answer(content: bytes | None, statement: Statement, trust: Trust) -> SignatureAnswer:
    """Check a signature file against the statement that it should sign, and return whose signature it is and whether it
    counts.

    Args:
        content: The content of the signature file; None if there is none.
        statement: The statement about the target.
        trust: The authors, their keys and what they are trusted with.

    Raises:
        InputError: when there is a signature to check, and the extra `sign` is not installed.
    """
    if content is None:
        return SignatureAnswer("none", statement.kind)
    try:
        envelope = Envelope.read(content)
        envelope.check(statement)
    except BadSignature as error:
        return SignatureAnswer("broken", statement.kind, why=str(error))
    fingerprint, known = envelope.key.fingerprint, trust.of(envelope.key)
    trusted = [one for one in known if one.may_sign(statement.kind, statement.name)]
    if not known:
        return SignatureAnswer("unknown", statement.kind, fingerprint=fingerprint)
    author = ", ".join(dict.fromkeys(one.author for one in trusted or known))
    return SignatureAnswer("signed" if trusted else "untrusted", statement.kind, author, fingerprint)


def check_release(
    content: bytes | None, statement: Statement, trust: Trust, *, alias: str = "", span: Span | None = None
) -> SignatureAnswer | None:
    """Check a release's signature, and refuse the release if the project requires the signature of a trusted author and
    it lacks one.

    An invalid signature is refused even if none is required.

    Args:
        content: The content of its signature file; None if there is none.
        statement: The statement about the release.
        trust: The trust settings of the project.
        alias: The name under which the project imports the release, if it differs.
        span: The location of the trust settings in the project file.

    Returns:
        The result of checking the signature; None if the project does not require one, and there is no signature or no
        known key to check.

    Raises:
        SpecError: not-trusted, when the release is refused.
        InputError: when the extra `sign` is not installed.

    Examples:
        >>> release = Statement("pack", "close", "1.0.0", "0" * 64)
        >>> check_release(None, release, Trust(require=("close",), place="scoring.toml"))
        Traceback (most recent call last):
        scoring.diagnostics.diagnostic.SpecError: error[not-trusted]: `close` 1.0.0 is not signed, and `trust.require` \
of scoring.toml requires it
          ask its authors for a signed release: `scoring sign PACK --key FILE`
    """
    wanted = trust.wants(statement.name) or bool(alias and trust.wants(alias))
    if not wanted and (content is None or not trust.keys):
        return None
    found = answer(content, statement, trust)
    if found.state == "signed" or (not wanted and found.state != "broken"):
        return found
    release = f"`{statement.name}` {statement.version}"
    # An invalid signature is refused even if none is required, because it was not made for this release.
    why, help = {
        "broken": (f"the signature of {release} does not fit: {found.why}", "ask its authors what happened"),
        "none": (
            f"{release} is not signed, and `trust.require` of {trust.place} requires it",
            "ask its authors for a signed release: `scoring sign PACK --key FILE`",
        ),
        "unknown": (
            f"{release} is signed by a key that belongs to no author ({found.fingerprint})",
            "if it should count, add it to `[trust.authors]`, once you know whose it is",
        ),
        "untrusted": (
            f"{release} is signed by {found.author}, who may not sign it according to {trust.place} (`packs`)",
            "ask for a release that is signed by somebody who may",
        ),
    }[found.state]
    raise SpecError.of("not-trusted", why, span, help=help)
