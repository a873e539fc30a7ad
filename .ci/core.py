"""The core alone: a copy without extensions and packs passes its own tests.

    python .ci/core.py [ARGUMENT OF PYTEST ...]

The copy has an environment of its own, which borrows the packages of the one that runs this. Tests that need an
extension lie in `tests/extensions`, or are listed in `tests/beyond_core.txt`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEYOND = ("scoring/extensions/", "scoring/packs/", "tests/extensions/")


def main(arguments: list[str]) -> int:
    """Make the copy and its environment, run its tests, and return the exit code of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        copy, place = Path(folder, "scoring"), Path(folder, "environment")
        copied(copy)
        python = environment(place, copy)
        command = [python, "-m", "pytest", "-q", "-n", "2", *arguments]
        return subprocess.run(command, cwd=copy, check=False).returncode


def copied(target: Path) -> None:
    """Copy the files of the checkout that are of the core."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for name in listed:
        source = ROOT / name
        if source.is_file() and not name.startswith(BEYOND):
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)


def environment(place: Path, copy: Path) -> Path:
    """Make a virtual environment in which the copy is installed, and return its Python."""
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    python = Path(place, "Scripts" if os.name == "nt" else "bin", "python")
    own = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    Path(own, "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    install = ["install", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-e", str(copy)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
