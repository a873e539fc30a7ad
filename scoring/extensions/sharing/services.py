"""Functions that this extension provides to the core, under the names of their entry points."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.sharing.changes.found import compare_loaded_specs
from scoring.format.load import Loaded, Loader


def moves_between(old: Loaded, old_loader: Loader, new: Loaded, new_loader: Loader) -> Sequence[str]:
    """Return a line for each change between two states of a pack that changes its meaning (what of it can change a
    score) or breaks its importers.

    It is empty if either state does not compile, as is usual during an edit.

    Args:
        old: The old state.
        old_loader: The loader that opened it.
        new: The new state.
        new_loader: The loader that opened it.
    """
    try:
        return [
            str(change)
            for change in compare_loaded_specs(old, old_loader, new, new_loader)
            if change.moves or change.breaks
        ]
    except SpecError:
        return ()
