"""Late dataclasses are dataclasses: each is held to the one that `dataclasses` would make of it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
import re
from dataclasses import KW_ONLY, field
from typing import Any

import pytest

from scoring import late

DECORATORS: list[Any] = [late.dataclass, dataclasses.dataclass]
OPTIONS: list[dict[str, bool]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "eq": False},
    {"frozen": True, "kw_only": True},
]


def made(decorator: Any, options: dict[str, bool]) -> Any:
    @decorator(**options)
    class Point:
        x: int
        y: list[int] = field(default_factory=list, compare=False)
        name: str = "p"
        _: KW_ONLY
        hidden: int = field(default=3, repr=False)
        size: int = field(default=5, init=False)
        found: list[int] = field(default_factory=list, init=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "size", self.x + 1)

    return Point


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_instances_are_what_dataclasses_makes(options: dict[str, bool]) -> None:
    ours, theirs = made(late.dataclass, options), made(dataclasses.dataclass, options)
    for given in ({"x": 1}, {"x": 1, "y": [2], "name": "q", "hidden": 4}):
        one, other = ours(**given), theirs(**given)
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert repr(one) == repr(other)
        assert dataclasses.asdict(dataclasses.replace(one, x=7)) == dataclasses.asdict(dataclasses.replace(other, x=7))
        assert (one == ours(**given)) is (other == theirs(**given))
        assert one != ours(x=9)
        assert one != other
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_can_be_hashed_and_changed_is_the_same(options: dict[str, bool]) -> None:
    for decorator in (late.dataclass, dataclasses.dataclass):
        point = made(decorator, options)(x=1)
        if options.get("frozen"):
            assert hash(point) == hash(copy.copy(point)) or options.get("eq") is False
            with pytest.raises(dataclasses.FrozenInstanceError):
                point.x = 2
            with pytest.raises(dataclasses.FrozenInstanceError):
                del point.x
        else:
            point.x = 2
            assert point.x == 2
            with pytest.raises(TypeError, match="unhashable"):
                hash(point)


@late.dataclass(frozen=True, slots=True)
class Base:
    a: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base) and self.a == other.a


@late.dataclass(frozen=True, slots=True)
class Derived(Base):
    b: int = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs(Base):
    c: int = 3


@late.dataclass(frozen=True)
class Empty:
    pass


def test_a_subclass_takes_the_fields_and_methods_of_its_base() -> None:
    assert repr(Derived(1)) == "Derived(a=1, b=2)"
    assert Derived(1, 3) == Derived(1, 3) != Derived(1)
    assert Base(1) == Base(1)
    assert repr(Theirs(1)) == "Theirs(a=1, c=3)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        Theirs(1).a = 2  # type: ignore[misc]  # what the test is about
    assert hash(Base(1)) == hash(Base(1))


def test_frozen_slots_are_copied_and_pickled() -> None:
    for again in (copy.copy(Derived(1, 3)), copy.deepcopy(Derived(1, 3)), pickle.loads(pickle.dumps(Derived(1, 3)))):
        assert again == Derived(1, 3)


def test_a_class_without_fields_is_equal_to_itself() -> None:
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_a_class_is_first_used_by_many_threads_at_once() -> None:
    """Given a thread that found `__init__` not yet written, and writes it after another thread has, then both go on."""

    @late.dataclass
    class Fresh:
        x: int

    waiting = vars(Fresh)["__init__"]
    assert Fresh(1) == Fresh(1)
    again = Fresh(2)
    waiting.__get__(again, Fresh)(3)
    assert again == Fresh(3)


def test_one_field_is_compared_as_several_are() -> None:
    """Given a number that is not equal to itself, then what holds it is: `dataclasses` compares tuples."""
    for decorator in DECORATORS:

        @decorator(frozen=True)
        class One:
            x: float

        held: Any = One
        assert held(math.nan) == held(math.nan)


def test_a_subclass_without_a_comparison_of_its_own_has_that_of_its_base() -> None:
    for decorator in DECORATORS:

        @decorator
        class First:
            a: int

        @decorator(eq=False)
        class Second(First):
            b: int = 0

        held: Any = Second
        assert held(1, 2) == held(1, 3)
        assert held(1) != held(2)


def test_missing_and_surplus_arguments_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"Base\.__init__\(\) missing 1 required positional argument: 'a'"):
        Base()  # type: ignore[call-arg]  # what the test is about
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        Base(1, c=2)  # type: ignore[call-arg]  # likewise


def test_a_pattern_is_compiled_once_and_when_it_is_used() -> None:
    words = late.pattern("[a-z]+")
    assert "search" not in vars(words)
    found = words.search("1 a")
    assert found is not None
    assert found[0] == "a"
    assert "search" in vars(words)
    broken = late.pattern("(")
    with pytest.raises(re.error):
        broken.match("")
