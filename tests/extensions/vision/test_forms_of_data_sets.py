"""Another package brings a form of whole data sets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from scoring.data import file_format
from scoring.extensions.vision.files.detection_files import read_detections
from scoring.extensions.vision.files.detections import DetectionRecords
from scoring.extensions.vision.files.document_format import DocumentFormat
from scoring.extensions.vision.files.faults import BrokenRecords
from scoring.registry import plugins
from tests.extensions.columns.test_formats import piped, records


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], None]]:
    """Register objects as installed packages would: each is a module's `FORMAT`."""
    entries: list[plugins.PlugIn] = []

    def add(loaded: Any) -> None:
        name = getattr(loaded, "name", "broken")
        module = ModuleType(f"house_{name}")
        if loaded is not None:
            module.FORMAT = loaded  # type: ignore[attr-defined]  # a module of a package that there is not
        monkeypatch.setitem(sys.modules, module.__name__, module)
        entries.append(plugins.PlugIn(name, f"{module.__name__}:FORMAT", "house-tools"))

    monkeypatch.setattr(plugins, "others", lambda group: tuple(entries) if group == file_format.GROUP else ())
    file_format.plugged.cache_clear()
    yield add
    file_format.plugged.cache_clear()


def test_another_package_brings_a_form_of_whole_data_sets(install: Callable[[Any], None]) -> None:
    def read(document: Any, found: Any, *names: str) -> DetectionRecords:
        return DetectionRecords(names[0], document["shots"], [], [], found, names[1], [{"id": 1}])

    install(DocumentFormat("shots", "Shots", "detection", lambda document: "shots" in document, read))
    assert read_detections({"shots": [{"id": 7}]}, []).images == [{"id": 7}]
    with pytest.raises(BrokenRecords, match=r"an object of no known format of detection data sets \(COCO, Shots\)"):
        read_detections({"frames": []}, [])


def test_a_broken_package_is_in_nobodys_way_who_does_not_need_it(install: Callable[[Any], None]) -> None:
    install(None)
    assert read_detections({"images": [{"id": 7}], "categories": []}, []).images == [{"id": 7}]
    assert records(piped(b"id\n1\n", name="a.csv")) == [{"id": "1"}]
