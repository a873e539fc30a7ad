"""Where drawn values begin: texts of our own as answers are, and the examples of docstrings."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from scoring.extensions.sharing.release.constants import example_calls, texts_in
from scoring.registry import registry
from scoring.registry.model import Primitive

ANSWERS = (
    "Paris", "The capital of France is Paris.", "north america", "Not answerable", "3.14", "1,234.50 USD", "-5 %",
    "12 km", "0.30000000000000004", "2021-05-03", "['Asia', 'Africa']", "[1, 2, 3]",
    "{\"a\": 1, \"b\": [true, null]}", "{'total': 3, 'lines': [{'sku': 'x', 'qty': 2}]}", "(0.1, 0.2, 0.8, 0.9)",
    "[[0, 0, 1, 1], [0.5, 0.5, 1, 1]]", "<box>0.1, 0.2, 0.8, 0.9</box>", "<point>0.25, 0.75</point>",
    "\\boxed{\\frac{3}{4}}", "$\\frac{1}{2} + \\sqrt{3}$", "x^2 + 2x + 1",
    "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}", "\\int_0^1 x^2 \\, dx = \\frac{1}{3}", "Answer: B",
    "**Answer:** (C) because it is so", "```json\n{\"answer\": \"B\"}\n```",
    "The cat sat on the mat. The dog did not.", "Roses are red\nViolets are blue\nSugar is sweet\nAnd so are you",
    "e4 e5 2. Nf3 Nc6", "(unstack a b) (put-down a)",
    "(define (domain d) (:predicates (lit ?l)) "
    "(:action light :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l)))",
    "x < y and y < z", "M 0 0 L 10 0 L 10 10 Z", "POLYGON((0 0, 1 0, 1 1, 0 0))",
    "\u4eca\u5929\u5929\u6c14\u5f88\u597d\u3002", "na\u00efve caf\u00e9, \u00dcber Stra\u00dfe", "A, B and C",
    "48.8566, 2.3522", "Berlin, Germany", "5 rows, 6 columns; row 4, column 3", "the top-down view is (c)",
    "print('hello')\n", "def f(x):\n    return x + 1", "I, IV, XII, MCMXCIV", "three hundred and twenty-one", "true",
    "yes", "a=1; b=2; c=3", "Step 1: think. Step 2: answer. Final answer: 42.",
)  # fmt: skip
"""Texts of many kinds: words, numbers, places, lists, formulas, code, and answers with what stands around them."""


@functools.cache
def texts() -> tuple[str, ...]:
    """Return all of them, and the texts of the examples of every primitive."""
    return texts_of(registry)


def texts_of(primitives: Iterable[Primitive]) -> tuple[str, ...]:
    """Return all of them, and the texts of the examples of some primitives."""
    found = dict.fromkeys(ANSWERS)
    for primitive in primitives:
        for call in example_calls(primitive):
            for value in call:
                found |= dict.fromkeys(texts_in(value))
    return tuple(found)
