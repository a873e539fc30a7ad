"""The statement that a signature confirms: kind, name, version and content.

The statement is never read from a signature: whoever checks one writes the statement anew from what lies there. So
there is nothing in a signature that could be believed by mistake, and one that was made for another thing, another
version or another content is a signature of other words, which does not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from scoring.project.store import is_digest

SignedKind: TypeAlias = Literal["pack", "run", "bundle"]
KINDS = ("pack", "run", "bundle")

LONGEST = 1_000
"""Characters of a name or a version in a statement."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement that is signed.

    Args:
        kind: What the thing is.
        name: Its name: of a pack its own, of a run that of its task or suite.
        version: Its version.
        digest: SHA-256: of a pack the tree digest of its release, of a run that of its manifest, of a bundle that of
            its bytes.

    Raises:
        ValueError: for words that could be taken for other ones.
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
        """The namespace in OpenSSH's sense: a signature of a run is not valid for a pack."""
        return f"scoring-{self.kind}"

    def text(self) -> str:
        """Return the words that are signed.

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
