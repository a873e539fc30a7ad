"""Find the files that specs name by their paths: packs that they import, and tasks that they extend."""

from __future__ import annotations

from pathlib import Path

from scoring.data.os_errors import refused
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import did_you_mean
from scoring.format.sections import Import


def imported_path(entry: Import, folder: Path | None) -> Path:
    """Return the path of the file that a spec in `folder` names by its path.

    Raises:
        SpecError: when it is missing, or outside of the folder and its parent; or the spec is not a file.
    """
    if folder is None:
        raise SpecError.of(
            "import-not-found",
            f"`{entry.target}` is a path, but this spec is not a file",
            entry.span,
            help="give `scoring.load` the path of the file, or name a pack or a task",
        )
    try:
        path = _below(folder, entry)
        if path.is_file():
            return path
        here = sorted(found.name for found in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
    except (OSError, ValueError, RuntimeError) as error:  # too long a path, a zero byte, a loop of links
        raise SpecError.of(
            "import-not-found",
            f"`{entry.target:.200}` can't be used as the path of a file: {refused(error)}",
            entry.span,
            help="name a file next to this spec, such as `./pack.yaml`",
        ) from None

    raise SpecError.of(
        "import-not-found", f"there is no file `{entry.target}`", entry.span, did_you_mean(path.name, here)
    )


def _below(folder: Path, entry: Import) -> Path:
    """Return the path that an import opens; raise SpecError if it leads out of `folder` and the parent of
    `folder`."""
    root = real_path(folder)
    path = root if Path(entry.target).is_absolute() else real_path(folder / entry.target)
    if Path(entry.target).is_absolute() or not (path.is_relative_to(root) or path.is_relative_to(root.parent)):
        raise SpecError.of(
            "import-outside",
            f"`{entry.target:.200}` is outside the folder of this spec",
            entry.span,
            help="keep imported files in the spec's folder or next to that folder",
        )
    return path
