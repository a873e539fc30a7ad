"""Packs in a tree of files: which files are packs, and what belongs to each, found on demand.

A source (`FolderSource`, `GitSource`, …) has these: ``where`` is what messages call it, never with credentials,
``is_local`` whether it is a place of this machine that changes as somebody edits it; ``releases()`` are what it
offers, in no order; ``beside(folder, place)`` is the source of a folder in the same state of it, for what its own
project file, at a place, names, and refuses what leads out of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

from scoring.data.relative import twins
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import counted, listed, shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_CONTENT, MOST_FILES, MOST_OF_A_PACK, MOST_PACKS
from scoring.extensions.sharing.sources.tree import SourceTree, read, read_if_there
from scoring.format.forms import NAME_PATTERN
from scoring.format.locate import says_pack
from scoring.format.nodes import SpecNode
from scoring.format.read import read_bytes
from scoring.format.requirements import requirement_fault
from scoring.format.sections import is_path
from scoring.project.find import SPEC_FILES
from scoring.project.store import PackContent
from scoring.project.versions import is_version

PROJECT = "scoring.toml"
_NAME = re.compile(NAME_PATTERN)


@dataclass(frozen=True)
class ReleaseContent(PackContent):
    """The content of one release of a pack, with the metadata of its source.

    Args:
        needs: What these import by name, as they write it, such as ``close@1``.
        requires: The distributions whose primitives they use, as they write it, such as ``acme-metrics>=1.2``.
        project: The text of the ``scoring.toml`` that its source has for it; None where there is none.
        place: The folder of that file in the source, "" for the root.
        signature: What lies beside the pack's file as its signature; None where nothing does.
    """

    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    project: bytes | None = None
    place: str = ""
    signature: bytes | None = None


@dataclass
class Candidate:
    """One release of one pack in a source.

    Args:
        name: The pack's own name.
        version: Its version.
        revision: What tells this state of the source from every other: ``commit …``, ``sha256 …`` of a wheel; "" where
            there is no such thing, as for a folder.
        load: Gives the content; called once, when it is asked for.
        at: Where in the source its file is.
    """

    name: str
    version: str
    revision: str
    load: Callable[[], ReleaseContent] = field(repr=False)
    at: str = ""

    @cached_property
    def content(self) -> ReleaseContent:
        """Return the content.

        Raises:
            InputError: when it can't be had, or is no pack of that name and version.
        """
        return self.load()


def packs_in(tree: SourceTree, below: str = "", revision: str = "") -> list[Candidate]:
    """Return the releases in a tree: every file of a pack.

    Raises:
        InputError: when there is none, or two files have one name and version.
    """
    below = "" if below in ("", ".") else posixpath.normpath(below)
    found: dict[tuple[str, str], Candidate] = {}
    broken: list[str] = []
    for path, data in _specs(tree, below):
        try:
            where = f"{tree.where}: {path}"
            node = parsed(where, path, data)
            name, version = identity(where, node)
        except InputError as error:
            broken.append(str(error))
            continue
        one = Candidate(name, version, revision, partial(_content, tree, path, data, node), path)
        other = found.setdefault((name, version), one)
        if other is not one and other.content.files != one.content.files:
            raise InputError(
                f"{tree.where}: {shown(other.at)} and {shown(path)} are both `{name}` {version}; "
                "raise the version of one"
            )
    if found:
        return list(found.values())
    what = f"in {shown(below)}" if below else "there"
    raise InputError(broken[0] if broken else f"{tree.where}: no file {what} is a pack (`kind: pack`)")


def _specs(tree: SourceTree, below: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that may be packs."""
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
    sizes = {path: size for path in named if isinstance(size := entries[path], int) and size <= MOST_BYTES}
    if len(sizes) > MOST_PACKS or sum(sizes.values()) > MOST_CONTENT:
        what = counted(len(sizes), "file")
        raise InputError(f"{tree.where}: {what} might be packs; name the folder of the pack (`path`)")
    if not sizes and named:
        read(tree, named[:1])  # which says why not
    for path, data in read(tree, sizes).items():
        if says_pack(data):
            yield path, data


def identity(where: str, node: SpecNode) -> tuple[str, str]:
    """Return the name and the version of a pack.

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
    """Return a file of a pack, read as specs are.

    Raises:
        InputError: when it can't be.
    """
    try:
        return read_bytes(data, where, is_json=path.lower().endswith(".json"))
    except SpecError as error:
        raise InputError(f"{where}: {error.diagnostics[0].message}") from None


def _content(tree: SourceTree, entry: str, data: bytes, node: SpecNode) -> ReleaseContent:
    """Return a pack with all that it imports by path.

    Its paths are from the folder that holds all of it: where that stands in a source moves no digest.
    """
    found, waiting = {entry: data}, [(entry, node)]
    needs, requires = dict[str, None](), dict[str, None]()
    while waiting:
        path, one = waiting.pop()
        if len(found) > MOST_OF_A_PACK:
            raise InputError(f"{tree.where}: {entry} imports more than {MOST_OF_A_PACK} files by their path")
        targets = [target for target, _ in imports(one)]
        needs |= dict.fromkeys(target for target in targets if not is_path(target))
        requires |= dict.fromkeys(texts(one, "requires"))
        if fault := next(filter(None, map(requirement_fault, requires)), ""):
            raise InputError(f"{tree.where}: {path}: {fault}")
        wanted = [_below(tree, path, target) for target in targets if is_path(target)]
        new = read(tree, [path for path in wanted if path not in found])
        found |= new
        waiting += [(path, parsed(f"{tree.where}: {path}", path, data)) for path, data in new.items()]
    if sum(map(len, found.values())) > MOST_CONTENT:
        raise InputError(f"{tree.where}: {entry} and what it imports have more than {MOST_CONTENT:,} bytes")
    if pair := twins(found):
        raise InputError(f"{tree.where}: {listed(pair, 'and')} are one file where case makes no difference")
    above = posixpath.dirname(entry)
    for place in upwards(above):
        project = read_if_there(tree, posixpath.join(place, PROJECT))
        if project is not None:
            break
    common = posixpath.commonpath(list(map(posixpath.dirname, found))) or "."
    return ReleaseContent(
        {posixpath.relpath(path, common): found[path] for path in sorted(found)},
        posixpath.relpath(entry, common),
        tuple(needs),
        tuple(requires),
        project,
        place,
        # Whoever wants a signature checks it.
        read_if_there(tree, posixpath.join(above, signature_name(*identity(tree.where, node)))),
    )


def signature_name(name: str, version: str) -> str:
    """Return the name of a release's signature file, which is next to the pack's and not part of its content.

    Examples:
        >>> signature_name("close", "1.0.0"), signature_name("acme/close", "2")
        ('close-1.0.0.sig', 'acme-close-2.sig')
    """
    return f"{name.replace('/', '-')}-{version}.sig"


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder of a source and those above it, the last of which is ""."""
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


def imports(node: SpecNode) -> Iterator[tuple[str, Span]]:
    """Yield what a file imports, as it is written, and where."""
    held = node.get("imports") if node.is_mapping else None
    if held is not None and held.is_mapping:
        yield from ((item.value, item.span) for item in held.entries.values() if isinstance(item.value, str))


def texts(node: SpecNode, key: str) -> Iterator[str]:
    """Yield the strings of a list."""
    held = node.get(key) if node.is_mapping else None
    if held is not None and held.is_list:
        yield from (item.value for item in held.items if isinstance(item.value, str))
