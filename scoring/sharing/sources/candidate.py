"""A release that a source offers: which pack and version, and, once it is wanted, the bytes of its files.

A source (`FolderSource`, `GitSource`, …) has these: ``where`` is what messages call it, never with credentials,
``is_local`` whether it is a place of this machine that changes as somebody edits it; ``releases()`` are what it
offers, in no order; ``beside(folder, place)`` is the source of a folder in the same state of it, for what its own
project file, at a place, names, and refuses what leads out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property

from scoring.late import dataclass
from scoring.project.store import PackContent


@dataclass(frozen=True)
class ReleaseContent(PackContent):
    """What one release of a pack is made of, with what its source says of it.

    Args:
        needs: What these import by name, as they write it, such as ``close@1``.
        requires: The distributions whose primitives they use, as they write it, such as ``acme-metrics>=1.2``.
        project: The text of the ``scoring.toml`` that its source has for it; None where there is none.
        place: The folder of that file in the source, "" for the root.
        signature: What lies beside the pack's file as its signature; None where nothing does.
    """

    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    project: bytes | None = None
    place: str = ""
    signature: bytes | None = None


@dataclass
class Candidate:
    """One release of one pack in a source.

    Args:
        name: The pack's own name.
        version: Its version.
        revision: What tells this state of the source from every other: ``commit …``, ``sha256 …`` of a wheel; "" where
            there is no such thing, as for a folder.
        load: Gives the content; called once, when it is asked for.
        at: Where in the source its file is.
    """

    name: str
    version: str
    revision: str
    load: Callable[[], ReleaseContent] = field(repr=False)
    at: str = ""

    @cached_property
    def content(self) -> ReleaseContent:
        """What it is made of.

        Raises:
            InputError: when it can't be had, or is no pack of that name and version.
        """
        return self.load()
