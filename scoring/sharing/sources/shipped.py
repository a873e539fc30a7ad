"""Packs that come with scoring as a source."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.data.rows.row import InputError
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import shown
from scoring.format import locate
from scoring.sharing.sources.candidate import Candidate
from scoring.sharing.sources.content import packs_in
from scoring.sharing.sources.folder import FolderTree
from scoring.version import VERSION


class ShippedSource:
    """The shipped versions of a pack.

    Args:
        name: The pack.
    """

    is_local = True

    def __init__(self, name: str) -> None:
        self.name, self.where = name, f"scoring {VERSION}"

    def releases(self) -> Sequence[Candidate]:
        """Every version that is shipped.

        Raises:
            InputError: when there is no such pack.
        """
        known = locate.bundled_packs()
        folder = locate.data_folder("specs")
        if self.name not in known:
            meant = did_you_mean(self.name, sorted(known))
            hint = f"did you mean `{meant}`?" if meant else "`scoring list packs` shows what is"
            raise InputError(f"no pack {shown(self.name)} is shipped or installed; {hint}")
        tree = FolderTree(folder, self.where)
        paths = [path.relative_to(folder).as_posix() for path in known[self.name]]
        return [one for path in paths for one in packs_in(tree, path, VERSION)]

    def beside(self, folder: str, place: str) -> ShippedSource:
        """Refused: what is shipped names no folders."""
        raise InputError(f"{self.where} names no folder {shown(folder)}")
