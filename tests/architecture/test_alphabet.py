"""The core's alphabet is small, in families; what one benchmark needs is in the namespace of its pack."""

from __future__ import annotations

from pathlib import Path

from scoring.registry import registry
from tests.architecture.source import PACKAGE, hold

MOST_NAMES = 150
SPECS = PACKAGE.parent / "specs"
CORE = ("scoring.primitives.", "scoring.metrics.")


def test_the_alphabet_of_the_core_is_small() -> None:
    names = [one.name for one in registry if one.function.__module__.startswith(CORE)]
    assert len(names) <= MOST_NAMES, f"the core has {len(names)} steps and metrics; at most {MOST_NAMES} are wanted"


def test_what_a_pack_brings_is_in_its_namespace_and_nothing_else_is_a_quirk() -> None:
    ours = [one for one in registry if one.is_own]
    law = "a primitive in `scoring/packs/ROOM` is called `ROOM/name` and is a quirk; no other of ours is either"
    offenders = (
        one.name
        for one in ours
        if {one.is_quirk, "/" in one.name} != {one.function.__module__.startswith("scoring.packs.")}
    )
    hold(law, offenders)
    rooms = {one.family.replace("_", "-") for one in ours if one.is_quirk}
    hold(
        "a namespace is that of a shipped pack", (room for room in rooms if not (SPECS / room / "pack.yaml").is_file())
    )


def test_a_pack_uses_its_own_quirks_alone() -> None:
    """What the packs of two benchmarks use is no quirk; a benchmark's packs are called `pack` and `pack-…`."""
    packs: list[Path] = sorted(SPECS.glob("*/pack.yaml"))
    texts = {path.parent.name: path.read_text("utf-8") for path in packs}
    quirks = [(one.name, one.family.replace("_", "-")) for one in registry if one.is_quirk and one.is_own]
    offenders = (
        f"{pack}: {name}"
        for pack, text in texts.items()
        for name, room in quirks
        if name in text and pack != room and not pack.startswith(f"{room}-")
    )
    hold("what two packs use has a plain name in an extension", offenders)
