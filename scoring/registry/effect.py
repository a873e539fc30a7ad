"""Providers of effects, such as judges and sandboxes: one plug-in of the group `scoring.effects` for each effect.

The core does not import judges or sandboxes; it uses this module to get their parts of a signature, and what they
report about a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from scoring.diagnostics.words import EFFECTS
from scoring.registry import plugins

GROUP = "scoring.effects"
"""The entry point group of providers; each entry point has the name of its effect."""
Account: TypeAlias = Callable[[], Mapping[str, Any]]
"""A function that returns, at the end of a run, what the effect consumed, for the summary."""


class EffectStep(Protocol):
    """The attributes of a step, one call of a primitive in a compiled program, that providers of effects read."""

    @property
    def primitive(self) -> Any:
        """The primitive that the step calls, a `scoring.registry.model.Primitive`."""

    @property
    def static(self) -> Mapping[str, Any]:
        """The step's arguments that don't depend on the record, by name."""

    @property
    def dynamic(self) -> Any:
        """The names of the step's arguments that depend on the record."""


class EffectOptions(Protocol):
    """The options for an effect in a run that all effects have; further ones are up to the provider of the effect."""

    @property
    def workers(self) -> int | None:
        """The number of records to process concurrently; None for the default."""

    @property
    def waits(self) -> bool:
        """Whether replies may be waited for; False where all of them are read from a file."""

    @property
    def cache(self) -> str | None:
        """The file that stores requests and replies; None without one."""

    def settings(self, opened: Any) -> dict[str, Any]:
        """Return the settings of the open effect `opened` for a run's manifest, to repeat the run; never a secret."""

    def remembering(self) -> EffectOptions:
        """Return a copy of the options that has a cache, which may be a temporary file."""


class OpenEffect(Protocol):
    """A function that opens an effect for a run, and closes it at the end."""

    def __call__(
        self, options: Any, *, needed: bool, on_note: Callable[[str], None] | None = None
    ) -> AbstractContextManager[Any]:
        """Return a context that gives the open effect; see `scoring.api.judging.opened_judge`."""


class EffectAgain(Struct, frozen=True):
    """The functions for repeating the effect of a finished run without new requests.

    Args:
        from_settings: Returns options, given the settings of a manifest and whether the task has the effect.
        from_bundle: Returns options, given a folder, the file of replies in it, and the settings of a manifest.
        replies: Returns the replies that an open effect has received, in the form for a bundle, given the effect and
            the name of its cache.
    """

    from_settings: Callable[[Mapping[str, Any], bool], EffectOptions]
    from_bundle: Callable[[Path, Path, Mapping[str, Any]], EffectOptions]
    replies: Callable[[Any, str], bytes]


class EffectProvider(Struct, frozen=True):
    """What an extension provides for an effect, such as calls of a judge: mostly functions, which are optional.

    Args:
        name: The effect, as named in `uses` of a primitive.
        part: Returns what identifies the effect in signatures, such as a judge's model; None if scores can't differ.
        settings: Returns from the steps that have the effect the settings that `environment` needs, such as languages.
        environment: Returns, given these settings, the environment of a run besides libraries.
        account: Starts counting what the effect consumes, and returns a function that returns the counts at the end.
        open: Opens the effect for a run, given the caller's options.
        again: The functions for repeating the effect of a finished run.

    Examples:
        >>> EffectProvider("weather", part=lambda: "sunny").part()
        'sunny'
    """

    name: str
    part: Callable[[], str] | None = None
    settings: Callable[[Iterable[EffectStep]], Sequence[str]] = lambda steps: ()
    environment: Callable[[Sequence[str]], Sequence[str]] = lambda settings: ()
    account: Callable[[], Account] | None = None
    open: OpenEffect | None = None
    again: EffectAgain | None = None


def is_effect(word: str) -> bool:
    """Return whether a word in a primitive's `uses` is an effect; if not, it is the name of a library."""
    return word in EFFECTS or any(plugin.name == word for plugin in plugins.noticed(GROUP))


def provider(effect: str) -> EffectProvider | None:
    """Return the provider of an effect; None if `effect` is the name of a library, or of an effect without provider."""
    found = next((plugin for plugin in plugins.noticed(GROUP) if plugin.name == effect), None)
    return None if found is None else found.load()


def accounts(has_effect: Callable[[str], bool]) -> Account:
    """Start counting what a run's effects consume, and return a function that returns the counts at the run's end.

    Args:
        has_effect: A function that returns whether a step of the run has an effect; only providers of such effects are
            imported.
    """
    found: list[EffectProvider] = [one.load() for one in plugins.noticed(GROUP) if has_effect(one.name)]
    begun = [one.account() for one in found if one.account is not None]
    return lambda: {name: taken for account in begun for name, taken in account().items()}
