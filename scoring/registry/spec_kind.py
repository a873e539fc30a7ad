"""Kinds of spec files beside tasks and packs, ``kind: NAME`` of a file, which extensions provide.

A kind is a plug-in of the group ``scoring.kinds``: the name of its entry point is the word after ``kind:``, and its
value is a `SpecKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field

from scoring.registry import plugins
from scoring.registry.extension import provided


class CompiledFile(Protocol):
    """A compiled file of a kind that an extension provides; it joins the scores of several tasks."""

    @property
    def spec(self) -> Any:
        """The model of the file, with its keys as attributes."""

    @property
    def name(self) -> str:
        """The file's own name."""

    @property
    def version(self) -> str:
        """The file's version."""

    @property
    def metrics(self) -> Sequence[Any]:
        """The metrics over the file's tasks, the headline metric first."""

    @property
    def signature(self) -> Any:
        """The signature: a line that names all that can change the numbers."""

    @property
    def recipe(self) -> Any:
        """The recipe, the data from which the signature is made."""

    @property
    def bundle(self) -> Any:
        """The file and the packs that it imports as texts, a `scoring.format.bundle.Bundle`."""

    @property
    def loaded(self) -> Sequence[Any]:
        """The loaded specs of the file's tasks."""

    @property
    def files(self) -> Sequence[tuple[str, Path]]:
        """The further files that were read to compile it, each with its role and path."""

    @property
    def results(self) -> Path | None:
        """The file of task results from which its figures are computed; None if they come from records."""

    @property
    def warnings(self) -> Sequence[Any]:
        """The findings about the file that are not errors."""

    @property
    def reads(self) -> dict[str, Any]:
        """The file's digest, and the paths that tasks read in records, by name; they must be equal to resume a run."""

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""

    @property
    def asks_judge(self) -> bool:
        """Whether any task calls a judge."""

    def seeded(self, seed: int) -> Any:
        """Return a copy of the compiled file with another seed."""

    def read_by(self, settings: Sequence[str]) -> Any:
        """Return a copy for data that is read with some format settings, which become part of the signature."""

    def resolved(self) -> dict[str, Any]:
        """Return the file as plain data, with everything that it imports filled in."""


class PackedFile(Protocol):
    """A compiled file as plain data: its own bundle of texts, and the bundle of each of its tasks."""

    @property
    def bundle(self) -> Any:
        """The file and the packs that it imports, as `scoring.format.bundle.Bundle`."""

    @property
    def tasks(self) -> Sequence[tuple[str, Any, Mapping[str, Any], Mapping[str, Any]]]:
        """For each task its name, bundle, attributes, and the values shared by its records."""

    @property
    def table(self) -> Mapping[str, Any] | None:
        """The attributes of tasks by name of the task, if they were read from a file of their own; else None."""


class SpecKind(Struct, frozen=True):
    """One kind of spec file, from its keys to its runs.

    Args:
        spec: The class that models its keys, a subclass of `scoring.format.definitions.SpecFile`.
        check: Returns the findings about a loaded file and its tasks, given the file and the dialect; raises InputError
            if a file that it names can't be read.
        compile: Returns the `CompiledFile`, given the loaded file, the dialect, and by the names ``tasks``,
            ``attributes`` and ``results`` the paths that replace those in the file.
        pack: Returns the `PackedFile` of a compiled file.
        unpack: Returns the compiled file, given the bundle, the tasks and the table of a packed one, and the path of
            the task results that it is computed from.
        run: Returns the finished run, given the run in progress.
        lanes: Returns the tasks with their records (lanes), given the opened spec, the data and the report on
            oddities of the data.
        refused: The reason why its files do not support a feature, by name of the feature.
    """

    spec: type
    check: Callable[[Any, str | None], Sequence[Any]]
    compile: Callable[[Any, str | None, Mapping[str, Path | None]], CompiledFile]
    pack: Callable[[Any], PackedFile]
    unpack: Callable[[Any, Sequence[Any], Mapping[str, Any] | None, Path | None], CompiledFile]
    run: Callable[[Any], Any]
    lanes: Callable[[Any, Any, Any], Sequence[Any]]
    refused: Mapping[str, str] = field(default_factory=dict)


def spec_kind(kind: str) -> SpecKind:
    """Return the description of the kind of file that a spec names under its key `kind`.

    Raises:
        InputError: when no extension provides it.

    Examples:
        >>> spec_kind("league")
        Traceback (most recent call last):
        ...
        scoring.errors.InputError: `kind: league` needs an extension that provides `league`, and none is installed
    """
    found: SpecKind = provided(plugins.KINDS, kind, f"`kind: {kind}`")
    return found
