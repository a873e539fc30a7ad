"""A primitive is one described function; a half-described one is refused where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest

from scoring.registry import Between, DeclarationError, batch, primitive
from scoring.registry.store import Registry, registry
from scoring.values import ANY, NUMBER, SCORE, TEXT, Score, Type, list_type


@pytest.fixture
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declarations of these tests do not reach the real registry."""
    fresh = Registry()
    monkeypatch.setattr("scoring.registry.declare.registry", fresh)
    monkeypatch.setattr(fresh, "discover", lambda: None)


def declared(function: Callable[..., Any]) -> Any:
    return function.__primitive__  # type: ignore[attr-defined]


@pytest.mark.usefixtures("_own_registry")
def test_a_declaration_becomes_types_parameters_and_documentation() -> None:
    @primitive(revision=2)
    def nearly(
        prediction: str,
        reference: str,
        /,
        *,
        tolerance: Annotated[float, Between(0, 1)] = 0.5,
        mode: Literal["up", "down"] = "up",
    ) -> Score:
        """Compare nearly.

        More words.

        Args:
            tolerance: How near.
            mode: Which way,
                in two lines.

        Examples:
            >>> 1
            1

        Source:
            Somewhere, section 2.
        """
        return 1.0

    found = declared(nearly)
    assert (found.name, found.kind, found.inputs, found.output) == ("nearly", "comparator", (TEXT, TEXT), SCORE)
    tolerance, mode = found.params
    assert (tolerance.type, tolerance.low, tolerance.high, tolerance.default) == (NUMBER, 0, 1, 0.5)
    assert mode.choices == ("up", "down")
    assert mode.doc == "Which way, in two lines."
    assert found.doc.summary == "Compare nearly."
    assert found.doc.body == "More words."
    assert found.doc.source == "Somewhere, section 2."
    assert found.revision == 2
    assert nearly("a", "b") == 1.0  # the function stays as it is


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(("trait", "missing"), [("catches", "scorer"), ("cases", "on")])
def test_a_trait_needs_the_parameters_that_it_is_about(trait: Any, missing: str) -> None:
    with pytest.raises(DeclarationError, match=f"the trait `{trait}` needs the parameter `{missing}`"):

        @primitive(traits=(trait,))
        def nearly(prediction: str, reference: str, /) -> Score:
            """Compare nearly.

            Examples:
                >>> 1
                1
            """
            return 1.0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lower", "transform"),
        ("zero_below", "rescorer"),
        ("equal", "comparator"),
        ("any_of", "combinator"),
        ("map_items", "combinator"),
        ("min", "aggregator"),
    ],
)
def test_kinds_follow_from_the_signature(name: str, kind: str) -> None:
    assert registry.get(name).kind == kind  # type: ignore[union-attr]


def no_summary(text: str, /) -> str:
    return text


def no_example(text: str, /) -> str:
    """One line."""
    return text


def undescribed(text: str, /, *, size: int) -> str:
    """One line.

    Examples:
        >>> 1
        1
    """
    return text * size


def surplus(text: str, /) -> str:
    """One line.

    Args:
        size: Not there.

    Examples:
        >>> 1
        1
    """
    return text


def in_between(text: str) -> str:
    """One line.

    Examples:
        >>> 1
        1
    """
    return text


def no_type(text: Callable[..., Any], /) -> str:
    """One line.

    Examples:
        >>> 1
        1
    """
    return str(text)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_summary, "no summary line"),
        (no_example, "no `>>>` example"),
        (undescribed, "does not describe `size`"),
        (surplus, "`size`, which is not configuration"),
        (in_between, "put `text` left of `/`"),
        (no_type, "has no type in the language"),
    ],
)
def test_a_half_described_function_is_refused_with_its_place(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(DeclarationError, match=message) as raised:
        primitive(function)
    assert "test_declare.py:" in str(raised.value)


@pytest.mark.usefixtures("_own_registry")
def test_a_name_is_taken_once() -> None:
    def lower(text: str, /) -> str:
        """One line.

        Examples:
            >>> 1
            1
        """
        return text

    def other(text: str, /) -> str:
        """One line.

        Examples:
            >>> 1
            1
        """
        return text

    primitive(lower)
    primitive(lower)  # the same function again, as when a module is reloaded
    with pytest.raises(DeclarationError, match="already taken"):
        primitive(name="lower")(other)


@pytest.mark.usefixtures("_own_registry")
def test_a_batch_form_is_attached_to_its_primitive() -> None:
    @primitive
    def same(prediction: str, reference: str, /) -> Score:
        """One line.

        Examples:
            >>> 1
            1
        """
        return float(prediction == reference)

    @batch(same)
    def _(predictions: list[str], references: list[str]) -> list[float]:
        return [float(p == r) for p, r in zip(predictions, references, strict=True)]

    assert declared(same).batch(["a", "b"], ["a", "a"]) == [1.0, 0.0]
    with pytest.raises(DeclarationError, match="`same` has a `batch` form already; keep only one of the two"):
        batch(same)(declared(same).function)


def test_metrics_have_names_of_their_own() -> None:
    assert registry.get("mean").kind == "aggregator"  # type: ignore[union-attr]
    assert registry.metric("mean").kind == "metric"  # type: ignore[union-attr]


def test_annotations_stand_for_types() -> None:
    from scoring.registry.annotations import UnknownAnnotation, type_of_annotation

    assert type_of_annotation(list[str | None]) == list_type(Type("Union", (TEXT, Type("None"))))
    assert type_of_annotation(tuple[float, ...]) == list_type(NUMBER)
    assert type_of_annotation(object) == ANY
    with pytest.raises(UnknownAnnotation):
        type_of_annotation(complex)
