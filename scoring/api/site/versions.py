"""The versions of a pack on a site: their pages, what each moved against the one before, and the changelog beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scoring.data.plain_files import read_plain, real_path
from scoring.format.load import Loaded, Loader
from scoring.project.versions import parse_version
from scoring.report.site.model import ShownVersion, SiteFile
from scoring.sharing.changes.found import changed

CHANGELOG = "CHANGELOG.md"
LONGEST = 200_000
"""How many bytes of a changelog are shown."""


MOST_CHANGES = 200
"""How many changes of one version are listed."""


def shown_versions(files: Sequence[SiteFile], sources: Mapping[str, Loaded], loader: Loader) -> list[SiteFile]:
    """The files, each pack with all versions of it that stand on the site, newest first, and what each moved."""
    moved: dict[tuple[str, str], tuple[str, ...]] = {}
    found = []
    for file in files:
        if file.kind == "pack":
            others = sorted(
                (one for one in files if one.kind == "pack" and one.name == file.name),
                key=lambda one: (parse_version(one.version), one.page),
            )
            rows = []
            for before, one in zip([None, *others], others, strict=False):
                pair = (before.page if before else "", one.page)
                if before is not None and pair not in moved:
                    moved[pair] = tuple(_moved(sources[before.page], sources[one.page], loader))
                against = before.version if before else ""
                rows.append(ShownVersion(one.version, one.page, against, moved.get(pair, ()), one.page == file.page))
            file = replace(file, versions=tuple(reversed(rows)))
        found.append(file)
    return found


def _moved(old: Loaded, new: Loaded, loader: Loader) -> Iterator[str]:
    """What changed, those changes first by which scores move; of many the first."""
    found = changed(old, loader, new, loader)
    for one in found[:MOST_CHANGES]:
        yield f"{one}: scores move" if one.moves else str(one)
    if len(found) > MOST_CHANGES:
        yield f"and {len(found) - MOST_CHANGES:,} more"
    if not found:
        yield "nothing that a score could tell"


def changelog_beside(loaded: Loaded) -> str:
    """The text of the changelog in the folder of a pack, "" where there is none; no link out of it is followed."""
    if loaded.folder is None:
        return ""
    path = loaded.folder / CHANGELOG
    try:
        if not path.is_file() or real_path(path).parent != real_path(loaded.folder):
            return ""
        return read_plain(path, LONGEST).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
