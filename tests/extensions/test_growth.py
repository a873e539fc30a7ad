"""What a response costs grows with its length, or is bounded: one of eight times the length, and the ratio.

References stay short: those are the author's, and what both sides cost together is bounded by their product. Every
primitive, every scorer and parser of the shipped packs and every recipe is given every form of
`benchmarks/growth/forms.py`, through the public door. What is dear is given again at eight times the length. Work that
grows with the square takes 64 times as long, unless its counted steps end it before; that is what fails here.
`python -m benchmarks.growth` measures the same for longer texts, and writes docs/growth.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from typing import Any

import pytest

from benchmarks.growth.forms import texts, values
from benchmarks.growth.subjects import Step, cookbook, definitions, primitives
from scoring.extensions.maths import worker
from tests.support.cost import STEEPEST, TIMES, spent, spent_apart

SIZE, LITTLE = 4_000, 60
NOTABLE = 0.01
"""CPU seconds: of what takes less, eight times the length takes at most 1.3, even where work grows with the square."""


@cache
def responses(size: int) -> dict[str, Any]:
    """Texts and values of about so many characters by their form."""
    return dict((*texts(size), *values(size)))


def steep(step: Step) -> Iterator[str]:
    """The forms of which eight times the length costs far more than eight times the time.

    The longer texts of a step share a process. A cost is taken again where it decides: the first is more by chance, or
    for what it loads.
    """
    with suppress(Exception):  # what it loads, it loads once; a step that takes no text says so
        step.run("一 word", "a word")
    dear: dict[str, float] = {}
    for form in responses(SIZE):
        if (cost := spent(given(step, form, SIZE))) >= NOTABLE:
            dear[form] = cost
    longer = spent_apart([(given(step, form, SIZE * TIMES), STEEPEST * cost) for form, cost in dear.items()])
    for (form, once), much in zip(dear.items(), longer, strict=True):
        if much <= STEEPEST * NOTABLE:
            continue
        little = min(once, spent(given(step, form, SIZE)))
        if little < NOTABLE or much <= STEEPEST * little:
            continue
        [again] = spent_apart([(given(step, form, SIZE * TIMES), STEEPEST * little)])
        if again > STEEPEST * little:  # not by chance
            yield f"{step.name} of {form}: {little:.2f} s, and {much:.2f} s of {TIMES} times the length"


def given(step: Step, form: str, size: int) -> Callable[[], Any]:
    """The step, given a response of the form and a short reference."""
    response = responses(size)[form]
    reference = "the answer" if isinstance(response, str) else responses(LITTLE)[form]
    return partial(step.run, response, reference)


def out_of_time(*question: Any) -> Any:
    """No answer to a question about formulas: a process of its own counts its work, which is no time of ours."""
    raise worker.TooSlow


@pytest.mark.parametrize("steps", [primitives, definitions, cookbook])
def test_what_a_response_costs_does_not_grow_with_its_square(
    steps: Callable[[], Iterator[Step]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_answer", out_of_time)
    assert [told for step in steps() for told in steep(step)] == []
