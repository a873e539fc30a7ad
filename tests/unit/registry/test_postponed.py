"""Our own primitives are read when they are first looked up; nobody can tell, but by the time that a start takes."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import import_module
from typing import Any

from scoring.registry import registry
from scoring.registry.store import Registry

_UNREAD = """
import scoring
scoring.scorer("lower | equal")
from scoring.primitives.text import letters
print(*(name for name, one in vars(letters).items() if hasattr(one, "__primitive__")))
"""


def test_only_what_is_looked_up_is_read() -> None:
    run = subprocess.run([sys.executable, "-c", _UNREAD], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["lower"]


def test_one_that_a_function_declares_is_read_when_it_is_asked_for() -> None:
    strip = import_module("scoring.primitives.text.edges").strip
    assert registry.of_function(strip) is registry.get("strip")


def test_threads_that_look_one_up_at_once_all_find_it() -> None:
    known, plain = Registry(), registry.get("strip")
    assert plain is not None
    both_read = threading.Barrier(2, timeout=30)

    def read() -> Any:
        both_read.wait()
        known.add(plain)

    known.postpone("strip", read)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(known.get("strip"))) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [plain, plain]
