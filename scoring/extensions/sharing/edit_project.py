"""Addition, removal and upgrade of packs in a project file, with the lock and the store of the project."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.os_errors import refused
from scoring.data.output import write_file
from scoring.data.plain_files import read_plain, real_path
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.sharing.edit import replace_entry_value, with_pack, without_pack
from scoring.extensions.sharing.locking import LockChange, bring
from scoring.extensions.sharing.requirements import wanted_by_specs
from scoring.extensions.sharing.resolve import NOTHING, PackNames, opened_source
from scoring.extensions.sharing.sources.git import GitSource
from scoring.extensions.sharing.sources.written import joined_sources, source_at
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import PackSource, parse_project_file
from scoring.project.find import PROJECT_FILE, PYPROJECT, TABLE
from scoring.project.project import Project, project_of
from scoring.project.versions import is_range, is_version, parse_version, satisfies

_TAG = lazy_pattern(r"(.*?)(\d+(?:\.\d+)*(?:-[0-9A-Za-z.-]+)?)")


class ProjectChange(Struct, frozen=True):
    """The result of changing which packs a project file names.

    Args:
        path: The project file.
        lines: The changes made, a line each.
        lock: The changes of the lock and the store.
        notes: Further remarks, such as newer versions outside of the range.
    """

    path: Path
    lines: tuple[str, ...]
    lock: LockChange
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return the change as plain data."""
        return {
            "file": str(self.path),
            "done": list(self.lines),
            **self.lock.to_json(),
            "notes": [*self.lock.notes, *self.notes],
        }


class ProjectEditor:
    """An editor of a project file, which writes it only after the lock and the store have been updated.

    Args:
        folder: A folder of the project.
        begin: Whether a new project may be started in the folder if it belongs to none.

    Raises:
        InputError: when there is no project and none may be started.
    """

    def __init__(self, folder: Path, *, begin: bool = False) -> None:
        found = project_of(folder)
        if found is None and not begin:
            raise InputError("there is no scoring.toml here or above; `scoring add ADDRESS` begins a project")
        self.root = found.root if found is not None else real_path(folder)
        own = found.path if found is not None else None
        self.path = own if own is not None else self.root / PROJECT_FILE
        self.below = tuple(TABLE.split(".")) if self.path.name == PYPROJECT else ()
        self.text = _text(self.path) if own is not None else ""

    @property
    def packs(self) -> Mapping[str, PackSource]:
        """The sources of the packs that the project file names, by name."""
        return parse_project_file(self.text, self.path.name, self.below).packs

    def entry(self, name: str) -> PackSource:
        """Return the source that the project file gives for a pack.

        Raises:
            InputError: when the file has no entry of that name.
        """
        packs = self.packs
        if name not in packs:
            there = f"it names {listed(sorted(packs), 'and')}" if packs else "it names none"
            hint = did_you_mean(name, sorted(packs), there)
            raise InputError(f"{self.path.name} names no pack {shown(name)}; {hint}")
        return packs[name]

    def project(self, text: str) -> Project:
        """Return the project as it would be if its file had the given text; nothing is written."""
        found = Project(self.root, self.path)
        found.__dict__["file"] = parse_project_file(text, self.path.name, self.below)
        return found

    def commit(
        self,
        names: PackNames,
        edit: Callable[[str], str],
        lines: tuple[str, ...] = (),
        notes: Sequence[str] = (),
        *,
        may_lack: bool = False,
        anew: frozenset[str] = frozenset(),
    ) -> ProjectChange:
        """Update the lock and the store for an edited project file, and write the file.

        Args:
            names: The packs that may move to other versions, and whose sources are queried.
            edit: Makes the new text from the old one; called again if the file was edited by others in the meantime.
            lines: The changes to report.
            notes: Further remarks to report.
            may_lack: Whether specs may import packs that the project file does not name.
            anew: The packs to resolve as if the lock did not contain them.

        Raises:
            SpecError: when an import can't be resolved.
            InputError: when a source can't be queried, or a file can't be written.
        """
        new = edit(self.text)
        lock = bring(self.project(new), names, asking=names, may_lack=may_lack, anew=anew)
        now = _text(self.path) if self.path.exists() else ""
        new = new if now == self.text else edit(now)
        if new != now:
            write_file(self.path, new.encode())
        return ProjectChange(self.path, lines, lock, tuple(notes))


