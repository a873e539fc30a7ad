"""Files for inputs that are files: a folder of one's own, whose place is no part of what is told."""

from __future__ import annotations

import re
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.ranges import UNIT
from tests.fuzz import codec
from tests.fuzz.target import Fault, Told, range_faults, reason_faults
from tests.fuzz.targets.metrics import figure_faults

_SPAN = re.compile(r"\w>?:\d+:\d+: error\[")


class Scratch:
    """A folder that lives as long as what was opened for a setup."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="fuzz-")).resolve()
        self._gone = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def put(self, name: str, content: bytes) -> Path:
        """Write a file of it."""
        path = self.path / name
        path.write_bytes(content)
        return path

    def shown(self, text: str) -> str:
        """A text without the place of the folder, which is another in each process."""
        return text.replace(str(self.path), "…")

    def refused(self, error: Exception, place: str = "") -> Told:
        """What a refusal tells; it names a place, and is a person's words."""
        text = self.shown(str(error))
        faults = reason_faults(text)
        if place and place not in text and not _SPAN.search(text):
            faults.append(Fault("bare", f"a refusal without its place: {text[:80]}", text))
        return Told(f"refused: {text}", tuple(faults))

    def told(self, run: Callable[[], Any], place: str = "") -> Told:
        """What a run tells, or its refusal."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = run()
        except (scoring.InputError, SpecError) as error:
            return self.refused(error, place)
        return Told(self.shown(codec.write(_plain(found.summary))), tuple(summary_faults(found.summary)))


def _plain(summary: Any) -> Any:
    return {name: part for name, part in summary.items() if name not in ("environment", "seconds", "timing")}


def summary_faults(summary: Any) -> list[Fault]:
    """What is wrong with the figures and the reasons of a summary alone."""
    faults = []
    for figure in summary.get("metrics", ()):
        faults += figure_faults(figure)
    for reason in summary.get("reasons", ()):
        faults += reason_faults(reason["reason"])
    counts = summary.get("counts")
    if counts is not None:
        parts = sum(counts[name] for name in ("scored", "not_applicable", "unparsed", "unscored"))
        faults += [] if parts == counts["records"] else [Fault("range", "counts that do not add up", str(counts))]
        faults += range_faults(summary.get("coverage") or 0.0, UNIT)
    return faults
