"""What an audit need not ask of comparators of texts is declared by some, whose law is tried with those of the core."""

from __future__ import annotations

import pytest

from tests.primitives.test_laws import OF_EXTENSIONS, with_law


@pytest.mark.parametrize("name", OF_EXTENSIONS)
def test_some_comparators_declare_it(name: str) -> None:
    assert with_law(name)
