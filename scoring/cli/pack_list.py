"""The packs there are, and what is in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError
from scoring.format.model import NO_DEFAULT, Definition, Pack, Parameter


def list_packs(name: str, options: argparse.Namespace, console: Console, kinds: Sequence[str]) -> int:
    """List all packs, or the definitions of one.

    Raises:
        UsageError: when there is no such pack, kind or family.
    """
    from scoring.report.of.names import pack_document, packs_document

    if name == "packs":
        packs = [_pack_data(pack) for pack in known_packs()]
        console.json(packs) if options.json else console.show(packs_document(packs), options.form)
        return CLEAN
    pack = find_pack(name, kinds)
    data = [definition_data(pack, definition) for definition in pack.definitions.values()]
    console.json(data) if options.json else console.show(pack_document(_pack_data(pack), data), options.form)
    return CLEAN


def known_packs() -> list[Pack]:
    """The shipped and installed packs, by name."""
    from scoring.format import locate
    from scoring.format.load import Loader

    loader = Loader()
    names = sorted({*locate.bundled_packs(), *(name for name, _ in locate.installed_packs())})
    packs = [loader.named(name).spec for name in names]
    return [pack for pack in packs if isinstance(pack, Pack)]


def find_pack(name: str, kinds: Sequence[str] = ()) -> Pack:
    """The pack that a name with an optional version, or a path, stands for.

    Raises:
        UsageError: when there is none.
    """
    from scoring.diagnostics.suggest import did_you_mean
    from scoring.format import locate
    from scoring.format.load import Loader

    loader = Loader()
    if Path(name).suffix in (".yaml", ".yml", ".json"):
        spec = loader.file(Path(name), name).spec
        if not isinstance(spec, Pack):
            raise UsageError(f"{name} is no pack")
        return spec
    plain, _, version = name.partition("@")
    known = sorted({*locate.bundled_packs(), *(found for found, _ in locate.installed_packs())})
    if plain not in known:
        close = did_you_mean(plain, [*known, *kinds])
        hint = f"did you mean `{close}`?" if close else f"packs here: {', '.join(known)}"
        raise UsageError(f"there is no pack, kind or family `{name}`; {hint}")
    found = loader.named(plain, version).spec
    assert isinstance(found, Pack)
    return found


def _pack_data(pack: Pack) -> dict[str, Any]:
    return {"name": pack.name, "version": pack.version, "doc": pack.doc, "definitions": list(pack.definitions)}


def definition_data(pack: Pack, definition: Definition) -> dict[str, Any]:
    """A definition as plain data, for people and for programs."""
    from scoring.lang.printer import print_pipeline

    return {
        "name": definition.name,
        "pack": f"{pack.name} {pack.version}",
        "role": definition.role,
        "doc": definition.doc.strip(),
        "expression": print_pipeline(definition.pipeline),
        "parameters": [
            {"name": param.name, "default": _default(param), "doc": param.doc} for param in definition.params
        ],
        "examples": [{"given": dict(one.data), "expect": one.expect} for one in definition.examples],
        "source": definition.source,
    }


def _default(param: Parameter) -> str:
    from scoring.lang.printer import print_pipeline
    from scoring.report.reference import literal

    if param.pipeline is not None:
        return print_pipeline(param.pipeline)
    return "required" if param.default is NO_DEFAULT else literal(param.default)
