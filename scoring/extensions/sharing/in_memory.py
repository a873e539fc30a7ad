"""Open a pack whose files are in memory, such as an earlier release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scoring.format.load import Loaded, Loader
from scoring.format.packs import packs_of
from scoring.project.store import tree_digest

# No file is ever opened there: it only gives each file of a content a folder that identifies it for the loader.
_IN_MEMORY = Path("/scoring-held")


def pack_in_memory(
    loader: Loader, files: Mapping[str, bytes], entry: str, name: str, folder: Path | None = None
) -> Loaded:
    """Load a pack from files held in memory; its imports by path never open local files.

    Args:
        loader: The loader of the pack.
        files: The pack's file and the files that it imports by path, by path.
        entry: The path of the pack's file.
        name: The name of the pack in messages.
        folder: The folder whose project resolves imports by name.

    Raises:
        SpecError: when the spec can't be read.
    """
    root = _IN_MEMORY / tree_digest(files)
    loader.trees[root] = files, loader.project(folder)
    return packs_of(loader).in_tree(root, entry, name)
