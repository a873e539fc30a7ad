"""Explain something that has a name: a primitive, a definition of a pack, or a kind of finding."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path
from typing import Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError
from scoring.cli.pack_list import definition_data, find_pack


def explain_name(name: str, options: argparse.Namespace, console: Console) -> int:
    """Explain what a name stands for.

    Raises:
        UsageError: when it stands for nothing.
    """
    from scoring.registry import registry

    primitive = registry.get(name) or registry.metric(name)
    if primitive is not None:
        return _primitive(primitive, options, console)
    page = catalog_page(name)
    if page is not None:
        console.json({"id": name, "page": page}) if options.json else console.print(page.rstrip())
        return CLEAN
    if ":" in name:
        return _definition(name, options, console)
    if Path(name).exists():
        raise UsageError(f"to explain a record, name the data too: scoring explain {name} DATA --record ID")
    raise UsageError(_unknown(name))


def catalog_page(name: str) -> str | None:
    """The page of a kind of finding, None where there is none."""
    if not name.replace("-", "").isalnum():
        return None
    page = files("scoring.diagnostics").joinpath("catalog", f"{name}.md")
    return page.read_text("utf-8") if page.is_file() else None


def _primitive(primitive: Any, options: argparse.Namespace, console: Console) -> int:
    from scoring.report.of.names import primitive_document
    from scoring.report.reference import primitive_data

    data = primitive_data(primitive)
    console.json(data) if options.json else console.show(primitive_document(data), options.form)
    return CLEAN


def _definition(name: str, options: argparse.Namespace, console: Console) -> int:
    from scoring.report.of.names import definition_document

    pack_name, _, wanted = name.rpartition(":")
    pack = find_pack(pack_name)
    definition = pack.definitions.get(wanted)
    if definition is None:
        from scoring.diagnostics.suggest import did_you_mean

        close = did_you_mean(wanted, pack.definitions)
        hint = f"; did you mean `{close}`?" if close else f"; see `scoring list {pack_name}`"
        raise UsageError(f"{pack.name} has no `{wanted}`{hint}")
    data = definition_data(pack, definition)
    console.json(data) if options.json else console.show(definition_document(data), options.form)
    return CLEAN


def _unknown(name: str) -> str:
    from scoring.diagnostics.suggest import did_you_mean
    from scoring.registry import registry

    pages = [page.name.removesuffix(".md") for page in files("scoring.diagnostics").joinpath("catalog").iterdir()]
    close = did_you_mean(name, [*registry.names(), *pages])
    hint = f"did you mean `{close}`?" if close else "`scoring list` shows the primitives"
    return f"nothing is called `{name}`; {hint}"
