"""The search with hypothesis for the smallest input on which two versions differ.

Hypothesis draws inputs, shrinks one that shows a difference, and gives the same result for the same seed. The input may
depend on the version of hypothesis, which is therefore recorded in the judgement; the verdict only depends on whether
there is such an input.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scoring.errors import InputError
from scoring.extensions.sharing.release.comparison_run import Moved, TriedInput

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_PER_EXAMPLE = 6
"""The mean length of a list that hypothesis draws; the inputs in a list are compared in a single call."""
_MOST = 64
_KINDS = 3


class ComparedVersions(Protocol):
    """Two versions of a definition or a task that can be run on the same inputs."""

    def moved(self, inputs: Sequence[TriedInput], /) -> list[Moved]:
        """Run both versions on some inputs, and return the inputs for which the results differ, each with both
        results."""


C = TypeVar("C", bound=ComparedVersions)


@dataclass(slots=True)
class SmallestInput:
    """A search for the smallest input on which versions differ, which counts the inputs that it tries.

    Args:
        name: The name of the definition or task; the seed is made from it.
        tried: The number of inputs on which the versions were compared.
    """

    name: str
    tried: int = 0

    def find(
        self, comparisons: Sequence[C], inputs: SearchStrategy[TriedInput], tries: int, *, best: int = _KINDS
    ) -> tuple[C, Moved] | None:
        """Return the smallest input found on which the versions differ, with the comparison that shows it.

        Args:
            comparisons: The versions with different settings; the first is preferred.
            inputs: The strategy that draws inputs.
            tries: About how many inputs to draw, not counting those tried while shrinking.
            best: Only differences whose `Moved.kind` ranks below this number count.

        Returns:
            The comparison and the difference; None if none was found.
        """
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import NoSuchExample
        from hypothesis.strategies import lists, sampled_from, tuples

        kind: list[Any] = []

        def is_moved(drawn: tuple[C, list[TriedInput]]) -> bool:
            comparison, batch = drawn
            self.tried += len(batch)
            found = [one.kind for one in comparison.moved(batch) if one.kind[0] < best]
            if found and not kind:
                kind.append(min(found))  # shrinking must keep the kind of the difference
            return any(one == kind[0] for one in found)

        how = settings(
            max_examples=max(1, tries // _PER_EXAMPLE),
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        drawn = tuples(sampled_from(comparisons), lists(inputs, min_size=1, max_size=_MOST))
        try:
            with _no_files_here(), _no_constants_of_code():
                comparison, batch = find(drawn, is_moved, settings=how, random=Random(f"scoring release {self.name}"))
        except NoSuchExample:
            return None
        found = [one for one in comparison.moved(batch) if one.kind == kind[0]]
        return comparison, min(found, key=lambda one: _measure_reading_effort(one.tried_input))


@contextmanager
def _no_files_here() -> Iterator[None]:
    """Keep hypothesis from using its cache in the working folder within a block, because others may have written
    there."""
    from hypothesis.configuration import set_hypothesis_home_dir, storage_directory

    before = storage_directory(intent_to_write=False).path
    with TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(before)


@contextmanager
def _no_constants_of_code() -> Iterator[None]:
    """Keep hypothesis within a block from drawing constants that occur in the code of imported modules outside of
    `site-packages`: what else a process has imported must not decide whether a counterexample is found."""
    providers: Any = importlib.import_module("hypothesis.internal.conjecture.providers")
    before = getattr(providers, "_get_local_constants", None)
    if before is None:  # earlier versions draw none
        yield
        return
    providers._get_local_constants = providers.Constants
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = before
        providers.CONSTANTS_CACHE.cache.clear()


def _measure_reading_effort(tried_input: TriedInput) -> tuple[int, int]:
    """Return how hard an input is to read, for comparison: the length of its repr, and the number of characters that
    are not ASCII letters or digits."""
    written = repr(tried_input)
    return len(written), sum(not (letter.isascii() and letter.isalnum()) for letter in written)


def plainest(comparison: ComparedVersions, inputs: Sequence[TriedInput]) -> Moved | None:
    """Return the most important difference that two versions show on some inputs, and of these the one on the shortest
    input; None if they don't differ."""
    found = comparison.moved(inputs) if inputs else ()
    return min(found, key=lambda one: (one.kind, _measure_reading_effort(one.tried_input)), default=None)


def strategies() -> ModuleType:
    """Return the module `strategies` of this package, which is imported only when needed because it requires
    hypothesis.

    Raises:
        InputError: when hypothesis is not installed.
    """
    try:
        return importlib.import_module("scoring.extensions.sharing.release.strategies")
    except ImportError:
        raise InputError(
            "the search for a counterexample needs the extra `release`: pip install 'scoring-dsl[release]'"
        ) from None


def searched_with() -> str:
    """Return the name and version of the library that searches for inputs, such as `hypothesis 6.100.0`."""
    return f"hypothesis {importlib.import_module('hypothesis').__version__}"
