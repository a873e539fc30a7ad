"""The expression language: its grammar, its syntax trees, and the canonical text of a tree.

Lark is imported here, before any other module of this package imports it. It imports `regex` and `interegular` where
they are installed, although our grammar needs neither, and that takes a twentieth of the time of a check. So meanwhile
stand-ins have their names, which import them when something of them is used.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> Any:
        _remove(self)
        return getattr(import_module(self.__name__), name)


def _remove(module: ModuleType) -> None:
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]


_stand_ins = [_StandIn(name) for name in ("regex", "interegular") if name not in sys.modules and find_spec(name)]
sys.modules.update({module.__name__: module for module in _stand_ins})
try:
    import lark as lark
finally:
    for _module in _stand_ins:
        _remove(_module)
