"""The worker process: reads questions about formulas as JSON lines and answers them with SymPy.

It is started as a script by ``worker.py`` and imports nothing of this package. SymPy's parser of LaTeX builds
expressions from a grammar; no text is ever evaluated as Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import sys
import warnings
from typing import Any

_MEMORY = 2 << 30
_LOOK_AROUND = 5.0


def _limit() -> None:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        os.nice(1)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    from sympy.parsing.latex import parse_latex

    if question["ask"] == "text":
        return {"text": str(parse_latex(question["first"]))}
    first, second = parse_latex(question["first"]), parse_latex(question["second"])
    if question["ask"] == "equal":
        same = first.equals(second)
        return {"equal": None if same is None else bool(same)}
    raise ValueError(question["ask"])


def _safely(line: str) -> dict[str, Any]:
    try:
        return _answer(json.loads(line))
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return {"error": type(error).__name__, "message": str(error)[:200]}


def _lines(descriptor: int) -> Any:
    """The lines of the questions; ends with the pipe, or when the parent process is gone."""
    parent, waiting = os.getppid(), b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], _LOOK_AROUND)
        if not ready:
            if os.getppid() != parent:
                return
            continue
        block = os.read(descriptor, 65536)
        if not block:
            return
        waiting += block
        *whole, waiting = waiting.split(b"\n")
        yield from whole


def main() -> None:
    """Answer until the questions end."""
    warnings.simplefilter("ignore")
    _limit()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints stays out of the answers
    sys.setrecursionlimit(3000)
    try:
        from sympy.parsing.latex import parse_latex

        parse_latex("1+x")  # loads the grammar; fails here when antlr4 is missing or of another version
        ready = {"ready": True}
    except ImportError as error:
        ready = {"ready": False, "message": str(error)[:300]}  # type: ignore[dict-item]
    print(json.dumps(ready), file=answers, flush=True)
    for line in _lines(0):
        print(json.dumps(_safely(line.decode("utf-8", "replace"))), file=answers, flush=True)


if __name__ == "__main__":
    main()
