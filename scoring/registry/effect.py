"""Effects of steps as their providers describe them to a run: one plug-in of the group `scoring.effects` for each.

The core knows no judge and no sandbox: it asks here for the parts of signatures, and for the account of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from scoring.effects import EFFECTS
from scoring.registry import plugins

GROUP = "scoring.effects"
"""The entry points of providers; each is called as its effect."""
Account: TypeAlias = Callable[[], Mapping[str, Any]]
"""Gives at the end of a run what it took, for the summary."""


class EffectStep(Protocol):
    """A step of a program, as far as effects look at it."""

    @property
    def primitive(self) -> Any:
        """The called primitive, as `scoring.registry.model.Primitive`."""

    @property
    def static(self) -> Mapping[str, Any]:
        """Its arguments that are known before a record is."""

    @property
    def dynamic(self) -> Any:
        """The names of the settings that are read from a record."""


class EffectOptions(Protocol):
    """Options with which the caller runs an effect; the rest is between the caller and the provider."""

    @property
    def workers(self) -> int | None:
        """The number of records that are scored concurrently; None for the default."""

    @property
    def cache(self) -> str | None:
        """The file that caches requests and replies, if there is one."""

    def settings(self, opened: Any) -> dict[str, Any]:
        """Return what a manifest keeps of the effect, from which the run can be made again; never a secret."""

    def remembering(self) -> EffectOptions:
        """Return the same options with a cache, if only for the moment."""


class OpenEffect(Protocol):
    """Opens an effect for a run, and closes it at the end."""

    def __call__(
        self, options: Any, *, needed: bool, on_note: Callable[[str], None] | None = None
    ) -> AbstractContextManager[Any]:
        """Return a context in which the effect is open; see `scoring.api.judging.opened_judge`."""


@dataclass(frozen=True, slots=True)
class EffectAgain:
    """How a finished run is scored again without calling the service anew.

    Args:
        from_settings: Returns options from the settings of a manifest, and from whether the task has the effect.
        from_bundle: Returns options from a folder, the file of replies in it, and the settings of a manifest.
        replies: Returns the replies that an effect that is open has been given, as a bundle keeps them, from the effect
            and the name of its cache.
    """

    from_settings: Callable[[Mapping[str, Any], bool], EffectOptions]
    from_bundle: Callable[[Path, Path, Mapping[str, Any]], EffectOptions]
    replies: Callable[[Any, str], bytes]


@dataclass(frozen=True, slots=True)
class EffectProvider:
    """What the room of an effect provides to the core.

    Args:
        name: The effect, as `uses` of a primitive names it.
        part: Returns what stands in a signature under that name, since it can move a number; None where nothing does.
        settings: Finds among the steps that have the effect what `environment` needs of them, such as languages.
        environment: Returns from that what a run is made with, beside libraries.
        account: Begins to count before the first record is scored, and returns what tells the sum.
        open: Opens it for a run, from the options of whoever makes the run.
        again: How a finished run has it again.

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
    """Tell whether a word of `uses` is an effect, ours or another package's, rather than the name of a library."""
    return word in EFFECTS or any(plugin.name == word for plugin in plugins.noticed(GROUP))


def provider(effect: str) -> EffectProvider | None:
    """Return the provider of an effect; None where a word of `uses` is a library, or nobody provides the effect."""
    found = next((plugin for plugin in plugins.noticed(GROUP) if plugin.name == effect), None)
    return None if found is None else found.load()


def accounts(has_effect: Callable[[str], bool]) -> Account:
    """Begin to count what a run takes, and return a function for its end; call it before the first record is scored.

    Args:
        has_effect: Tells whether a step of the run has an effect; only providers of such are imported.
    """
    found: list[EffectProvider] = [one.load() for one in plugins.noticed(GROUP) if has_effect(one.name)]
    begun = [one.account() for one in found if one.account is not None]
    return lambda: {name: taken for account in begun for name, taken in account().items()}