def _text(path: Path) -> str:
    try:
        return read_plain(path, 1_000_000).decode()
    except (OSError, ValueError) as error:
        raise InputError(f"can't read {path}: {refused(error)}") from None


class _Addition(Struct, frozen=True):
    """A pack to add: its name in the project, its source, the versions offered there, and the new entry of the project
    file.

    The entry is the source, or the existing entry of that name with one more tag of the same repository.
    """

    name: str
    source: PackSource
    versions: tuple[str, ...]
    entry: PackSource

    def edited(self, text: str, below: Sequence[str]) -> str:
        packs = parse_project_file(text, below=below).packs
        if self.name in packs and self.entry.more_tags:
            return replace_entry_value(text, below, self.name, "tag", [one.tag for one in self.entry.parts()])
        text = without_pack(text, below, self.name) if self.name in packs else text
        return with_pack(text, below, self.name, self.entry)


def add_packs(
    addresses: Sequence[str],
    folder: Path,
    alias: str = "",
    pack: str = "",
    version: str = "",
    *,
    replaces: bool = False,
) -> ProjectChange:
    """Add packs to the project file, and lock them.

    Args:
        addresses: The addresses of the packs.
        folder: A folder of the project; if it belongs to none, a project is started there.
        alias: The name by which specs import a single pack; its own name by default.
        pack: The own name of a single pack, needed if its address has several.
        version: The range of versions of a single pack.
        replaces: Whether the packs replace existing entries of the same names.

    Raises:
        InputError: when an address is invalid or has no such pack, or the name is taken.
        SpecError: when an import can't be resolved.
    """
    if len(addresses) != 1 and (alias or pack or version or not addresses):
        raise InputError("`--as`, `--pack` and `--version` are for one address; add the others separately")
    editor = ProjectEditor(folder, begin=True)
    found: dict[str, _Addition] = {}
    for address in addresses:
        one = _addition(editor, address, folder, alias, pack, version, {} if replaces else editor.packs)
        if one.name in found:
            raise InputError(f"two addresses have the pack `{one.name}`; add one of them separately, with `--as NAME`")
        found[one.name] = one

    def edited(text: str) -> str:
        for one in found.values():
            text = one.edited(text, editor.below)
        return text

    names = frozenset(found)
    # Specs may import packs that have not been added yet.
    change = editor.commit(names, edited, may_lack=True, anew=names if replaces else frozenset())
    lines: list[str] = []
    notes: list[str] = []
    for name, one in found.items():
        packs = [each for each in change.lock.packs if each.name == name and one.source.shows(each.where)]
        newest = max((each.version for each in packs), key=parse_version)
        remark = " next to what was there" if one.entry.more_tags else ""
        lines.append(f"`{name}` {newest} is added{remark}; specs import it as `{name}@{newest.split('.')[0]}`")
        notes += _out_of_range(name, one.source, list(one.versions))
    return replace(change, lines=tuple(lines), notes=tuple(notes))


def _addition(
    editor: ProjectEditor,
    address: str,
    folder: Path,
    alias: str,
    pack: str,
    version: str,
    packs: Mapping[str, PackSource],
) -> _Addition:
    """Return what to add to a project file with the entries `packs` for the pack at an address (a path is relative to
    `folder`); the name `alias`, the pack's own name `pack` and the range `version` may each be ""."""
    pack_name, source = _source(address, folder, editor.root)
    if pack_name and pack and pack != pack_name:
        raise InputError(f"the address names the pack `{pack_name}`, but `--pack` {shown(pack)}; leave one of them out")
    if version:
        _check_range(version)
        if source.version:
            raise InputError("`--version` and the address both name a range; leave one out")
        source = replace(source, version=version)
    versions = _offered(pack_name or pack or alias, source, editor.root)
    own = _chosen(versions, pack_name or pack, source, alias)
    if not source.version and source.kind in (
        "here",
        "address",
    ):  # the range of versions that score like the newest one
        released = [one for one in versions[own] if parse_version(one)[1]] or versions[own]
        source = replace(source, version=same_major(released[0]))
    name = alias or own
    if name != own:
        source = replace(source, pack=own)
    entry = _extended_entry(name, source, packs[name]) if name in packs else source
    return _Addition(name, source, tuple(versions[own]), entry)


