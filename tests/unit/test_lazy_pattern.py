"""Patterns that are compiled at their first use, and what Lark imports at its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module

import pytest

from scoring.lazy_pattern import lazy_pattern
from tests.architecture.source import files


@pytest.mark.parametrize(("text", "flags"), [(r"(?P<letter>[a-c])(\d)?", re.IGNORECASE), (rb"(?P<letter>[a-c])", 0)])
def test_a_lazy_pattern_does_what_a_compiled_one_does(text: str, flags: int) -> None:
    for name in ("pattern", "flags", "groups", "groupindex"):
        assert getattr(lazy_pattern(text, flags), name) == getattr(re.compile(text, flags), name)
    tried = "xA1, b2" if isinstance(text, str) else b"xA1, b2"
    lazy, compiled = lazy_pattern(text, flags), re.compile(text, flags)
    assert lazy.findall(tried) == compiled.findall(tried) != []
    assert [one.span() for one in lazy.finditer(tried)] == [one.span() for one in compiled.finditer(tried)]
    assert lazy.split(tried) == compiled.split(tried)
    empty = tried[:0]
    assert (lazy.sub(empty, tried), lazy.subn(empty, tried, 1)) == (
        compiled.sub(empty, tried),
        compiled.subn(empty, tried, 1),
    )
    for name in ("match", "search", "fullmatch"):
        one, other = getattr(lazy_pattern(text, flags), name)(tried[1:]), getattr(compiled, name)(tried[1:])
        assert (one and one.groupdict()) == (other and other.groupdict())


def test_it_is_compiled_when_it_is_used() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.match("")
    assert not hasattr(lazy_pattern("a"), "unknown")


def test_every_pattern_of_a_module_can_be_compiled() -> None:
    kind = type(lazy_pattern(""))
    modules = [import_module(file.module) for file in files() if "lazy_pattern import" in file.text]
    flags = [one.flags for module in modules for one in vars(module).values() if type(one) is kind]
    assert len(flags) > len(modules) > 50  # an attribute of one that can't be compiled raises


_LARK = """
import json, sys
import scoring.lang.parser
names = ("regex", "interegular")
before = [name in sys.modules for name in names]
from lark import Lark
Lark("start: /[[:upper:]]+/", regex=True).parse("AB")
Lark("start: A\\nA: /a+/", parser="lalr", strict=True).parse("aa")
print(json.dumps([before, [name in sys.modules for name in names]]))
"""


def test_lark_imports_what_our_grammar_does_not_need_when_another_needs_it() -> None:
    run = subprocess.run([sys.executable, "-c", _LARK], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [[False, False], [True, True]]
