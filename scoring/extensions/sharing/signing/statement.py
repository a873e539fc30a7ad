"""The statement that a signature signs: the kind, name, version and content of its target.

The statement is never read from a signature: a check derives it from the target as it is. So a signature contains
nothing that could be believed by mistake, and one that was made for another target, version or content signs another
statement and is invalid.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from scoring.project.store import is_digest

SignedKind: TypeAlias = Literal["pack", "run", "bundle"]
KINDS = ("pack", "run", "bundle")

LONGEST = 1_000
"""Characters of a name or a version in a statement."""


class Statement(Struct, frozen=True):
    """The statement that a signature signs, about a pack's release, a run or a bundle.

    Args:
        kind: The kind of the target.
        name: Its name: for a pack its own, for a run that of its task or suite.
        version: Its version.
        digest: A SHA-256: for a pack the tree digest of its release, for a run that of its manifest, for a bundle that
            of its bytes.

    Raises:
        ValueError: when a value is malformed, so that the statement could be mistaken for another one.
    """

    kind: SignedKind
    name: str
    version: str
    digest: str

    def __post_init__(self) -> None:
        for word in (self.name, self.version):
            if not word or len(word) > LONGEST or not word.isprintable():
                raise ValueError(f"a statement has names and versions on one line, not {word!r:.60}")
        if self.kind not in KINDS or not is_digest(self.digest):
            raise ValueError("a statement is about a pack, a run or a bundle, by its SHA-256")

    @property
    def namespace(self) -> str:
        """The namespace of OpenSSH for signatures of targets of this kind, so that one of a run is not valid for a
        pack."""
        return f"scoring-{self.kind}"

    def text(self) -> str:
        """Return the statement as the text that is signed.

        Examples:
            >>> print(Statement("pack", "close", "1.0.0", "0" * 64).text(), end="")
            scoring statement 1
            kind: pack
            name: close
            version: 1.0.0
            sha256: 0000000000000000000000000000000000000000000000000000000000000000
        """
        said = (("kind", self.kind), ("name", self.name), ("version", self.version), ("sha256", self.digest))
        return "".join(["scoring statement 1\n", *(f"{word}: {value}\n" for word, value in said)])

    def __str__(self) -> str:
        return f"{self.kind} `{self.name}` {self.version}"
