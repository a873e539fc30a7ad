"""A check of a task that uses a pack imports what that uses."""

from __future__ import annotations

import pytest

from tests.unit.cli.test_start import check_what_is_imported


@pytest.mark.parametrize(("spec", "most"), [("mmesgbench/task.yaml", 186)])
def test_a_check_imports_what_a_spec_names_of_a_pack(spec: str, most: int) -> None:
    check_what_is_imported(spec, most)
