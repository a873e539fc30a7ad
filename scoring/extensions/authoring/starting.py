"""Copy shipped examples and tasks to a folder, with their data and instructions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from scoring.api.arguments import check_free, verb
from scoring.data.os_errors import telling
from scoring.data.output import FOLDER_MODE, write_file
from scoring.diagnostics.suggest import nearest
from scoring.errors import InputError
from scoring.extensions.names.named import is_task_name, shipped_tasks, spec_path, task_names
from scoring.format.read import read_file
from scoring.format.shipped import data_folder
from scoring.project.find import project_place

_GROUPS = ("quickstart", "examples")
_SCHEMAS = ".scoring/schemas"
_LINE = "# yaml-language-server: $schema="
_SHOWN = 12


def starters() -> dict[str, tuple[Path, ...]]:
    """Return the files of each shipped example and task by its name, such as `quickstart/invoices` or `squad@2`.

    Examples:
        >>> [path.name for path in starters()["quickstart/invoices"]], [path.name for path in starters()["squad@2"]]
        (['invoices.yaml', 'invoices.jsonl'], ['squad-2.yaml', 'squad-2.jsonl'])
    """
    folder = data_folder("specs")
    found: dict[str, tuple[Path, ...]] = {}
    for group in _GROUPS:
        for path in sorted((folder / group).glob("*")):
            if path.is_dir():
                paths = (one for one in path.rglob("*") if one.is_file())
                found[f"{group}/{path.name}"] = tuple(sorted(paths, key=lambda one: (one.suffix != ".yaml", one)))
            elif path.suffix == ".yaml":
                data = path.with_suffix(".jsonl")
                found[f"{group}/{path.stem}"] = (path, data) if data.is_file() else (path,)
    return found | {name: (path, path.with_suffix(".jsonl")) for name, path in shipped_tasks().items()}


@verb
def new_from(name: str, folder: str | Path | None = None, *, force: bool = False) -> tuple[Path, ...]:
    """Write a folder with a shipped spec, its data, and a README with instructions.

    Args:
        name: The name of a shipped example or task, such as `quickstart/invoices` or `squad@2`, to copy with its data.
            The part after the `/` is sufficient if it is unambiguous, and a task's name without a version means the
            newest.
        folder: The folder to write; by default one in the current folder with the last part of the spec's name.
        force: Whether to replace existing files.

    Returns:
        The paths of the files written: the spec first, the README last.

    Raises:
        InputError: when there is no such example, a file exists already, or a file can't be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as place:
        ...     [path.name for path in new_from("quickstart/invoices", place)]
        ['invoices.yaml', 'invoices.jsonl', 'README.md']
    """
    known = starters()
    full = _full_name(name, known)
    is_folder = (data_folder("specs") / full).is_dir()
    within = data_folder("specs") / full if is_folder else known[full][0].parent
    target = Path(folder) if folder is not None else Path(within.name if is_folder else known[full][0].stem)
    texts = {target / one.relative_to(within): one.read_bytes() for one in known[full]}
    texts |= {target / "README.md": _readme(full, target, tuple(texts)).encode()}
    for path in texts:
        check_free(path, force)
    for path, content in texts.items():
        with telling(f"can't make the folder {path.parent}"):
            path.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        write_file(path, _linked(content, path) if path.suffix == ".yaml" else content)
    return tuple(texts)


def schema_link(kind: str, path: Path) -> str:
    """Return the path of the JSON Schema for a kind of spec, relative to the folder of the spec at ``path``.

    Editors follow it as a link.

    In a checkout of this repository it is in `schemas/`. Elsewhere the schema is copied to `.scoring/schemas`, next to
    the project file if there is one, otherwise next to the spec, so that the link is the same on every machine and
    needs no network. Nothing is copied if the spec is written to a pipe, a device or a missing folder.

    Raises:
        InputError: when a folder or file can't be written.
    """
    here, shipped = Path(os.path.realpath(path.parent)), Path(os.path.realpath(data_folder("schemas")))
    place = shipped
    if not here.is_relative_to(shipped.parent) or shipped.parent.name == "_data":
        project = project_place(here)
        place = (project[0] if project is not None else here) / _SCHEMAS
        copies = here.is_dir() and (path.is_file() or not path.exists())
        for name in (f"{kind}.schema.json", "definitions.schema.json") if copies else ():
            content = (shipped / name).read_bytes()
            if not (place / name).is_file() or (place / name).read_bytes() != content:
                with telling(f"can't make the folder {place}"):
                    for one in (place.parent, place):
                        one.mkdir(FOLDER_MODE, exist_ok=True)
                write_file(place / name, content)
    return Path(os.path.relpath(place / f"{kind}.schema.json", here)).as_posix()


def _full_name(name: str, known: dict[str, tuple[Path, ...]]) -> str:
    if name in known:
        return name
    if is_task_name(name) and name.partition("@")[0] in task_names():
        path = spec_path(name)
        return next(full for full, paths in known.items() if path in paths)
    last = [one for one in known if one.rpartition("/")[2] == name]
    if len(last) == 1:
        return last[0]
    short = {one: one.rpartition("/")[2].partition("@")[0] for one in known}
    near = nearest(name, known) or nearest(name, short.values())
    whole = next((one for one in known if near in (one, short[one])), None)
    if whole is not None:
        raise InputError(f"nothing to start from is called `{name}`; write `scoring new --from {whole}`")
    alike = [one for one in known if name.partition("/")[0] in one][:_SHOWN]
    some = ", ".join(alike or [*known][:_SHOWN])
    raise InputError(f"nothing to start from is called `{name}`; there are {some} …; `scoring list tasks` shows more")


def _linked(content: bytes, path: Path) -> bytes:
    """Return the content of a shipped spec with its comment for editors changed to link to the schema from ``path``."""
    lines = content.decode().split("\n")
    for place, line in enumerate(lines):
        if line.startswith(_LINE):
            kind = line.rpartition("/")[2].partition(".")[0]
            lines[place] = f"{_LINE}{schema_link(kind, path)}"
    return "\n".join(lines).encode()


def _readme(name: str, folder: Path, files: tuple[Path, ...]) -> str:
    """Return the text of the README: what the folder contains, which commands to run, and what to change first."""
    return "\n".join(_lines(name, [path.relative_to(folder).as_posix() for path in files], files)) + "\n"


def _lines(name: str, names: list[str], files: tuple[Path, ...]) -> Iterator[str]:
    from scoring.diagnostics.words import counted

    specs = [one for one in names if one.endswith(".yaml") and "/" not in one]
    data = [one for one in names if one.endswith(".jsonl")]
    shipped = dict(zip(names, starters()[name], strict=False))
    doc = read_file(shipped[specs[0]]).get("doc") if specs else None
    yield f"# {name}\n"
    if doc is not None:
        yield " ".join(str(doc.value).split()) + "\n"
    yield f"Written by `scoring new --from {name}`. In this folder:\n"
    yield "```sh"
    for spec in specs:
        yield f"scoring check {spec}"
    if specs and data and len(specs) == 1:
        yield f"scoring score {specs[0]} {data[0]} -o run"
        yield f"scoring explain {specs[0]} {data[0]}"
    yield "```\n"
    if "@" in name and data:
        count = counted(len(shipped[data[0]].read_bytes().splitlines()), "record")
        yield f"`{data[0]}` holds {count} of the probes that hold this task to the official code; put yours in its"
        yield "place: the keys of its records are those that the spec reads, and `record:` in the spec names others.\n"
    yield "The line `# yaml-language-server` is for editors: they complete, explain and refuse as you type."
