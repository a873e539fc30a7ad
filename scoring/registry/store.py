"""The registry of primitives: our own packages first, then entry points."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, Literal

from scoring.diagnostics.suggest import plain_name
from scoring.registry import plugins
from scoring.registry.model import Distribution, Primitive

GROUP = "scoring.primitives"
COMMANDS = "scoring.commands"
PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


class Registry:
    """Primitives by name. Our own have plain names, those of an installed package are called ``package/name``."""

    def __init__(self) -> None:
        # Data-set metrics have names of their own: `mean` of field scores is not `mean` over records.
        self._steps: dict[str, Primitive] = {}
        self._metrics: dict[str, Primitive] = {}
        # What is put before the names of the package that is being imported, and what brings it; nothing for our own.
        self.namespace = ""
        self.distribution: Distribution | None = None
        self._discovered = False
        self._codes: dict[CodeType, Primitive] = {}

    def add(self, primitive: Primitive) -> None:
        """Register one primitive.

        Raises:
            ValueError: when another function already has the name.
        """
        names = self._metrics if primitive.kind == "metric" else self._steps
        known = names.get(primitive.name)
        if known is not None and known.location != primitive.location:
            raise ValueError(f"the name `{primitive.name}` is already taken by {known.location}")
        names[primitive.name] = primitive

    def get(self, name: str) -> Primitive | None:
        """Return the primitive of that name that can be a step of a pipeline."""
        return self._find(name, self._steps, plugins.STEPS)

    def knows(self, name: str) -> bool:
        """Tell whether a step has that name, without importing anything."""
        return name in self._steps or name in plugins.STEPS

    def knows_metric(self, name: str) -> bool:
        """Tell whether a data-set metric has that name; only metrics of other packages are imported."""
        return name in self._metrics or name in plugins.METRICS or ("/" in name and self.metric(name) is not None)

    def metric(self, name: str) -> Primitive | None:
        """Return the data-set metric of that name."""
        return self._find(name, self._metrics, plugins.METRICS)

    def other_names(self, of: Literal["steps", "metrics"]) -> dict[str, str]:
        """Return what the field calls steps, or metrics, and their names here; nothing of ours is imported for it."""
        known = plugins.AKA[of]
        more = (one for one in (self._steps if of == "steps" else self._metrics).values() if not one.is_own)
        return {**known, **{other: one.name for one in more for other in one.aka}}

    def called(self, name: str) -> list[Primitive]:
        """Return the steps and metrics that the field calls by another name; case, spaces and `_` play no part."""
        wanted = plain_name(name)
        steps, metrics = (
            [meant for other, meant in self.other_names(of).items() if plain_name(other) == wanted]
            for of in ("steps", "metrics")
        )
        found = [*map(self.get, dict.fromkeys(steps)), *map(self.metric, dict.fromkeys(metrics))]
        return [one for one in found if one is not None]

    def _find(self, name: str, names: dict[str, Primitive], modules: dict[str, str]) -> Primitive | None:
        """Import only the module that declares the name; look everywhere where the index does not know it."""
        if name not in names and not self._discovered:
            if name in modules:
                importlib.import_module(modules[name])
            if name not in names and name not in plugins.STEPS and name not in plugins.METRICS:
                self.discover()
        return names.get(name)

    def of_function(self, function: Callable[..., Any]) -> Primitive:
        """Return the primitive that a decorated function declares."""
        found: Primitive = function.__primitive__  # type: ignore[attr-defined]  # set by the decorator
        return found

    def index_text(self) -> str:
        """Return the file ``index.json``: where each of our own primitives and plug-ins is declared.

        Raises:
            FileNotFoundError: outside a checkout, which alone has the project file.
        """
        plugins.PLUG_INS = plugins.declared(PROJECT)  # the index is what is written here, so it can't be asked
        self._discovered = False
        self.discover()
        # Those of others have a `/` in their names.
        ours = {
            title: {name: one for name, one in sorted(primitives.items()) if "/" not in name}
            for title, primitives in (("steps", self._steps), ("metrics", self._metrics))
        }
        places = {
            title: {name: one.function.__module__ for name, one in found.items()} for title, found in ours.items()
        }
        aka = {title: {name: list(one.aka) for name, one in found.items() if one.aka} for title, found in ours.items()}
        of_core_first = sorted(
            plugins.own(COMMANDS), key=lambda one: (not one.value.startswith("scoring.cli."), one.value)
        )
        commands = {plugin.value.partition(":")[0]: plugin.load() for plugin in of_core_first}
        return plugins.text_of({**places, "plug-ins": plugins.PLUG_INS}, aka, commands)

    def by_code(self) -> dict[CodeType, Primitive]:
        """Return the primitives by the code of their functions, to name the one that raised."""
        if len(self._codes) != len(self._steps):
            self._codes = {getattr(p.function, "watched", p.function).__code__: p for p in self._steps.values()}
        return self._codes

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self.discover()
        return sorted({*self._steps, *self._metrics})

    def __iter__(self) -> Iterator[Primitive]:
        self.discover()
        both = [*self._steps.values(), *self._metrics.values()]
        return iter(sorted(both, key=lambda primitive: (primitive.name, primitive.kind)))

    def discover(self) -> None:
        """Import every module that declares primitives, once."""
        if self._discovered:
            return
        self._discovered = True
        for plugin in plugins.every(GROUP):
            # Names of ours are plain, those of others stand behind the name of their entry point.
            with self._under(plugin):
                loaded = plugin.load()
                if hasattr(loaded, "__path__"):
                    for found in pkgutil.walk_packages(loaded.__path__, f"{loaded.__name__}."):
                        importlib.import_module(found.name)

    @contextlib.contextmanager
    def _under(self, plugin: plugins.PlugIn) -> Iterator[None]:
        before = self.namespace, self.distribution
        if not plugin.is_ours:
            self.namespace, self.distribution = plugin.name, Distribution(plugin.distribution, plugin.version)
        try:
            yield
        finally:
            self.namespace, self.distribution = before


registry = Registry()