def _extended_entry(name: str, source: PackSource, known: PackSource) -> PackSource:
    """Return the entry `known` of a pack extended by the tag of `source`, which has another major version in the same
    repository.

    Raises:
        InputError: when the new source can't be combined with the existing entry.
    """
    if known.shows(source) and known.version == source.version:
        raise InputError(f"`{name}` is already there; `scoring upgrade {name}` looks for a newer version")
    both = joined_sources(known, source) if known.tag and known.version == source.version else None
    majors = (
        [same_major(form[1]) if (form := tag_version(one.tag)) else one.tag for one in both.parts()] if both else []
    )
    if both is not None and len(set(majors)) == len(majors):
        return both
    raise InputError(
        f"`{name}` is already there, from {known}; `scoring upgrade {name}` moves it, `--replace` replaces it with "
        "this one, `--as` gives this one another name"
    )


def _check_range(version: str) -> None:
    if not is_range(version):
        raise InputError(f"{shown(version)} is not a version or a range of versions; write `1`, `1.2` or `>=1.2,<2`")


def _source(address: str, folder: Path, root: Path) -> tuple[str, PackSource]:
    """Return the name of the pack in an address ("" if it has none) and its source; the path of a folder becomes
    relative to the project's folder `root`."""
    source = source_at(address)
    if source.kind != "folder":
        return source.pack, replace(source, pack="")
    place = real_path(folder / Path(source.where).expanduser())
    if not place.exists():
        raise InputError(
            f"there is no {shown(source.where)}; an address is a path, `git+https://…@tag`, `dist:NAME` or `s3://…`"
        )
    return "", replace(source, where=posixpath.relpath(place.as_posix(), root.as_posix()))


def _offered(name: str, source: PackSource, root: Path) -> dict[str, list[str]]:
    """Return the versions of each pack that a source offers, newest first, by the pack's own name; of shipped or
    installed packs only `name`."""
    found: dict[str, set[str]] = {}
    for one in opened_source(name, source, root).releases():
        found.setdefault(one.name, set()).add(one.version)
    return {one: sorted(versions, key=parse_version, reverse=True) for one, versions in found.items()}


def _chosen(versions: Mapping[str, list[str]], pack: str, source: PackSource, alias: str) -> str:
    """Return the own name of the pack to add, one of those in `versions`: `pack` if given, else the one named like the
    alias, else the only one."""
    wanted = pack or (alias if alias in versions else "")
    if wanted in versions:
        return wanted
    if wanted:
        hint = did_you_mean(wanted, sorted(versions), f"it has {listed(sorted(versions), 'and')}")
        raise InputError(f"{source} has no pack {shown(wanted)}; {hint}")
    if len(versions) > 1:
        raise InputError(f"{source} has {listed(sorted(versions), 'and')}; `--pack NAME` says which")
    return next(iter(versions))


def same_major(version: str) -> str:
    """Return the range of versions that must score like a version: its major number, or below 1.0 its first two.

    Examples:
        >>> same_major("1.2.3"), same_major("0.3.1"), same_major("2.0.0-rc.1")
        ('1', '0.3', '>=2.0.0-rc.1')
    """
    numbers, is_release, _ = parse_version(version)
    if not is_release:
        return f">={version}"
    return str(numbers[0]) if numbers[0] else f"0.{numbers[1]}"


def _out_of_range(name: str, source: PackSource, versions: list[str]) -> tuple[str, ...]:
    """Return a tuple with a remark if `versions` (offered, newest first) begin with one newer than the range of the
    entry `source` of the pack `name`; else an empty tuple."""
    wanted = "" if source.kind == "distribution" else source.version
    fitting = [one for one in versions if not wanted or satisfies(one, wanted)]
    newest = versions[0]
    if not fitting or parse_version(newest) <= parse_version(fitting[0]) or not parse_version(newest)[1]:
        return ()
    return (_beyond(name, newest, wanted),)


def _beyond(name: str, newest: str, wanted: str) -> str:
    how = f"`scoring upgrade {name} --version {same_major(newest)}`"
    return f"`{name}` {newest} is there, outside of `{wanted}`: {how} moves there"


def remove_pack(name: str, folder: Path) -> ProjectChange:
    """Remove a pack from the project file and the lock, along with all packs that only it needs.

    Raises:
        InputError: when the project does not name the pack, or specs import it.
        SpecError: when the remaining imports can't be resolved.
    """
    editor = ProjectEditor(folder)
    editor.entry(name)
    users = [one for one in wanted_by_specs(editor.project(editor.text), []) if one.name == name]
    if users:
        where = f"{users[0].span}" if users[0].span is not None else users[0].by
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        raise InputError(f"`{name}` is imported at {where}{more}; remove the import first")
    return editor.commit(NOTHING, lambda text: without_pack(text, editor.below, name), (f"`{name}` is removed",))


