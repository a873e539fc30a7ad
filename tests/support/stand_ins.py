"""Stand-ins for packages of hosts: modules with the attributes that our adapters take from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import ModuleType
from typing import Any


class EvalScopeUnavailable(RuntimeError):
    """What a metric of EvalScope raises for a sample without a score."""


class EvalScopeRegistry(dict[str, Any]):
    """The metrics and aggregations of EvalScope by name."""

    def is_registered(self, name: str) -> bool:
        """Whether there is one of this name."""
        return name in self


class _Metric(ABC):
    def __call__(self, prediction: Any, reference: Any) -> Any:
        return self.apply([prediction], [reference])[0]

    @abstractmethod
    def apply(self, predictions: list[Any], references: list[Any]) -> list[Any]:
        """The scores of columns."""


class _Mean:
    def agg_func(self, values: list[float]) -> float:
        return sum(values) / len(values)


class _Model:
    """A model of pydantic, as far as it is used: attributes, and their dump."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def model_dump(self) -> dict[str, Any]:
        return self.values


class _TextEnv:
    def __init__(self) -> None:
        self.turns = 0


def evalscope(found: EvalScopeRegistry) -> dict[str, ModuleType]:
    """The modules of EvalScope, whose registry is the given one."""

    def register(name: str) -> Any:
        return lambda kind: found.setdefault(name, kind)

    registry = {"METRIC_REGISTRY": found, "register_metric": register, "register_aggregation": register}
    return _modules(
        {
            "evalscope.api.metric.metric": {"Metric": _Metric, "MetricUnavailableError": EvalScopeUnavailable},
            "evalscope.api.registry": registry,
            "evalscope.metrics.aggregators.aggregators": {"Mean": _Mean},
        }
    )


def nemo_gym() -> dict[str, ModuleType]:
    """The modules of NeMo Gym."""
    kinds = {"BaseVerifyRequest": _Model, "BaseMultiRewardVerifyResponse": _Model}
    return _modules({"nemo_gym.base_resources_server": kinds})


def skyrl() -> dict[str, ModuleType]:
    """The modules of SkyRL's gym."""
    return _modules({"skyrl_gym.envs.base_text_env": {"BaseTextEnv": _TextEnv, "BaseTextEnvStepOutput": dict}})


def _modules(attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, ModuleType]:
    """Modules with their attributes, and the packages in which they lie."""
    found: dict[str, ModuleType] = {}
    for name, own in attributes.items():
        parts = name.split(".")
        for end in range(1, len(parts)):
            package = ".".join(parts[:end])
            found.setdefault(package, ModuleType(package))
        found[name] = ModuleType(name)
        vars(found[name]).update(own)
    return found
