"""The registered primitives, and how they are found: our own packages first, then entry points."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from scoring.registry import index
from scoring.registry.model import Primitive

ENTRY_POINT_GROUP = "scoring.primitives"
OWN_PACKAGES = ("scoring.primitives", "scoring.metrics", "scoring.packs")


class Registry:
    """Primitives by name. Our own have plain names, those of an installed package are called ``package/name``."""

    def __init__(self) -> None:
        # Data-set metrics have names of their own: `mean` of field scores is not `mean` over records.
        self._steps: dict[str, Primitive] = {}
        self._metrics: dict[str, Primitive] = {}
        self._namespace = ""
        self._discovered = False
        self._codes: dict[CodeType, str] = {}

    @property
    def namespace(self) -> str:
        """What is put before the names of the package that is being imported, "" for our own."""
        return self._namespace

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
        """The primitive of that name that can be a step of a pipeline."""
        return self._find(name, self._steps, index.STEPS)

    def metric(self, name: str) -> Primitive | None:
        """The data-set metric of that name."""
        return self._find(name, self._metrics, index.METRICS)

    def _find(self, name: str, names: dict[str, Primitive], modules: dict[str, str]) -> Primitive | None:
        """Import only the module that declares the name; look everywhere where the index does not know it."""
        if name not in names and not self._discovered:
            if name in modules:
                importlib.import_module(modules[name])
            if name not in names and name not in index.STEPS and name not in index.METRICS:
                self.discover()
        return names.get(name)

    def of_function(self, function: Callable[..., Any]) -> Primitive:
        """The primitive that a decorated function declares."""
        found: Primitive = function.__primitive__  # type: ignore[attr-defined]  # set by the decorator
        return found

    def index_text(self) -> str:
        """The module ``scoring.registry.index``: where each of our own primitives is declared."""
        self.discover()
        lines = ['"""Where our own primitives are declared; written by `scoring generate`, for quick look-ups."""', ""]
        for title, names in (("STEPS", self._steps), ("METRICS", self._metrics)):
            lines.append(f"{title}: dict[str, str] = {{")
            ours = sorted(name for name in names if "/" not in name)
            lines += [f'    "{name}": "{names[name].function.__module__}",' for name in ours]
            lines.append("}")
        return "\n".join(lines) + "\n"

    def by_code(self) -> dict[CodeType, str]:
        """The names of the primitives by the code of their functions, to name the one that raised."""
        if len(self._codes) != len(self._steps):
            self._codes = {p.function.__code__: p.name for p in self._steps.values()}
        return self._codes

    def names(self) -> list[str]:
        """All names, sorted."""
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
        for package in OWN_PACKAGES:
            _import_all(package)
        self._load_entry_points()

    def _load_entry_points(self) -> None:
        from importlib.metadata import entry_points

        for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
            with self._under(entry.name):
                loaded = entry.load()
                if hasattr(loaded, "__path__"):
                    _import_all(loaded.__name__)

    @contextlib.contextmanager
    def _under(self, namespace: str) -> Iterator[None]:
        before, self._namespace = self._namespace, namespace
        try:
            yield
        finally:
            self._namespace = before


def _import_all(package: str) -> None:
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(module.__path__, f"{package}."):
        importlib.import_module(found.name)


registry = Registry()
