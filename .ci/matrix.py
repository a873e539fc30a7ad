"""Whether this works where people install it: on every Python from the oldest on, with old and new releases of others.

    python .ci/matrix.py            all cells of this machine: newest releases on each other Python that it has,
                                    oldest releases on this one, and whether all extras go together on each
    python .ci/matrix.py newest     the newest releases on this Python
    python .ci/matrix.py oldest     the oldest releases that pyproject.toml allows on this Python
    python .ci/matrix.py extras     whether all extras can be installed together on this Python

A cell is an environment of its own. The core alone runs the README's first command without a warning; with the extras
of the tests come the shipped examples, parity with released code, and the laws. A line tells of each cell, 1 that one
failed. Environments are made by `uv`, which the extra `lint` brings, with the settings of the machine's pip.
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

ROOT = Path(__file__).resolve().parents[1]
RESOLUTIONS = {"newest": "highest", "oldest": "lowest-direct"}
TESTS = (
    "tests/test_readme.py",
    "tests/parity/test_anls.py",
    "tests/parity/test_megabench_sample.py",
    "tests/parity/test_mmesgbench.py",
    "tests/parity/test_valor_sample.py",
    "tests/primitives/test_laws.py",
    "tests/unit/api/test_host_calls.py",
    "tests/extensions/columns/test_formats.py",
    "tests/unit/data/test_memory.py",
    "tests/unit/metrics",
    "tests/unit/statistics",
    "tests/extensions/comparison",
    "tests/extensions/verification/test_bundling.py",
    "tests/extensions/hosts",
    "tests/extensions/columns/test_every_form_of_data.py",
    "tests/extensions/columns/test_files.py",
    "tests/extensions/columns/test_memory.py",
    "tests/extensions/vision",
)
"""What a cell runs: what meets other libraries, and the laws; the suite itself runs once, with the locked releases."""

WHEELS = ("numpy", "scipy", "pandas", "pyarrow", "torch")
"""What nobody builds on the way: an extra that asks for one that has no wheel for a Python can't be installed there."""

_ASK = "import json, sys; print(json.dumps([sys.implementation.name, list(sys.version_info[:3]), sys.executable]))"
_NAMED = re.compile(r"python3\.\d+(\.exe)?")


class Interpreter(NamedTuple):
    """A Python of the machine."""

    version: tuple[int, ...]
    path: str

    @property
    def name(self) -> str:
        """Such as 3.12.1."""
        return ".".join(map(str, self.version))


@dataclass(frozen=True)
class Cell:
    """What is tried on a Python."""

    python: Interpreter
    kind: str

    @property
    def name(self) -> str:
        """What its line begins with."""
        return f"Python {self.python.name}, {'all extras' if self.kind == 'extras' else f'{self.kind} releases'}"


class Failed(Exception):
    """A command of a cell ended with another status than 0."""


def supported() -> list[tuple[int, int]]:
    """The versions of Python that pyproject.toml says it runs on."""
    held = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    found = (re.fullmatch(r"Programming Language :: Python :: (\d+)\.(\d+)", line) for line in held)
    return sorted((int(match[1]), int(match[2])) for match in found if match)


def told(path: str) -> Interpreter | None:
    """What a program says of itself; None for what is no CPython or does not start."""
    said = _said([path, "-I", "-c", _ASK])
    if not said:
        return None
    kind, version, executable = json.loads(said)
    return Interpreter(tuple(version), executable) if kind == "cpython" else None


