"""Files of the current git repository as they were at a revision, such as `origin/main:packs/close.yaml`.

Objects are read like those of a fetched repository: nothing is checked out, and filters, hooks and links have no
effect. The files that a spec needs are written to a temporary folder and read from there.
"""

from __future__ import annotations

import posixpath
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scoring.data.plain_files import real_path
from scoring.data.relative import path_fault
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.content import PROJECT, imports, parsed, upwards
from scoring.extensions.sharing.sources.git import GitTree, commit_of, repository_above
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_CONTENT, MOST_FILES, MOST_OF_A_PACK
from scoring.extensions.sharing.sources.tree import SourceTree, read_tree_files
from scoring.format.nodes import SpecNode
from scoring.format.sections import is_path
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import LOCK_FILE, STORE
from scoring.project.project import project_of

_REVISION = lazy_pattern(r"(?!-)[^\s\x00-\x20\x7f:?*\[\\]{1,200}")
_PROJECTS = (PROJECT, "pyproject.toml", LOCK_FILE)
# The types of other files that a suite or a task may refer to.
_DATA_SUFFIXES = (".yaml", ".yml", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".toml")


class RevisionTree(GitTree):
    """The files near a folder, and the project files above it, at a revision of a local repository.

    Args:
        top: The folder of the repository.
        revision: The revision, such as a branch.
        near: The folder whose files are listed; all by default.

    Raises:
        InputError: when there is no such revision.
    """

    def __init__(self, top: Path, revision: str, near: str) -> None:
        SourceTree.__init__(self, revision, {}, {})
        self._at, self._near, self._oids = top, near, {}
        if not _REVISION.fullmatch(revision):
            raise InputError(
                f"{shown(revision)} is not a revision of a git repository; write one as in origin/main:PATH"
            )
        self.commit = commit_of(top, revision)
        if not self.commit:
            raise InputError(f"this repository has no revision {shown(revision)}; `git fetch` may bring it")
        self._entries = self._listed()

    def _listing(self) -> list[str]:
        """Return the git arguments that list the files near the folder and the project files above it, with all names
        taken literally."""
        command, *options, commit = super()._listing()
        above = [posixpath.join(folder, name) for folder in upwards(self._near) for name in _PROJECTS]
        paths = [f"{self._near}/", *above] if self._near else []
        return ["--literal-pathspecs", command, *options, "--end-of-options", commit, *paths]


@contextmanager
def files_at(revision: str, path: str) -> Iterator[Path]:
    """Provide the path of a copy of a file as it was at a revision, in a temporary folder with its imports, for a
    block.

    Args:
        revision: The revision, such as a branch.
        path: The path of the file from the top of the repository, or from the current folder.

    Raises:
        InputError: when there is no repository, revision or file of that name, or the files are too large.
    """
    here = real_path(Path())
    top = _top(here)
    normalized = posixpath.normpath(path)
    below = here.relative_to(top).as_posix()
    candidates = [posixpath.normpath(posixpath.join(below, normalized))]
    candidates = candidates if path.startswith("./") else [normalized, *candidates]
    if fault := path_fault(candidates[0]):
        raise InputError(f"{shown(path)} can't be a path in a repository: {fault}")
    for place in dict.fromkeys(candidates):
        # Imports are below the folder of their spec, or in a sibling of it.
        tree = RevisionTree(top, revision, posixpath.dirname(posixpath.dirname(place)))
        if tree.entry(place) is not None or tree.below(place):
            break
    else:
        raise InputError(f"{shown(revision)} has no file {shown(path)}")
    with tempfile.TemporaryDirectory(prefix="scoring-revision-") as folder:
        root = real_path(Path(folder))
        _write(tree, root, _wanted(tree, place))
        _keep_project(tree, top, root, (root / place).parent)
        yield root / place


def _top(folder: Path) -> Path:
    """Return the top folder of the git repository that contains a folder.

    Raises:
        InputError: when there is no such repository.
    """
    found = repository_above(folder)
    if found is not None:
        return found
    raise InputError("REV:PATH is a file of the current git repository, but this folder is in none")


def _wanted(tree: RevisionTree, place: str) -> list[str]:
    """Return the paths of all files that a spec needs: its own, its imports by path, its project files, and for a suite
    all data files near it.

    Args:
        tree: The files at the revision.
        place: The path of the spec, or of a suite's folder.
    """
    if tree.entry(place) is None:
        return _data_files(tree, place)
    found = [place]
    node = _node(tree, place)
    for path in found:  # the list grows during the loop
        for target, _ in imports(node if path == place else _node(tree, path)):
            inner = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if is_path(target) and inner not in found and tree.entry(inner) is not None:
                found.append(inner)
        if len(found) > MOST_OF_A_PACK:
            raise InputError(f"{tree.where}: {place} imports more than {MOST_OF_A_PACK} files by their path")
    if "kind" not in node or node["kind"].value == "suite" or "records" in node:
        found += _data_files(tree, posixpath.dirname(place))
    folders = list(upwards(posixpath.dirname(place)))
    return [
        *found,
        *(
            path
            for folder in folders
            for name in _PROJECTS
            if isinstance(tree.entry(path := posixpath.join(folder, name)), int)
        ),
    ]


def _node(tree: RevisionTree, path: str) -> SpecNode:
    return parsed(f"{tree.where}:{path}", path, read_tree_files(tree, [path])[path])


def _data_files(tree: RevisionTree, folder: str) -> list[str]:
    sizes = {
        path: size
        for path, size in tree.below(folder).items()
        if path.endswith(_DATA_SUFFIXES) and isinstance(size, int)
    }
    if len(sizes) > MOST_FILES or sum(sizes.values()) > MOST_CONTENT or max(sizes.values(), default=0) > MOST_BYTES:
        raise InputError(f"{tree.where}: there is too much in the folder {shown(folder or '.')} to read all of it")
    return list(sizes)


def _write(tree: RevisionTree, root: Path, paths: Iterable[str]) -> None:
    wanted = list(dict.fromkeys(paths))
    for path, data in read_tree_files(tree, wanted).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _keep_project(tree: RevisionTree, top: Path, root: Path, folder: Path) -> None:
    """Copy to a temporary folder what a spec's project needs: its store of packs as it is now, and its folders of packs
    as they were at the revision.

    The present store also serves an older lock, because contents are identified by their digests.

    Args:
        tree: The files at the revision.
        top: The folder of the repository.
        root: The temporary folder.
        folder: The folder of the spec in it.
    """
    project = project_of(folder) if folder.is_dir() else None
    if project is None or not project.root.is_relative_to(root):
        return
    below = project.root.relative_to(root)
    store = top / below / STORE
    if store.is_dir() and not store.is_symlink():
        shutil.copytree(store, project.root / STORE, symlinks=True)
    for source in project.file.packs.values():
        near = posixpath.normpath(posixpath.join(below.as_posix(), source.where))
        if source.kind == "folder" and not path_fault(near):
            found = RevisionTree(top, tree.commit, near)
            _write(found, root, (path for path in _data_files(found, near) if not (root / path).exists()))