def upgrade_packs(name: str, folder: Path, version: str = "") -> ProjectChange:
    """Move packs to newer versions within their ranges, or one pack to another range.

    Args:
        name: The pack to upgrade; all packs if empty.
        folder: A folder of the project.
        version: The new range of a single pack.

    Raises:
        InputError: when there is no such pack, or a source can't be queried.
        SpecError: when an import can't be resolved.
    """
    editor = ProjectEditor(folder)
    if version:
        _check_range(version)
        if not name:
            raise InputError("`--version` is for one pack; name it")
    packs = {name: editor.entry(name)} if name else dict(sorted(editor.packs.items()))
    notes: list[str] = []
    edits = [edit for one, source in packs.items() for edit in _moved(one, source, version, notes)]

    def edited(text: str) -> str:
        for which, key, value in edits:
            text = replace_entry_value(text, editor.below, which, key, value)
        return text

    lines = tuple(f"`{which}`: {key} = {value}" for which, key, value in edits)
    return editor.commit(frozenset(packs) if name else None, edited, lines, notes)


def _moved(name: str, source: PackSource, version: str, notes: list[str]) -> Iterator[tuple[str, str, str | list[str]]]:
    """Yield the changes of a pack's entry (`source`) that upgrade it to the range `version`, each as the pack's name,
    the key and the new value; remarks are appended to `notes`."""
    if source.commit:
        if version:
            raise InputError(f"`{name}` is pinned to a commit, which has one version; name another commit, or a tag")
        notes.append(f"`{name}` is pinned to the commit {source.commit[:12]}, and stays there")
    elif source.more_tags:
        if version:
            raise InputError(f"`{name}` has several tags; `scoring add ADDRESS` names one more, `--replace` only one")
        moved = [_newer_tag(name, one, "", notes) for one in source.parts()]
        if moved != [one.tag for one in source.parts()]:
            yield name, "tag", moved
    elif source.tag:
        tag = _newer_tag(name, source, version, notes)
        if tag != source.tag:
            yield name, "tag", tag
    elif version and version != source.version:
        yield name, "version", version


def _newer_tag(name: str, source: PackSource, version: str, notes: list[str]) -> str:
    """Return the newest git tag with the prefix of the tag in `source` and a version in the range `version` (by default
    the same major version), or the present tag if none is newer; remarks about `name` are appended to `notes`."""
    form = tag_version(source.tag)
    if form is None:
        notes.append(f"the tag `{source.tag}` of `{name}` holds no version, so none is newer; name another one")
        return source.tag
    now, known = form[1], tags_like(source)
    wanted = version or source.version or same_major(now)
    fitting = [one for one in known if satisfies(one, wanted)]
    if version and not fitting:
        have = ", ".join(sorted(known, key=parse_version)[-8:])
        raise InputError(f"no tag of {source.where} is a version in `{version}`; there are {have}")
    best = max(fitting, key=parse_version, default=now)
    newest = max((one for one in known if parse_version(one)[1]), key=parse_version, default=best)
    if parse_version(newest) > parse_version(best):
        notes.append(_beyond(name, newest, wanted))
    return known[best] if parse_version(best) > parse_version(now) or (version and best != now) else source.tag


def tags_like(source: PackSource) -> dict[str, str]:
    """Return the tags of a source's repository that have the prefix of the source's own tag, by the version in their
    name.

    Raises:
        InputError: when the repository can't be queried.
    """
    forms = ((tag, tag_version(tag)) for tag in GitSource(source.where, tag=source.tag).tags())
    prefix = (tag_version(source.tag) or ("",))[0]
    return {form[1]: tag for tag, form in forms if form is not None and form[0] == prefix}


def tag_version(tag: str) -> tuple[str, str] | None:
    """Return the prefix and the version in a tag's name; None if it does not end in a version.

    Examples:
        >>> tag_version("v1.0.0"), tag_version("close/2.1"), tag_version("latest")
        (('v', '1.0.0'), ('close/', '2.1'), None)
    """
    found = _TAG.fullmatch(tag)
    return (found[1], found[2]) if found is not None and is_version(found[2]) else None
