"""The search for newer versions of a project's packs, both within their ranges and beyond."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from scoring.errors import InputError
from scoring.extensions.sharing.edit_project import same_major, tag_version, tags_like
from scoring.extensions.sharing.requirements import wanted_by_specs
from scoring.extensions.sharing.resolve import PackResolver
from scoring.project.file import PackSource
from scoring.project.lock import ProjectLock
from scoring.project.project import Project
from scoring.project.versions import parse_version, satisfies


def pack_states(project: Project, *, offline: bool = False) -> list[dict[str, Any]]:
    """Return every pack of a project with the versions that its source offers, as plain data sorted by name.

    The entry ``used`` has the ranges of the pack's imports (``any`` without one); ``fitting`` is the newest version
    that an import and the project file allow, ``newest`` the newest of all, each "" if there is none; ``problem`` is
    the reason why the source can't be queried.

    Raises:
        SpecError: when the project file or the lock can't be read.
        InputError: when the specs of the project can't be searched.
    """
    lock = project.lock or ProjectLock()
    used: dict[str, list[str]] = {}
    for wanted in wanted_by_specs(project, []):
        used.setdefault(wanted.name, []).append(wanted.range)
    names = sorted({*used, *project.file.packs, *(one.name for one in lock.packs)})
    resolver = PackResolver(project, None, offline=offline)
    return [_state(project, lock, name, list(dict.fromkeys(used.get(name, []))), resolver) for name in names]


def _state(
    project: Project, lock: ProjectLock, name: str, used: Sequence[str], resolver: PackResolver
) -> dict[str, Any]:
    locked = list(reversed(lock.versions(name)))
    whole = source = project.file.packs.get(name) or (locked[-1].where if locked else PackSource("here"))
    own, problem, versions = source.pack or name, "", list[str]()
    try:
        versions = _versions(own, source, resolver)
    except InputError as error:
        problem = str(error)
    source = source.parts()[-1]
    form = tag_version(source.tag) if source.tag else None
    # A tag is a single version; without a range, `upgrade` moves it within the same major version.
    wanted = source.version or (same_major(form[1]) if form is not None else "")
    wanted = "" if source.kind == "distribution" else wanted
    fitting = [
        version
        for version in versions
        if (not wanted or satisfies(version, wanted))
        and (not used or any(not one or satisfies(version, one) for one in used))
    ]
    newest = _newest(versions)
    return {
        "name": name,
        "used": [one or "any" for one in used],
        "locked": [one.version for one in locked],
        "fitting": _newest(fitting),
        "newest": newest,
        "outdated": bool(locked and newest) and parse_version(newest) > parse_version(locked[-1].version),
        "source": str(replace(whole, pack="")),
        "problem": problem,
    }


def _versions(name: str, source: PackSource, resolver: PackResolver) -> list[str]:
    """Return every version of a pack that its source offers, also those outside of the tag or range that the project
    names.

    Args:
        name: The pack's own name.
        source: Its source.
        resolver: Queries the source, unless it is offline.
    """
    if source.kind == "git" and tag_version(source.tag) is not None:
        if resolver.offline:
            raise InputError("it is not contacted now")
        return list(tags_like(source))
    whole = replace(source, version="") if source.kind == "distribution" else source
    return [one.version for one in resolver.offers(name, whole) if one.name == name]


def _newest(versions: Iterable[str]) -> str:
    """Return the newest release among some versions; without a release the newest pre-release, without any version
    ""."""
    found = sorted(versions, key=parse_version)
    return next((one for one in reversed(found) if parse_version(one)[1]), found[-1] if found else "")
