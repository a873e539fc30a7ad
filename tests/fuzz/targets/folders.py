"""What a finished run leaves behind, changed by somebody: run folders, parts of runs, bundles."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import scoring
from scoring.data.json_write import dumps_pretty
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.runs.manifest import SEAL, sealed
from tests.fuzz import codec, drawing
from tests.fuzz.generators import mutate
from tests.fuzz.target import Subject, Target, Told, reason_faults
from tests.fuzz.targets.scratch import Scratch

SPEC = "kind: task\nname: t\nversion: 1.0.0\nscore: lower | levenshtein\nby: [level]\npass: score >= 0.5\n"
ROWS = b"".join(
    json.dumps({"id": number, "response": "abc"[:number], "reference": "ab", "level": number % 2}).encode() + b"\n"
    for number in range(4)
)
NAMES = ("id", "score", "status", "spec.yaml", "../spec.yaml", "/etc/passwd", "scores.jsonl", "sha256", "settings", "",
         "manifest.json", "records", "meaning", "t.yaml", "run", "metrics", "value", "\x00", "a\nb", "..",
         "fields")  # fmt: skip


@functools.cache
def _made() -> dict[str, dict[str, bytes]]:
    """A run's folder with what it was made from, its parts, and its bundle, as bytes by name."""
    scratch = Scratch()
    scratch.put("t.yaml", SPEC.encode())
    scratch.put("r.jsonl", ROWS)
    run = scratch.path / "run"
    with contextlib.chdir(scratch.path):  # recorded names are those that were given
        scoring.evaluate("t.yaml", "r.jsonl", output=run)
        scoring.evaluate("t.yaml", "r.jsonl", parts=scratch.path / "parts")
    make_timeless(run)
    scoring.runs.bundle(run, scratch.path / "run.zip", root=scratch.path)
    around = {"t.yaml": SPEC.encode(), "r.jsonl": ROWS}
    packed = zipfile.ZipFile(scratch.path / "run.zip")
    return {
        "run": {**around, **_files(scratch.path, run)},
        "parts": {**around, **_files(scratch.path, scratch.path / "parts")},
        "bundle": {name: packed.read(name) for name in packed.namelist()},
    }


def make_timeless(run: Path) -> None:
    """Put one time into a run folder: a seed names the same bytes in every process, whenever it was started."""
    head = json.loads((run / "manifest.json").read_bytes())
    (run / "manifest.json").write_bytes(_pretty(sealed({**head, "created": "2026-01-01T00:00:00+00:00"})))


