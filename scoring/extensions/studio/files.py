"""The files of a studio: the spec that it was opened with, and of a suite those of its tasks, each with its text."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import scoring
from scoring.data.os_errors import refused
from scoring.data.output import write_file
from scoring.data.plain_files import read_plain, real_path
from scoring.errors import InputError
from scoring.report.visible import visible

MOST_BYTES = 4_000_000
"""The most bytes of a question of the page, of which a spec's text is the largest part."""
LONGEST_TEXT = 1_000_000
"""The most characters of a spec that the page edits."""
PACKAGE = Path(scoring.__file__).parent
"""The folder of the installed package, whose files are read only."""


@dataclass
class EditedFile:
    """A file of the list.

    Args:
        path: Its path, as the compiler has it.
        name: Its path from the folder of the studio's spec.
        on_disk: Its text when it was last read or written here; None before the page opens it.
        text: Its text as the page has it; None before the page writes any.
    """

    path: Path
    name: str
    on_disk: str | None = None
    text: str | None = None

    @cached_property
    def is_read_only(self) -> bool:
        """True if the file belongs to the installed package."""
        return real_path(self.path).is_relative_to(real_path(PACKAGE))

    def read(self) -> str:
        """Return the text that the file has.

        Raises:
            InputError: when it can't be read, or is too long.
        """
        try:
            text = read_plain(self.path.absolute(), MOST_BYTES).decode("utf-8")
        except (OSError, ValueError) as error:
            why = refused(error) if isinstance(error, OSError) else "it is no text in UTF-8, or too large"
            raise InputError(f"can't read {self.path}: {why}") from error
        return checked_length(text, str(self.path))

    def save(self, text: str, overwrite: bool) -> dict[str, Any]:
        """Write a text to the file, unless somebody else has changed that in the meantime.

        Raises:
            InputError: when it can't be written.
        """
        if self.is_read_only:
            raise InputError(f"{self.path} belongs to the installed package, so it is not written")
        try:
            if not overwrite and self.read() != self.on_disk:
                return {"is_saved": False, "has_changed": True}
        except InputError:
            if not overwrite:
                return {"is_saved": False, "has_changed": True}
        on_disk = self.on_disk or ""
        lines = on_disk.count("\n")
        if lines and on_disk.count("\r\n") == lines:
            text = text.replace("\n", "\r\n")
        try:
            write_file(self.path.absolute(), text.encode("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"can't write {self.path}: {error}") from error
        self.on_disk = text
        return {"is_saved": True}


class EditedFiles:
    """The files that a page may open and write, named by their numbers: that of the spec is 0.

    A number means the same file as long as the studio is open. The scoring says which files a suite has.

    Args:
        spec: The path of the spec.

    Raises:
        InputError: when it can't be read.
    """

    def __init__(self, spec: str) -> None:
        path = Path(spec)
        self._files = [EditedFile(path, path.name)]
        self._root = real_path(path.absolute().parent).parent
        self._using = threading.Lock()
        self._files[0].on_disk = self._files[0].text = self._files[0].read()

    def open(self, number: int | None) -> dict[str, Any]:
        """Return a file's text as it is on the disk; without a number the spec's, for a page that has no text yet.

        Raises:
            InputError: when there is no such file, or it can't be read.
        """
        with self._using:
            if number is None:
                for one in self._files:
                    one.text = None
            found = self._at(number or 0)
            found.on_disk = found.text = found.read()
            text = found.text.replace("\r\n", "\n")
            return {"file": number or 0, "text": text, "is_json": found.path.suffix.lower() == ".json"}

    def write(self, number: int, text: str) -> dict[str, str]:
        """Take the text that the page has of a file, and return all such texts by their paths.

        Raises:
            InputError: when there is no such file, or the text is too long.
        """
        with self._using:
            found = self._at(number)
            found.text = checked_length(text, "a spec that is edited here")
            return {str(one.path): one.text for one in self._files if one.text is not None}

    def save(self, number: int, text: str, overwrite: bool) -> dict[str, Any]:
        """Write a text to its file; see `EditedFile`.

        Raises:
            InputError: when there is no such file, or it can't be written.
        """
        with self._using:
            return self._at(number).save(text, overwrite)

    def path(self, number: int) -> Path:
        """Return the path of a file.

        Raises:
            InputError: when there is no such file.
        """
        return self._at(number).path

    def listed(self, found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the list for the page: the spec, the files that the suite has, and those that were opened before.

        Args:
            found: By the scoring, the `path` of each file of the suite, the `tasks` in it, and whether it `is_broken`.
        """
        with self._using:
            known = {one.path: number for number, one in enumerate(self._files)}
            of_suite: dict[int, Mapping[str, Any]] = {}
            for one in found:
                path = Path(one["path"])
                if path in known:
                    of_suite[known[path]] = one
                elif self._is_inside(path):
                    folder = self._files[0].path.parent
                    name = path.relative_to(folder) if path.is_relative_to(folder) else path
                    of_suite[len(self._files)] = one
                    self._files.append(EditedFile(path, name.as_posix()))
            return [
                {
                    "file": number,
                    "name": visible(one.name),
                    "is_read_only": one.is_read_only,
                    "is_there": one.text is None or one.path.is_file(),
                    "tasks": of_suite[number]["tasks"] if number in of_suite else [],
                    "is_broken": number in of_suite and of_suite[number]["is_broken"],
                }
                for number, one in enumerate(self._files)
                if number == 0 or number in of_suite or one.text is not None
            ]

    def _is_inside(self, path: Path) -> bool:
        """Return whether a file lies where a suite may have its files, also behind links."""
        return real_path(path.absolute()).is_relative_to(self._root)

    def _at(self, number: int) -> EditedFile:
        if not 0 <= number < len(self._files) or (number and not self._is_inside(self._files[number].path)):
            raise InputError("there is no file of this number")
        return self._files[number]


def checked_length(text: str, name: str) -> str:
    """Return a text that is not longer than what the page edits.

    Raises:
        InputError: when it is.
    """
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{name} has {len(text):,} characters, and at most {LONGEST_TEXT:,} can be edited here")
    return text
