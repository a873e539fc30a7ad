"""Tests of what needs a library that is not installed are skipped, where CI has every library."""

from __future__ import annotations

import os
import re
import shutil

import pytest

_NEEDS = re.compile(r"needs the extra `([\w-]+)`")


def skip_without(reason: object) -> None:
    """Skip the test where what is said is that a library or the sandbox is not installed here; CI has every library."""
    if found := _NEEDS.search(str(reason)):
        assert not os.environ.get("CI"), f"the extra `{found[1]}` belongs to the extra `test`"
        pytest.skip(f"the extra `{found[1]}` is not installed")
    if "bubblewrap" in str(reason) and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
