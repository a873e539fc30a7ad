"""Read files of conformance cases: JSON that is valid under `schemas/conformance.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from scoring.diagnostics.source import Span
from scoring.errors import InputError
from scoring.format.nodes import SpecNode
from scoring.format.read import read_file
from scoring.format.shipped import data_folder
from scoring.format.validate import validate

SCHEMA = "conformance.schema.json"


class ConformanceCase(Struct, frozen=True):
    """A case of the specification.

    Args:
        name: Its name in its file.
        rules: The ids of the rules that it quotes.
        expect: What must come out, as plain data.
        span: Its location.
        spec: The spec as data; None if it is given as text.
        text: The spec as the text of a YAML file.
        files: The text of the files that the spec imports, by path.
        records: The records.
        within: The largest difference between numbers that are the same; 0 if they must be the same to the bit.
    """

    name: str
    rules: tuple[str, ...]
    expect: Mapping[str, Any]
    span: Span
    spec: Mapping[str, Any] | None = None
    text: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    records: Sequence[Any] = ()
    within: float = 0.0


def conformance_cases(folder: Path | None = None) -> Iterator[ConformanceCase]:
    """Yield the cases of all JSON files in a folder, by default the shipped ones, in the order of the files' names.

    Raises:
        InputError: when the folder has no JSON file, or one of another kind.
        SpecError: when a file is not valid under the schema of cases.
    """
    place = data_folder("specs") / "conformance" if folder is None else folder
    files = sorted(place.glob("*.json"))
    if not files:
        raise InputError(f"there are no conformance cases in {place}: no file there ends in .json")
    schema = json.loads((data_folder("schemas") / SCHEMA).read_text("utf-8"))
    for path in files:
        name = path.name if folder is None else str(path)
        node = read_file(path, name)
        if "cases" not in node:
            raise InputError(f"{name} holds no conformance cases: it has no key `cases`")
        validate(node, schema).raise_errors()
        for case in node.entries["cases"].items:
            yield _case_of(case)


def _case_of(node: SpecNode) -> ConformanceCase:
    data = node.plain()
    data.pop("doc", None)
    return ConformanceCase(**{**data, "rules": tuple(data["rules"])}, span=node.entries["name"].span)
