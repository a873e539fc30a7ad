"""The generated files are what the code says; `scoring generate` writes them anew."""

from __future__ import annotations

import difflib

from scoring.extensions.reference.generating import generated_files
from tests.support.golden import REPOSITORY


def test_generated_files_are_up_to_date() -> None:
    diffs = []
    for name, text in generated_files(REPOSITORY).items():
        path = REPOSITORY / name
        before = path.read_text("utf-8") if path.is_file() else ""
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, "generated", lineterm="", n=1)
        diffs += list(lines)[:40]
    assert not diffs, "run `scoring generate`:\n" + "\n".join(diffs)


def test_each_primitive_is_on_one_page_of_reference() -> None:
    from scoring.registry import registry

    pages = generated_files(REPOSITORY)
    for one in registry:
        if one.is_own:
            described = [page for page, text in pages.items() if f"\n## `{one.name}`\n" in text]
            assert f"docs/{one.page.partition('#')[0]}" in described, one.name
            assert len(described) <= 2, f"{one.name} may be a step and a metric"
