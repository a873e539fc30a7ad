"""The files of a site: those that are named, and what they import."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scoring.api.listing import find_loaded
from scoring.api.named_specs import looked_at
from scoring.compiler.link import Linker
from scoring.compiler.messages import Findings
from scoring.compiler.scope import Scope
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.format.load import Loaded, Loader
from scoring.late import dataclass
from scoring.project.find import SPEC_FILES

MOST_FILES = 5_000
"""How many specs one site shows at most."""
FileKey = tuple[str, str]
"""What tells files apart: the name of the spec, and the digest of its content."""


@dataclass(slots=True)
class HeldFile:
    """A file of a site.

    Args:
        loaded: The file.
        scope: Its names.
        is_imported: Whether nobody named it, but what somebody named imports it.
    """

    loaded: Loaded
    scope: Scope
    is_imported: bool


class SiteFiles:
    """Reads the files of a site; `held` has them.

    Args:
        specs: Files, folders, and names of shipped, installed or locked packs.
        dialect: What the names in files of a foreign form mean.

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
