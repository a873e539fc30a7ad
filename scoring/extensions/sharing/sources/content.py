"""The search for packs in a tree of files; the content of each pack is only read when it is needed.

Every source of packs (`FolderSource`, `GitSource`, …) has these members: ``where`` is its name in messages, without
credentials; ``is_local`` is whether it is on this machine and can be edited; ``releases()`` returns the releases that
it offers, in any order; ``sibling(folder, place)`` returns the source of another folder, which a project file in the
folder ``place`` of the source names, and raises if that leads out of the source.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import counted, listed, shown
from scoring.errors import InputError
from scoring.extensions.sharing.contents import PackContent
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_CONTENT, MOST_FILES, MOST_OF_A_PACK, MOST_PACKS
from scoring.extensions.sharing.sources.tree import SourceTree, read_if_there, read_tree_files
from scoring.extensions.sharing.twins import twins
from scoring.format.forms import NAME_PATTERN
from scoring.format.locate import declares_pack
from scoring.format.nodes import SpecNode
from scoring.format.read import read_bytes
from scoring.format.requirements import HOW, LONGEST, REQUIREMENT, version_range
from scoring.format.sections import is_path
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import SPEC_FILES
from scoring.project.versions import is_version

PROJECT = "scoring.toml"
_NAME = lazy_pattern(NAME_PATTERN)


@dataclass(frozen=True)
class ReleaseContent(PackContent):
    """The files of one release of a pack, with further information from its source.

    Args:
        needs: The imports by name in these files, as written, such as ``close@1``.
        requires: The required distributions of primitives, as written, such as ``acme-metrics>=1.2``.
        project: The content of the ``scoring.toml`` that the source has for the pack; None if there is none.
        place: The folder of that file in the source, "" for the root.
        signature: The content of the signature file next to the pack's file; None if there is none.
    """

    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    project: bytes | None = None
    place: str = ""
    signature: bytes | None = None


@dataclass
class Candidate:
    """A release of a pack that a source offers, whose content is only read when it is needed.

    Args:
        name: The pack's own name.
        version: Its version.
        revision: An identifier of this state of the source: ``commit …``, ``sha256 …`` of a wheel; "" if there is none,
            as for a folder.
        load: Returns the content; called once, when the content is first needed.
        at: The path of its file in the source.
    """

    name: str
    version: str
    revision: str
    load: Callable[[], ReleaseContent] = field(repr=False)
    at: str = ""

    @cached_property
    def content(self) -> ReleaseContent:
        """The files of the release, which are read at the first use.

        Raises:
            InputError: when they can't be read, or are not a pack of that name and version.
        """
        return self.load()


def find_releases_in_tree(tree: SourceTree, below: str = "", revision: str = "") -> list[Candidate]:
    """Return a release for every pack file in a tree of files.

    Args:
        tree: The files.
        below: The folder or file to search; all by default.
        revision: The identifier of the state of the source.

    Raises:
        InputError: when there is no pack, or two different packs have the same name and version.
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
    """Yield the path and the bytes of each file that seems to be a pack.

    Args:
        tree: The files.
        below: The folder or file to search; "" for all.
    """
    if below and tree.entry(below) is not None:
        yield below, read_tree_files(tree, [below])[below]
        return
    entries = tree.below(below)
    if below and not entries:
        files = [below + ending for ending in SPEC_FILES if tree.entry(below + ending) is not None]
        raise InputError(f"{tree.where}: there is no {shown(below)}" + (f"; is it {shown(files[0])}?" if files else ""))
    if len(entries) > MOST_FILES:
        raise InputError(f"{tree.where} has more than {MOST_FILES:,} files; name the folder of the pack (`path`)")
    candidates = sorted(path for path in entries if path.lower().endswith(SPEC_FILES))
    sizes = {path: size for path in candidates if isinstance(size := entries[path], int) and size <= MOST_BYTES}
    if len(sizes) > MOST_PACKS or sum(sizes.values()) > MOST_CONTENT:
        what = counted(len(sizes), "file")
        raise InputError(f"{tree.where}: {what} might be packs; name the folder of the pack (`path`)")
    if not sizes and candidates:
        read_tree_files(tree, candidates[:1])  # raises the error why it can't be read
    for path, data in read_tree_files(tree, sizes).items():
        if declares_pack(data):
            yield path, data


