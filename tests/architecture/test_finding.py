"""What people look for is found: each primitive says what is scored with it, and what else the field calls it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from scoring.diagnostics.words import plain_name
from scoring.registry import registry
from scoring.registry.model import Primitive
from scoring.registry.topics import TOPICS, topic_fault


def ours() -> list[Primitive]:
    return [one for one in registry if one.is_own and not one.is_quirk]


def test_every_primitive_has_a_topic() -> None:
    bare = [f"{one.name} ({one.location})" for one in ours() if not one.topics]
    known = ", ".join(TOPICS)
    assert not bare, f'add `topics=("…",)` to the decorator of each: {"; ".join(bare)}\ntopics: {known}'


def test_topics_are_known_and_other_names_are_others() -> None:
    """Check the topics of our own primitives here, since no start checks them."""
    assert [f"{one.name}: {fault}" for one in registry if one.is_own and (fault := topic_fault(one))] == []


def test_another_name_is_of_one_primitive_and_no_name_itself() -> None:
    for kind, primitives in by_kind().items():
        names = {plain_name(one.name): one.name for one in primitives}
        others = [(plain_name(other), other, one.name) for one in primitives for other in one.aka]
        taken = [
            f"`{other}` of `{name}` is the {kind} `{names[plain]}`" for plain, other, name in others if plain in names
        ]
        assert not taken, f"an `aka` is the name of another {kind}; remove it: {'; '.join(taken)}"
        counts = Counter(plain for plain, _, _ in others)
        twice = [f"`{other}` ({name})" for plain, other, name in others if counts[plain] > 1]
        assert not twice, f"an `aka` is that of one {kind} alone; keep the likeliest: {'; '.join(twice)}"


def by_kind() -> dict[str, Iterable[Primitive]]:
    return {
        "step": [one for one in ours() if one.kind != "metric"],
        "metric": [one for one in ours() if one.kind == "metric"],
    }
