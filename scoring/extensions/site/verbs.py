"""The verbs that write a static site from specs, or serve one on which definitions can be tried."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.arguments import verb
from scoring.api.result import Result
from scoring.api.specs import Names
from scoring.data.os_errors import telling
from scoring.data.output import OpenFolder, write_whole
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.extensions.sharing.documents.travelling import site_document
from scoring.extensions.site.gather import SiteReader
from scoring.extensions.site.pages import site_files

if TYPE_CHECKING:
    from scoring.extensions.site.server import SiteServer


ALLOWED = ("judge", "programs")
TITLE = "Scoring"
LONGEST_TITLE = 200
LISTED = "site.json"
"""The file that lists the files of the site in a folder."""
_KEY = "files of scoring site"
_LONGEST = 10_000_000


class WrittenSite(Result):
    """The result of writing a site: its start page, and the number of its packs, tasks, definitions and files."""


@verb
def build(
    specs: Names,
    output: str | Path,
    *,
    title: str = TITLE,
    allow: Sequence[str] = (),
    dialect: str | None = None,
    force: bool = False,
) -> WrittenSite:
    """Write a static site about packs, tasks and primitives, running their examples.

    The same specs give the same bytes. The site needs no server and no network: its pages can be opened from a disk.

    Args:
        specs: Spec files, folders of them, and names of shipped or installed packs such as ``rubrics@1``; what they
            import is shown, too.
        output: The folder to write; a site that is in it is replaced.
        title: The title of the site.
        allow: The effects that examples may have: ``judge``, ``programs``; other examples with effects are shown
            without being run.
        dialect: The dialect in which files of other tools are read.
        force: Whether to write into a folder that contains other files, which are kept.

    Raises:
        SpecError: when a spec has errors, or one of its examples fails.
        InputError: when a name refers to nothing, or the folder can't be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     build("rubrics@1", folder)
        <WrittenSite: a site of 1 pack>
    """
    allowed, folder = checked_effects(allow), Path(output)
    check_folder(folder, force=force)  # before the time-consuming work
    site = SiteReader(_names_of(specs), allowed, dialect, title=checked_title(title))
    files = site_files(site)
    write_site(folder, files, force=force)
    packs = [one for one in site.files if one.spec.kind == "pack"]
    tasks = len(site.files) - len(packs)
    data = {
        "folder": str(output),
        "start": str(folder / "index.html"),
        "packs": [{"name": one.spec.name, "version": one.spec.version, "page": one.page} for one in packs],
        "tasks": tasks,
        "definitions": sum(len(one.definitions) for one in site.files),
        "primitives": len(site.primitives),
        "examples": sum(len(one.tried) for one in site.files),
        "files": len(files),
        "bytes": sum(map(len, files.values())),
        "skipped": list(site.skipped),
    }
    about = f"a site of {counted(len(packs), 'pack')}" + (f" and {counted(tasks, 'task')}" if tasks else "")
    return WrittenSite(data, about, site_document, "packs")


@verb
def serve(
    specs: Names,
    *,
    port: int = 0,
    title: str = TITLE,
    allow: Sequence[str] = (),
    dialect: str | None = None,
    on_note: Callable[[str], None] | None = None,
) -> AbstractContextManager[SiteServer]:
    """Return a server of the site that `build` writes, for this machine only, with a box to try each definition.

    Args:
        specs: The specs, as for `build`.
        port: The port on 127.0.0.1; 0 for any free one.
        title: The title of the site.
        allow: The effects that definitions may have: ``judge``, ``programs``.
        dialect: The dialect in which files of other tools are read.
        on_note: Called with a line about each file that was skipped.

    Returns:
        A context manager that runs the server; its ``address`` contains a secret key, without which nobody can use it.

    Raises:
        SpecError: when a spec has errors, or one of its examples fails.
        InputError: when a name refers to nothing or, on entering the context, the port can't be used.
    """
    from scoring.extensions.site.server import SiteServer
    from scoring.extensions.site.trying import TryerSettings

    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65_535:
        raise InputError(f"a port is a number from 0 to 65535, not {port!r:.40}")
    allowed = checked_effects(allow)
    names = _names_of(specs)
    site = SiteReader(names, allowed, dialect, title=checked_title(title), serving=True)
    files = site_files(site)
    if on_note is not None:
        for line in site.skipped:
            on_note(line)
    return SiteServer(files, TryerSettings(tuple(names), site.tries(), allowed, dialect), port)


def _names_of(specs: Names) -> list[str]:
    """Return the given specs, one or several, as a list of strings."""
    return [str(specs)] if isinstance(specs, str | Path) else [str(one) for one in specs]


def checked_title(title: str) -> str:
    """Return the title of a site without surrounding white space, after checking its length.

    Raises:
        InputError: when it is empty or too long.
    """
    if not 1 <= len(title.strip()) <= LONGEST_TITLE:
        raise InputError(f"the title of a site has from 1 to {LONGEST_TITLE} characters, not {len(title.strip()):,}")
    return title.strip()


def checked_effects(allow: Sequence[str]) -> tuple[str, ...]:
    """Return the allowed effects, each once, after checking that they exist.

    Raises:
        InputError: when there is no such effect.
    """
    names: list[Any] = [allow] if isinstance(allow, str) else list(allow)
    for one in names:
        if one not in ALLOWED:
            raise InputError(f"{one!r:.40} is not something that can be allowed; the names are {' and '.join(ALLOWED)}")
    return tuple(dict.fromkeys(names))


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Check that a site could be written into a folder.

    Raises:
        InputError: when the path is not a folder, or the folder contains other files and `force` is not set.
    """
    with telling(f"can't write {folder}", (OSError, ValueError)):
        if not folder.exists() and not folder.is_symlink():
            return
        with OpenFolder(folder) as site_folder:
            _check_replaceable(site_folder, folder, _listed(site_folder), force)


