"""The files of a site: the given specs and what they import; also the versions of a pack, with what each changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from scoring.api.specs import spec_files
from scoring.compiler.checks.link import Linker
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.plain_files import read_plain, real_path
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.extensions.examples.running import Tried
from scoring.extensions.reference.lists import find_loaded
from scoring.extensions.sharing.changes.found import compare_loaded_specs
from scoring.format.definitions import Defining, Definition, SpecFile
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.format.yaml_text import yaml_text
from scoring.project.find import SPEC_FILES
from scoring.project.versions import parse_version

MOST_FILES = 5_000
"""The largest number of specs on a site."""
FileKey = tuple[str, str]
"""The identity of a file: the name of the spec, and the digest of its content."""
CHANGELOG = "CHANGELOG.md"
LONGEST = 200_000
"""The largest size in bytes of a changelog that is shown."""
MOST_CHANGES = 200
"""The largest number of changes that are listed for a version."""
_FOR_PEOPLE = ("doc", "source")


@dataclass(slots=True)
class SiteFile:
    """A file of specs that has a page on a site, with what was compiled and run from it.

    Args:
        loaded: The loaded spec.
        scope: The scope of its names.
        is_imported: Whether the file was not given, but is imported by one that was.
        page: The path of its page on the site.
        task: The compiled task; None if the file is not a task.
        programs: The programs of its definitions, by name.
        tried: The results of its examples.
    """

    loaded: Loaded
    scope: Scope
    is_imported: bool
    page: str = ""
    task: CompiledTask | None = None
    programs: dict[str, Program] = field(default_factory=dict)
    tried: Sequence[Tried] = ()

    @property
    def spec(self) -> SpecFile:
        """The spec in the file."""
        return self.loaded.spec

    @property
    def title(self) -> str:
        """The name of the spec, followed by its version, if it has one."""
        return f"{self.spec.name} {self.spec.version}".strip()

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """The definitions in the file, by name."""
        return self.spec.definitions if isinstance(self.spec, Defining) else {}

    @property
    def alias(self) -> str:
        """The usual alias of an imported pack, the last word of its name; "" for other files."""
        if not isinstance(self.spec, Pack):
            return ""
        last = "".join(sign if sign.isalnum() or sign == "_" else "_" for sign in self.spec.name.rpartition("/")[2])
        return last if last[:1].isalpha() else f"pack_{last}"

    def judge_texts(self, definition: Definition) -> tuple[str, ...]:
        """Return the texts that a judge gets for a definition: each prompt of several lines, then the other settings as
        YAML; () if no judge is called."""
        judges = self.spec.data.get("judges", {}) if isinstance(self.spec, Pack) else {}
        entry = {name: value for name, value in judges.get(definition.name, {}).items() if name not in _FOR_PEOPLE}
        texts = {name: value for name, value in entry.items() if isinstance(value, str) and "\n" in value.strip()}
        rest = {name: value for name, value in entry.items() if name not in texts}
        return (*(text.strip() for text in texts.values()), *([yaml_text(rest).strip()] if rest else ()))


class SiteFiles:
    """The spec files of a site and what they import; `by_key` has each by the spec's name and its content's digest.

    Args:
        specs: Spec files, folders of them, and names of shipped, installed or locked packs.
        dialect: The dialect in which files of other tools are read.

    Raises:
        SpecError: when a spec can't be read, or an import can't be found.
        InputError: when a name refers to nothing, or there are too many files.
    """

    def __init__(self, specs: Sequence[str], dialect: str | None) -> None:
        self.loader = Loader(dialect=dialect)
        self.findings = Findings()
        self.skipped: tuple[str, ...] = ()
        self.by_key: dict[FileKey, SiteFile] = {}
        self._linker = Linker(self.loader, self.findings)
        for name in specs:
            for loaded in self._loaded_by_name(name):
                self._add(loaded)
        if not self.by_key:
            raise InputError("no pack is named: name packs, spec files or folders")
        self.findings.diagnostics.raise_errors()

    def _loaded_by_name(self, name: str) -> Iterable[Loaded]:
        path = Path(name)
        if not path.exists() and path.suffix not in SPEC_FILES:
            return [find_loaded(name, self.loader)]
        files, skipped = spec_files(path)
        self.skipped += skipped
        if len(files) > MOST_FILES:
            raise InputError(f"{name} holds {len(files):,} specs; a site shows at most {MOST_FILES:,}")
        return [self.loader.file(file, str(file)) for file in files]

    def _add(self, loaded: Loaded) -> None:
        waiting = [(loaded, False)]
        while waiting:
            one, imported = waiting.pop()
            key = (one.spec.name, one.digest)
            known = self.by_key.get(key)
            if known is not None:
                known.is_imported &= imported
                continue
            if len(self.by_key) >= MOST_FILES:
                raise InputError(f"these are more than {MOST_FILES:,} specs; name fewer")
            self.by_key[key] = SiteFile(one, self._linker.scope(one), imported)
            for entry in one.spec.imports:
                try:
                    waiting.append((packs_of(self.loader).imported(entry, one.folder), True))
                except SpecError as error:
                    self.findings.diagnostics.extend(error.diagnostics)


# ---- versions of a pack

PackVersion: TypeAlias = tuple[SiteFile, str, list[str]]
"""The file of a version, the version that it is compared with ("" for none), and a line for each change."""


def moves(files: Sequence[SiteFile], loader: Loader) -> dict[str, list[PackVersion]]:
    """Return the versions of each pack that is on the site in several versions, by the pack's name: newest first, each
    with lines about its changes."""
    packs: dict[str, list[SiteFile]] = {}
    for file in files:
        if file.spec.kind == "pack":
            packs.setdefault(file.spec.name, []).append(file)
    found = {}
    for name, versions in packs.items():
        versions.sort(key=lambda one: (parse_version(one.spec.version), one.page))
        later = [(new, old.spec.version, [*_moved(old.loaded, new.loaded, loader)]) for old, new in pairwise(versions)]
        if later:
            found[name] = [*reversed(later), (versions[0], "", [])]
    return found


def _moved(old: Loaded, new: Loaded, loader: Loader) -> Iterator[str]:
    """Yield a line for each change between two versions of a pack, those that change scores first; if there are
    too many, the last line states the number of the rest."""
    found = compare_loaded_specs(old, loader, new, loader)
    for one in found[:MOST_CHANGES]:
        yield f"{one}: scores move" if one.moves else str(one)
    if len(found) > MOST_CHANGES:
        yield f"and {len(found) - MOST_CHANGES:,} more"
    if not found:
        yield "nothing that affects a score"


def pack_changelog(loaded: Loaded) -> str:
    """Return the text of the changelog in a pack's folder; "" if there is none, or it is a link to another folder."""
    if loaded.folder is None:
        return ""
    path = loaded.folder / CHANGELOG
    try:
        if not path.is_file() or real_path(path).parent != real_path(loaded.folder):
            return ""
        return read_plain(path, LONGEST).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
