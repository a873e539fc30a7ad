"""Our primitives declare what they use, all of it and nothing else: signatures and runs go by the declaration."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from scoring.registry import registry
from scoring.registry.model import Primitive
from tests.architecture.reach import reached

# Lark reads expressions, and what they mean is a part of every signature; msgspec holds values, whatever they are;
# jsonschema brings two packages of its own.
UNSAID = {"lark", "msgspec", "referencing", "jsonschema_specifications"}
PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@pytest.mark.parametrize("primitive", list(registry), ids=lambda primitive: f"{primitive.kind}:{primitive.name}")
def test_a_primitive_declares_what_its_code_reaches(primitive: Primitive) -> None:
    found = reached(primitive.function)
    # The columns of every run are numpy's, and every manifest names it: a metric may leave that unsaid.
    free = {*UNSAID, *primitive.uses, *(("numpy",) if primitive.kind == "metric" else ())}
    undeclared = {name: way for name, way in found.items() if name not in free}
    assert not undeclared, f"add these to `uses` of {primitive.location}"
    assert not set(primitive.uses) - set(found), f"{primitive.location} declares what it does not reach"


def test_every_declared_library_is_a_requirement_of_ours() -> None:
    required = set(re.findall(r'"([\w-]+)[>=~\[]', PYPROJECT.read_text(encoding="utf-8")))
    assert {name for primitive in registry for name in primitive.libraries} <= required


FOREIGN = """
import types
class Refuses:
    def __getattr__(self, name): raise RuntimeError(f"tried to make {name}")  # as what `torch.classes` hands out
class Answers(types.ModuleType):  # as `torch.classes`
    def __getattr__(self, name): return refuses if name == "__wrapped__" else Answers("foreign.made")
refuses, classes = Refuses(), Answers("foreign.classes")
def __getattr__(name): raise OSError("no such library") if name == "lost" else AttributeError(name)
"""
USES_FOREIGN = """
import foreign
from foreign import classes, refuses
def lost(x): return foreign.lost(x)
def wrapping(x): return foreign.classes.anything(x)
def taken(x): return classes(x), refuses.anything(x)
"""


def test_the_crawl_takes_foreign_objects_that_refuse_to_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "foreign.py").write_text(FOREIGN)
    (tmp_path / "uses_foreign.py").write_text(USES_FOREIGN)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("uses_foreign")
    for name in ("lost", "wrapping", "taken"):
        function = getattr(module, name)
        function.__module__ = "scoring.like"
        assert set(reached(function)) == {"foreign"}, name


def test_only_steps_with_effects_are_watched() -> None:
    """A library moves no step's permission, and watching costs a call."""
    watched = {primitive.name for primitive in registry if hasattr(primitive.function, "watched")}
    assert watched == {primitive.name for primitive in registry if {"judge", "programs", "notes"} & set(primitive.uses)}