def _files(root: Path, folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


class Folders(Target):
    """Run folders, parts and bundles: bytes or values of a file, files that are gone, new, or of another name."""

    name = "folders"
    weight = 0.02
    together = 4
    short = 8

    def setup(self, random: Random) -> Any:
        return random.choice(("run", "run", "parts", "bundle"))

    def member(self, setup: Any) -> str:
        return str(setup)

    def given(self, random: Random, setup: Any) -> Any:
        files = dict(_made()[setup])
        inside = [name for name in files if "/" in name or setup == "bundle"]
        for _ in range(random.choice((1, 1, 2))):
            name = random.choice([name for name in inside if name in files])
            files[name] = _changed(random, name, files[name])
            if random.randrange(12) == 0:
                other = mutate.text(random, random.choice(inside), NAMES)
                files[other] = files.pop(name) if random.randrange(2) else files[name]
        if setup != "parts" and random.randrange(2):
            files = _resealed(files)
        return files

    def open(self, setup: Any) -> Subject:
        return _Folder(setup)


def _changed(random: Random, name: str, content: bytes) -> bytes:
    """A file with one thing changed, most often a value of its JSON."""
    if random.randrange(5) == 0:
        return drawing.content(random, content)
    try:
        if name.endswith(".jsonl"):
            lines = [json.loads(line) for line in content.splitlines()]
            changed = mutate.value(random, lines, NAMES)
            return b"".join(json.dumps(line).encode() + b"\n" for line in changed)
        return _pretty(mutate.value(random, json.loads(content), NAMES))
    except ValueError:
        return drawing.content(random, content)


def _pretty(data: Any) -> bytes:
    """As a run folder is written, where it can be."""
    try:
        return dumps_pretty(data).encode()
    except (ValueError, TypeError):
        return json.dumps(data).encode()


def _resealed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same with digests that fit, as whoever changes a folder on purpose would leave it."""
    head = next((name for name in files if name.endswith("manifest.json")), None)
    if head is None:
        return files
    try:
        manifest = json.loads(files[head])
        folder = head.removesuffix("manifest.json")
        known = manifest["files"]
        for name in [name for name in known if folder + name in files]:
            known[name] = hashlib.sha256(files[folder + name]).hexdigest()
        return {**files, head: _pretty(sealed(manifest) if SEAL in manifest else manifest)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return files


class _Folder:
    many = None

    def __init__(self, kind: str) -> None:
        self.kind, self.scratch = kind, Scratch()

    def one(self, given: dict[str, bytes]) -> Told:
        """What every verb says of it; nothing is written beside what was asked for."""
        root = self.scratch.path
        shutil.rmtree(root)
        root.mkdir()
        if self.kind == "bundle":
            (root / "run.zip").write_bytes(_packed(given))
        else:
            for name, content in given.items():
                _write(root, name, content)
        told, faults = [], []
        for name, use in _USES[self.kind]:
            text = self.scratch.shown(_used(functools.partial(use, root)))
            faults += reason_faults(text.partition("\n")[0])
            told.append(f"{name}: {text}")
        return Told("\n".join(told), tuple(faults))


def _write(root: Path, name: str, content: bytes) -> None:
    """A file within the folder; names that the system can't have, or that lead elsewhere, are left out."""
    try:
        path = (root / name).resolve()
        if root in path.parents:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except (OSError, ValueError):
        pass


def _packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, content in files.items():
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode()[:60_000] or "empty")
            packed.writestr(info, content)
    return stream.getvalue()


def _used(use: Callable[[], Any]) -> str:
    try:
        return codec.write(use())
    except (scoring.InputError, SpecError) as error:
        return f"refused: {error}"


def _compared(root: Path) -> Any:
    first, second = root / "run", root / "again"
    shutil.copytree(first, second, dirs_exist_ok=True)
    return scoring.compare(first, second, resamples=50).to_json()


def _gone_on(root: Path) -> Any:
    return scoring.evaluate(root / "t.yaml", root / "r.jsonl", parts=root / "parts").metrics


def _verified(name: str) -> Callable[[Path], Any]:
    return lambda root: _without_place(scoring.runs.verify(root / name, root=root if name == "run" else None).to_json())


def _without_place(data: Any) -> Any:
    return {name: value for name, value in data.items() if name not in ("again", "now")}


_USES: dict[str, tuple[tuple[str, Callable[[Path], Any]], ...]] = {
    "run": (
        ("verify", _verified("run")),
        ("compare", _compared),
        ("bundle", lambda root: scoring.runs.bundle(root / "run", root / "new.zip", root=root).to_json()),
        ("keep", lambda root: scoring.runs.verify(root / "run", root / "kept", root=root).to_json()["same"]),
        ("resume", lambda root: scoring.evaluate(root / "t.yaml", root / "r.jsonl", output=root / "run").metrics),
    ),
    "parts": (("merge", lambda root: scoring.runs.merge(root / "parts").metrics), ("go on", _gone_on)),
    "bundle": (
        ("verify", _verified("run.zip")),
        ("compare", lambda root: scoring.compare(root / "run.zip", root / "run.zip", resamples=50).to_json()),
        ("keep", lambda root: scoring.runs.verify(root / "run.zip", root / "kept").to_json()["same"]),
    ),
}
