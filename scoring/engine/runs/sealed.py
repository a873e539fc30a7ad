"""What a manifest holds against change: the digest of every file as it was written, and one over itself.

No key is part of a seal: whoever changes a folder can compute it anew, so it tells of accidents and of edits by hand
and never who made a run. What a forger can't do is make figures come out again that the data does not give, which
`verify` asks.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from typing import Any, BinaryIO

from scoring.data.strict_json import digest

SEAL = "seal"


class SealedFile(io.RawIOBase):
    """A file that is written from its begin to its end, and digested on the way.

    Args:
        file: The file.
        name: Its name.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file
        self._found = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Write some bytes."""
        self._found.update(data)
        return self._file.write(data)

    def writable(self) -> bool:
        """Which it is, for those who ask a file."""
        return True

    def tell(self) -> int:
        """How many bytes there are."""
        return self._file.tell()

    def flush(self) -> None:
        """Give to the system what was written."""
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def sha256(self) -> str:
        """The digest of what was written so far."""
        return self._found.hexdigest()


def sealed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest with its seal: the digest of all else in it.

    Examples:
        >>> held = sealed({"seed": 0})
        >>> holds(held), holds({**held, "seed": 1}), holds({"seed": 0})
        (True, False, None)
    """
    content = {name: value for name, value in manifest.items() if name != SEAL}
    return {**content, SEAL: digest(content)}


def holds(manifest: Mapping[str, Any]) -> bool | None:
    """Whether a manifest is what its seal says; None where it has none, as those of before."""
    if SEAL not in manifest:
        return None
    return bool(sealed(manifest)[SEAL] == manifest[SEAL])
