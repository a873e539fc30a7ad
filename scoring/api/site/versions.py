"""The versions of a pack on a site: their pages, what each moved against the one before, and the changelog beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.data.plain_files import read_plain, real_path
from scoring.format.load import Loaded
from scoring.format.versions import parse_version
from scoring.report.site.model import ShownVersion, SiteFile

CHANGELOG = "CHANGELOG.md"
LONGEST = 200_000
"""How many bytes of a changelog are shown."""


def shown_versions(files: Sequence[SiteFile], sources: Mapping[str, Loaded]) -> list[SiteFile]:
    """The files, each pack with all versions of it that stand on the site, newest first."""
    found = []
    for file in files:
        if file.kind == "pack":
            others = sorted(
                (one for one in files if one.kind == "pack" and one.name == file.name),
                key=lambda one: (parse_version(one.version), one.page),
            )
            rows = [
                ShownVersion(one.version, one.page, before.version if before else "", (), one.page == file.page)
                for before, one in zip([None, *others], others, strict=False)
            ]
            file = replace(file, versions=tuple(reversed(rows)))
        found.append(file)
    return found


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