def _check_replaceable(site_folder: OpenFolder, folder: Path, older: list[str] | None, force: bool) -> None:
    if older is None and site_folder.names() and not force:
        hint = "name an empty folder, or add --force to write into it anyway"
        raise InputError(f"{folder} holds files that belong to no site; {hint}")


def write_site(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Write the files of a site into a folder, and remove those of the site that was in it before.

    Raises:
        InputError: when the folder contains other files and `force` is not set, or can't be written.
    """
    with telling(f"can't write {folder}", (OSError, ValueError)), OpenFolder.made(folder) as site_folder:
        older = _listed(site_folder)
        _check_replaceable(site_folder, folder, older, force)
        with contextlib.ExitStack() as opened:
            folders = {"": site_folder}
            for path in sorted({*files, *(older or ())}):
                above = path.rpartition("/")[0]
                if above not in folders:
                    folders[above] = opened.enter_context(site_folder.folder(above))
            for path, content in files.items():
                above, _, name = path.rpartition("/")
                write_whole(folders[above], name, content)
            for path in sorted(set(older or ()) - set(files)):
                above, _, name = path.rpartition("/")
                folders[above].remove_file(name)
        write_whole(site_folder, LISTED, (json.dumps({_KEY: sorted(files)}, indent=0) + "\n").encode())


def _listed(folder: OpenFolder) -> list[str] | None:
    """Return the paths of the files of the site that is in a folder, from the list that it contains; None if there is
    no valid one."""
    try:
        with folder.open(LISTED) as file:
            listed = json.loads(file.read(_LONGEST))[_KEY]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    ours = isinstance(listed, list) and all(isinstance(one, str) and _is_ours(one) for one in listed)
    return listed if ours else None


def _is_ours(path: str) -> bool:
    """Return True if a path has the form of those that a site writes: a file, at most one folder deep."""
    parts = path.split("/")
    return 1 <= len(parts) <= 2 and all(part not in ("", ".", "..") and "\\" not in part for part in parts)
