"""The texts that are open in an editor, read as specs: what the editor has comes before what is on disk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from scoring.api.specs import findings_in
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.errors import InputError
from scoring.extensions.editors.names import SpecNames, spec_names_of
from scoring.extensions.editors.outline import outline
from scoring.extensions.editors.server.texts import EditedText
from scoring.extensions.names.open_texts import OpenTextLoader, OpenTexts
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.plugins import KIND_WORDS

_WORDS = "|".join(KIND_WORDS)
_KIND = lazy_pattern(rf"""(?m)^\{{?[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?(?:{_WORDS})\b""")
_KIND_OF_JSON = lazy_pattern(rf'"kind"\s*:\s*"(?:{_WORDS})"')
MOST_NAMED = 500_000
"""The most characters of a text whose names are looked for; of longer ones only the findings are told."""


class OpenSpec:
    """A text that an editor has opened: its findings and names, each found when first asked for."""

    def __init__(self, path: Path, text: EditedText, others: Mapping[Path, str]) -> None:
        self.path, self.edited, self._opened = path, text, OpenTexts(others)

    @property
    def text(self) -> str:
        """The text as it stands in the editor."""
        return self.edited.text

    @cached_property
    def is_spec(self) -> bool:
        """Whether the text states that it is a spec; editors open other YAML and JSON files, too."""
        pattern = _KIND_OF_JSON if self.path.suffix.lower() == ".json" else _KIND
        return pattern.search(self.text) is not None

    def loader(self) -> OpenTextLoader:
        """Return a new loader, which reads other files that are open as the editor has them."""
        return OpenTextLoader(self._opened)

    @cached_property
    def findings(self) -> tuple[Diagnostic, ...]:
        """All findings about the text; none about a text that is no spec."""
        if not self.is_spec:
            return ()
        try:
            with self._opened.in_place():
                return tuple(findings_in(self.path, self.loader(), text=self.text))
        except InputError:  # such as a project file that can't be read, which `scoring check` explains
            return ()

    @cached_property
    def names(self) -> SpecNames:
        """The names of the text, even if it is half written; none of one that is no spec, or very long."""
        is_read = self.is_spec and len(self.text) <= MOST_NAMED
        return spec_names_of(outline(self.text if is_read else ""), self.path.parent)
