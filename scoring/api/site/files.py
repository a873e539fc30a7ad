"""The files of a site: those that are named, and what they import; versions of a pack, and what each moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scoring.api.lists import find_loaded
from scoring.api.specs import looked_at
from scoring.compiler.link import Linker
from scoring.compiler.messages import Findings
from scoring.compiler.scope import Scope
from scoring.data.plain_files import read_plain, real_path
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.format.load import Loaded, Loader
from scoring.late import dataclass
from scoring.project.find import SPEC_FILES
from scoring.project.versions import parse_version
from scoring.report.site.model import ShownVersion, SiteFile
from scoring.sharing.changes.found import changed

MOST_FILES = 5_000
"""How many specs one site shows at most."""
FileKey = tuple[str, str]
"""What tells files apart: the name of the spec, and the digest of its content."""
CHANGELOG = "CHANGELOG.md"
LONGEST = 200_000
"""How many bytes of a changelog are shown."""
MOST_CHANGES = 200
"""How many changes of one version are listed."""


@dataclass(slots=True)
class HeldFile:
    """A file of a site."""

    loaded: Loaded
    scope: Scope
    is_imported: bool


class SiteFiles:
    """Reads the files of a site; `held` has them.

    Raises:
        SpecError: when one of them can't be read, or imports what is not there.
        InputError: when a name stands for nothing, or there are too many.
    """

    def __init__(self, specs: Sequence[str], dialect: str | None) -> None:
        self.loader = Loader(dialect=dialect)
        self.findings = Findings()
        self.skipped: tuple[str, ...] = ()
        self.held: dict[FileKey, HeldFile] = {}
        self._linker = Linker(self.loader, self.findings)
        for name in specs:
            for loaded in self._named(name):
                self._add(loaded)
        if not self.held:
            raise InputError("which packs? None is named")
        self.findings.diagnostics.raise_errors()

    def _named(self, name: str) -> Iterable[Loaded]:
        path = Path(name)
        if not path.exists() and path.suffix not in SPEC_FILES:
            return [find_loaded(name, self.loader)]
        files, skipped = looked_at(path)
        self.skipped += skipped
        if len(files) > MOST_FILES:
            raise InputError(f"{name} holds {len(files):,} specs; a site shows {MOST_FILES:,} at most")
        return [self.loader.file(file, str(file)) for file in files]

    def _add(self, loaded: Loaded) -> None:
        waiting = [(loaded, False)]
        while waiting:
            one, imported = waiting.pop()
            key = (one.spec.name, one.digest)
            known = self.held.get(key)
            if known is not None:
                known.is_imported &= imported
                continue
            if len(self.held) >= MOST_FILES:
                raise InputError(f"these are more than {MOST_FILES:,} specs; name fewer")
            self.held[key] = HeldFile(one, self._linker.scope(one), imported)
            for entry in one.spec.imports:
                try:
                    waiting.append((self.loader.imported(entry, one.folder), True))
                except SpecError as error:
                    self.findings.diagnostics.extend(error.diagnostics)


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
