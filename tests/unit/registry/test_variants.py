"""Variants: several primitives of one body, each with its own name, docstring and example."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from scoring.registry import DeclarationError, registry, variants
from scoring.registry.plugins import PlugIn


@variants(laws=("bounded",))
def _counted(count: Callable[[str], int], text: str, /, *, times: int = 1) -> float:
    """Count something in a text.

    Args:
        times: How often each counts.
    """
    return float(count(text) * times)


@pytest.fixture
def own() -> object:
    """Names of their own, gone after the test."""
    with registry._under(PlugIn("tests", "tests", "tests", "1.0")):
        yield
    for name in [name for name in registry._steps if name.startswith("tests/")]:
        del registry._steps[name]


@pytest.mark.usefixtures("own")
def test_a_variant_has_the_settings_of_the_body_and_the_words_of_its_own_function() -> None:
    @_counted
    def vowels(text: str) -> int:
        """Count the vowels.

        Examples:
            >>> vowels("see")
            2.0

        Source:
            Common knowledge.
        """
        return sum(letter in "aeiou" for letter in text)

    @_counted.declare(name="capitals", revision=2)
    def upper(text: str) -> int:
        """Count the capitals.

        Examples:
            >>> upper("See")
            1.0
        """
        return sum(letter.isupper() for letter in text)

    assert (vowels("see"), vowels("see", times=3), upper("See")) == (2.0, 6.0, 1.0)
    found, other = registry.of_function(vowels), registry.of_function(upper)
    assert (found.name, found.doc.summary, found.doc.source) == (
        "tests/vowels",
        "Count the vowels.",
        "Common knowledge.",
    )
    assert (other.name, other.doc.summary) == ("tests/capitals", "Count the capitals.")
    assert [(one.laws, one.revision) for one in (found, other)] == [(("bounded",), 1), (("bounded",), 2)]
    assert [(param.name, param.default, param.doc) for param in found.params] == [
        ("times", 1, "How often each counts.")
    ]
    assert found.signature == "tests/vowels(times: Number = 1): Text -> Number"
    assert list(inspect.signature(vowels).parameters) == ["text", "times"]
    # Each has its own place, so that the one that raised can be named.
    assert found.location != other.location
    one, two = (vars(primitive.function)["watched"] for primitive in (found, other))
    assert one.__code__ != two.__code__


@pytest.mark.usefixtures("own")
def test_a_variant_without_an_example_is_refused_at_its_own_place() -> None:
    with pytest.raises(DeclarationError, match=r"test_variants.py:\d+: primitive `bare`: its docstring has no `>>>`"):

        @_counted
        def bare(text: str) -> int:
            """Count nothing."""
            return 0
