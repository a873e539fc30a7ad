"""The registry of primitives, and their discovery: our own packages first, then entry points of others."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, Literal

from scoring.diagnostics.words import plain_name
from scoring.registry import plugins
from scoring.registry.editions import OLDEST
from scoring.registry.model import Distribution, Primitive

GROUP = "scoring.primitives"


class Registry:
    """Primitives by name: our own have plain names, those of our packs ``pack/name``, of others ``package/name``."""

    def __init__(self) -> None:
        # Data-set metrics have a separate namespace: `mean` of field scores is not `mean` over records.
        self._steps: dict[str, Primitive] = {}
        self._metrics: dict[str, Primitive] = {}
        # The prefix of names in the package that is being imported, and its distribution; empty for our own.
        self.namespace = ""
        self.distribution: Distribution | None = None
        self._discovered = False
        self._postponed: dict[str, list[Callable[[], Primitive]]] = {}  # what reads those not yet looked up
        self._codes: dict[CodeType, Primitive] = {}

    def add(self, primitive: Primitive) -> None:
        """Register one primitive.

        Raises:
            ValueError: when another function already has the name.
        """
        names = self._metrics if primitive.kind == "metric" else self._steps
        if (known := names.get(primitive.name)) is not None and known.location != primitive.location:
            raise ValueError(f"the name `{primitive.name}` is already taken by {known.location}")
        names[primitive.name] = primitive

    def postpone(self, name: str, read: Callable[[], Primitive]) -> None:
        """Have a primitive of our own read, and so registered, when its name is first looked up."""
        self._postponed.setdefault(name, []).append(read)

    def _read(self, name: str) -> None:
        for read in self._postponed.get(name, ()):
            read()
        self._postponed.pop(name, None)  # only now: another thread may look it up meanwhile

    def get(self, name: str) -> Primitive | None:
        """Return the primitive with a name that can be a step of a pipeline (any but a metric), None without one."""
        return self._find(name, self._steps, plugins.STEPS)

    def knows(self, name: str, edition: int | None = None) -> bool:
        """Return whether a step is called `name`, imported or in our index, without importing anything; with `edition`,
        whether it is called so in this edition of the language."""
        is_known = name in self._steps or name in plugins.STEPS
        return is_known and self._is_of(edition, name, "steps")

    def knows_metric(self, name: str, edition: int | None = None) -> bool:
        """Return whether a data-set metric is called `name`, likewise; only a name with a `/` imports packages."""
        is_known = name in self._metrics or name in plugins.METRICS or ("/" in name and self.metric(name) is not None)
        return is_known and self._is_of(edition, name, "metrics")

    def _is_of(self, edition: int | None, name: str, of: Literal["steps", "metrics"]) -> bool:
        if edition is None:
            return True
        found = (self._steps if of == "steps" else self._metrics).get(name)
        return (plugins.SINCE[of].get(name, OLDEST) if found is None else found.since) <= edition

    def metric(self, name: str) -> Primitive | None:
        """Return the data-set metric with a name, None if there is none."""
        return self._find(name, self._metrics, plugins.METRICS)

    def other_names(self, of: Literal["steps", "metrics"]) -> dict[str, str]:
        """Return the names of steps or metrics by their other names, such as "exact match", without importing ours."""
        known = plugins.AKA[of]
        more = (one for one in (self._steps if of == "steps" else self._metrics).values() if not one.is_own)
        return {**known, **{other: one.name for one in more for other in one.aka}}

    def called(self, name: str) -> list[Primitive]:
        """Return the steps and metrics with the other name `name`, ignoring case, spaces, `_`, `-`, `/` and `.`."""
        wanted = plain_name(name)
        steps, metrics = (
            [own for other, own in self.other_names(of).items() if plain_name(other) == wanted]
            for of in ("steps", "metrics")
        )
        found = [*map(self.get, dict.fromkeys(steps)), *map(self.metric, dict.fromkeys(metrics))]
        return [one for one in found if one is not None]

    def _find(self, name: str, names: dict[str, Primitive], modules: dict[str, str]) -> Primitive | None:
        """Return the primitive `name` in `names`, after importing its module in `modules`, or for an unknown name all
        modules, unless a spec imports it, as in `pack.metric`; None if there is none."""
        if name not in names and not self._discovered:
            if name in modules:
                importlib.import_module(modules[name])
            is_imported = "." in name and "/" not in name
            if not (name in names or name in plugins.STEPS or name in plugins.METRICS or is_imported):
                self.discover()
        self._read(name)
        return names.get(name)

    def of_function(self, function: Any) -> Primitive:
        """Return the primitive that a decorated function declares."""
        found: Primitive = function.__primitive__ if hasattr(function, "__primitive__") else function.__read__()
        return found

    def by_code(self) -> dict[CodeType, Primitive]:
        """Return the imported steps by the code objects of their functions, to find the one that raised an error."""
        self._read_all()
        if len(self._codes) != len(self._steps):
            self._codes = {getattr(p.function, "watched", p.function).__code__: p for p in self._steps.values()}
        return self._codes

    def _read_all(self) -> None:
        for name in list(self._postponed):
            self._read(name)

    def names(self) -> list[str]:
        """Import all primitives and return their names, sorted."""
        self.discover()
        self._read_all()
        return sorted({*self._steps, *self._metrics})

    def __iter__(self) -> Iterator[Primitive]:
        self.discover()
        self._read_all()
        both = [*self._steps.values(), *self._metrics.values()]
        return iter(sorted(both, key=lambda primitive: (primitive.name, primitive.kind)))

    def discover(self, *, again: bool = False) -> None:
        """Import all modules that declare primitives; further calls do nothing, unless `again` is true."""
        if self._discovered and not again:
            return
        self._discovered = True
        for plugin in plugins.every(GROUP):
            # Our names are plain; those of others are preceded by the name of their entry point.
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
