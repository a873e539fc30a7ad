"""What a short run of the suite leaves out is there, so that a renamed test is not looked for in vain."""

from __future__ import annotations

import re

from tests.conftest import IS_CORE_ALONE, SLOW, TESTS


def test_each_line_names_a_function_of_a_test() -> None:
    assert SLOW
    for line in SLOW:
        path, _, function = line.partition("::")
        if IS_CORE_ALONE and not (TESTS.parent / path).exists():
            continue
        text = (TESTS.parent / path).read_text("utf-8")
        assert not function or re.search(rf"^def {function}\(", text, re.MULTILINE), line
