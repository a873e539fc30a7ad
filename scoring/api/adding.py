"""Verbs over the project file: add, remove, upgrade."""

from __future__ import annotations

from pathlib import Path

from scoring.api.verb import verb
from scoring.sharing.changing import ProjectChange, add_pack, remove_pack, upgrade_packs


@verb
def add(
    address: str,
    *,
    alias: str | None = None,
    pack: str | None = None,
    version: str | None = None,
    folder: str | Path = ".",
) -> ProjectChange:
    """Name a pack in the project file, fetch it, and lock it; a project begins where there is none.

    Args:
        address: A folder or a file (``../shapes``), ``git+https://host/repository@v1.0.0#packs/close``,
            ``dist:acme-metrics>=1,<2``, ``https://…``, ``s3://…`` or whatever else fsspec reaches, or the name of a
            shipped or installed pack (``house@1``).
        alias: The name by which specs import it; its own by default.
        pack: Its own name, where the address has several packs.
        version: The range of its versions; by default those that score as the newest does.
        folder: A folder of the project.

    Returns:
        What was done.

    Raises:
        InputError: for what is no address, can't be reached, has no such pack, or is named already.
        SpecError: for what can't be resolved.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "close.yaml").write_text("kind: pack\\nname: close\\nversion: 1.0.0\\n")
        ...     print(add(f"{folder}/close.yaml", folder=folder).lines[0])
        `close` 1.0.0 is added; specs import it as `close@1`
    """
    return add_pack(address, Path(folder), alias or "", pack or "", version or "")


@verb
def remove(name: str, *, folder: str | Path = ".") -> ProjectChange:
    """Take a pack out of the project file and the lock.

    Args:
        name: The name by which specs import it.
        folder: A folder of the project.

    Raises:
        InputError: when it is not there, or specs import it.
        SpecError: for what can't be resolved then.
    """
    return remove_pack(name, Path(folder))


@verb
def upgrade(name: str | None = None, *, version: str | None = None, folder: str | Path = ".") -> ProjectChange:
    """Move packs to the newest versions within their ranges, or one pack to another range.

    A pack from git moves to the newest tag of the same form: within the same major version, where no range is named.

    Args:
        name: The pack; all by default.
        version: Its new range.
        folder: A folder of the project.

    Raises:
        InputError: when there is no such pack, or a source can't be asked.
        SpecError: for what can't be resolved.
    """
    return upgrade_packs(name or "", Path(folder), version or "")
