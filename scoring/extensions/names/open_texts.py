"""Texts of an editor that stand in place of files while specs are loaded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path

from scoring.effects import temporarily_set
from scoring.format.load import Loaded, Loader
from scoring.format.nodes import SpecNode
from scoring.format.read import read_file, read_text


class OpenTexts:
    """The texts that an editor has opened, and the spec files of tasks that were read while they were in place.

    Args:
        texts: The texts by the paths of their files.

    Attributes:
        read: The paths of these files by their names in messages, also of those with errors.
    """

    def __init__(self, texts: Mapping[Path, str]) -> None:
        self.texts = texts
        self.read: dict[str, Path] = {}

    def in_place(self) -> AbstractContextManager[OpenTexts]:
        """Return a context manager within which files that join tasks are compiled with these texts."""
        return temporarily_set(_in_place, self)


_in_place: ContextVar[OpenTexts | None] = ContextVar("open-texts", default=None)


def texts_in_place() -> OpenTexts:
    """Return the open texts that are in place here; without any, all files are read from the disk."""
    return _in_place.get() or OpenTexts({})


class OpenTextLoader(Loader):
    """A loader that reads the texts of an editor in place of the files of the same path."""

    def __init__(self, opened: OpenTexts, *, dialect: str | None = None) -> None:
        super().__init__(dialect=dialect)
        self._texts = opened.texts

    def node(self, path: Path, name: str) -> SpecNode:
        """Return the root node of a file, or of the text that the editor has of it; messages call it `name`.

        Raises:
            SpecError: when it is missing or can't be read.
        """
        text = self._texts.get(path)
        return read_file(path, name) if text is None else read_text(text, name)

    def file(self, path: Path, name: str | None = None) -> Loaded:
        """Return the spec in a file, or in the text that the editor has of it.

        Raises:
            SpecError: when it is missing or has errors.
        """
        if path not in self._texts:
            return super().file(path, name)
        shown = str(name or path)
        return self.load(self.node(path, shown), name=shown, folder=path.parent, path=path)

    def is_shipped(self, path: Path | None) -> bool:
        """Return whether a file is one of ours and stands as it was shipped, not as an editor has it."""
        return path not in self._texts and super().is_shipped(path)
