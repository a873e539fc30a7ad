"""docs/hosts.md says what is so: its Python runs, and gives what stands below it."""

from __future__ import annotations

import doctest
from pathlib import Path

from tests.support.host_matrix import page_with_matrix

PAGE = Path(__file__).resolve().parents[3] / "docs/hosts.md"


def test_the_examples_of_the_page_are_true() -> None:
    failures: list[str] = []
    test = doctest.DocTestParser().get_doctest(PAGE.read_text("utf-8"), {}, PAGE.name, str(PAGE), 0)
    found = doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert not failures, "".join(failures)
    assert found.attempted > 15


def test_the_matrix_of_the_page_is_what_the_adapters_hold() -> None:
    page = PAGE.read_text("utf-8")
    assert page_with_matrix(page) == page, "write it by `python -m tests.support.host_matrix`"