def candidates() -> Iterator[str]:
    """Programs that may be Pythons: what pyenv has, what `uv` has or knows, and what stands on the path."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob("versions/*/bin/python")))
    listed = json.loads(_said([uv(), "python", "list", "--only-installed", "--output-format", "json"]) or "[]")
    yield from (one["path"] for one in listed if one["path"])
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isdir(folder):
            yield from (os.path.join(folder, name) for name in os.listdir(folder) if _NAMED.fullmatch(name))


def interpreters(found: Iterable[str], least: tuple[int, int]) -> list[Interpreter]:
    """The last release of each version from the least on that is among these programs."""
    newest: dict[tuple[int, ...], Interpreter] = {}
    for one in filter(None, map(told, dict.fromkeys(found))):
        held = newest.get(one.version[:2])
        if one.version[:2] >= least and (held is None or one.version > held.version):
            newest[one.version[:2]] = one
    return [newest[version] for version in sorted(newest)]


def cells(own: Interpreter, others: Sequence[Interpreter]) -> list[Cell]:
    """What this machine tries: the locked releases on its own Python are what the suite runs with."""
    pythons = [one for one in others if one.version[:2] != own.version[:2]]
    return [
        Cell(own, "oldest"),
        *(Cell(one, "newest") for one in pythons),
        *(Cell(one, "extras") for one in (own, *pythons)),
    ]


def uv() -> str:
    """The program `uv` of this environment."""
    from uv import find_uv_bin

    return os.fsdecode(find_uv_bin())


def settings() -> dict[str, str]:
    """The environment of `uv`: it asks the index that pip asks, and downloads no Python."""
    held = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}
    held.setdefault("UV_COMPILE_BYTECODE_TIMEOUT", "0")  # a busy machine takes more than a minute for a large file
    for name, ours in (("index-url", "UV_DEFAULT_INDEX"), ("cert", "SSL_CERT_FILE")):
        ask = [sys.executable, "-m", "pip", "config", "get", f"global.{name}"]
        value = os.environ.get(f"PIP_{name.upper().replace('-', '_')}") or _said(ask)
        if value:
            held.setdefault(ours, value)
    return held


def run(cell: Cell, folder: Path, log: TextIO) -> str:
    """Try a cell; what it installed of what matters most.

    Raises:
        Failed: when a command fails; the log ends with what it said.
    """
    environment = settings()
    if cell.kind == "extras":
        written = str(folder / "all.txt")
        resolve = [uv(), "pip", "compile", "--quiet", "--all-extras", "--no-header", "--no-annotate"]
        resolve += [f"--only-binary={name}" for name in WHEELS]
        _call(log, environment, *resolve, "--python", cell.python.path, "--output-file", written, "pyproject.toml")
        lines = Path(written).read_text("utf-8").splitlines()
        return _shown(dict(line.split("==", 1) for line in lines if "==" in line))
    venv = folder / "venv"
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    python, scoring = str(scripts / "python"), str(scripts / "scoring")
    _call(log, environment, uv(), "venv", "--quiet", "--python", cell.python.path, str(venv))
    resolution = f"--resolution={RESOLUTIONS[cell.kind]}"
    install = (uv(), "pip", "install", "--quiet", "--compile-bytecode", "--python", python, resolution)
    _call(log, environment, *install, "--editable", ".")
    _call(log, {**os.environ, "PYTHONWARNINGS": "error"}, scoring, *first_command())
    _call(log, environment, *install, "--editable", ".[test]")
    _call(log, dict(os.environ), scoring, "test", "specs")
    _call(log, {**os.environ, "CI": "1"}, python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *TESTS)
    held = json.loads(_said([uv(), "pip", "list", "--python", python, "--format", "json"]))
    return _shown({one["name"]: one["version"] for one in held})


def first_command() -> list[str]:
    """The arguments of `scoring` in the first command of the README, behind what installs it."""
    text = (ROOT / "README.md").read_text("utf-8")
    return text.partition(".venv/bin/scoring ")[2].partition("\n")[0].split()


def _said(words: Sequence[str]) -> str:
    """What a program prints; nothing where it fails, or is none."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _shown(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {versions[name]}" for name in ("numpy", "scipy", "pandas", "pyarrow") if name in versions)


def _call(log: TextIO, environment: dict[str, str], *words: str) -> None:
    log.write(f"$ {' '.join(words)}\n")
    log.flush()
    status = subprocess.run(words, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False).returncode
    if status:
        raise Failed(f"`{' '.join(words[:4])} …` ended with {status}")


def try_all(chosen: Sequence[Cell]) -> int:
    """Try cells one after the other, with a line for each; what a failed one said follows its line."""
    failed = 0
    for cell in chosen:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="scoring-matrix-") as folder:
            log = Path(folder, "log")
            with log.open("w", encoding="utf-8") as stream:
                try:
                    end = f"passed ({run(cell, Path(folder), stream)})"
                except Failed as error:
                    end, failed = f"FAILED: {error}", failed + 1
            print(f"{cell.name}: {end}, {time.monotonic() - began:.0f} s", flush=True)
            if end.startswith("FAILED"):
                print(log.read_text("utf-8", errors="replace")[-20_000:], file=sys.stderr, flush=True)
    return 1 if failed else 0


def main(arguments: Sequence[str]) -> int:
    """Do what was asked; 1 where a cell fails, 2 where nothing like that can be asked."""
    own = told(sys.executable)
    assert own is not None
    if len(arguments) == 1 and arguments[0] in (*RESOLUTIONS, "extras"):
        return try_all([Cell(own, arguments[0])])
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    wanted = supported()
    here = interpreters([sys.executable, *candidates()], wanted[0])
    for version in wanted:
        if version not in {one.version[:2] for one in here}:
            print(f"Python {version[0]}.{version[1]}: not tried, this machine has none", flush=True)
    return try_all(cells(own, here))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
