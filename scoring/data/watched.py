"""Folders of images whose files are watched for changes while they are scored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from scoring.data.address import stamp
from scoring.data.folders import walked
from scoring.errors import InputError


class WatchedFolder(Struct, frozen=True):
    """A folder of images, with the stamp of each file from before any of them was read, to detect changes."""

    path: Path
    stamps: Mapping[str, str]

    @classmethod
    def of(cls, path: Path) -> WatchedFolder:
        """Return a folder with the current stamps of its files."""
        return cls(path, {str(file): stamp(str(file)) for file in sorted(walked(path))})

    def check(self) -> None:
        """Check that no file of the folder has changed.

        Raises:
            InputError: when one has; the message names the folder.
        """
        if WatchedFolder.of(self.path) != self:
            raise InputError(f"{self.path} changed while it was scored; score it again")
