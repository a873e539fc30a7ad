"""Explain something that has a name: a primitive, a definition of a pack, or a kind of finding."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from scoring.api.listing import definition_data, find_pack
from scoring.api.result import Result
from scoring.data.rows.row import InputError


class Explained(Result):
    """What a name stands for, or a record's way through the stages of its task."""


def explain_name(name: str) -> Explained:
    """What a name stands for.

    Raises:
        InputError: when it stands for nothing.
    """
    from scoring.registry import registry

    primitive = registry.get(name) or registry.metric(name)
    if primitive is not None:
        return _primitive(primitive)
    page = catalog_page(name)
    if page is not None:
        from scoring.report.of.names import finding_document

        return Explained({"id": name, "page": page}, f"the finding {name}", finding_document)
    if ":" in name:
        return _definition(name)
    if Path(name).exists():
        raise InputError(f"to explain a record, name the data too: scoring explain {name} DATA --record ID")
    raise InputError(_unknown(name))


def catalog_page(name: str) -> str | None:
    """The page of a kind of finding, None where there is none."""
    if not name.replace("-", "").isalnum():
        return None
    page = files("scoring.diagnostics").joinpath("catalog", f"{name}.md")
    return page.read_text("utf-8") if page.is_file() else None


def _primitive(primitive: Any) -> Explained:
    from scoring.report.of.names import primitive_document
    from scoring.report.reference import primitive_data

    return Explained(primitive_data(primitive), f"the primitive {primitive.name}", primitive_document)


def _definition(name: str) -> Explained:
    from scoring.report.of.names import definition_document

    pack_name, _, wanted = name.rpartition(":")
    pack = find_pack(pack_name)
    definition = pack.definitions.get(wanted)
    if definition is None:
        from scoring.diagnostics.suggest import did_you_mean

        close = did_you_mean(wanted, pack.definitions)
        hint = f"; did you mean `{close}`?" if close else f"; see `scoring list {pack_name}`"
        raise InputError(f"{pack.name} has no `{wanted}`{hint}")
    return Explained(definition_data(pack, definition), f"{wanted} of {pack.name}", definition_document)


def _unknown(name: str) -> str:
    from scoring.diagnostics.suggest import did_you_mean
    from scoring.registry import registry

    pages = [page.name.removesuffix(".md") for page in files("scoring.diagnostics").joinpath("catalog").iterdir()]
    close = did_you_mean(name, [*registry.names(), *pages])
    hint = f"did you mean `{close}`?" if close else "`scoring list` shows the primitives"
    return f"nothing is called `{name}`; {hint}"