def identity(where: str, node: SpecNode) -> tuple[str, str]:
    """Return the name and the version that a pack's file states.

    Args:
        where: The name of the file in messages.
        node: Its parsed content.

    Raises:
        InputError: when the file is not a pack, or has no valid name or version.
    """
    kind, name, version = (_text(node, key) for key in ("kind", "name", "version"))
    if kind != "pack":
        raise InputError(f"{where} is not a pack; expected `kind: pack`")
    if not _NAME.fullmatch(name) or len(name) > 200:
        raise InputError(f"{where} has no `name` that an import could use")
    if not is_version(version):
        raise InputError(f"{where}: `{name}` has no version; what is shared needs one, as in `version: 1.0.0`")
    return name, version


def _text(node: SpecNode, key: str) -> str:
    value = node.get(key) if node.is_mapping else None
    return value.value if value is not None and isinstance(value.value, str) else ""


def parsed(where: str, path: str, data: bytes) -> SpecNode:
    """Return the content of a spec file, parsed from YAML or JSON.

    Args:
        where: The name of the file in messages.
        path: Its path, whose ending decides between both formats.
        data: Its bytes.

    Raises:
        InputError: when it can't be parsed.
    """
    try:
        return read_bytes(data, where, is_json=path.lower().endswith(".json"))
    except SpecError as error:
        raise InputError(f"{where}: {error.diagnostics[0].message}") from None


def _content(tree: SourceTree, entry: str, data: bytes, node: SpecNode) -> ReleaseContent:
    """Return the content of a pack: its file, and all files that it imports by path, directly or through others.

    The paths are relative to the common folder of all these files, so the position of that folder in the source does
    not affect the digest.

    Args:
        tree: The files of the source.
        entry: The path of the pack's file.
        data: The bytes of that file.
        node: Its parsed content.
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
        new = read_tree_files(tree, [path for path in wanted if path not in found])
        found |= new
        waiting += [(path, parsed(f"{tree.where}: {path}", path, data)) for path, data in new.items()]
    if sum(map(len, found.values())) > MOST_CONTENT:
        raise InputError(f"{tree.where}: {entry} and what it imports have more than {MOST_CONTENT:,} bytes")
    if pair := twins(found):
        raise InputError(f"{tree.where}: {listed(pair, 'and')} are one file on systems that ignore case")
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
        # The signature is checked later, where one is required.
        read_if_there(tree, posixpath.join(above, signature_name(*identity(tree.where, node)))),
    )


def signature_name(name: str, version: str) -> str:
    """Return the name of a release's signature file, which is next to the pack's file and not part of its content.

    Examples:
        >>> signature_name("close", "1.0.0"), signature_name("acme/close", "2")
        ('close-1.0.0.sig', 'acme-close-2.sig')
    """
    return f"{name.replace('/', '-')}-{version}.sig"


def upwards(folder: str) -> Iterator[str]:
    """Yield the path of a folder of a source and of all folders above it, nearest first; the last one is "", the
    root."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _below(tree: SourceTree, importer: str, target: str) -> str:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), target))
    if target.startswith("/") or path.startswith("../") or path == "..":
        raise InputError(
            f"{tree.where}: {importer} imports {shown(target)}, which is outside its source; name a folder that "
            "holds both"
        )
    return path


def imports(node: SpecNode) -> Iterator[tuple[str, Span]]:
    """Yield each import that a spec file states, as the text written there and its location."""
    value = node.get("imports") if node.is_mapping else None
    if value is not None and value.is_mapping:
        yield from ((item.value, item.span) for item in value.entries.values() if isinstance(item.value, str))


def texts(node: SpecNode, key: str) -> Iterator[str]:
    """Yield the strings in the list that a spec file has under a key; nothing if it has no list there."""
    value = node.get(key) if node.is_mapping else None
    if value is not None and value.is_list:
        yield from (item.value for item in value.items if isinstance(item.value, str))


def requirement_fault(text: str) -> str:
    """Return the message for a text that is not a plain requirement; "" if it is one.

    A plain requirement is a name with version clauses, `acme-metrics>=1.2,<2`; without extras, markers, addresses,
    paths or options.

    Examples:
        >>> requirement_fault("acme-metrics>=1.2,<2"), requirement_fault("x @ file:///etc").partition(";")[0]
        ('', '`x @ file:///etc` is not a plain requirement')
    """
    from packaging.specifiers import InvalidSpecifier

    found = REQUIREMENT.fullmatch(text)
    try:
        if found is not None and len(text) <= LONGEST:
            version_range(found[2].replace(" ", ""))
            return ""
    except InvalidSpecifier:
        pass
    return f"{shown(text)} is not a plain requirement; write {HOW}"
