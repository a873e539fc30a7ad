"""Packs in a tree of files: which files are packs, and what belongs to each."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from scoring.data.relative import twins
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import counted, listed, shown
from scoring.format.forms import NAME_PATTERN
from scoring.format.locate import says_pack
from scoring.format.nodes import SpecNode
from scoring.format.read import read_bytes
from scoring.format.sections import is_path
from scoring.late import dataclass
from scoring.project.find import SPEC_FILES
from scoring.project.versions import is_version
from scoring.sharing.sources.candidate import Candidate, ReleaseContent
from scoring.sharing.sources.limits import MOST_BYTES, MOST_CONTENT, MOST_FILES, MOST_OF_A_PACK, MOST_PACKS
from scoring.sharing.sources.tree import SourceTree, read

PROJECT = "scoring.toml"
_NAME = re.compile(NAME_PATTERN)


@dataclass(frozen=True, slots=True)
class _Read:
    """A file of a pack."""

    path: str
    data: bytes
    node: SpecNode


def packs_in(tree: SourceTree, below: str = "", revision: str = "") -> list[Candidate]:
    """The releases in a tree: every file of a pack.

    Args:
        tree: The files.
        below: The folder that is looked through, or the one file.
        revision: What the candidates say of the tree's state.

    Raises:
        InputError: when there is none, or two files have one name and version.
    """
    below = "" if below in ("", ".") else posixpath.normpath(below)
    found: dict[tuple[str, str], Candidate] = {}
    broken: list[str] = []
    for path, data in _specs(tree, below):
        try:
            one = _candidate(tree, path, data, revision)
        except InputError as error:
            broken.append(str(error))
            continue
        other = found.setdefault((one.name, one.version), one)
        if other is not one and other.files != one.files:
            raise InputError(
                f"{tree.where}: {shown(other.at)} and {shown(path)} are both `{one.name}` {one.version}; "
                "raise the version of one"
            )
    if found:
        return list(found.values())
    what = f"in {shown(below)}" if below else "there"
    raise InputError(broken[0] if broken else f"{tree.where}: no file {what} is a pack (`kind: pack`)")


def _specs(tree: SourceTree, below: str) -> Iterator[tuple[str, bytes]]:
    """The files that may be packs."""
    if below and tree.entry(below) is not None:
        yield below, read(tree, [below])[below]
        return
    entries = tree.below(below)
    if below and not entries:
        files = [below + ending for ending in SPEC_FILES if tree.entry(below + ending) is not None]
        raise InputError(f"{tree.where}: there is no {shown(below)}" + (f"; is it {shown(files[0])}?" if files else ""))
    if len(entries) > MOST_FILES:
        raise InputError(f"{tree.where} has more than {MOST_FILES:,} files; name the folder of the pack (`path`)")
    named = sorted(path for path in entries if path.lower().endswith(SPEC_FILES))
    plain = [path for path in named if _is_small(entries[path])]
    if len(plain) > MOST_PACKS or sum(int(entries[path]) for path in plain) > MOST_CONTENT:
        what = counted(len(plain), "file")
        raise InputError(f"{tree.where}: {what} might be packs; name the folder of the pack (`path`)")
    if not plain and named:
        raise InputError(f"{tree.where}: {shown(named[0])} {_why_not(entries[named[0]])}")
    for path, data in read(tree, plain).items():
        if says_pack(data):
            yield path, data


def _is_small(entry: int | str) -> bool:
    return isinstance(entry, int) and entry <= MOST_BYTES


def _why_not(entry: int | str) -> str:
    if isinstance(entry, str):
        return f"is {entry}; packs are plain files"
    return f"has {entry:,} bytes; a file of a pack has at most {MOST_BYTES:,}"


def _candidate(tree: SourceTree, path: str, data: bytes, revision: str) -> Candidate:
    where = f"{tree.where}: {path}"
    node = parsed(where, path, data)
    name, version = identity(where, node)
    return Candidate(name, version, revision, partial(_content, tree, _Read(path, data, node)), path)


def identity(where: str, node: SpecNode) -> tuple[str, str]:
    """The name and the version of a pack.

    Raises:
        InputError: when it is none, or says none of them.
    """
    kind, name, version = (_text(node, key) for key in ("kind", "name", "version"))
    if kind != "pack":
        raise InputError(f"{where} is no pack; `kind: pack` is wanted")
    if not _NAME.fullmatch(name) or len(name) > 200:
        raise InputError(f"{where} has no `name` that an import could have")
    if not is_version(version):
        raise InputError(f"{where}: `{name}` has no version; what is shared needs one, as in `version: 1.0.0`")
    return name, version


def _text(node: SpecNode, key: str) -> str:
    held = node.get(key) if node.is_mapping else None
    return held.value if held is not None and isinstance(held.value, str) else ""


def parsed(where: str, path: str, data: bytes) -> SpecNode:
    """A file of a pack, read as specs are.

    Raises:
        InputError: when it can't be.
    """
    try:
        return read_bytes(data, where, is_json=path.lower().endswith(".json"))
    except SpecError as error:
        raise InputError(f"{where}: {error.diagnostics[0].message}") from None


def _content(tree: SourceTree, first: _Read) -> ReleaseContent:
    """A pack with all that it imports by path."""
    found: dict[str, _Read] = {}
    waiting, needs, requires = [first], dict[str, None](), dict[str, None]()
    while waiting:
        one = waiting.pop()
        found[one.path] = one
        if len(found) + len(waiting) > MOST_OF_A_PACK:
            raise InputError(f"{tree.where}: {first.path} imports more than {MOST_OF_A_PACK} files by their path")
        wanted = []
        for target in imports(one.node):
            if is_path(target):
                wanted.append(_below(tree, one.path, target))
            else:
                needs[target] = None
        requires |= dict.fromkeys(texts(one.node, "requires"))
        known = {*found, *(other.path for other in waiting)}
        new = read(tree, [path for path in dict.fromkeys(wanted) if path not in known])
        waiting += [_Read(path, data, parsed(f"{tree.where}: {path}", path, data)) for path, data in new.items()]
    if sum(len(one.data) for one in found.values()) > MOST_CONTENT:
        raise InputError(f"{tree.where}: {first.path} and what it imports have more than {MOST_CONTENT:,} bytes")
    if pair := twins(found):
        raise InputError(f"{tree.where}: {listed(pair, 'and')} are one file where case makes no difference")
    made = _made(tree, first.path, list(found.values()), tuple(needs), tuple(requires))
    return replace(made, signature=_signature(tree, first))


def signature_name(name: str, version: str) -> str:
    """What the file of a release's signature is called: it lies beside the pack's, and is no part of its content.

    Examples:
        >>> signature_name("close", "1.0.0"), signature_name("acme/close", "2")
        ('close-1.0.0.sig', 'acme-close-2.sig')
    """
    return f"{name.replace('/', '-')}-{version}.sig"


def _signature(tree: SourceTree, entry: _Read) -> bytes | None:
    """The signature of a release, as it lies there; whoever wants one checks it."""
    name = signature_name(*identity(tree.where, entry.node))
    path = posixpath.join(posixpath.dirname(entry.path), name)
    return read(tree, [path])[path] if isinstance(tree.entry(path), int) else None


def _made(
    tree: SourceTree, entry: str, parts: Sequence[_Read], needs: tuple[str, ...], requires: tuple[str, ...]
) -> ReleaseContent:
    """The content with its paths from the folder that holds all: where that stands in a source moves no digest."""
    common = posixpath.commonpath([posixpath.dirname(one.path) for one in parts])
    files = {posixpath.relpath(one.path, common or "."): one.data for one in sorted(parts, key=lambda one: one.path)}
    project, place = None, ""
    for folder in upwards(posixpath.dirname(entry)):
        path = posixpath.join(folder, PROJECT)
        if isinstance(tree.entry(path), int):
            project, place = read(tree, [path])[path], folder
            break
    return ReleaseContent(files, posixpath.relpath(entry, common or "."), needs, requires, project, place)


def upwards(folder: str) -> Iterator[str]:
    """A folder of a source and those above it, the last of which is ""."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _below(tree: SourceTree, importer: str, target: str) -> str:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), target))
    if target.startswith("/") or path.startswith("../") or path == "..":
        raise InputError(
            f"{tree.where}: {importer} imports {shown(target)}, which lies outside of its source; name a folder that "
            "holds both"
        )
    return path


def imports(node: SpecNode) -> Iterator[str]:
    """What a file imports, as it is written."""
    held = node.get("imports") if node.is_mapping else None
    if held is not None and held.is_mapping:
        yield from (item.value for item in held.entries.values() if isinstance(item.value, str))


def texts(node: SpecNode, key: str) -> Iterator[str]:
    """The texts of a list."""
    held = node.get(key) if node.is_mapping else None
    if held is not None and held.is_list:
        yield from (item.value for item in held.items if isinstance(item.value, str))
