"""Verbs over a project: sync."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.api.locked import project_at
from scoring.api.verb import verb
from scoring.data.rows.row import InputError
from scoring.sharing.sync import Synced, bring


@verb
def sync(
    folder: str | Path = ".", *, upgrade: bool | Sequence[str] = False, frozen: bool = False, offline: bool = False
) -> Synced:
    """Bring the lock and the store of a project to its project file, and to what its specs import.

    A version that is locked and fits stays. Sources are asked whether they still show what is locked.

    Args:
        folder: A folder of the project.
        upgrade: Whether packs move to the newest version within their range; the names of those that do.
        frozen: Whether nothing is written or fetched, and a lock that is missing or does not fit is refused, as CI
            wants it.
        offline: Whether only this machine is asked: folders, what is installed, the store.

    Returns:
        What became of the packs.

    Raises:
        SpecError: for what can't be resolved, was changed without a new version, or does not fit a frozen lock.
        InputError: where there is no project, and when a source can't be asked or something can't be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "close.yaml").write_text("kind: pack\\nname: close\\nversion: 1.0.0\\n")
        ...     _ = Path(folder, "scoring.toml").write_text('[packs]\\nclose = {folder = "."}\\n')
        ...     [(pack.name, pack.version) for pack in sync(folder).packs]
        [('close', '1.0.0')]
    """
    if frozen and (upgrade or offline):
        raise InputError("`frozen` writes and fetches nothing; leave `upgrade` and `offline` out")
    project = project_at(Path(folder))
    names = None if upgrade is True else frozenset() if not upgrade else frozenset(upgrade)
    return bring(project, names, offline=offline, frozen=frozen)
