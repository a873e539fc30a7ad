"""A check of a task that uses a pack imports what that uses."""

from __future__ import annotations

import pytest

from tests.unit.cli.test_start import SPECS, check_what_is_imported, imported


@pytest.mark.parametrize(("spec", "most"), [("mmesgbench/task.yaml", 180)])
def test_a_check_imports_what_a_spec_names_of_a_pack(spec: str, most: int) -> None:
    check_what_is_imported(spec, most)


def test_a_check_of_a_pack_needs_no_arrays() -> None:
    """Given the pack with most text, when it is checked, then arrays are not imported: their import took a fifth."""
    assert "numpy" not in imported("check", str(SPECS / "megabench" / "pack.yaml"))
