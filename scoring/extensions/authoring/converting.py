"""Specs made of files in which other tools state several tasks, written with what is lost on the way."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.api.arguments import check_free
from scoring.api.specs import SUFFIXES
from scoring.api.tasks import load
from scoring.data.os_errors import telling
from scoring.data.output import FOLDER_MODE, write_file
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.authoring.starting import schema_link
from scoring.extensions.other_tools.task_files import GROUP, MadeSpec, TaskFile
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.format.yaml_text import flow, scalar
from scoring.registry import plugins

_LINK = "# yaml-language-server: $schema={schema}\n"


class Converted(str):
    """The text of the spec that `convert` has made; of several, their texts behind lines `---`, with packs.

    Attributes:
        files: The paths that were written.
        lost: What the specs score otherwise than the tool does, one line each, with the task where there are several.
    """

    files: tuple[Path, ...] = ()
    lost: tuple[str, ...] = ()


class _Written(Struct, frozen=True):
    """A file that is to be written: its kind, its path, and its text."""

    kind: str
    path: Path
    text: str


def forms_of_task_files() -> Iterator[TaskFile]:
    """Yield the forms of files with tasks of other tools, our own first."""
    for plugin in plugins.every(GROUP):
        yield plugin.load()


def convert_tasks(
    form: TaskFile,
    node: SpecNode,
    source: Path,
    *,
    name: str | None,
    task: str | None,
    output: str | Path | None,
    force: bool,
) -> Converted:
    """Convert the tasks in a file of another tool, and write their specs if there is an output.

    Args:
        form: The form of the file.
        node: Its root node.
        source: Its path.
        name: The name for the specs; by default that of the file, or of its folder if the file is called `eval`.
        task: The id of the only task that is converted; by default all are.
        output: The file of the spec, or the folder of several specs.
        force: Whether to replace existing files.

    Raises:
        InputError: when there is no such task, files can't be written, or a task makes no valid spec.
        SpecError: when the file has an unknown key or value.
    """
    made = form.convert(node, name or _own_name(source))
    if task is not None:
        ids = [one.id for one in made]
        if task not in ids:
            raise InputError(
                f"{source} has no task {shown(task)}; {did_you_mean(task, ids) or f'it has {listed(ids)}'}"
            )
        made = [one for one in made if one.id == task]
    folder, stems = _places(made, source, output)
    files = [file for one, stem in zip(made, stems, strict=True) for file in _files_of(one, source, folder / stem)]
    _check(files, source)
    if output is not None:
        for file in files:
            check_free(file.path, force, [source])
        with telling(f"can't make the folder {folder}"):
            folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        for file in files:
            write_file(file.path, (_LINK.format(schema=schema_link(file.kind, file.path)) + file.text).encode())
    result = Converted("---\n".join(file.text for file in files))
    result.files = tuple(file.path for file in files) if output is not None else ()
    result.lost = tuple(
        dict.fromkeys(f"{one.id}: {line}" if len(made) > 1 else line for one in made for line in one.lost)
    )
    return result


def _own_name(source: Path) -> str:
    own = source.resolve().parent.name if source.stem == "eval" else source.stem
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", own).strip("-_")
    return name if name[:1].isalpha() else f"task-{name}".rstrip("-")


def _places(made: Sequence[MadeSpec], source: Path, output: str | Path | None) -> tuple[Path, list[str]]:
    """Return the folder in which the specs stand, and the name of each without its suffix."""
    target = Path(output) if output is not None else Path()
    if output is not None and target.suffix in SUFFIXES:
        if len(made) > 1:
            ids = listed([one.id for one in made], "and")
            raise InputError(f"{source} has the tasks {ids}; name a folder, or one of them by --task")
        return target.parent, [target.stem]
    stems = [re.sub(r"[^A-Za-z0-9_.-]+", "-", one.id or str(one.spec["name"])) for one in made]
    if len({stem.casefold() for stem in stems}) < len(stems):
        raise InputError(f"{source} has tasks whose ids make one name of a file; convert them one by one with --task")
    return target, stems


def _files_of(made: MadeSpec, source: Path, base: Path) -> Iterator[_Written]:
    """Yield the spec of a task, and the packs that it imports by path."""
    about = f", task {made.id}" if made.id else ""
    lines = [f"Converted by `scoring convert` from {source.name}{about}."]
    lines += (
        ["What the file also says, which moves no score:", *(f"  {line}" for line in made.idle)] if made.idle else []
    )
    lines += ["What is lost:", *(f"  {line}" for line in made.lost)] if made.lost else []
    head = "".join(f"# {line}\n" if line else "#\n" for line in map(_one_line, lines))
    imports: Any = made.spec.get("imports")
    spec = dict(made.spec)
    if imports:
        spec["imports"] = {alias: str(path).replace("{file}", base.name) for alias, path in imports.items()}
    yield _Written("task", base.with_name(f"{base.name}.yaml"), head + _yaml(spec))
    for part, pack in made.packs.items():
        name = re.sub(r"[^A-Za-z0-9-]+", "-", f"{base.name}-{part}")
        text = {"kind": "pack", "name": name if name[:1].isalpha() else f"pack-{name}", "version": "1.0.0", **pack}
        yield _Written("pack", base.with_name(f"{base.name}-{part}.yaml"), f"# {_one_line(lines[0])}\n" + _yaml(text))


def _one_line(text: str) -> str:
    """Return a text that can stand in a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _check(files: Sequence[_Written], source: Path) -> None:
    """Raise an InputError if a spec is not valid, as with a pattern that could run for years."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            (Path(folder) / file.path.name).write_text(file.text, encoding="utf-8")
        for file in files:
            if file.kind == "task":
                try:
                    load(Path(folder) / file.path.name)
                except SpecError as error:
                    first = error.diagnostics[0]
                    raise InputError(
                        f"{source}: the spec of {file.path.stem} would not be valid: {first.message}; "
                        f"change that scorer in the file, or leave it out"
                    ) from None


def _yaml(data: Mapping[str, Any]) -> str:
    """Return plain data as YAML whose long texts stand in blocks; it reads back as it was."""
    text = "\n".join(_lines(data, "")) + "\n"
    assert read_text(text, "converted.yaml").plain() == data, "the written spec does not read back as it was"
    return text


def _lines(data: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        head = f"{indent}{scalar(key)}:"
        if isinstance(value, Mapping) and value and len(indent) < 10:
            yield head
            yield from _lines(value, indent + "  ")
        elif isinstance(value, str) and _stands_in_block(value):
            yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
            yield from (f"{indent}  {line}" if line else "" for line in value.removesuffix("\n").split("\n"))
        elif isinstance(value, list) and value and any(isinstance(one, Mapping) for one in value):
            yield head
            yield from (f"{indent}- {flow(one)}" for one in value)
        else:
            yield f"{head} {scalar(value) if isinstance(value, str) else flow(value)}"


def _stands_in_block(text: str) -> bool:
    """Return whether a text is written as a block of YAML, which keeps its lines and its quotes."""
    lines = text.removesuffix("\n").split("\n")
    return (
        ("\n" in text or '"' in text)
        and all(line.isprintable() and line == line.rstrip() for line in lines)
        and bool(lines[0])
        and bool(lines[-1])
        and not lines[0].startswith(" ")
    )
