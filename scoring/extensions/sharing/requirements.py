"""The search for imports by name in the specs of a project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from scoring.data.os_errors import refused
from scoring.data.plain_files import read_plain
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.errors import InputError
from scoring.extensions.sharing.resolve import WantedPack
from scoring.extensions.sharing.sources.content import imports
from scoring.format.front_ends import front_end_of, front_ends
from scoring.format.load import Loader
from scoring.format.locked import LockedPacks
from scoring.format.nodes import SpecNode
from scoring.format.packs import tasks_called
from scoring.format.read import read_bytes
from scoring.format.sections import is_path
from scoring.project.find import LOCK_FILE, PROJECT_FILE, SPEC_FILES
from scoring.project.project import Project, from_here
from scoring.project.versions import is_range

MOST_ENTRIES = 100_000
"""Files and folders of a project that are looked at for specs."""
MOST_BYTES = 8_000_000
"""Bytes of a file that may be a spec."""
_LEFT_OUT = {"__pycache__", "node_modules", "site-packages"}
# Words that a file with imports contains; most JSON files are data, and without these words they are not parsed.
_WORDS, _WORDS_OF_JSON = (b"imports",), (b'"imports"', b'"kind"')
_KINDS = ("task", "pack", "suite")


def wanted_by_specs(project: Project, notes: list[str]) -> Iterator[WantedPack]:
    """Yield every import of a pack by name in the specs below the folder of a project; tasks by name are no packs.

    Folders whose name begins with a dot, installed packages and nested projects are skipped.

    Args:
        project: The project.
        notes: The list to which remarks on files that look like specs and can't be read are appended.

    Raises:
        InputError: when the folder can't be searched.
    """
    loader = Loader(project=LockedPacks(project))
    names = [form.file_name for form in front_ends() if form.file_name]
    for path in _files(project.root):
        is_of_other_tool = any(fnmatchcase(path.name, name) for name in names)
        if path.suffix.lower() not in SPEC_FILES and not is_of_other_tool:
            continue
        shown, is_json = from_here(path), path.suffix.lower() == ".json"
        try:
            content = read_plain(path, MOST_BYTES)
        except (OSError, ValueError) as error:
            if is_of_other_tool or not is_json:  # JSON that can't be a spec is data
                notes.append(f"{shown} is not searched: {refused(error)}")
            continue
        if not is_of_other_tool and not all(word in content for word in (_WORDS_OF_JSON if is_json else _WORDS)):
            continue
        try:
            node = read_bytes(content, shown, is_json=is_json)
            found = list(_imports(node, path, loader) if is_of_other_tool else _written(node))
        except SpecError as error:
            notes.append(f"{shown} is not searched: {error.diagnostics[0].message}")
            continue
        for target, span in found:
            name, _, wanted = target.partition("@")
            if not is_path(target) and (not wanted or is_range(wanted)) and not tasks_called(name):
                yield WantedPack(name, wanted, shown, span)


def _written(node: SpecNode) -> Iterator[tuple[str, Span | None]]:
    """Yield each import in a spec file, as the imported name and its location; a file that is no spec has none, and
    `scoring check` reports its faults."""
    kind = node.get("kind") if node.is_mapping else None
    if kind is not None and kind.value in _KINDS:
        yield from imports(node)


def _imports(node: SpecNode, path: Path, loader: Loader) -> Iterator[tuple[str, Span | None]]:
    """Yield each import of a file of another tool, after its conversion to a spec, as the imported name and its
    location."""
    if front_end_of(node) is not None:
        loaded = loader.load(node, name=str(path), folder=path.parent, path=path)
        yield from ((entry.target, entry.span) for entry in loaded.spec.imports)


def _files(root: Path) -> Iterator[Path]:
    left = MOST_ENTRIES
    for here, folders, names in os.walk(root):
        left -= len(folders) + len(names)
        if left < 0:
            raise InputError(
                f"{root} has more than {MOST_ENTRIES:,} files and folders; put the project file closer to the specs"
            )
        if here != str(root) and {PROJECT_FILE, LOCK_FILE} & set(names):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_OUT)
        yield from (Path(here) / name for name in sorted(names))
