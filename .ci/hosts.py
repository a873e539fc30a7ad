"""Whether the adapters work with the real hosts: each in an environment of its own, pinned and newest.

    python .ci/hosts.py             every host of .ci/hosts.toml
    python .ci/hosts.py NAME …      these hosts

A line tells of each host and version: passed, FAILED, or that it can't be installed here. The newest is not tried where
it is the pinned one. 1 where tests fail, or none of them ran. Environments are made by `uv`, as those of the matrix.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from matrix import ROOT, settings, uv

TABLE = Path(__file__).with_suffix(".toml")
TOOLS = ("pytest", "pyarrow", "pandas", "openpyxl", "hypothesis")
"""What the tests of every host run with, beside the host and this package."""
_RAN = re.compile(r"(\d+) passed")


def environment() -> dict[str, str]:
    """The settings of `uv`, with the folders in which pip looks for wheels, too."""
    held = settings()
    ask = [sys.executable, "-m", "pip", "config", "get", "global.find-links"]
    found = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()
    if found:
        held.setdefault("UV_FIND_LINKS", " ".join(found))
    return held


def versions(python: Path, held: Mapping[str, str]) -> dict[str, str]:
    """The version of each distribution of an environment, by its name."""
    listing = [uv(), "pip", "list", "--python", str(python), "--format", "json"]
    done = subprocess.run(listing, env=held, capture_output=True, text=True, check=True)
    return {one["name"]: one["version"] for one in json.loads(done.stdout)}


def tried(host: str, table: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield a line for each version of a host, and whether its tests passed or it could not be tried."""
    held = environment()
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    log = folder / "log"
    with log.open("w", encoding="utf-8") as stream:

        def call(*words: str, **more: str) -> bool:
            stream.write(f"$ {' '.join(words)}\n")
            stream.flush()
            environ = {**held, **more}
            return not subprocess.run(
                words, cwd=ROOT, env=environ, stdout=stream, stderr=stream, check=False
            ).returncode

        install = [uv(), "pip", "install", "--quiet", "--python", str(python)]
        if not call(uv(), "venv", "--quiet", "--python", sys.executable, str(folder / "venv")):
            yield f"{host}: no environment can be made here", True
            return
        before: dict[str, str] = {}
        for kind in ("pinned", "newest"):
            began = time.monotonic()
            upgrade = ["--upgrade"] if before else ["--editable", ".", *TOOLS]
            if not call(*install, *upgrade, *table[kind]):
                yield f"{host}, {kind}: can't be installed here ({' '.join(table[kind])})", True
                continue
            installed = versions(python, held)
            names = [re.split(r"[\[<>=!~ ]", one)[0].lower().replace("_", "-") for one in table["pinned"]]
            now = {one: installed.get(one, "") for one in names}
            name = f"{host} ({', '.join(f'{one} {version}' for one, version in now.items())})"
            if now == before:
                yield f"{name}, newest: the pinned one", True
                continue
            before = now
            start = log.stat().st_size
            passed = call(str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *table["tests"], CI="1")
            ran = _RAN.search(log.read_text("utf-8", errors="replace")[start:])
            end = f"{ran[1]} passed" if passed and ran else "FAILED" if not passed else "FAILED: no test ran"
            yield f"{name}, {kind}: {end}, {time.monotonic() - began:.0f} s", bool(passed and ran)


def main(names: Sequence[str]) -> int:
    """Try hosts, one after another; 1 where one fails, 2 for a name that the table does not have."""
    table: dict[str, Any] = tomllib.loads(TABLE.read_text("utf-8"))
    unknown = [name for name in names if name not in table]
    if unknown:
        print(f"there is no host `{unknown[0]}`; there are {', '.join(table)}", file=sys.stderr)
        return 2
    failed = False
    for host in names or table:
        with tempfile.TemporaryDirectory(prefix=f"scoring-{host}-") as folder:
            for line, is_fine in tried(host, table[host], Path(folder)):
                print(line, flush=True)
                if not is_fine:
                    failed = True
                    print(
                        Path(folder, "log").read_text("utf-8", errors="replace")[-20_000:], file=sys.stderr, flush=True
                    )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
